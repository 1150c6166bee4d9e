"""What starts the ranks: our mpiexec, or someone else's launcher, with the wire that it is to speak."""


class Launcher:
    """A launcher that is not ours."""

    def __init__(self, program, package, options=(), env=None, mode=None):
        self.program, self.package, self.options = program, package, list(options)
        self.env = env or {}
        self.mode = mode  # its name in skip= of testlists

    def start(self, size):
        """The words before the program and the options of the test."""
        return [self.program] + self.options + ["-n", str(size)]


# Without the last, mpirun ends a job in which one rank leaves without a call of MPI and another has called it.
MPIRUN_OPTIONS = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                  "--mca", "orte_allowed_exit_without_sync", "1"]

# "mpiexec" is ours, "none" starts the program by itself.
LAUNCHERS = {
    "mpiexec": None,
    "none": None,
    "hydra": Launcher("mpiexec.hydra", "mpich", env={"MPIR_CVAR_PMI_VERSION": "1"}, mode="hydra"),
    "hydra-pmi2": Launcher("mpiexec.hydra", "mpich", env={"MPIR_CVAR_PMI_VERSION": "2"}, mode="hydra"),
    "hydra-port": Launcher("mpiexec.hydra", "mpich", ["-pmi-port"], mode="hydra"),
    "mpich": Launcher("mpiexec.mpich", "mpich", mode="hydra"),
    "openmpi": Launcher("mpirun.openmpi", "openmpi-bin", MPIRUN_OPTIONS, mode="openmpi"),
    # Inside an allocation of a cluster that SLURM_CONF names; test/pmi/slurm.py makes one.
    "srun-pmi1": Launcher("srun", "slurm-client", ["-Q", "-O", "--mpi=pmi2"],
                          {"MPIR_CVAR_PMI_VERSION": "1"}, mode="slurm"),
    "srun-pmi2": Launcher("srun", "slurm-client", ["-Q", "-O", "--mpi=pmi2"], mode="slurm"),
    "srun-pmix": Launcher("srun", "slurm-client", ["-Q", "-O", "--mpi=pmix"], mode="slurm"),
}

# Options of our mpiexec that others do not have, and the variables by which it hands them down.
AS_VARIABLES = {"-pset": "PERENNIAL_PSETS", "-initial-errhandler": "PERENNIAL_INITIAL_ERRHANDLER"}


def translate(options):
    """Options for our mpiexec as (options that any launcher has, environment)."""
    left, env, words = [], {}, list(options)
    while words:
        word = words.pop(0)
        if word not in AS_VARIABLES:
            left.append(word)
            continue
        name, value = AS_VARIABLES[word], words.pop(0)
        env[name] = env[name] + ";" + value if name in env else value
    return left, env
