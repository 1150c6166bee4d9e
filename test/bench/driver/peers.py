"""The libraries that are compared: how to compile and how to start a program with each."""
import os
import shutil
import subprocess

BIND = {"ours": ["-bind-to", "core"], "mpich": ["-bind-to", "core"], "openmpi": ["--bind-to", "core"]}


class Family:
    """One installed library."""

    def __init__(self, name, mpicc, launcher, version):
        self.name = name
        self.mpicc = mpicc
        self.launcher = launcher
        self.version = version


def first_line(argv):
    try:
        out = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return " ".join(out.split("\n")[0].split())


def find(prefix):
    """The families that are there: name -> Family."""
    families = {}
    mpicc, mpiexec = (os.path.join(prefix, "bin", p) for p in ("mpicc", "mpiexec"))
    if os.access(mpicc, os.X_OK) and os.access(mpiexec, os.X_OK):
        version = "Perennial MPI " + first_line([mpiexec, "-version"]).split(" ")[-1]
        families["ours"] = Family("ours", mpicc, [mpiexec], version)
    if shutil.which("mpicc.mpich") and shutil.which("mpiexec.hydra"):
        version = first_line(["mpichversion"]).replace("MPICH Version:", "MPICH")
        families["mpich"] = Family("mpich", "mpicc.mpich", ["mpiexec.hydra"], version)
    if shutil.which("mpicc.openmpi") and shutil.which("mpirun.openmpi"):
        version = first_line(["mpirun.openmpi", "--version"]).split(" ")[-1]
        launcher = ["mpirun.openmpi", "--allow-run-as-root"]
        families["openmpi"] = Family("openmpi", "mpicc.openmpi", launcher, "Open MPI " + version)
    return families


def settings(case, cores):
    """(environment, arguments of the launcher) of the column, with or without a core for each rank."""
    column = case.column
    crowded = case.ranks > cores
    env = column.crowded_env if crowded and column.crowded_env is not None else column.env
    args = column.crowded_args if crowded and column.crowded_args is not None else column.args
    return env, args


def launch(families, case, cores):
    """The command that precedes the program. Ranks are bound if there is a core for each."""
    if case.ranks == 0:
        return []
    name = case.column.launcher or case.column.family
    argv = list(families[name].launcher) + list(settings(case, cores)[1]) + ["-n", str(case.ranks)]
    if case.ranks <= cores:
        return argv + BIND[name]
    return argv + (["--bind-to", "none", "--oversubscribe"] if name == "openmpi" else [])


def compile_argv(families, family, source, out):
    compiler = os.environ.get("CC", "cc") if family == "bare" else families[family].mpicc
    return [compiler, "-O2", "-o", out, source]
