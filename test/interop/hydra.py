#!/usr/bin/env python3
"""Our programs under Debian's mpiexec.hydra: the session and point-to-point and collective folders."""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RUNTESTS = os.path.join(HERE, "..", "runtests")


def main():
    if not shutil.which("mpiexec.hydra"):
        print("mpiexec.hydra (package mpich) is not installed", file=sys.stderr)
        return 1
    done = subprocess.run([sys.executable, RUNTESTS, "--prefix", os.environ["PREFIX"], "--build", os.environ["BUILD"],
                           "--results", "results", "--launcher", "hydra", "-n", "2,4", "test/mpi/session",
                           "test/mpi/pt2pt", "test/mpi/coll"], capture_output=True, text=True)
    ok = done.returncode == 0 and ", 0 failed" in done.stdout
    print(" No Errors" if ok else done.stdout + done.stderr, file=sys.stdout if ok else sys.stderr)
    return not ok


if __name__ == "__main__":
    sys.exit(main())
