#!/usr/bin/env python3
"""The generator of the bindings: its output for golden/sample.txt is golden/*.expected; bad descriptions are refused.

generator.py [--update]       --update: take the present output for good
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.environ.get("TOP", os.path.dirname(os.path.dirname(HERE)))
GOLDEN = os.path.join(HERE, "golden")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, "src", "binding"))

import entry  # noqa: E402
import man  # noqa: E402
import names  # noqa: E402
import prototypes  # noqa: E402
from model import read_api, read_chapter  # noqa: E402

GOOD = "MPI_X any\n    Do it.\n    since 1.0, section 1\n"
BAD = [
    ("MPI_X sometimes\n    Do it.\n    since 1.0, section 1\n", "says neither 'any' nor 'epoch'"),
    ("MPI_X any\n    since 1.0, section 1\n", "lacks its sentence"),
    (GOOD + "    in x comet\n", "unknown kind 'comet'"),
    (GOOD + "    in x int quickly\n", "unknown word 'quickly'"),
    (GOOD + "    in x int[n]\n", "no parameter 'n'"),
    (GOOD + "    message a b c\n", "no parameter 'a'"),
    (GOOD + "    Do it twice.\n", "cannot read 'Do it twice.'"),
]


def check_golden(update):
    functions = read_chapter(os.path.join(GOLDEN, "sample.txt"), "sample")
    made = {
        "entries": entry.source("sample", functions),
        "mpi_h": prototypes.mpi_h_prototypes(functions),
        "impl_h": prototypes.mpir_impl_h(functions),
        "man": "".join(f"==== {name}\n{text}" for f in functions for name, text in man.pages(f, "1.2.3")),
        "names": names.source("#define MPI_COMM_SELF ((MPI_Comm) 0x44000001)\n"
                              "#define MPI_INT ((MPI_Datatype) 0x4c000405)\n"),
    }
    for name, text in made.items():
        path = os.path.join(GOLDEN, name + ".expected")
        if update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                continue
        with tempfile.NamedTemporaryFile("w", suffix=".made", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            diff = subprocess.run(["diff", "-u", path, file.name], capture_output=True, text=True, check=False)
        sys.exit(f"{diff.stdout}\nIf the new output is right: {sys.argv[0]} --update")


def check_bad_descriptions():
    for text, expected in BAD:
        with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            try:
                read_chapter(file.name, "bad")
            except SystemExit as e:
                if expected in str(e) and file.name in str(e):
                    continue
                sys.exit(f"message {e!r}, expected one with {expected!r}")
            sys.exit(f"not refused:\n{text}")


def check_api():
    """The real descriptions: each sentence is one, and ends as such."""
    for f in read_api(os.path.join(TOP, "src", "binding", "api")):
        if not f.doc[0].isupper() or not f.doc.endswith("."):
            sys.exit(f"{f.name}: no sentence: {f.doc}")


def main():
    check_golden("--update" in sys.argv)
    check_bad_descriptions()
    check_api()
    print(" No Errors")


main()
