"""A link is cut: each rank gets an error that names a host on the other side, in bounded time, and the job ends, whether errors
return or end it. With one network for everything the launcher is cut off, too: the ranks end nevertheless."""
from hosts import Hosts, inside
from job import ALL, Job
from pmitest import check, done, need


def check_lost(job, cut):
    """Each rank has lost something; who is named of the other side is named with its host, and both sides name each other."""
    sides = set()
    for rank, text in job.wait_for("lost").items():
        check(text, f"{job.folder}: rank {rank} has an error without a culprit")
        for line in text.splitlines():
            culprit = int(line.split(" ", 1)[0])
            here, there = job.host_of(rank), job.host_of(culprit)
            if here == there:
                continue  # a neighbour that has given up
            check(f"Rank {culprit} of the job, on host {there}," in line, f"{job.folder}: rank {rank}: {line}")
            if cut in (here, there):
                sides.add(here == cut)
    check(sides == {False, True}, f"{job.folder}: who has lost whom: {job.files('lost')}")


def return_errors(hosts, n, netmod, launcher_is_cut=False):
    job = Job(hosts, n, netmod)
    job.wait_for("going")
    hosts.cut("h2")
    check_lost(job, "h2")
    hosts.nothing_left("exchange", seconds=60)
    hosts.mend("h2")
    if launcher_is_cut:
        hosts.end_all()
    else:
        job.end()
    check("BACKTRACE" not in job.output(), job.output())


def end_the_job(hosts, n, netmod, launcher_is_cut=False):
    job = Job(hosts, n, netmod, "fatal")
    job.wait_for("going")
    hosts.cut("h2")
    hosts.nothing_left("exchange", seconds=60)
    hosts.mend("h2")
    if launcher_is_cut:
        hosts.end_all()
    else:
        job.end(expected=1)
    check("fatal error in MPI_Waitall" in job.output(), job.output())
    check(" on host h2, has left, died or cannot be reached" in job.output()
          or " on host h1, has left, died or cannot be reached" in job.output(), job.output())


inside()
need("mpiexec.hydra", "mpich")
with Hosts(3) as made:
    for mod in ("ofi", "ucx"):
        return_errors(made, 6, mod)
        if ALL:
            end_the_job(made, 6, mod)
with Hosts(2) as made:
    for mod in ("ofi", "ucx"):
        if ALL or mod == "ofi":
            end_the_job(made, 4, mod)
        if ALL:
            return_errors(made, 4, mod)
if ALL:
    with Hosts(2, links=1) as made:
        for mod in ("ofi", "ucx"):
            return_errors(made, 4, mod, launcher_is_cut=True)
            end_the_job(made, 4, mod, launcher_is_cut=True)
done()
