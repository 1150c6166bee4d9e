#!/usr/bin/env python3
"""What a program has printed and stdio still holds comes out when MPI_Abort or a fatal error ends the process; and the process ends
even if that cannot be done."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MPIEXEC = os.environ["MPIEXEC"]
PROGRAM = os.path.abspath("last_output")
WAYS = "abort", "fatal", "session"


def ends(command, way):
    """The process, which has ended with an error; None and a message if not."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        code = process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        print(f"{command}: still running after 30 s", file=sys.stderr)
        process.kill()
        sys.exit(1)
    if code == 0 or (way == "abort" and code != 3):
        print(f"{command}: exit code {code}", file=sys.stderr)
        sys.exit(1)
    return process


def check(command, way, obstacle):
    if os.path.exists("last_output.txt"):
        os.remove("last_output.txt")
    process = ends([*command, PROGRAM, way, obstacle], way)
    out, err = process.communicate()
    if "not the program's" in err:
        print(f"{command} {way} {obstacle}: the program's handler of SIGCHLD was called", file=sys.stderr)
        sys.exit(1)
    with open("last_output.txt", encoding="utf-8") as file:
        in_file = file.read()
    if (obstacle in ("none", "stdin") and "on stdout\n" not in out) or (obstacle == "none" and in_file != "in the file"):
        print(f"{command} {way} {obstacle}: out {out!r}, file {in_file!r}, err {err!r}", file=sys.stderr)
        sys.exit(1)


def main():
    subprocess.run([os.environ["MPICC"], "-pthread", os.path.join(HERE, "last_output.c"), "-o", PROGRAM], check=True)
    for way in WAYS:
        check([MPIEXEC, "-n", "1"], way, "none")
        check([], way, "none")
    for obstacle in "stdin", "stdout", "pipe":
        check([], "abort", obstacle)
    print(" No Errors")


if __name__ == "__main__":
    main()
