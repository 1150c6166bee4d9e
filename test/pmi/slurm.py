"""Sessions, point to point and collectives under srun, by PMI-2, PMIx and PMI-1; a step without PMI; an exit code."""
import os
import subprocess

from pmitest import check, compile_program, done, suite
from slurmd import Cluster

FOLDERS = ["test/mpi/session", "test/mpi/pt2pt"]


def srun(cluster, program, *options, code=0):
    got = subprocess.run(["srun", "-Q", *options, program, "2"], env=cluster.env, capture_output=True, text=True,
                         timeout=120, check=False)
    check((got.returncode == 0) == (code == 0), f"srun {options}: exit code {got.returncode}, {got.stdout}{got.stderr}")
    return got.stdout + got.stderr


with Cluster() as made:
    epochs = compile_program("epochs")
    for mpi in ("pmi2", "pmix"):
        said = srun(made, epochs, "--mpi=" + mpi, "-n", "3")
        check(said.count("size 3") == 3, f"--mpi={mpi}: {said}")
    said = srun(made, epochs, "--mpi=none", "-n", "3", code=1)
    check("srun --mpi=pmi2" in said, f"--mpi=none: {said}")
    for launcher in ("srun-pmi2", "srun-pmix"):
        suite(launcher, *FOLDERS, before=made.allocate(8), env={"SLURM_CONF": made.env["SLURM_CONF"]})
    suite("srun-pmi1", "test/mpi/session", before=made.allocate(8), env={"SLURM_CONF": made.env["SLURM_CONF"]})
    check(os.path.isdir(made.scratch), "the scratch folder is gone too early")
check(not os.path.exists(made.scratch), f"{made.scratch} is left")
done()
