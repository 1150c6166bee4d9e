#!/usr/bin/env python3
"""Many ranks; few descriptors; many jobs, quickly and without a trace."""
import os
import resource
import time

from pmtest import PMI, SLOW, check, done, python, run

result = run("-n", "256", "sh", "-c", "echo $PMI_RANK", timeout=60)
check(sorted(map(int, result.stdout.split())) == list(range(256)), "256 ranks")
run("-n", "32", *python(PMI + "init()\nfor i in range(20):\n ask('cmd=barrier_in')\nfinalize()"), timeout=60)

# the limit of descriptors is raised for mpiexec, not for ranks; where it cannot be, that is said
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)


def limit(new_soft, new_hard):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (new_soft, new_hard))


result = run("-n", "100", "sh", "-c", "ulimit -n", timeout=60, preexec_fn=limit(256, min(hard, 4096) if hard > 0 else 4096))
check(set(result.stdout.split()) == {"256"}, "the limit in ranks")
result = run("-n", "100", "true", code=1, preexec_fn=limit(256, 256))
check("100 ranks need" in result.stderr and "256" in result.stderr, result.stderr)
result = run("-n", "2", "true", code=None, preexec_fn=limit(8, 8))
check(result.returncode != 0 and result.stderr, "8 descriptors")

# too few processes: an error, and what was started is ended
if os.getuid() != 0:
    result = run("-n", "50", "sleep", "30", code=None, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (20, 20)))
    check(result.returncode != 0 and result.seconds < 10, "no more processes")

began = time.monotonic()
for _ in range(50):
    run("-n", "4", "true")
check(time.monotonic() - began < 10 * SLOW, "starting takes too long")
done()
