#!/usr/bin/env python3
"""What a rank says when it aborts reaches the user, also under a launcher that drops output at the end (Hydra)."""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TIMES = 15


def main():
    launchers = [os.environ["MPIEXEC"]] + [path for path in [shutil.which("mpiexec.hydra")] if path]
    subprocess.run([os.environ["MPICC"], os.path.join(HERE, "last_words.c"), "-o", "last_words"], check=True)
    for launcher in launchers:
        for _ in range(TIMES):
            done = subprocess.run([launcher, "-n", "3", os.path.abspath("last_words")], capture_output=True, text=True, timeout=60,
                                  check=False)
            if "perennial: rank 1: MPI_Abort(MPI_COMM_WORLD, 3) was called" not in done.stdout + done.stderr:
                print(f"{launcher}: nothing of MPI_Abort: {done}", file=sys.stderr)
                return 1
    print(" No Errors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
