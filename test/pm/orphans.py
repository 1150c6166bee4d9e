#!/usr/bin/env python3
"""Nothing is left: not when mpiexec is killed with -9, not when ranks leave something behind."""
import os
import signal
import subprocess
import time

from pmtest import check, done, finish, has_process, python, run, start, wait_gone


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return [int(p) for p in file.read().split()]


def shm():
    return set(os.listdir("/dev/shm"))


before = shm()
# ranks, what they have started, and the guard
STUBBORN = "trap '' TERM INT HUP; sh -c 'trap \"\" TERM INT HUP; echo $$; while :; do sleep 0.1; done' & echo $$; wait"
for how in ("running", "stopped"):
    job = start("-n", "3", "sh", "-c", STUBBORN)
    pids = [int(job.stdout.readline()) for _ in range(6)]
    pids += children_of(job.pid)
    check(len(set(pids)) == 7, f"expected 3 ranks, 3 of their children and a guard, found {pids}")
    if how == "stopped":
        for pid in pids[:6]:
            os.kill(pid, signal.SIGSTOP)
    job.send_signal(signal.SIGKILL)
    job.wait()
    left = wait_gone(pids)
    check(not left, f"{how}: left after kill -9 of mpiexec: {left} of {pids}")
    job.stdout.close()
    job.stderr.close()

# many times, at moments that differ: also while ranks are being started
for i in range(30):
    job = start("-n", "4", "sh", "-c", "sleep 30 & wait")
    time.sleep(i * 0.0007)
    pids = children_of(job.pid)
    for pid in list(pids):
        try:
            pids += children_of(pid)
        except OSError:
            pass  # gone already
    job.send_signal(signal.SIGKILL)
    job.wait()
    left = wait_gone(pids)
    check(not left, f"left after kill -9 in round {i}: {left}")
    job.stdout.close()
    job.stderr.close()

# the guard leaves with mpiexec, and holds nothing open
job = start("-n", "1", "sh", "-c", "echo $PPID; read x", stdin=subprocess.PIPE)
guard = [p for p in children_of(int(job.stdout.readline()))]
finish(job, 1)
check(not wait_gone(guard, 1), "the guard is left")

# killing the guard harms nobody
job = start("-n", "2", "sh", "-c", "echo $$; sleep 0.5")
pids = [int(job.stdout.readline()) for _ in range(2)]
for pid in set(children_of(job.pid)) - set(pids):
    os.kill(pid, signal.SIGKILL)
finish(job, 0)

# a child left behind in the rank's group is ended, and does not hold up mpiexec with the pipe that it holds
result = run("-n", "2", "sh", "-c", "sleep 60 & echo $!")
check(result.seconds < 5, f"a child that holds the pipe: {result.seconds} s")
check(not wait_gone([int(p) for p in result.stdout.split()], 2), "a child is left behind")

# one that has left the group stays, since it wants to, but does not hold up mpiexec either
result = run("-n", "1", "sh", "-c", "setsid sleep 5 & echo $!; sleep 0.2")
pid = int(result.stdout)
check(result.seconds < 4, f"a daemon that holds the pipe: {result.seconds} s")
check(has_process(pid), "a daemon was killed")
os.kill(pid, signal.SIGKILL)
result = run("-n", "1", *python("import os,time\nif os.fork() == 0:\n os.setsid()\n end = time.time() + 3\n while time.time() < end:\n"
                                "  os.write(1, b'x' * 1000)"), timeout=10)
check(result.seconds < 3, f"a daemon that writes without end: {result.seconds} s")

# what such a child still writes before it ends is shown: the end of a pipeline in a script
result = run("-n", "1", "bash", "-c", "exec > >(sleep 0.05; cat); echo through the pipeline")
check(result.stdout == "through the pipeline\n", f"lost: {result.stdout!r}")

check(shm() <= before, f"left in /dev/shm: {shm() - before}")
done()
