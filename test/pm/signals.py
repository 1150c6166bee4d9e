#!/usr/bin/env python3
"""Signals that mpiexec gets reach the ranks; a second one kills; nothing is left."""
import signal
import time

from pmtest import check, done, finish, has_process, python, start, wait_gone

HANDLER = """
import os, signal, sys, time
def handle(number, frame):
    os.write(1, b'got %d\\n' % number) # print must not be called from a handler that may interrupt a print
    if number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): sys.exit(0)
for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2): signal.signal(s, handle)
print('ready', flush=True)
while True: time.sleep(0.05)
"""
STUBBORN = """
import os, signal, time
for s in (signal.SIGINT, signal.SIGTERM): signal.signal(s, signal.SIG_IGN)
print(os.getpid(), flush=True)
while True: time.sleep(0.05)
"""


def lines(process, count):
    return [process.stdout.readline().strip() for _ in range(count)]


# each of them, handled by the ranks
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    job = start("-n", "2", *python(HANDLER))
    lines(job, 2)
    for other in (signal.SIGUSR1, signal.SIGUSR2):
        job.send_signal(other)
        check(lines(job, 2) == [f"got {int(other)}"] * 2, f"{other} did not reach both ranks")
    job.send_signal(number)
    out, err = finish(job, 0)
    check(out.count(f"got {int(number)}") == 2, f"{number}: {out!r} {err!r}")

# not handled
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
    job = start("-n", "2", "sh", "-c", "echo $$; exec sleep 60")
    pids = [int(p) for p in lines(job, 2)]
    job.send_signal(number)
    finish(job, 128 + number)
    check(not wait_gone(pids, 2), "ranks are left")

# ignored: the second one kills
job = start("-n", "2", *python(STUBBORN))
pids = [int(p) for p in lines(job, 2)]
job.send_signal(signal.SIGINT)
time.sleep(0.3)
check(job.poll() is None and all(has_process(p) for p in pids), "the first SIGINT killed what ignores it")
began = time.monotonic()
job.send_signal(signal.SIGINT)
finish(job, 128 + signal.SIGINT)
check(time.monotonic() - began < 2, "the second SIGINT did not kill at once")
check(not wait_gone(pids, 2), "ranks are left")

# stop and go on
job = start("-n", "2", "sh", "-c", "echo $$; exec sleep 60")
pids = [int(p) for p in lines(job, 2)]


def states():
    result = ""
    for pid in [job.pid, *pids]:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            result += file.read().rsplit(")", 1)[1].split()[0]
    return result


def wait_states(good):
    end = time.monotonic() + 5
    while not good(states()) and time.monotonic() < end:
        time.sleep(0.02)
    return good(states())


job.send_signal(signal.SIGTSTP)
check(wait_states(lambda s: s == "TTT"), f"not all have stopped: {states()}")
job.send_signal(signal.SIGCONT)
check(wait_states(lambda s: "T" not in s), f"not all go on: {states()}")
job.send_signal(signal.SIGTERM)
finish(job, 128 + signal.SIGTERM)

# one who is stopped can be ended
job = start("-n", "2", "sh", "-c", "echo $$; [ $PMI_RANK = 1 ] && kill -STOP $$; sleep 0.3; exit 6")
pids = [int(p) for p in lines(job, 2)]
finish(job, 6)
check(not wait_gone(pids, 2), "ranks are left")

# what was ignored when mpiexec was started stays so, for ranks as well (nohup)
job = start("-n", "1", *python("import signal; print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN,"
                               "signal.pthread_sigmask(signal.SIG_BLOCK, []), flush=True); import time; time.sleep(1)"),
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
text = job.stdout.readline()
check(text == "True set()\n", text)
job.send_signal(signal.SIGHUP)
finish(job, 0)
done()
