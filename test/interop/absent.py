#!/usr/bin/env python3
"""Under a launcher that hands no memory down, a message for a process that never comes holds nobody up; the file that it lies in
is swept by the next job."""
import os
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HYDRA = shutil.which("mpiexec.hydra")


def names():
    prefix = f"perennial-{os.geteuid()}-"
    return {name for name in os.listdir("/dev/shm") if name.startswith(prefix)}


def run(*command):
    """Hydra 4.0 now and then dies of SIGPIPE when ranks end at once, whatever the program; then once more."""
    try:
        for _ in range(5):
            done = subprocess.run([HYDRA, "-n", "2", *command], capture_output=True, text=True, timeout=30, check=False)
            if done.returncode != -signal.SIGPIPE:
                break
        return done
    except subprocess.TimeoutExpired:
        print(f"{' '.join(command)}: still running after 30 s", file=sys.stderr)
        return None


def main():
    if not HYDRA:
        print("mpiexec.hydra (package mpich) is not installed", file=sys.stderr)
        return 1
    build = [os.environ["MPICC"], "-I", os.path.join(HERE, "..", "util")]
    subprocess.run([*build, os.path.join(HERE, "absent.c"), "-o", "absent"], check=True)
    subprocess.run([*build, os.path.join(HERE, "..", "..", "examples", "hello_world.c"), "-o", "hello"], check=True)
    before = names()
    for wrapper in [], ["sh", "-c", "\"$0\"; true"]:  # a shell between launcher and rank changes nothing
        done = run(*wrapper, os.path.abspath("absent"))
        if done is None or done.returncode != 0 or " No Errors" not in done.stdout:
            print(f"absent: {done}", file=sys.stderr)
            return 1
    done = run(os.path.abspath("hello"))  # creates a directory, so sweeps
    left = names() - before
    if done is None or done.returncode != 0 or left:
        print(f"hello: {done}; left in /dev/shm: {left}", file=sys.stderr)
        return 1
    print(" No Errors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
