"""The suite's core on two and three hosts, started by Hydra."""
from hosts import Hosts, inside
from job import ALL, Job
from pmitest import done, need

FEW = [f"test/mpi/{name}.c" for name in ("session/unequal", "session/survivors", "pt2pt/order", "coll/barrier")]
FOLDERS = [f"test/mpi/{name}" for name in ("session", "pt2pt", "request", "comm", "coll")]

inside()
need("mpiexec.hydra", "mpich")
with Hosts(2) as hosts:
    for netmod in ("ofi", "ucx"):
        if ALL:
            hosts.suite("hydra", *FOLDERS, netmod=netmod)
            hosts.suite("hydra-pmi2", "test/mpi/session", netmod=netmod)
        else:
            hosts.suite("hydra", *(FEW if netmod == "ofi" else FEW[1:3]), "--cvar", "0", netmod=netmod)
with Hosts(3) as hosts:
    for netmod in ("ofi", "ucx"):
        Job(hosts, 6, netmod).end_well()
        if ALL:
            hosts.suite("hydra", *FOLDERS, netmod=netmod, ranks="8")
done()
