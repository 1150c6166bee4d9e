"""What the tests of launchers share."""
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.environ["SRCDIR"]
TOP = os.environ["TOP"]
SLOW = 10 if {"tsan", "valgrind"} & set(os.environ.get("MTEST_MODES", "").split(",")) else 1


def check(condition, text):
    """A requirement; stops the test if it does not hold."""
    if not condition:
        sys.exit(f"{sys.argv[0]}: {text}")


def done():
    """The end of a test that has passed."""
    print(" No Errors")
    sys.exit(0)


def skip(reason):
    """What this test needs cannot be had here."""
    print(f"skipped: {reason}")
    sys.exit(77)


def compile_program(name):
    """A program of this folder, built here."""
    util = os.path.join(TOP, "test", "util")
    command = [os.environ["MPICC"], "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I" + util,
               "-o", os.path.abspath(name), os.path.join(HERE, name + ".c")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    check(built.returncode == 0, f"{name}.c does not build:\n{built.stderr}")
    return os.path.abspath(name)


def need(program, package):
    check(shutil.which(program), f"{program} is not in PATH (Debian: package {package})")


def run_here(command, env):
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **env})
    return ran.returncode, ran.stdout + ran.stderr


def suite(launcher, *words, before=(), ranks="2,4", env=None, run=run_here):
    """Run tests with another launcher; the output of what failed is shown. `words` are folders and further options of runtests;
    `run` starts the command elsewhere."""
    command = [*before, sys.executable, os.path.join(TOP, "test", "runtests"), "--prefix", os.environ["PREFIX"],
               "--build", os.environ["BUILD"], "--results", os.path.abspath("results-" + launcher),
               "--launcher", launcher, "-n", ranks, *words]
    code, out = run(command, env or {})
    last = out.rstrip().rsplit("\n", 1)[-1]
    check(code == 0 and last.endswith(" 0 failed") and not last.startswith("0 "), f"{launcher}:\n{out}")
    return last
