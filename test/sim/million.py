"""A job of a million ranks on 15,625 nodes, of which four are real, against a job of about four. The launcher is played.

What the real ones cost in memory, and what they ask the launcher, must hardly differ. Times are printed only.

    million.py NETMOD [PLACE...]
"""
import os
import sys

sys.dont_write_bytecode = True
for folder in ("util", "pmi"):
    sys.path.insert(0, os.path.join(os.environ["TOP"], "test", folder))
from mock import Mock  # noqa: E402
from pmitest import SLOW, check, compile_program, done  # noqa: E402

MILLION = 1_000_000
STEPS = "init session again world groups comm".split()
# KiB that a step may keep more, and take more at its peak. Which messages come early, and what libraries below keep of their
# memory, is different each time; a byte for each rank would be 977, a pointer 7813.
KEPT_MAX, PEAK_MAX, TRIES = 384, 384, 5
TALKING = "session again comm".split()  # these also share memory with others, at times more and at times less
TALKING_PEAK_MAX = 3072
# Memory is as the library made it only where no tool adds its own.
PLAIN = not {"asan", "tsan", "valgrind"} & set(os.environ.get("MTEST_MODES", "").split(","))

BLOCKS = "(vector,(0,15625,64))"
CYCLIC = "(vector,(0,15625,1))"
UNEVEN = "(vector,(0,7000,64),(7000,1,128),(7001,8623,64))"
FIRST = (0, 1, 2, 3)
# The wire, then of the large job and of the small one: size, mapping, which ranks are real. In all of them some are on other
# nodes, so that a network module is loaded.
PLACES = {
    "one-node": (1, (MILLION, BLOCKS, (999936, 999970, 999998, 999999)), (5, "(vector,(0,1,4),(1,1,1))", FIRST)),
    "two-nodes": (2, (MILLION, BLOCKS, (0, 63, 999936, 999999)), (4, "(vector,(0,2,2))", FIRST)),
    "three-nodes": (1, (MILLION, BLOCKS, (0, 63, 500000, 999999)), (4, "(vector,(0,1,2),(1,2,1))", FIRST)),
    "cyclic": (1, (MILLION, CYCLIC, (0, 15625, 500000, 999999)), (4, "(vector,(0,1,3),(1,1,1))", FIRST)),
    "uneven": (2, (MILLION, UNEVEN, (448000, 448127, 448128, 999999)), (4, "(vector,(0,1,2),(1,2,1))", FIRST)),
}
program = compile_program("few")


class Job:
    """One run. `figures`: {step: (us, KiB kept, KiB at its peak)}, of each the largest of the ranks;
    `answers`: how often the launcher answered to each."""

    def __init__(self, netmod, wire, size, mapping, real):
        self.what = f"{netmod}, {size} ranks in {mapping}"
        self.figures = {}
        with Mock(size, wire, mapping=mapping, few=True) as mock:
            mock.run([program, ",".join(map(str, real)), str(size)], {"MPIR_CVAR_NETMOD": netmod}, 60 * SLOW, ranks=real)
            mock.check(finalized=len(real), put_by=len(real))
            for _, out, err in mock.results:
                check(not err, f"{self.what}: {err}")
                for line in out.splitlines():
                    self.add(*line.split())
            check(sorted(self.figures) == sorted(STEPS), f"{self.what}: {mock.results}")
            self.answers = [rank.answers for rank in mock.ranks]

    def add(self, step, *values):
        self.figures[step] = tuple(map(max, self.figures.get(step, (0, 0, 0)), map(int, values)))


def show(many, few):
    print(f"{many.what}; in brackets: {few.what}")
    for step in STEPS:
        (us, kept, peak), (us0, kept0, peak0) = many.figures[step], few.figures[step]
        print(f"  {step:8} {us:7} us ({us0:7})   keeps {kept:5} KiB ({kept0:5})   peak {peak:5} KiB ({peak0:5})")
    print(f"  answers of the launcher: {many.answers} ({few.answers})", flush=True)


def excess(many, few):
    """What is too much, as text; None: nothing is."""
    for step in STEPS:
        limits = KEPT_MAX, TALKING_PEAK_MAX if step in TALKING else PEAK_MAX
        for what, limit, kib, kib0 in zip(("keeps", "takes"), limits, many.figures[step][1:], few.figures[step][1:]):
            if kib - kib0 > limit:
                return f"{step} {what} {kib} KiB, there {kib0}; expected at most {limit} more"
    return None


def compare(netmod, place):
    """Memory that is needed for the size is needed each time."""
    wire, large, small = PLACES[place]
    for _ in range(TRIES):
        many, few = Job(netmod, wire, *large), Job(netmod, wire, *small)
        show(many, few)
        # With PMI-2 a rank asks again for the key of one that is slow to come.
        if wire == 1:
            check(many.answers == few.answers, f"{many.what}: {many.answers} answers of the launcher; {few.what}: {few.answers}")
        if not PLAIN or not excess(many, few):
            return
    check(False, f"{many.what} against {few.what}: {excess(many, few)}")


check(len(sys.argv) > 1, "expected the name of a network module")
for each in sys.argv[2:] or PLACES:
    compare(sys.argv[1], each)
done()
