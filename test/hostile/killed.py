#!/usr/bin/env python3
"""A rank is killed in the midst of a large transfer, or while others sleep in a call; or it is stopped and continued. Killed: the job
ends soon with a word on who; also where no launcher ends it, the others find out by themselves. Stopped: nothing is lost."""
import os
import random
import re
import shutil
import signal
import subprocess
import time

from hostile import MPIEXEC, SLOW, Server, build, check, clean_environment, done, fail, finish, finish_all

TRANSFER = build("transfer")
HYDRA = shutil.which("mpiexec.hydra")
MODES = ["send", "recv", "sleep", "any", "barrier", "ssend"]
RANKS = 3
SOON = 10  # seconds


def read_pids(streams, n):
    """Rank -> pid, from what the ranks say."""
    pids = {}
    for stream in streams:
        while len(pids) < n:
            line = stream.readline()
            found = re.search(r"rank (\d+) pid (\d+)", line)
            if found:
                pids[int(found.group(1))] = int(found.group(2))
            if not line or len(streams) > 1:
                break
    return pids


def start(launcher, mode):
    return subprocess.Popen([*launcher, "-n", str(RANKS), TRANSFER, mode], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=clean_environment(), start_new_session=True)


def kill_under(launcher, mode, victim):
    label = f"{os.path.basename(launcher[0])}, {mode}, rank {victim} killed"
    process = start(launcher, mode)
    pids = read_pids([process.stdout], RANKS)
    if len(pids) < RANKS:
        process.kill()
        fail(f"{label}: only {pids} have started")
        return
    time.sleep(random.uniform(0, 0.15))
    os.kill(pids[victim], signal.SIGKILL)
    result = finish(process, SOON, label)
    if launcher[0] == MPIEXEC:
        check(result.code == 128 + 9, f"{label}: {result}")
        check(re.search(rf"rank {victim} \(pid {pids[victim]} on .*\) was killed by signal 9", result.err), f"{label}: {result}")
    check(result.code != 0, f"{label}: {result}")
    check(not any(os.path.exists(f"/proc/{pid}") for pid in pids.values()) or gone_soon(pids.values()), f"{label}: ranks are left")


def gone_soon(pids):
    end = time.monotonic() + 3 * SLOW
    while time.monotonic() < end and any(os.path.exists(f"/proc/{pid}") for pid in pids):
        time.sleep(0.01)
    return not any(os.path.exists(f"/proc/{pid}") for pid in pids)


def kill_without_help(mode, victim):
    """A launcher that does nothing when a rank dies: the others must notice."""
    server = Server(RANKS, f"kvs_killed_{os.getpid()}_{mode}_{victim}_{time.monotonic_ns()}")
    processes = [server.start([TRANSFER, mode], rank) for rank in range(RANKS)]
    pids = read_pids([p.stdout for p in processes], RANKS)
    time.sleep(random.uniform(0, 0.15))
    processes[victim].kill()
    label = f"no launcher's help, {mode}, rank {victim} killed"
    for rank, result in enumerate(finish_all(processes, SOON, label)):
        if rank == victim:
            check(result.code == -9, f"{label}: {result}")
            continue
        check(0 < result.code < 128, f"{label}, rank {rank}: {result}")
        check(re.search(r"[Rr]ank \d+ of the job has left or died", result.err), f"{label}, rank {rank}: {result}")
    check(len(pids) == RANKS, f"{mode}: only {pids} have started")


def stop_and_continue(launcher):
    for stopped in [0], [1], [0, 1], [0, 1, 2]:
        label = f"{os.path.basename(launcher[0])}, ranks {stopped} stopped"
        process = start(launcher, "rounds")
        pids = read_pids([process.stdout], RANKS)
        for _ in range(4):
            time.sleep(random.uniform(0.02, 0.1))
            for rank in stopped:
                os.kill(pids[rank], signal.SIGSTOP)
            time.sleep(random.uniform(0.05, 0.3))
            for rank in stopped:
                os.kill(pids[rank], signal.SIGCONT)
        result = finish(process, 60, label)
        check(result.code == 0 and " No Errors" in result.out, f"{label}: {result}")


for mode in MODES:
    for _ in range(4):
        kill_under([MPIEXEC], mode, 0)
    if HYDRA:
        kill_under([HYDRA], mode, 0)
    for _ in range(4 if mode in ("send", "recv") else 2):
        kill_without_help(mode, 0)
kill_under([MPIEXEC], "send", 1)
kill_under([MPIEXEC], "recv", 2)
kill_without_help("send", 1)
kill_without_help("recv", 2)
for launcher in [[MPIEXEC], [HYDRA]] if HYDRA else [[MPIEXEC]]:
    stop_and_continue(launcher)
done()
