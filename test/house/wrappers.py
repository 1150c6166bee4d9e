#!/usr/bin/env python3
"""mpicc, mpicxx and the pkg-config files: options as users of MPICH's wrappers know them."""
import os
import shutil
import subprocess
import sys

PREFIX = os.environ["PREFIX"]
MPICC, MPICXX = os.environ["MPICC"], os.environ["MPICXX"]
PROGRAM = """#include <mpi.h>
#include <stdio.h>
int main(void) { int v, s; MPI_Get_version(&v, &s); printf("%d\\n", v); return v < 4; }
"""


def run(*command, env=None, code=0):
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, **(env or {})))
    if done.returncode != code:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}, expected {code}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def expect_words(text, words, absent=()):
    for word in words:
        if word not in text.split():
            sys.exit(f"\"{word}\" is not in: {text}")
    for word in absent:
        if word in text.split():
            sys.exit(f"\"{word}\" should not be in: {text}")


def check_options():
    include, lib = f"-I{PREFIX}/include", f"-L{PREFIX}/lib"
    expect_words(run(MPICC, "-show"), [include, lib, "-lmpi"])
    expect_words(run(MPICC, "-show", "-c", "a.c"), ["-c", "a.c", include], ["-lmpi", lib])
    for spelling in ("-compile-info", "-compile_info"):
        expect_words(run(MPICC, spelling), [include], ["-lmpi"])
    for spelling in ("-link-info", "-link_info"):
        expect_words(run(MPICC, spelling), [lib, "-lmpi"])
    expect_words(run(MPICC, "-show", "a.c", env={"MPICH_CC": "othercc -x"}), ["othercc", "-x", "a.c"])
    expect_words(run(MPICC, "-cc=thirdcc", "-show", "a.c"), ["thirdcc"])
    expect_words(run(MPICXX, "-show", "a.cc", env={"MPICH_CXX": "othercxx"}), ["othercxx", "a.cc"])
    if "Perennial MPI version" not in run(MPICC, "-v"):
        sys.exit("mpicc -v does not name the library's version")
    if "no input files" not in run(MPICC, code=1):
        sys.exit("mpicc without files does not say so")
    run(MPICC, "-help")


def check_programs():
    """Compile, also in two steps and as C++, and run from anywhere without LD_LIBRARY_PATH."""
    for name in ("a b.c", "plain.c", "plain.cxx"):
        with open(name, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
    run(MPICC, "-o", "one step", "a b.c")
    run("./one step")
    run(MPICC, "-c", "plain.c")
    run(MPICC, "plain.o", "-o", "two_steps")
    run("./two_steps")
    if shutil.which(run(MPICXX, "-show").split()[0]):
        run(MPICXX, "-Wall", "-Wextra", "-Werror", "plain.cxx", "-o", "plus_plus")
        run("./plus_plus")
    if shutil.which("pkg-config"):
        for name in ("perennial", "mpi", "mpich"):
            flags = run("pkg-config", "--cflags", "--libs", f"{PREFIX}/lib/pkgconfig/{name}.pc").split()
            compiler = run(MPICC, "-show").split()[0]
            run(compiler, "plain.c", *flags, "-o", "by_pkg_config")
            run("./by_pkg_config")


check_options()
check_programs()
print(" No Errors")
