#!/usr/bin/env python3
"""Every described function is exported as MPI_x (weak) and PMPI_x, and nothing else is but what the ABI needs.

exports.py [libmpi.so.12]        default: the one in $BUILD/.libs
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.environ.get("TOP", os.path.dirname(os.path.dirname(HERE)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, "src", "binding"))

from model import read_api  # noqa: E402

# Symbols of the ABI that are no functions of the API.
ABI = {"MPIR_Dup_fn": "T", "MPI_T_PVAR_ALL_HANDLES": "data", "MPI_F_STATUS_IGNORE": "data",
       "MPI_F_STATUSES_IGNORE": "data"}


def expected():
    """symbol -> kinds that nm may show for it"""
    symbols = {name: "T" if kind == "T" else "BDRV" for name, kind in ABI.items()}
    for f in read_api(os.path.join(TOP, "src", "binding", "api")):
        for name in [f.name] + ([f.name + "_c"] if f.large else []):
            symbols[name] = "W"
            symbols["P" + name] = "T"
    return symbols


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    found = {}
    for line in lines:
        _, kind, name = line.split()
        found[name.partition("@")[0]] = kind
    return found


def main():
    library = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.environ["BUILD"], ".libs", "libmpi.so.12")
    want, have = expected(), exported(library)
    problems = []
    for name in sorted(want.keys() - have.keys()):
        problems.append(f"{name} is described and not exported")
    for name in sorted(have.keys() - want.keys()):
        if not name.startswith(("__asan", "__odr_asan", "__ubsan", "__tsan", "__gcov", "__llvm")):
            problems.append(f"{name} is exported and neither described nor part of the ABI")
    for name in sorted(want.keys() & have.keys()):
        if have[name] not in want[name]:
            problems.append(f"{name} is a symbol of kind {have[name]}, expected {want[name]}")
    if problems:
        sys.exit("\n".join(problems))
    print(" No Errors")


main()
