"""Against played servers of PMI-1 and PMI-2: each key once, one init, one finalize, and no init that waits for the fence."""
from mock import Mock
from pmitest import SLOW, check, compile_program, done

TWO_NODES = "(vector,(0,2,1))"
epochs, meet = compile_program("epochs"), compile_program("meet")


def local(wire, fence, atexit):
    """The ranks seem to be on two nodes. The fence never ends, and yet every epoch does."""
    with Mock(2, wire, fence, TWO_NODES) as mock:
        mock.run([epochs, "3"], {"MPIR_CVAR_FINALIZE_ATEXIT": atexit}, 30 * SLOW)
        mock.check(finalized=2, put_by=2)
        check(all("size 2" in out for _, out, _ in mock.results), mock.results)
        check(all(rank.fences == 1 for rank in mock.ranks), "the fence was not entered once each")


def only_one_comes(wire, fence):
    """The other rank never calls MPI."""
    with Mock(2, wire, fence, TWO_NODES) as mock:
        mock.run([epochs, "2"], None, 30 * SLOW, ranks=[1])
        mock.check(finalized=1, put_by=1)


def one_node(wire):
    """Nothing is put and no fence entered by a job on one node; a rank that is not there is not missed."""
    with Mock(2, wire, "never", "(vector,(0,1,2))") as mock:
        mock.run([epochs, "2"], None, 30 * SLOW, ranks=[0])
        mock.check(finalized=1, put_by=0)
        check(mock.ranks[0].fences == 0, "a fence on one node")


def talk(wire, fence, atexit):
    with Mock(2, wire, fence, TWO_NODES) as mock:
        mock.run([meet], {"MPIR_CVAR_FINALIZE_ATEXIT": atexit}, 60 * SLOW)
        mock.check(finalized=2, put_by=2)


def talk_beside_an_absent_one(wire, names, fence):
    """Rank 2 never comes, so no fence ever ends: the others find each other by name."""
    with Mock(3, wire, fence, "(vector,(0,3,1))", names=names) as mock:
        mock.run([meet], None, 60 * SLOW, ranks=[0, 1])
        mock.check(finalized=2, put_by=2 if names == "slurm" else 0, published_by=2)


def talk_without_names(wire):
    """The launcher looks like one that serves names, and refuses to."""
    with Mock(2, wire, "all", TWO_NODES, names="refused") as mock:
        mock.run([meet], None, 60 * SLOW)
        mock.check(finalized=2, put_by=2)


for wire, fences in ((1, ["all"]), (2, ["all", "hydra2"])):
    for atexit in "01":
        local(wire, "never", atexit)
        for fence in fences:
            talk(wire, fence, atexit)
    only_one_comes(wire, "never")
    one_node(wire)
    talk_beside_an_absent_one(wire, "hydra", "all")
    talk_without_names(wire)
    if wire == 2:
        only_one_comes(wire, "hydra2")
        talk_beside_an_absent_one(wire, "slurm", "all")
done()
