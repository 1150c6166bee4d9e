"""What is measured, with what, and what is to be reached. All data; to add a benchmark, add an entry to BENCHES."""
from .model import Bare, Bench, Column, Figure, HIGH

# Settings of all libraries that make one machine look like several, joined by tcp over the loopback interface.
OFI_TCP = (("MPIR_CVAR_NOLOCAL", "1"), ("MPIR_CVAR_NETMOD", "ofi"), ("MPIR_CVAR_NETMOD_INTERFACE", "lo"))
UCX_TCP = (("MPIR_CVAR_NOLOCAL", "1"), ("MPIR_CVAR_NETMOD", "ucx"), ("MPIR_CVAR_NETMOD_INTERFACE", "lo"),
           ("UCX_TLS", "tcp"))
DEFERRED = (("MPIR_CVAR_FINALIZE_ATEXIT", "1"),)

# Settings of the tuned columns are those that the peers' documentation names for one node. `crowded` ones are used
# with more ranks than cores.
COLUMNS = {c.name: c for c in (
    Column("ours", "ours", "Perennial"),
    Column("ours-deferred", "ours", "Perennial, deferred", env=(("MPIR_CVAR_FINALIZE_ATEXIT", "1"),)),
    Column("ours-hydra", "ours", "Perennial under Hydra", launcher="mpich"),
    Column("mpich", "mpich", "MPICH"),
    Column("mpich-tuned", "mpich", "MPICH, tuned", tuned=True,
           env=(("UCX_TLS", "posix,self,cma"),),
           crowded_env=(("UCX_TLS", "posix,self,cma"), ("MPIR_CVAR_POLLS_BEFORE_YIELD", "1"))),
    Column("openmpi", "openmpi", "Open MPI"),
    Column("openmpi-tuned", "openmpi", "Open MPI, tuned", tuned=True,
           args=("--mca", "pml", "ob1", "--mca", "btl", "self,vader"),
           crowded_args=("--mca", "pml", "ob1", "--mca", "btl", "self,vader", "--mca", "mpi_yield_when_idle", "1")),
    Column("ours-ofi", "ours", "Perennial, ofi", env=OFI_TCP),
    Column("ours-ucx", "ours", "Perennial, ucx", env=UCX_TCP),
    Column("ours-ofi-deferred", "ours", "Perennial, ofi, deferred", env=OFI_TCP + DEFERRED),
    Column("ours-ucx-deferred", "ours", "Perennial, ucx, deferred", env=UCX_TCP + DEFERRED),
    Column("mpich-tcp", "mpich", "MPICH, ucx over tcp", tuned=True,
           env=(("MPIR_CVAR_NOLOCAL", "1"), ("UCX_TLS", "tcp,self"), ("UCX_NET_DEVICES", "lo"))),
    Column("openmpi-tcp", "openmpi", "Open MPI, tcp", tuned=True,
           args=("--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo")),
)}

SESSIONS = ("ours", "ours-deferred", "mpich", "openmpi")
CROWDED = ("ours", "ours-hydra", "mpich", "mpich-tuned", "openmpi", "openmpi-tuned")
TCP = ("ours-ofi", "ours-ucx", "mpich-tcp", "openmpi-tcp")
TCP_SESSIONS = ("ours-ofi", "ours-ofi-deferred", "ours-ucx", "ours-ucx-deferred", "mpich-tcp", "openmpi-tcp")
MIB4 = (65536, 262144, 1048576, 4194304)


def collective(name, points):
    return Bench(name, "MPI_" + name.capitalize(), "us", program="coll", args=(name,), ranks=(2, 4, 8),
                 points=points, plot=name in ("bcast", "allreduce"))


BENCHES = (
    # ---- two ranks, each with a core
    Bench("floor", "8 bytes against the machine's floor", "us", units=(("ratio", ""),), points=4,
          note="`bare` is one cache line that two processes write in turn, `message` the same with MPI, measured in turn "
          "in the same processes; `added` and `ratio` are medians over neighbouring blocks."),
    Bench("latency", "Half a ping-pong", "us", plot=True, points=13,
          bare=(Bare("bare line", "bare_line", label="one cache line"),
                Bare("bare copy", "bare_copy", ("ring",), "shared memory, both copy"),
                Bare("bare cma", "bare_copy", ("cma",), "CMA, receiver pulls"),
                Bare("memcpy", "bare_memcpy", ("latency",), "memcpy"))),
    Bench("bandwidth", "Bandwidth, one way", "GB/s", plot=True, better=HIGH, points=9,
          bare=(Bare("memcpy", "bare_memcpy", ("bandwidth",), "memcpy"),)),
    Bench("bibw", "Bandwidth, both ways", "GB/s", program="bandwidth", args=("both",), better=HIGH, points=9),
    Bench("msgrate", "Message rate, one pair, many tags", "M/s", better=HIGH, points=3),
    Bench("matching", "8 bytes while others wait to be matched", "us", plot=True, x="waiting", points=20,
          quick_args=("1000",), limit=240,
          note="Half a ping-pong. `posted`: receives for other tags were posted earlier; `early`: messages with other tags "
          "came earlier; `any`: the receives take any source."),
    Bench("pack", "Packing and unpacking", "GB/s", ranks=(1,), better=HIGH, points=30,
          bare=(Bare("memcpy", "bare_memcpy", ("pack",), "memcpy"),)),
    # ---- two ranks as if on two nodes
    Bench("tcp_latency", "Half a ping-pong over loopback tcp", "us", program="latency", series="latency", columns=TCP,
          main="ours-ofi", points=13),
    Bench("tcp_bandwidth", "Bandwidth over loopback tcp, one way", "GB/s", program="bandwidth", series="bandwidth",
          columns=TCP, main="ours-ofi", better=HIGH, points=9),
    Bench("tcp_session", "Empty session pairs, the ranks joined by tcp", "us", program="session", args=("pair",),
          columns=TCP_SESSIONS, main="ours-ofi", units=(("pair_first", "ms"),), points=2, series="pair", limit=60),
    # ---- patterns
    Bench("halo2d", "Halo exchange on a 2-D grid", "us", ranks=(2, 4), points=5, x="bytes of an edge"),
    Bench("many_to_one", "Many to one, any source", "us", ranks=(2, 4, 8), points=3,
          note="For each message at rank 0."),
    # ---- collectives
    collective("barrier", 1), collective("bcast", 5), collective("reduce", 5), collective("allreduce", 5),
    collective("gather", 4), collective("scatter", 4), collective("allgather", 4), collective("alltoall", 4),
    # ---- more ranks than cores
    Bench("oversub_barrier", "MPI_Barrier with more ranks than cores", "us", program="coll", args=("barrier",),
          ranks=(4, 8, 16), columns=CROWDED, series="barrier", plot=True,
          bare=(Bare("bare yield", "bare_barrier", ("yield", "{ranks}"), "shared counter, yields"),
                Bare("bare session", "bare_barrier", ("session", "{ranks}"), "the same, a session each"),
                Bare("bare futex", "bare_barrier", ("futex", "{ranks}"), "shared counter, sleeps"))),
    Bench("oversub_allreduce", "MPI_Allreduce of 8 bytes with more ranks than cores", "us", program="coll",
          args=("allreduce", "8"), ranks=(4, 8, 16), columns=CROWDED, series="allreduce"),
    Bench("oversub_pingpong", "Ping-pong of all pairs of neighbours at once, more ranks than cores", "us",
          program="pairs", ranks=(4, 8, 16), columns=CROWDED, series="pairs", points=3, plot=True),
    # ---- coming and going
    Bench("init", "Getting into MPI", "ms", ranks=(1, 2, 4, 8), starter=True, units=(("memory", "MB"),), points=3,
          budget=0.0,
          note="`start`: from the start of the process to the end of MPI_Init; `init`: MPI_Init alone; `memory`: resident "
          "memory then. Slowest rank."),
    Bench("hello", "Whole life of a program that says hello, without a launcher", "ms", ranks=(0,), watch="life",
          units=(("memory", "MB"),), points=2, budget=5.0,
          bare=(Bare("bare hello", "bare_hello", label="without MPI"),),
          columns=("ours", "mpich", "openmpi"),
          note="`memory`: the most resident memory it had."),
    Bench("session_pair", "Empty session pairs", "us", program="session", args=("pair",), ranks=(1, 2, 4),
          columns=SESSIONS, units=(("pair_first", "ms"),), points=2, series="pair", limit=60,
          note="`pair first` is the first of the process, in ms."),
    Bench("session_comm", "Communicator from a group, barrier and free in a session pair", "us", program="session",
          args=("comm",), ranks=(1, 2, 4), columns=SESSIONS, units=(("comm_first", "ms"),), points=2, series="comm",
          limit=60),
    Bench("session_group", "Communicator from a group, barrier and free in one session", "us", program="session",
          args=("group",), ranks=(1, 2, 4), columns=SESSIONS, units=(("group_first", "ms"),), points=2, series="group",
          limit=60),
    Bench("comm", "Making and freeing a communicator", "us", ranks=(2, 4, 8), points=2),
)

FIGURES = (
    Figure("ping-pong, 8 B, times the bare line", "floor", 1.15, x=(8,), against="value", series="ratio"),
    Figure("ping-pong, 8 B", "latency", 0.85, x=(8,)),
    Figure("ping-pong, 1 KiB and 8 KiB", "latency", 0.75, x=(1024, 8192)),
    Figure("ping-pong, 64 KiB to 4 MiB", "latency", 0.45, x=MIB4),
    Figure("bandwidth, 64 KiB to 4 MiB", "bandwidth", 1.5, x=MIB4),
    Figure("ping-pong over tcp, ofi", "tcp_latency", 1, column="ours-ofi"),
    Figure("ping-pong over tcp, ucx", "tcp_latency", 1, column="ours-ucx"),
    Figure("bandwidth over tcp, ofi", "tcp_bandwidth", 1, column="ours-ofi"),
    Figure("bandwidth over tcp, ucx", "tcp_bandwidth", 1, column="ours-ucx"),
    Figure("message rate, 8 B, one pair", "msgrate", 2, x=(8,)),
    Figure("matching, whatever the depth: receives posted", "matching", 1.2, against="first", series="posted",
           last=True),
    Figure("matching: receives posted, any source", "matching", 1.2, against="first", series="posted_any", last=True),
    Figure("matching: messages came early", "matching", 1.2, against="first", series="early", last=True),
    Figure("matching: messages came early, any source", "matching", 1.2, against="first", series="early_any",
           last=True),
    Figure("barrier, our mpiexec", "oversub_barrier", 1.2, against="bare yield", series="barrier"),
    Figure("barrier, under Hydra", "oversub_barrier", 1.2, against="bare session", series="barrier",
           column="ours-hydra"),
    Figure("barrier, our mpiexec, against Open MPI", "oversub_barrier", 1, against="openmpi", series="barrier"),
    Figure("barrier, under Hydra, against Open MPI", "oversub_barrier", 1, against="openmpi", series="barrier",
           column="ours-hydra"),
    Figure("1,000 barriers in a second, our mpiexec", "oversub_barrier", 1000, against="value", series="barrier",
           ranks=(16,)),
    Figure("1,000 barriers in a second, under Hydra", "oversub_barrier", 1000, against="value", series="barrier",
           ranks=(16,), column="ours-hydra"),
    Figure("ping-pong between 8 pairs, 8 B", "oversub_pingpong", 0.5, x=(8,), against="default", series="pairs",
           ranks=(16,)),
    Figure("process start to end of init", "init", 0.05, series="start", ranks=(2, 8)),
    Figure("first init", "init", 3, against="value", series="init", ranks=(4,)),
    Figure("whole life of hello", "hello", 0.1, series="life"),
    Figure("memory of hello", "hello", 10, against="value", series="memory"),
    Figure("time that the library adds to hello", "hello", 5, against="bare hello", series="life", added=True),
    Figure("memory that the library adds to hello", "hello", 8, against="bare hello", series="memory", added=True),
    Figure("session pair after the first", "session_pair", 20, against="value", series="pair"),
    Figure("session pair after the first, deferred", "session_pair", 2, against="value", series="pair",
           column="ours-deferred"),
    Figure("session pair after the first, ofi", "tcp_session", 20, against="value", series="pair", column="ours-ofi"),
    Figure("session pair after the first, ofi, deferred", "tcp_session", 2, against="value", series="pair",
           column="ours-ofi-deferred"),
    Figure("session pair after the first, ucx", "tcp_session", 20, against="value", series="pair", column="ours-ucx"),
    Figure("session pair after the first, ucx, deferred", "tcp_session", 2, against="value", series="pair",
           column="ours-ucx-deferred"),
    Figure("communicator, barrier, free in a session pair", "session_comm", 60, against="value", series="comm",
           ranks=(2,)),
    Figure("the same, deferred", "session_comm", 30, against="value", series="comm", ranks=(2,),
           column="ours-deferred"),
)
