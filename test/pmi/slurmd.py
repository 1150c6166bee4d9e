"""A Slurm cluster of one machine, in a scratch folder: munged, slurmctld and slurmd, ended and removed afterwards.

    with Cluster() as cluster:
        subprocess.run([*cluster.allocate(8), "srun", "--mpi=pmi2", ...], env=cluster.env)
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
SlurmctldHost={host}
SlurmctldPort={port1}
SlurmdPort={port2}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={scratch}/munge.socket
CredType=cred/munge
StateSaveLocation={scratch}/state
SlurmdSpoolDir={scratch}/spool
SlurmctldPidFile={scratch}/slurmctld.pid
SlurmdPidFile={scratch}/slurmd.pid
SlurmctldLogFile={scratch}/slurmctld.log
SlurmdLogFile={scratch}/slurmd.log
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
NodeName={host} CPUs=16 State=UNKNOWN
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
    def __init__(self):
        need("munged", "munge")
        need("slurmctld", "slurmctld")
        need("slurmd", "slurmd")
        need("srun", "slurm-client")
        self.scratch = tempfile.mkdtemp(prefix="slurm.")  # short: sockets are in it
        self.processes = []
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

    def start(self, *command):
        # stderr goes to a file: nobody reads a pipe here
        with open(self.path(os.path.basename(command[0]) + ".err"), "wb") as err:
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
        got = subprocess.run(["sinfo", "-h", "-o", "%T"], env=self.env, capture_output=True, text=True, check=False)
        return got.stdout.strip()

    def start_all(self):
        for name in ("state", "spool"):
            os.mkdir(self.path(name))
        with open(self.path("munge.key"), "wb") as file:
            file.write(os.urandom(1024))
        os.chmod(self.path("munge.key"), 0o600)
        port1, port2 = free_ports(2)
        with open(self.path("slurm.conf"), "w", encoding="utf-8") as file:
            file.write(CONF.format(host=socket.gethostname().split(".")[0], user=user_name(), scratch=self.scratch,
                                   port1=port1, port2=port2))
        self.start("munged", "--foreground", "--force", "--key-file=" + self.path("munge.key"),
                   "--socket=" + self.path("munge.socket"), "--pid-file=" + self.path("munge.pid"),
                   "--log-file=" + self.path("munge.log"), "--seed-file=" + self.path("munge.seed"))
        self.wait_for("munged's socket", 20, lambda: os.path.exists(self.path("munge.socket")))
        self.start("slurmctld", "-D", "-f", self.env["SLURM_CONF"])
        self.start("slurmd", "-D", "-f", self.env["SLURM_CONF"])
        self.wait_for("an idle node in sinfo", 60, lambda: self.sinfo() == "idle")

    @staticmethod
    def allocate(n):
        """Words before a command that runs in an allocation of n tasks."""
        return ["salloc", "-Q", "-n", str(n)]

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
