"""A Slurm cluster in a scratch folder: munged, slurmctld and slurmd, ended and removed afterwards.

    with Cluster() as cluster:
        subprocess.run([*cluster.allocate(8), "srun", "--mpi=pmi2", ...], env=cluster.env)

By default of this machine; Cluster(hosts) is one of hosts that test/hosts/hosts.py has made, with slurmctld on the first and a
slurmd on each.
"""
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from pmitest import check, need

CONF = """ClusterName=perennial
SlurmctldHost={controller}
SlurmctldPort={port1}
SlurmdPort={port2}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={scratch}/munge.socket
CredType=cred/munge
StateSaveLocation={scratch}/state
SlurmdSpoolDir={scratch}/spool.%n
SlurmctldPidFile={scratch}/slurmctld.pid
TmpFS={tmp}
SlurmdPidFile={scratch}/slurmd.%n.pid
SlurmctldLogFile={scratch}/slurmctld.log
SlurmdLogFile={scratch}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=2
PropagateResourceLimits=NONE
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(n):
    """Ports that nobody listens on right now."""
    socks = [socket.socket() for _ in range(n)]
    for sock in socks:
        sock.bind(("", 0))
    ports = [sock.getsockname()[1] for sock in socks]
    for sock in socks:
        sock.close()
    return ports


def user_name():
    return pwd.getpwuid(os.getuid()).pw_name


class Cluster:
    def __init__(self, hosts=None):
        need("munged", "munge")
        need("slurmctld", "slurmctld")
        need("slurmd", "slurmd")
        need("srun", "slurm-client")
        self.scratch = tempfile.mkdtemp(prefix="slurm.")  # short: sockets are in it
        self.hosts, self.processes = hosts, []
        self.env = {**os.environ, "SLURM_CONF": self.path("slurm.conf")}

    def path(self, name):
        return os.path.join(self.scratch, name)

    def __enter__(self):
        try:
            self.start_all()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self, *command, host=None):
        # stderr goes to a file: nobody reads a pipe here
        name = os.path.basename(command[0])
        if host:
            self.hosts.daemons |= {name, "slurmscriptd"}
            command = self.hosts.command(host, ["env", "SLURM_CONF=" + self.env["SLURM_CONF"], *command])
        with open(self.path(f"{name}{host or ''}.err"), "wb") as err:
            self.processes.append(subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL,
                                                   stdout=subprocess.DEVNULL, stderr=err))

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.scratch)):
            if name.endswith((".log", ".err")):
                with open(self.path(name), errors="replace", encoding="utf-8") as file:
                    text += f"--- {name}\n" + "".join(file.readlines()[-15:])
        return text

    def wait_for(self, what, seconds, test):
        deadline = time.monotonic() + seconds
        while not test():
            check(time.monotonic() < deadline, f"{what}: not after {seconds} s\n{self.logs()}")
            time.sleep(0.1)

    def sinfo(self):
        """The states of nodes, each once."""
        command = ["sinfo", "-h", "-o", "%T"]
        if self.hosts:
            return self.hosts.run(self.hosts.names[0], command, self.env_of_conf())[1].strip()
        got = subprocess.run(command, env=self.env, capture_output=True, text=True, check=False)
        return got.stdout.strip()

    def env_of_conf(self):
        return {"SLURM_CONF": self.env["SLURM_CONF"]}

    def start_all(self):
        os.mkdir(self.path("state"))
        with open(self.path("munge.key"), "wb") as file:
            file.write(os.urandom(1024))
        os.chmod(self.path("munge.key"), 0o600)
        port1, port2 = free_ports(2)
        with open(self.path("slurm.conf"), "w", encoding="utf-8") as file:
            file.write(CONF.format(controller=self.nodes()[0][0], user=user_name(), scratch=self.scratch, port1=port1, port2=port2,
                                   tmp=self.make_tmp(),
                                   nodes="\n".join(words for _, words in self.nodes())))
        self.start("munged", "--foreground", "--force", "--key-file=" + self.path("munge.key"),
                   "--socket=" + self.path("munge.socket"), "--pid-file=" + self.path("munge.pid"),
                   "--log-file=" + self.path("munge.log"), "--seed-file=" + self.path("munge.seed"))
        self.wait_for("munged's socket", 20, lambda: os.path.exists(self.path("munge.socket")))
        names = self.hosts.names if self.hosts else [None]
        self.start("slurmctld", "-D", "-f", self.env["SLURM_CONF"], host=names[0])
        for name in names:
            self.start("slurmd", "-D", "-f", self.env["SLURM_CONF"], *(["-N", name] if name else []), host=name)
        self.wait_for("idle nodes in sinfo", 60, lambda: self.sinfo() == "idle")

    def make_tmp(self):
        """Hosts that share /tmp must not meet in it: steps of PMIx would."""
        if not self.hosts:
            return "/tmp"
        for name in self.hosts.names:
            os.mkdir(self.path("tmp." + name))
        return self.path("tmp.%n")

    def nodes(self):
        """(what names the node of a slurmctld, its line in slurm.conf) of each node."""
        if not self.hosts:
            name = socket.gethostname().split(".")[0]
            return [(name, f"NodeName={name} CPUs=16 State=UNKNOWN")]
        at = [(name, self.hosts.address(name, self.hosts.networks[-1])) for name in self.hosts.names]
        return [(f"{name}({ip})", f"NodeName={name} NodeAddr={ip} CPUs=8 State=UNKNOWN") for name, ip in at]

    def allocate(self, n):
        """Words before a command that runs in an allocation of n tasks, spread over all nodes."""
        if not self.hosts:
            return ["salloc", "-Q", "-n", str(n)]
        nodes = len(self.hosts.names)
        return ["salloc", "-Q", "-N", str(nodes), "-n", str(n), f"--ntasks-per-node={(n + nodes - 1) // nodes}"]

    def __exit__(self, *_):
        for process in reversed(self.processes):  # slurmd, slurmctld, munged
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.scratch, ignore_errors=True)


if __name__ == "__main__":
    # by hand: python3 slurmd.py COMMAND...
    with Cluster() as made:
        sys.exit(subprocess.run(sys.argv[1:], env=made.env, check=False).returncode)
