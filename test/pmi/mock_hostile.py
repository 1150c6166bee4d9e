"""Played servers that send garbage, half messages, wrong lengths, wrong answers, or nothing: a bounded, clear error."""
import concurrent.futures
import time

from mock import Mock
from pmitest import SLOW, check, compile_program, done

epochs = compile_program("epochs")

GARBAGE = {
    "garbage": lambda data: b"\x7fELF\x01\x02\x03\x00\xff\xfe\n",
    "half": lambda data: data[:len(data) // 2],
    "silence": lambda data: b"",
    "eof": lambda data: None,
    "other": lambda data: b"cmd=barrier_out rc=0\n",
    "flood": lambda data: b"x" * 100000,
    "huge length": lambda data: b"999999cmd=x;",
    "no length": lambda data: b"      " + data[6:],
    "negative": lambda data: b"    -1" + data[6:],
    "too long": lambda data: b"  8000" + data[6:],
    "too short": lambda data: b"     9" + data[6:],
    "other frame": lambda data: b"    30cmd=kvs-get-response;found=TRUE",
    "no": lambda data: data.replace(b"rc=0", b"rc=-1"),
    "zero": lambda data: data.replace(b"rc=0", b"rc=zero"),
}


def spoiled(wire, step, name):
    """The answer number `step` is replaced. Init may only fail; it must not hang or crash."""
    def spoil(rank, data):
        return GARBAGE[name](data) if rank.answers == step else data
    start = time.monotonic()
    with Mock(2, wire, "all", "(vector,(0,1,2))", spoil) as mock:
        (code, out, err), = mock.run([epochs, "1"], {"MPIR_CVAR_PMI_TIMEOUT": "1"}, 20 * SLOW, ranks=[0])
        what = f"PMI-{wire}, answer {step} replaced by {name}: exit code {code}, {out!r}, {err!r}"
        check(0 <= code < 128, what)
        check(code == 0 or "launcher" in err, what)
        if name in ("garbage", "eof", "silence", "flood"):
            check(code != 0 and time.monotonic() - start < 15 * SLOW, what)


with concurrent.futures.ThreadPoolExecutor(12) as pool:  # most of the time is waiting for MPIR_CVAR_PMI_TIMEOUT
    cases = [pool.submit(spoiled, wire, step, name) for wire in (1, 2) for step in range(4) for name in GARBAGE]
    for case in cases:
        case.result()
done()
