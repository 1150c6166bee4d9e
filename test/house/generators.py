#!/usr/bin/env python3
"""maint/gen-errnames and maint/gen-cvars: what they make, what they refuse, and whether the sources obey them."""
import glob
import os
import subprocess
import sys
import tempfile

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ERRNAMES = os.path.join(TOP, "maint", "gen-errnames")
CVARS = os.path.join(TOP, "maint", "gen-cvars")
failures = []
scratch = tempfile.TemporaryDirectory()
os.chdir(scratch.name)


def run(*command):
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def put(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def get(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def check(name, condition, text):
    if not condition:
        failures.append(f"{name}: {text}")


def refused(name, part, *command):
    code, output = run(*command)
    check(name, code != 0 and part in output, f'exit code {code}, "{part}" expected in: {output}')


# ---- errnames ----------------------------------------------------------------------------------

CLASSES = "*  MPI_ERR_ARG  Invalid argument\n*  MPI_ERR_OTHER  Other error\n"
KEYS = '# a comment\n**b  MPI_ERR_OTHER  Plain, 100%%\n**a  MPI_ERR_ARG  n=%d of "%s" at %.*s, %5zu\n'

good = put("good.txt", CLASSES + KEYS)
code, output = run(ERRNAMES, good, "-o", "table.c")
check("good table", code == 0, output)
check("good table", '{ "**a", MPI_ERR_ARG, "n=%d of \\"%s\\" at %.*s, %5zu" },\n    { "**b"' in get("table.c"),
      get("table.c"))
check("good table", '[MPI_ERR_OTHER] = "Other error",' in get("table.c"), get("table.c"))

for case, line, complaint in (
        ("duplicate key", "**a MPI_ERR_ARG Again\n", "key **a is there twice"),
        ("duplicate class", "* MPI_ERR_ARG Again\n", "class MPI_ERR_ARG is there twice"),
        ("unknown class", "**c MPI_ERR_NONSENSE Text\n", "unknown class MPI_ERR_NONSENSE"),
        ("bad directive", "**c MPI_ERR_ARG 50% of it\n", "directive not understood"),
        ("dangerous directive", "**c MPI_ERR_ARG %n\n", "directive not understood"),
        ("class with arguments", "* MPI_ERR_TAG %d\n", "takes no arguments"),
        ("no key", "c MPI_ERR_ARG Text\n", "expected"),
        ("no text", "**c MPI_ERR_ARG\n", "expected"),
        ("long text", "**c MPI_ERR_ARG " + "x" * 401 + "\n", "401 characters")):
    refused(case, complaint, ERRNAMES, put("bad.txt", CLASSES + KEYS + line), "-o", "bad.c")
    check(case, not os.path.exists("bad.c"), "a table was written in spite of it")

put("calls.c", '''
int f(void) { return MPIR_Err("**a", 1, g("x,y", 2), (int) 3, "s", sizeof(int[2])); }
int g(void) { return MPIR_Err(x ? "**b" : "**b"); } /* MPIR_Err("**nonsense") */
''')
check("good calls", run(ERRNAMES, good, "--lint", "calls.c") == (0, ""), "good calls are refused")
refused("few arguments", "bad1.c:1: **a takes 5 arguments, not 1", ERRNAMES, good, "--lint",
        put("bad1.c", 'int x = MPIR_Err("**a", 1);\n'))
refused("unknown key", "bad2.c:2: unknown key **nope", ERRNAMES, good, "--lint",
        put("bad2.c", '\nint x = MPIR_Err("**nope");\n'))

# ---- cvars -------------------------------------------------------------------------------------

put("top/src/b/two.c", '''
MPIR_CVAR_INT(SIZE, 4096, 0, 65536, "bytes", "How " /* a comment, with ) */ "much, (roughly).")
MPIR_CVAR_STRING(MODE, "auto", "auto|1|2", "Which.")
MPIR_PVAR_COUNTER(b_count, &state.count, "Events.")
    MPIR_CVAR_INT(NOT_AT_THE_START, and so no declaration)
''')
put("top/src/a/one.c", 'MPIR_CVAR_BOOL(ON,\n    0,\n    "Is it on?")\n')
code, output = run(CVARS, "--top", "top", "--table", "table.c", "src/b/two.c", "top/src/a/one.c", "src/x.h")
check("good variables", code == 0, output)
table = get("table.c")
order = [table.find(f"    &MPIR_cvar_{name},") for name in ("MODE", "ON", "SIZE")]
check("good variables", -1 < order[0] < order[1] < order[2], table)
check("good variables", "const int MPIR_cvar_count = 3;" in table and "const int MPIR_pvar_count = 1;" in table,
      table)
check("good variables", '{ "b", "Variables of src/b.", 2, 1, cvars_1, pvars_1 }' in table, table)
code, output = run(CVARS, "--top", "top", "--doc", "doc.md")
check("reference", "| `MPIR_CVAR_SIZE` | 0 … 65536 bytes | 4096 | How much, (roughly). |" in get("doc.md"),
      get("doc.md"))
check("reference", run(CVARS, "--top", "top", "--check-doc", "doc.md")[0] == 0, "is not what it should be")
refused("stale reference", "out of date", CVARS, "--top", "top", "--check-doc", put("old.md", "old"))
for case, text, complaint in (
        ("too few arguments", 'MPIR_CVAR_BOOL(X, 0)\n', "takes 3 arguments (name, default, help), not 2"),
        ("no end", 'MPIR_CVAR_BOOL(X, 0, "help"\n', "takes 3 arguments"),
        ("help is no literal", 'MPIR_CVAR_BOOL(X, 0, HELP)\n', "help is no string literal"),
        ("declared twice", 'MPIR_CVAR_BOOL(ON, 0, "Again.")\n', "MPIR_CVAR_ON is declared in src/a/one.c:1, too")):
    put("top/src/c.c", text)
    refused(case, complaint, CVARS, "--top", "top", "--table", "bad.c", "src/a/one.c", "src/c.c")

# ---- the sources -------------------------------------------------------------------------------

sources = [path for ending in ("c", "h") for path in glob.glob(f"{TOP}/src/**/*.{ending}", recursive=True)]
code, output = run(ERRNAMES, f"{TOP}/src/mpi/errhan/errnames.txt", "--lint", *sources)
check("calls of MPIR_Err()", code == 0, output)
code, output = run(CVARS, "--top", TOP, "--check-doc", f"{TOP}/doc/cvars.md")
check("doc/cvars.md", code == 0, output)

os.chdir("/")
scratch.cleanup()
if failures:
    sys.exit("\n".join(failures))
print(" No Errors")
