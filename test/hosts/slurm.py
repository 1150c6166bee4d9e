"""The suite's core on two hosts with a slurmd each, by PMI-2 and PMIx."""
from hosts import Hosts, inside
from job import ALL
from pmitest import done
from slurmd import Cluster

FEW = [f"test/mpi/{name}.c" for name in ("session/with_world", "session/bystander", "pt2pt/modes")]
FOLDERS = ["test/mpi/session", "test/mpi/pt2pt", "test/mpi/coll"]

inside()
with Hosts(2) as hosts, Cluster(hosts) as cluster:
    for launcher, netmod in (("srun-pmi2", "ofi"), ("srun-pmix", "ucx"), ("srun-pmi2", "ucx"), ("srun-pmix", "ofi")):
        words = FOLDERS if ALL else [*FEW, "--cvar", "1"] if launcher == "srun-pmi2" and netmod == "ofi" else FEW[:1]
        hosts.suite(launcher, *words, netmod=netmod, before=cluster.allocate(8),
                    env={**cluster.env_of_conf(), "SLURM_DISTRIBUTION": "cyclic"})
done()
