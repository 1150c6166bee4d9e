"""Which launcher is it? Variables that contradict each other or lead nowhere are a clear error, not N jobs of one."""
import os
import socket
import subprocess

from pmitest import check, compile_program, done

epochs = compile_program("epochs")
LAUNCHER = ("PMI_", "PMIX_", "SLURM_", "MPI_LOCAL", "OMPI_", "PERENNIAL_")


def start(text, error, **env):
    """error None: runs, as a job of one."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHER)}
    ours, theirs = socket.socketpair()
    env = {k: v.replace("SOCKET", str(theirs.fileno())) for k, v in env.items()}
    got = subprocess.run([epochs, "1"], env={**clean, "MPIR_CVAR_PMI_TIMEOUT": "1", **env}, stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=60, pass_fds=[theirs.fileno()], check=False)
    ours.close()
    theirs.close()
    what = f"{text}: exit code {got.returncode}, {got.stdout!r}, {got.stderr!r}"
    if error is None:
        check(got.returncode == 0 and "size 1" in got.stdout and not got.stderr, what)
    else:
        check(got.returncode not in (0, -11, 134) and error in got.stderr, f"{what}; expected \"{error}\"")


PMIX = {"PMIX_NAMESPACE": "nowhere", "PMIX_RANK": "0"}
PMI = {"PMI_FD": "SOCKET", "PMI_RANK": "0", "PMI_SIZE": "2"}
start("no launcher", None)
start("no launcher, asked for PMI-2", None, MPIR_CVAR_PMI_VERSION="2")
start("rank without a link", "PMI_RANK", PMI_RANK="0", PMI_SIZE="2")
start("half of PMIx", "PMIX_NAMESPACE", PMIX_RANK="0")
start("other half of PMIx", "PMIX_RANK", PMIX_NAMESPACE="x")
start("PMIx without a server", "PMIx_Init", **PMIX)
start("both", "MPIR_CVAR_PMI_VERSION", **PMIX, **PMI)
start("both, the socket closed", "PMIx_Init", **PMIX, **{**PMI, "PMI_FD": "999"})
start("both, and PMIx asked for", "PMIx_Init", MPIR_CVAR_PMI_VERSION="x", **PMIX, **PMI)
start("both, and PMI-1 asked for", "response_to_init", MPIR_CVAR_PMI_VERSION="1", **PMIX, **PMI)
start("PMI, but PMIx asked for", "PMIX_NAMESPACE", MPIR_CVAR_PMI_VERSION="x", **PMI)
start("PMIx, but PMI-2 asked for", "PMI_FD", MPIR_CVAR_PMI_VERSION="2", **PMIX)
start("an unknown version", "PMI_VERSION", PMI_VERSION="3", **PMI)
start("a server that says nothing", "response_to_init", PMI_VERSION="2", **PMI)
start("no rank", "PMI_RANK", PMI_FD="SOCKET", PMI_SIZE="2", PMI_VERSION="2")
start("a closed descriptor", "PMI_FD", **{**PMI, "PMI_FD": "999"}, PMI_VERSION="2")
start("a port without an id", "PMI_ID", PMI_PORT="localhost:1", PMI_VERSION="2")
start("a port where nobody is", "localhost", PMI_PORT="localhost:1", PMI_ID="0", PMI_VERSION="2")
start("srun without PMI", "srun --mpi=pmi2", SLURM_STEP_NUM_TASKS="4", SLURM_PROCID="0", SLURM_STEP_ID="0")
start("a batch script", None, SLURM_NTASKS="4", SLURM_PROCID="0", SLURM_JOB_ID="7")
done()
