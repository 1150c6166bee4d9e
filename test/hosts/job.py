"""exchange.c on several hosts, and what its ranks write down."""
import os
import time

from pmitest import check, compile_program

ALL = os.environ.get("MTEST_HOSTS") == "all"  # configuration test:mpich/hosts; else the shortest choice
# The network on which links are cut, and a patience that is long for a kernel that answers, and short for a test.
SETTINGS = {"MPIR_CVAR_NETMOD_TIMEOUT": "3"}


class Job:
    """Its folder is the current one of all ranks; all hosts see it."""

    def __init__(self, hosts, n, netmod, mode="return", env=None, launcher=("mpiexec.hydra",)):
        self.hosts, self.n, self.netmod, self.mode = hosts, n, netmod, mode
        self.program = compile_program("exchange")
        self.folder = os.path.abspath(f"job.{netmod}.{mode}.{n}.{time.monotonic_ns()}")
        os.mkdir(self.folder)
        settings = {**hosts.hydra_env(), **SETTINGS, "MPIR_CVAR_NETMOD": netmod, **(env or {})}
        if "adm0" in hosts.networks:
            settings["MPIR_CVAR_NETMOD_INTERFACE"] = "net0"
        self.said = open(os.path.join(self.folder, "said"), "w+", encoding="utf-8")
        self.process = hosts.popen("h1", [*launcher, "-n", str(n), self.program, mode], settings, cwd=self.folder,
                                   stdout=self.said, stderr=self.said)

    def path(self, name):
        return os.path.join(self.folder, name)

    def output(self):
        with open(self.path("said"), encoding="utf-8") as file:
            return file.read()

    def files(self, name):
        """Rank -> text, of the ranks that have written such a file."""
        found = {}
        for file_name in os.listdir(self.folder):
            if file_name.startswith(name + "."):
                with open(self.path(file_name), encoding="utf-8") as file:
                    found[int(file_name.split(".")[1])] = file.read()
        return found

    def tell(self, name):
        """A file that ranks wait for."""
        with open(self.path(name), "w", encoding="utf-8"):
            pass

    def wait_for(self, name, n=None):
        """Until all ranks, or n, have written it; those files."""
        n = n or self.n
        self.hosts.wait_for(f"{self.folder}: {name}.R of {n} ranks", lambda: len(self.files(name)) == n,
                            explain=lambda: self.output() + str(sorted(os.listdir(self.folder))))
        return self.files(name)

    def host_of(self, rank):
        """Hydra gives each host a rank in turn."""
        return self.hosts.names[rank % len(self.hosts.names)]

    def end(self, expected=0):
        """The launcher's end, and that of all it has started."""
        self.hosts.wait_for(f"{self.folder}: the launcher's end", lambda: self.process.poll() is not None, explain=self.output)
        code = self.process.returncode
        check((code == 0) == (expected == 0), f"{self.folder}: exit code {code}: {self.output()}")
        self.hosts.nothing_left()

    def end_well(self):
        """All ranks have exchanged to the end, and lost nothing."""
        self.tell("stop")
        done, lost = self.wait_for("done"), self.files("lost")
        check(len(set(done.values())) == 1 and not lost, f"{self.folder}: {done}, {lost}")
        self.end()
        check(self.output().strip() == "No Errors", f"{self.folder}: {self.output()}")
