#!/usr/bin/env python3
"""Misspelt and malformed control variables: told once a job, by one process, with the nearest name or what was expected; the run goes
on with the default."""
from hostile import MPIEXEC, build, check, clean_environment, done, run

VICTIM = build("victim")

# Setting, words of the one line that is said about it.
WRONG = [
    ("MPIR_CVAR_FINALISE_ATEXIT=1", ["MPIR_CVAR_FINALISE_ATEXIT", "no control variable", "MPIR_CVAR_FINALIZE_ATEXIT?"]),
    ("MPIR_CVAR_DEBUG_INITS=1", ["MPIR_CVAR_DEBUG_INITS", "MPIR_CVAR_DEBUG_INIT?"]),
    ("MPIR_CVAR_=1", ["MPIR_CVAR_ is no control variable"]),
    ("MPIR_CVAR_" + "X" * 3000 + "=1", ["no control variable"]),
    ("MPIR_CVAR_finalize_atexit=1", ["no control variable"]),
    ("MPIR_CVAR_FINALIZE_ATEXIT=maybe", ["MPIR_CVAR_FINALIZE_ATEXIT", '"maybe"', "boolean"]),
    ("MPIR_CVAR_FINALIZE_ATEXIT=", ["MPIR_CVAR_FINALIZE_ATEXIT", '""', "boolean"]),
    ("MPIR_CVAR_FINALIZE_ATEXIT=2", ["MPIR_CVAR_FINALIZE_ATEXIT", '"2"', "boolean"]),
    ("MPIR_CVAR_WAIT_YIELDS=-1", ["MPIR_CVAR_WAIT_YIELDS", '"-1"', "expected an integer of 0 to"]),
    ("MPIR_CVAR_WAIT_YIELDS=1e3", ["MPIR_CVAR_WAIT_YIELDS", '"1e3"', "integer"]),
    ("MPIR_CVAR_WAIT_YIELDS=99999999999999999999999", ["MPIR_CVAR_WAIT_YIELDS", "integer"]),
    ("MPIR_CVAR_WAIT_YIELDS=10 ", ["MPIR_CVAR_WAIT_YIELDS", '"10 "']),
    ("MPIR_CVAR_BCAST_ALGORITHM=magic", ["MPIR_CVAR_BCAST_ALGORITHM", '"magic"', "expected one of", "binomial"]),
    ("MPIR_CVAR_PMI_TIMEOUT=0", ["MPIR_CVAR_PMI_TIMEOUT", '"0"', "1 to", "in s"]),
]
# Right ones, and names that are none of our business.
SILENT = ["MPIR_CVAR_FINALIZE_ATEXIT=yes", "MPIR_CVAR_FINALIZE_ATEXIT=OFF", "MPIR_CVAR_WAIT_YIELDS=7", "MPIR_CVAR_CH3_NOLOCAL=1",
          "MPICH_SOMETHING=1", "MPIR_SOMETHING=1", "XMPIR_CVAR_Y=1"]


def start(settings, *launcher):
    env = clean_environment()
    for setting in settings:
        name, value = setting.split("=", 1)
        env[name] = value
    # the test's own reading back of the variable is no matter here
    return run(*launcher, VICTIM, env=env, label=" ".join(settings)[:100])


for setting, words in WRONG:
    for launcher in [], [MPIEXEC, "-n", "3"]:
        result = start([setting], *launcher)
        label = f"{setting[:80]} {' '.join(launcher[1:])}"
        lines = [line for line in result.err.splitlines() if line]
        said = [line for line in lines if "perennial" in line]
        check(len(said) == 1 and all(word in said[0] for word in words), f"{label}: {result}")
        check(all("in the environment has no effect" in l or "found 1 errors" in l or "rank" in l for l in lines if l not in said),
              f"{label}: {result}")
        if not setting.startswith("MPIR_CVAR_FINALIZE_ATEXIT"):  # which the victim itself compares
            check(result.code == 0 and " No Errors" in result.out, f"{label}: {result}")

result = start([setting for setting, _ in WRONG], MPIEXEC, "-n", "4")
names = {setting.split("=")[0] for setting, _ in WRONG}
said = [line for line in result.err.splitlines() if "perennial" in line]
check(len(said) == len(names), f"all at once: {len(said)} lines for {len(names)} variables: {result}")

for setting in SILENT:
    result = start([setting], MPIEXEC, "-n", "2")
    check("perennial" not in result.err, f"{setting}: {result}")
done()
