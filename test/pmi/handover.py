"""mpiexec hands over: to Hydra, to Open MPI's mpirun, and inside an allocation to srun, also with several programs."""
import os
import subprocess

from pmitest import check, compile_program, done, need
from slurmd import Cluster

MPIEXEC = os.environ["MPIEXEC"]
epochs = compile_program("epochs")


def run(*words, before=(), env=None, expect=""):
    command = [*before, MPIEXEC, "-v", *words]
    got = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
                         env={**os.environ, **(env or {})})
    what = f"{' '.join(command)}: exit code {got.returncode}\n{got.stdout}{got.stderr}"
    check(got.returncode == 0, what)
    check(expect in got.stderr, f"{what}expected \"{expect}\"")
    return got.stdout


need("mpiexec.hydra", "mpich")
need("mpirun.openmpi", "openmpi-bin")
out = run("-launcher", "hydra", "-hosts", "localhost:4", "-n", "3", "-l", epochs, "1",
          expect="handing over: mpiexec.hydra -hosts localhost:4 -l -n 3 ")
check(out.count("size 3") == 3 and "[2] size 3" in out, out)
with open("hosts", "w", encoding="utf-8") as file:
    file.write("# this machine\nlocalhost slots=4\n")
out = run("-launcher", "hydra", "-f", "hosts", "-env", "A", "1 2", "-n", "2", "sh", "-c", "echo a=$A", ":", "-n", "1", "echo", "b",
          expect="-env A '1 2'")
check(sorted(out.split("\n")) == ["", "a=1 2", "a=1 2", "b"], out)
root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
out = run("-launcher", "mpirun", "-hosts", "localhost:4", "-n", "3", "-genv", "MPIR_CVAR_FINALIZE_ATEXIT", "1", epochs, "1",
          env=root, expect="--host localhost:4")
check(out.count("size 3") == 3, out)

with Cluster() as made:
    inside = {"SLURM_CONF": made.env["SLURM_CONF"]}
    out = run(epochs, "1", before=made.allocate(3), env=inside, expect="handing over: srun --mpi=pmi2 --input=0 ")
    check(out.count("size 3") == 3, out)
    out = run("-n", "2", "-l", "-env", "A", "1 2", "sh", "-c", "echo a=$A", before=made.allocate(3), env=inside)
    check(sorted(out.split("\n")) == ["", "0: a=1 2", "1: a=1 2"], out)
    out = run("-n", "2", epochs, "1", ":", "-wdir", "/", "-env", "A", "x y", "sh", "-c", f'echo $A $PWD; exec {epochs} 1',
              before=made.allocate(3), env=inside, expect="--multi-prog")
    check(out.count("size 3") == 3 and "x y /\n" in out, out)
    out = run("-launcher", "local", "-n", "2", epochs, "1", before=made.allocate(3), env=inside)
    check(out.count("size 2") == 2, out)
done()
