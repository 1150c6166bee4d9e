#!/usr/bin/env python3
"""The command line: programs, environment, directories, mistakes; and a job within a job."""
import os
import sys

from pmtest import MPIEXEC, PMI, check, done, python, run

# several programs
result = run("-n", "2", "-env", "A", "1", "sh", "-c", "echo $PMI_RANK/$PMI_SIZE $A", ":", "-n", "1", "-env", "A=2", "sh", "-c",
             "echo $PMI_RANK/$PMI_SIZE $A")
check(sorted(result.stdout.splitlines()) == ["0/3 1", "1/3 1", "2/3 2"], result.stdout)
result = run("-n", "2", *python(PMI + "init(); print(rank, ask('cmd=get_appnum')); finalize()"), ":", "-n", "1",
             *python(PMI + "init(); print(rank, ask('cmd=get_appnum')); finalize()"))
check("2 cmd=appnum rc=0 appnum=1" in result.stdout and "1 cmd=appnum rc=0 appnum=0" in result.stdout, result.stdout)

# environment
env = dict(os.environ, KEEP="k", DROP="d", MPI_LOCALRANKID="7", PMI_JOBID="x", PMIX_RANK="3", PERENNIAL_PSETS="x=0")
check(run("-genv", "A", "x y", "sh", "-c", 'echo "$A $KEEP"', env=env).stdout == "x y k\n", "-genv")
check(run("-genvlist", "KEEP,PATH", "sh", "-c", 'echo "$KEEP-$DROP"', env=env).stdout == "k-\n", "-genvlist")
check(run("-envlist", "KEEP", "/bin/sh", "-c", 'echo "$KEEP-$DROP"', env=env).stdout == "k-\n", "-envlist")
names = {line.split("=")[0] for line in run("-genvnone", "-genv", "A", "1", "env", env=env).stdout.splitlines()}
check(names == {"A", "PMI_FD", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PERENNIAL_NODEDIR_FD"}, f"{names}")
check(run("-env", "KEEP", "other", "sh", "-c", "echo $KEEP", env=env).stdout == "other\n", "-env replaces")
text = run("-n", "2", "-stdin", "none", "sh", "-c", "env", env=env).stdout
check("PMI_JOBID" not in text and "PMIX_RANK" not in text and "PERENNIAL_PSETS" not in text, "variables of an outer job are passed on")
check("MPI_LOCALRANKID=1\n" in text and "MPI_LOCALNRANKS=2\n" in text, text)

# what ranks get to know
result = run("-pset", "app://a=0-1", "-pset", "b=1", "-initial-errhandler", "MPI_ERRORS_RETURN", "-n", "2", "sh", "-c",
             'echo "$PERENNIAL_PSETS $PERENNIAL_INITIAL_ERRHANDLER"')
check(result.stdout == "app://a=0-1;b=1 mpi_errors_return\n" * 2, result.stdout)
result = run("-n", "2", "sh", "-c", "[ -S /proc/self/fd/$PMI_FD ] && [ -e /proc/self/fd/$PERENNIAL_NODEDIR_FD ] && echo yes")
check(result.stdout == "yes\n" * 2, "descriptors")

# directories and finding programs
os.makedirs("dir", exist_ok=True)
with open("dir/tool", "w", encoding="utf-8") as file:
    file.write('echo "tool in $(basename $PWD) $*"\n')  # no #!: the shell runs it
os.chmod("dir/tool", 0o755)
check(run("-wdir", "dir", "pwd").stdout.endswith("/dir\n"), "-wdir")
check(run("-wdir", "dir", "./tool", "a", "b c").stdout == "tool in dir a b c\n", "./tool")
check(run("-wdir", "dir", "tool").stdout == "tool in dir \n", "tool without ./")
check(run("-n", "1", os.path.abspath("dir/tool")).stdout.startswith("tool in"), "absolute")
check(run("tool", env=dict(os.environ, PATH=os.path.abspath("dir") + ":" + os.environ["PATH"])).stdout.startswith("tool in"), "PATH")
result = run("-wdir", "no-such-dir", "true", code=127)
check('"no-such-dir"' in result.stderr, result.stderr)

# a configuration file
with open("config", "w", encoding="utf-8") as file:
    file.write('-n 2 sh -c "echo one $PMI_RANK"\n# nothing\n-n 1 sh -c "echo two $PMI_RANK"\n')
result = run("-l", "-configfile", "config")
check(sorted(result.stdout.splitlines()) == ["[0] one 0", "[1] one 1", "[2] two 2"], result.stdout)

# mistakes: clear, quick, exit code 2
for words, part in ((["-n", "0", "true"], '"0"'), (["-n", "many", "true"], '"many"'), ([], "program"), (["-n", "2"], "program"),
                    (["-tiemout", "3", "true"], "did you mean -timeout"), (["-launcher", "rocket", "true"], "rocket"),
                    (["-stdin", "5", "true"], '"5"'), (["-pset", "a=9", "true"], "a=9"), (["-bind-to", "toes", "true"], '"toes"'),
                    (["-bind-to", "user:0-", "true"], "user:0-"), (["true", ":"], "program")):
    result = run(*words, code=2)
    check(part in result.stderr and result.stderr.count("\n") == 1 and not result.stdout, f"{words}: {result.stderr}")
check("-timeout" in run("-help").stdout and "Perennial" in run("--version").stdout, "-help, --version")
run("-host", "localhost", "true")
result = run("-host", "elsewhere.invalid", "true", code=127, env={**os.environ, "PATH": os.getcwd()})
check("this machine only" in result.stderr and "mpiexec.hydra" in result.stderr, f"no other launcher: {result.stderr}")

# binding
for what in ("core", "socket", "numa", "hwthread", "user:0"):
    result = run("-bind-to", what, "-n", "2", *python("import os; print(sorted(os.sched_getaffinity(0)))"), code=None)
    if result.returncode == 0:
        cpus = [eval(line) for line in result.stdout.splitlines()]  # pylint: disable=eval-used
        check(len(cpus) == 2 and all(set(c) <= os.sched_getaffinity(0) for c in cpus), f"{what}: {result.stdout}")
    else:
        check("hwloc" in result.stderr or "cannot bind" in result.stderr, f"{what}: {result.stderr}")
run("-bind-to", "user:8000", "true", code=126)

# a job within a rank
result = run("-n", "2", MPIEXEC, "-n", "2", "sh", "-c", "echo $PMI_RANK/$PMI_SIZE", timeout=20)
check(sorted(result.stdout.split()) == ["0/2", "0/2", "1/2", "1/2"], result.stdout)
result = run("-n", "2", MPIEXEC, "-n", "1", "sh", "-c", "exit 6", code=6)

# ranks have no descriptors but their own
result = run("-n", "3", sys.executable, "-c", "import os; print(len(os.listdir('/proc/self/fd')))")
check(set(result.stdout.split()) == {"6"}, f"descriptors in ranks: {result.stdout} (0 1 2, PMI, node directory, the listing)")
done()
