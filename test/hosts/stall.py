"""Trouble that passes: a link that is down for a while, ranks that stand still for longer than NETMOD_TIMEOUT, a rank that comes
late, the launcher's host or another. Nothing is lost, and nobody is taken for gone."""
import signal
import time

from hosts import Hosts, inside
from job import ALL, SETTINGS, Job
from pmitest import done, need

PATIENCE = float(SETTINGS["MPIR_CVAR_NETMOD_TIMEOUT"])


def link_goes(hosts, netmod, seconds):
    """Down for longer than it takes to notice, for less than the default patience."""
    job = Job(hosts, 4, netmod, env={"MPIR_CVAR_NETMOD_TIMEOUT": "30"})
    job.wait_for("going")
    hosts.cut("h2")
    time.sleep(seconds)
    hosts.mend("h2")
    job.end_well()


def ranks_stall(hosts, netmod, name):
    """All ranks of a host are stopped; its kernel answers for them."""
    job = Job(hosts, 4, netmod)
    job.wait_for("going")
    hosts.send(name, "exchange", signal.SIGSTOP)
    time.sleep(PATIENCE + 2)
    hosts.send(name, "exchange", signal.SIGCONT)
    job.end_well()


def rank_comes_late(hosts, netmod):
    """Later than the patience, and over a link that was down meanwhile."""
    job = Job(hosts, 4, netmod, "late")
    job.wait_for("here", 3)
    hosts.cut("h2")
    time.sleep(PATIENCE / 2)
    hosts.mend("h2")
    time.sleep(PATIENCE / 2)
    job.tell("come")
    job.wait_for("going")
    job.end_well()


inside()
need("mpiexec.hydra", "mpich")
with Hosts(2) as made:
    for mod in ("ofi", "ucx"):
        link_goes(made, mod, 12 if ALL else 3)
        if ALL or mod == "ofi":
            ranks_stall(made, mod, "h2")
        if ALL or mod == "ucx":
            rank_comes_late(made, mod)
        if ALL:
            ranks_stall(made, mod, "h1")
done()
