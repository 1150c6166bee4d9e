"""Hosts that are namespaces of this machine: network, host name, processes, mounts and /dev/shm of their own.

    with Hosts(2) as hosts:
        hosts.run("h1", ["mpiexec.hydra", "-n", "4", ...], env=hosts.hydra_env())
        hosts.cut("h2")

The test first starts itself again in namespaces of its own, in which it is process 1 (`inside`). So nothing of this is to be seen
outside, no name, no interface, no file in /etc, and however the test ends, the kernel ends all processes in there and removes their
networks; temporary files are in a tmpfs of its own on /run. Each host has two links, to switches (bridges) in the test's namespace:
adm0, which host names stand for and launchers use, and net0 for the ranks. With links=1, launchers use net0, too. All hosts see the
same file systems but for /dev/shm, /proc, /sys and /etc/hosts.

Where such namespaces may not be made, the test says so and counts as skipped.
"""
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from pmitest import SLOW, check, need, skip, suite

HERE = os.path.dirname(os.path.realpath(__file__))
HOSTD = os.path.join(HERE, "hostd.py")
UNSHARE = ["unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"]
NETWORK = {"net0": "10.77.0.", "adm0": "10.78.0."}

# The /sys that shows the host's own interfaces hides the control groups, which slurmd wants to see.
BEGIN = """
hostname {name}
mount -t tmpfs tmpfs /dev/shm
mount --bind {scratch}/etc-hosts /etc/hosts
mkdir {scratch}/cgroup.{name}
mount --rbind /sys/fs/cgroup {scratch}/cgroup.{name}
mount -t sysfs sysfs /sys
mount --rbind {scratch}/cgroup.{name} /sys/fs/cgroup
ip link set lo up
read go
exec {daemon} serve {scratch} {name}
"""

WAIT = 60 * SLOW  # s; for what should take one


def inside():
    """Go on in namespaces of our own. The first thing a test calls."""
    if os.environ.get("HOSTS_INSIDE") == "1":
        sh("mount -t tmpfs tmpfs /dev/shm && mount -t tmpfs tmpfs /run && ip link set lo up")
        tempfile.tempdir = "/run"
        return
    need("unshare", "util-linux")
    need("ip", "iproute2")
    tried = subprocess.run([*UNSHARE, "sh", "-c", "mount -t tmpfs tmpfs /dev/shm && ip link add type veth && "
                            "ip link add type bridge"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        skip("namespaces or their links may not be made here: " + " ".join(tried.stderr.split()))
    os.environ["HOSTS_INSIDE"] = "1"
    os.execvp(UNSHARE[0], [*UNSHARE, sys.executable, *sys.argv])


def sh(command):
    done = subprocess.run(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{command}: {done.stderr}")


class Hosts:
    def __init__(self, n, links=2):
        self.names = [f"h{i + 1}" for i in range(n)]
        self.networks = list(NETWORK)[:links]
        self.scratch = tempfile.mkdtemp(prefix="hosts.", dir="/run")  # short: sockets are in it
        self.started = {}  # name -> the process whose namespaces are the host's
        self.daemons = set()  # that may go on
        os.chmod(self.scratch, 0o755)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def address(self, name, network):
        return NETWORK[network] + str(self.names.index(name) + 1)

    # ---- making

    def __enter__(self):
        try:
            self.make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def make(self):
        with open(self.path("etc-hosts"), "w", encoding="utf-8") as file:
            file.write("127.0.0.1 localhost\n")
            file.writelines(f"{self.address(name, self.networks[-1])} {name}\n" for name in self.names)
        with open(self.path("rsh"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {shlex.join([sys.executable, HOSTD, self.scratch])} "$@"\n')
        os.chmod(self.path("rsh"), 0o755)
        with open(self.path("hydra-hosts"), "w", encoding="utf-8") as file:
            file.writelines(f"{name}:1\n" for name in self.names)
        for network in self.networks:
            sh(f"ip link add {network} type bridge && ip link set {network} up")
        for name in self.names:
            self.start(name)
        for name in self.names:
            self.wait_for(f"{name} to answer", lambda: os.path.exists(self.path(name + ".socket")))

    def start(self, name):
        begin = BEGIN.format(name=name, scratch=self.scratch, daemon=shlex.join([sys.executable, HOSTD]))
        process = subprocess.Popen([*UNSHARE, "sh", "-ec", begin], stdin=subprocess.PIPE)
        self.started[name] = process
        self.wait_for(f"{name}'s network", lambda: self.has_own_network(process.pid))
        for network in self.networks:
            port = f"{network}-{name}"
            sh(f"ip link add {port} type veth peer name {network} netns {process.pid} && "
               f"ip link set {port} master {network} up && nsenter -t {process.pid} -n sh -c "
               f"'ip addr add {self.address(name, network)}/24 dev {network} && ip link set {network} up'")
        process.stdin.write(b"go\n")
        process.stdin.close()

    @staticmethod
    def has_own_network(pid):
        return os.readlink(f"/proc/{pid}/ns/net") != os.readlink("/proc/self/ns/net")

    def __exit__(self, *_):
        for process in self.started.values():
            process.kill()  # its child is process 1 of the host, and dies with it (--kill-child)
            process.wait()
        for network in self.networks:  # the kernel would come round to it later, and the next hosts have the same names
            for link in [network, *(f"{network}-{name}" for name in self.names)]:
                subprocess.run(["ip", "link", "del", link], stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(self.scratch, ignore_errors=True)

    # ---- using

    @staticmethod
    def wait_for(what, test, seconds=WAIT, explain=str):
        """`explain` gives more words for a failure."""
        deadline = time.monotonic() + seconds
        while not test():
            if time.monotonic() > deadline:
                check(False, f"{what}: not after {seconds} s {explain()}")
            time.sleep(0.05)

    def command(self, name, command):
        return [self.path("rsh"), name, "exec " + shlex.join(command)]

    def popen(self, name, command, env=None, **options):
        """Start a command on a host, in the same folder."""
        return subprocess.Popen(self.command(name, command), stdin=subprocess.DEVNULL, text=True,
                                env={**os.environ, "HOSTD_ENV": json.dumps(env or {})}, **options)

    def run(self, name, command, env=None, timeout=300):
        """Run it to its end; (exit code, output with errors)."""
        process = self.popen(name, command, env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            out = process.communicate(timeout=timeout * SLOW)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            self.end_all()
            check(False, f"{command} on {name} has not ended after {timeout * SLOW} s: {process.communicate()[0]}")
        return process.returncode, out

    def hydra_env(self):
        """By which mpiexec.hydra starts its proxies on the hosts, a rank on each in turn."""
        return {"HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": self.path("rsh"), "HYDRA_HOST_FILE": self.path("hydra-hosts")}

    def suite(self, launcher, *words, netmod, before=(), ranks="4", env=None):
        """Run tests of the suite from the first host, with what starts ranks on all."""
        suite(launcher, "--env", "MPIR_CVAR_NETMOD=" + netmod, *words, before=before, ranks=ranks,
              env={**self.hydra_env(), "MTEST_NODES": str(len(self.names)), **(env or {})},
              run=lambda command, settings: self.run(self.names[0], command, settings, timeout=1200))
        self.nothing_left()

    # ---- trouble

    def cut(self, name, network="net0"):
        """The host's cable is pulled at the switch."""
        sh(f"ip link set {network}-{name} down")

    def mend(self, name, network="net0"):
        sh(f"ip link set {network}-{name} up")

    def processes(self, name, word=""):
        """Pid (here) -> command of what runs on a host, without its process 1 and daemons, if `word` is in its name."""
        child = f"/proc/{self.started[name].pid}/ns/pid_for_children"
        space, found = os.readlink(child), {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{pid}/ns/pid") != space:
                    continue
                with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
                    words = file.read().split("\0")
            except OSError:
                continue
            base = os.path.basename(words[0]).strip(": ").split(":")[0]  # ": slurmscriptd", "slurmstepd: [1.0]"
            if HOSTD not in words and base not in self.daemons and words[0] and word in base:
                found[int(pid)] = " ".join(words).strip()
        return found

    def send(self, name, word, number):
        """A signal to all processes on a host in whose name `word` is."""
        found = self.processes(name, word)
        check(found, f"no {word} runs on {name}")
        for pid in found:
            os.kill(pid, number)

    def end_all(self):
        for name in self.names:
            for pid in self.processes(name):
                os.kill(pid, signal.SIGKILL)

    def nothing_left(self, word="", seconds=10):
        """No process on any host, and no file in its /dev/shm."""
        for name in self.names:
            self.wait_for(f"no process on {name}", lambda: not self.processes(name, word), seconds * SLOW,
                          lambda: str(self.processes(name, word)))
            files = os.listdir(f"/proc/{self.started[name].pid}/root/dev/shm")
            check(not files, f"left in /dev/shm of {name}: {files}")
