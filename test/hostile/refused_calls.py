#!/usr/bin/env python3
"""What the kernel or a container refuses (process_vm_readv, memfd_create, membarrier, ...) costs speed and nothing else: messages of all
sizes arrive whole, also if only some of the ranks are affected."""
import shutil
import sys

from hostile import MPIEXEC, build, check, done, run

FORBID = build("forbid", compiler="cc")
SIZES = build("sizes")

RULES = [
    ["process_vm_readv=EPERM", "process_vm_writev=EPERM"],
    ["process_vm_readv=ENOSYS", "process_vm_writev=ENOSYS"],
    ["process_vm_readv=EACCES"],
    ["memfd_create=ENOSYS"],
    ["memfd_create=EPERM"],
    ["membarrier=ENOSYS"],
    ["membarrier=EPERM"],
    ["fallocate=EOPNOTSUPP"],
    ["sched_yield=EPERM", "sched_getaffinity=ENOSYS"],
]
RULES.append([rule for rules in (RULES[0], RULES[4], RULES[6], RULES[7], RULES[8]) for rule in rules])


def test(label, *command):
    result = run(*command, limit=60, label=label)
    check(result.code == 0 and " No Errors" in result.out and not result.err, f"{label}: {result}")


if run(FORBID, *RULES[0], "--", "true").code == 77:
    print("no seccomp filters here", file=sys.stderr)
    sys.exit(1)

hydra = shutil.which("mpiexec.hydra")
for rules in RULES:
    words = [FORBID, *rules, "--"]
    test(f"{rules} in the ranks", MPIEXEC, "-n", "2", *words, SIZES)
    test(f"{rules} in rank 0", MPIEXEC, "-n", "1", *words, SIZES, ":", "-n", "1", SIZES)
    if rules in (RULES[0], RULES[-1]):
        test(f"{rules} everywhere", *words, MPIEXEC, "-n", "3", SIZES)
        test(f"{rules} in ranks 1 and 2", MPIEXEC, "-n", "1", SIZES, ":", "-n", "2", *words, SIZES)
        test(f"{rules} in a singleton", *words, SIZES)
        if hydra:
            test(f"{rules} under Hydra", hydra, "-n", "2", *words, SIZES)
done()
