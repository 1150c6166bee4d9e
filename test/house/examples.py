#!/usr/bin/env python3
"""The examples compile without a warning and do what their headers say."""
import os
import re
import subprocess
import sys


def run(*command, env=None):
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          timeout=50, env=dict(os.environ, **(env or {})))
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(name):
    run(os.environ["MPICC"], "-Wall", "-Wextra", "-Werror", "-O2", "-o", name,
        os.path.join(os.environ["TOP"], "examples", name + ".c"))


def expect(pattern, text, count):
    found = re.findall(pattern, text, re.M)
    if len(found) != count:
        sys.exit(f"{count} lines like \"{pattern}\" expected, {len(found)} found in:\n{text}")


for example in ("hello_world", "hello_sessions", "sessions_stress"):
    build(example)
mpiexec = [os.environ["MPIEXEC"], "-timeout", "40", "-n", "4"]
expect(r"^hello from rank [0-3] of 4 on \S+$", run(*mpiexec, "./hello_world"), 4)
expect(r"^epoch [12]: rank [0-3] of 4 got [0-3] .* add up to 6$", run(*mpiexec, "./hello_sessions"), 8)
for cvar in ("0", "1"):
    output = run(*mpiexec, "./sessions_stress", "200", env={"MPIR_CVAR_FINALIZE_ATEXIT": cvar})
    expect(r"^4 ranks, 200 empty session pairs each, .* us$", output, 1)
print(" No Errors")
