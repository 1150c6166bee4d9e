"""Debian's mpiexec.hydra, by PMI-1 (descriptor and port) and PMI-2: on one node, and as if on several."""
from pmitest import done, need, suite

need("mpiexec.hydra", "mpich")
for launcher in ("hydra", "hydra-pmi2"):
    suite(launcher, "test/mpi/session", "test/mpi/pt2pt")
suite("hydra-port", "test/mpi/session")
done()
