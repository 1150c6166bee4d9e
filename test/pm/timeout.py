#!/usr/bin/env python3
"""-timeout: shows what each rank does and where it is, ends the job, and is bounded."""
import os
import re
import shutil

from pmtest import MPIEXEC, PMI, check, done, python, run, wait_gone

# in time: nothing is said
check(run("-timeout", "60", "-n", "2", "true").stderr == "", "a job that is in time")

result = run("-timeout", "0.5", "-n", "2", "sh", "-c", "echo $$; exec sleep 60", code=124, timeout=40)
check(re.search(r"rank 1 \(pid \d+ on .*\): runs, has not used MPI yet", result.stderr), result.stderr)
check(len(re.findall(r"rank \d: #", result.stderr)) >= 2, f"no backtraces: {result.stderr}")
check(not wait_gone([int(p) for p in result.stdout.split()], 2), "ranks are left")
if shutil.which("gdb"):
    check("nanosleep" in result.stderr, f"no frames by gdb: {result.stderr}")

# what a rank says in the node directory that it waits for (layout 1: header of 64 bytes, entries of 128)
WAIT = PMI + """
import mmap, struct
memory = mmap.mmap(int(os.environ['PERENNIAL_NODEDIR_FD']), 4096)
at = 64 + 128 * rank
memory[at:at + 4] = struct.pack('I', 1)
text = b'MPI_Recv: from rank 3, tag 7' + bytes(76)
memory[at + 24:at + 24 + 104] = text
memory[at + 16:at + 20] = struct.pack('I', 1)
init()
time.sleep(60)
"""
env = dict(os.environ, MPIEXEC_TIMEOUT="1")
result = run("-n", "1", *python(WAIT), code=124, timeout=40, env=env)
check("waits in MPI_Recv: from rank 3, tag 7" in result.stderr, result.stderr)

# without gdb; and with one that hangs
with open("gdb", "w", encoding="utf-8") as file:
    file.write("#!/bin/sh\ntrap '' TERM INT\nsleep 1000\n")
os.chmod("gdb", 0o755)
programs = {name: shutil.which(name) for name in ("sh", "sleep")}
result = run("-timeout", "0.2", "-n", "1", programs["sleep"], "60", code=124, env=dict(os.environ, PATH="/nonexistent"))
check(re.search(r"rank 0: #", result.stderr), f"without gdb: {result.stderr}")
result = run("-timeout", "0.2", "-n", "2", programs["sleep"], "60", code=124, timeout=45,
             env=dict(os.environ, PATH=os.getcwd() + ":" + os.environ["PATH"]))
check("took too long" in result.stderr and result.seconds < 35, f"a gdb that hangs: {result.seconds} s")

# a rank that ends meanwhile
run("-timeout", "0.2", "-n", "2", "sh", "-c", "sleep 0.$((PMI_RANK * 4 + 3)); exit 0", code=None, timeout=40)
run("-timeout", "x", "true", code=2)
run("true", code=2, env=dict(os.environ, MPIEXEC_TIMEOUT="soon"))
assert MPIEXEC
done()
