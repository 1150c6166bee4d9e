#!/usr/bin/env python3
"""A program that nobody here wrote: Debian's NPmpich2, built for MPICH, runs unchanged on this library."""
import os
import shutil
import subprocess
import sys
import tempfile

PREFIX = os.environ["PREFIX"]
PROGRAM = shutil.which("NPmpich2")


MODES = [], ["-a"], ["-S"], ["-2", "-a"]


def check(launcher, mode, folder):
    env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(PREFIX, "lib"))
    out = os.path.join(folder, "np.out")
    done = subprocess.run([*launcher, PROGRAM, "-u", "262144", "-n", "3", "-i", "-o", out, *mode], env=env, cwd=folder,
                          capture_output=True, text=True, timeout=100)
    text = done.stdout + done.stderr
    if done.returncode != 0 or "Integrity" not in text and "integrity" not in text:
        return f"{launcher} {mode}: exit code {done.returncode}\n{text}"
    return ""


def is_ours(folder):
    """The dynamic linker must have taken our libmpich.so.12."""
    env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(PREFIX, "lib"))
    text = subprocess.run(["ldd", PROGRAM], env=env, capture_output=True, text=True).stdout
    line = next((l for l in text.splitlines() if "libmpich.so.12" in l), "")
    return "" if PREFIX in line else f"ldd found another library: {line}"


def main():
    if not PROGRAM:
        print("NPmpich2 (package netpipe-mpich2) is not installed", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        launchers = [os.environ["MPIEXEC"]] + [p for p in [shutil.which("mpiexec.hydra")] if p]
        bad = [is_ours(folder)]
        bad += [check([launcher, "-n", "2"], mode, folder) for launcher in launchers for mode in MODES]
    bad = [b for b in bad if b]
    print("\n".join(bad) if bad else " No Errors", file=sys.stderr if bad else sys.stdout)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
