#!/usr/bin/env python3
"""Ranks that cycle empty epochs at their own pace, three on a machine whose cores are all busy, over and over; the fastest leaves first.
How often is the argument, or DRIFT_TIMES in the environment."""
import os
import subprocess
import sys
import time

TIMES = int(sys.argv[1]) if len(sys.argv) > 1 else int(os.environ.get("DRIFT_TIMES", "30"))
SLOW = {"asan", "tsan", "valgrind"} & set(os.environ.get("MTEST_MODES", "").split(","))
CYCLES = 300 if SLOW else 9000
LIMIT = 60
HERE = os.environ["SRCDIR"]


def run(program, deferred, again):
    env = dict(os.environ, MPIR_CVAR_FINALIZE_ATEXIT=deferred)
    start = time.monotonic()
    done = subprocess.run([os.environ["MPIEXEC"], "-timeout", str(LIMIT), "-n", "3", program, str(CYCLES), *again], env=env,
                          capture_output=True, text=True, timeout=LIMIT + 30, check=False)
    if done.returncode != 0 or " No Errors" not in done.stdout or done.stderr:
        sys.exit(f"deferred {deferred}: exit code {done.returncode} after {time.monotonic() - start:.1f} s\n{done.stdout}{done.stderr}")


def main():
    program = os.path.abspath("drift")
    subprocess.run([os.environ["MPICC"], "-O1", "-I", os.path.join(HERE, "..", "..", "util"), os.path.join(HERE, "drift.c"), "-o", program],
                   check=True)
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        for i in range(TIMES):
            run(program, str(i % 2), ["meet"] if i % 3 == 2 else [])
    finally:
        for process in load:
            process.kill()
            process.wait()
    print(" No Errors")


main()
