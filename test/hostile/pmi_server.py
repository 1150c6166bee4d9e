#!/usr/bin/env python3
"""A server of PMI-1 or PMI-2 that answers with garbage, half lines, an end, silence or lies, at each place of the exchange: the program ends soon,
with a message that says what was expected of the launcher."""
import time

from hostile import SLOW, Server, Server2, build, check, check_refused, done, finish, frame

VICTIM = build("victim")
TIMEOUT = 1 * SLOW  # seconds, MPIR_CVAR_PMI_TIMEOUT

# What the message must say: the launcher is to blame.
BLAME = "launcher"


class Misbehaving:
    """Behaves until it is asked `cmd`; then does as `attack` says."""

    def __init__(self, cmd, attack, size):
        super().__init__(size)
        self.cmd, self.attack, self.attacked = cmd, attack, False

    def answer(self, cmd, words, link):
        good = super().answer(cmd, words, link)
        if cmd != self.cmd:
            return good
        self.attacked = True
        return self.attack(good, link)


class Misbehaving1(Misbehaving, Server):
    pass


class Misbehaving2(Misbehaving, Server2):
    pass


def silence(_good, _link):
    return ""


def end(_good, _link):
    return None


def half_line_and_end(good, link):
    link.sendall(good.encode()[: len(good) // 2])
    return None


def half_line_and_silence(good, link):
    link.sendall(good.encode()[: len(good) // 2])
    return ""


def in_single_bytes(good, link):
    """No attack: a slow network."""
    for byte in good.encode() + (b"\n" if good.startswith("cmd=") else b""):
        link.sendall(bytes([byte]))
        time.sleep(0.001)
    return ""


def garbage(_good, _link):
    return bytes(range(256)) * 16 + b"\n"


def line_without_end(_good, _link):
    return b"cmd=" + b"x" * 1000000


def nul_bytes(good, _link):
    return good.replace("=", "=\0", 1).encode() + b"\n"


def empty_line(_good, _link):
    return b"\n"


def other_command(_good, _link):
    return "cmd=barrier_out rc=0"


def no_values(good, _link):
    return good.split(" ")[0]


def refused(good, _link):
    return good.split(" ")[0] + " rc=-17 msg=go\\ away"


def numbers_that_are_none(good, _link):
    head, *rest = good.split(" ")
    return " ".join([head] + [w.split("=")[0] + "=12x" if w.split("=")[0] != "rc" else w for w in rest])


# ---- on PMI-2's frames


def no_length(_good, _link):
    return b"abcdefcmd=x;"


def negative_length(_good, _link):
    return b"    -1cmd=x;"


def length_zero(_good, _link):
    return b"     0"


def length_beyond(_good, _link):
    return b"999999" + b"x" * 100000


def longer_than_said(good, _link):
    return b"    12" + good[6:].encode()


def shorter_than_said(good, link):
    link.sendall(b"  9000" + good[6:].encode())
    return None


def no_pairs(_good, _link):
    return b"     9no pairs;"


def lies(good, _link):
    return frame(good[6:].replace("size=1;", "size=3;"))


ATTACKS = [silence, end, half_line_and_end, half_line_and_silence, garbage, line_without_end, nul_bytes, empty_line, other_command]
# Which of the attacks on contents make sense where; a launcher without a mapping is legal, so "get" may be refused.
CONTENTS = {
    "init": [no_values, refused, numbers_that_are_none],
    "get_my_kvsname": [no_values],
    "get_appnum": [no_values, numbers_that_are_none],
    "get_universe_size": [no_values, numbers_that_are_none],
    "get": [],
    "finalize": [],
}
CONTENTS2 = {
    "init": [no_values, refused, numbers_that_are_none],
    "fullinit": [lies],
    "job-getid": [],
    "finalize": [],
}
FRAMES = [no_length, negative_length, length_zero, length_beyond, longer_than_said, shorter_than_said, no_pairs]
# In a goodbye there is nothing left to lose: the program's own result counts.
FORGIVEN = {"finalize"}


def attack(kind, cmd, how):
    size = 2 if cmd == "get" else 1  # the mapping is asked for only if there are others
    server = kind(cmd, how, size)
    label = f"PMI-{server.version}: {cmd}: {how.__name__}"
    process = server.start([VICTIM], 0, locals_known=size == 1, MPIR_CVAR_PMI_TIMEOUT=str(TIMEOUT))
    result = finish(process, 15, label)
    check(server.attacked, f"{label}: was never asked: {result}")
    check(result.seconds < 2 * TIMEOUT + 5, f"{label}: took {result.seconds:.1f} s")
    if cmd in FORGIVEN:
        check(result.code == 0 and " No Errors" in result.out, f"{label}: {result}")
    else:
        check_refused(result, label, BLAME)
        check("No Errors" not in result.out, f"{label}: {result}")


for command, contents in CONTENTS.items():
    for how in ATTACKS + contents:
        attack(Misbehaving1, command, how)
for command, contents in CONTENTS2.items():
    for how in ATTACKS + ([] if command == "init" else FRAMES) + contents:
        attack(Misbehaving2, command, how)

# Slow is not wrong, and what is not known is ignored.
for how in in_single_bytes, lambda good, link: good + " unknown=1 more= x":
    for command in "init", "get_my_kvsname", "get_universe_size":
        result = finish(Misbehaving1(command, how, 1).start([VICTIM], 0), 15, command)
        check(result.code == 0 and " No Errors" in result.out, f"{command}: {result}")
for command in "fullinit", "job-getid", "finalize":
    result = finish(Misbehaving2(command, in_single_bytes, 1).start([VICTIM], 0), 15, command)
    check(result.code == 0 and " No Errors" in result.out, f"PMI-2: {command}: {result}")
done()
