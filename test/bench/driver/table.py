"""What is measured, with what, and what is to be reached. All data; to add a benchmark, add a line to BENCHES."""
from .model import Bare, Bench, Column, Figure, HIGH

COLUMNS = {c.name: c for c in (
    Column("ours", "ours", "Perennial"),
    Column("mpich", "mpich", "MPICH"),
    Column("mpich-tuned", "mpich", "MPICH, tuned", tuned=True,
           env=(("UCX_TLS", "posix,self,cma"), ("MPIR_CVAR_POLLS_BEFORE_YIELD", "10"))),
    Column("openmpi", "openmpi", "Open MPI"),
    Column("openmpi-tuned", "openmpi", "Open MPI, tuned", tuned=True,
           args=("--mca", "pml", "ob1", "--mca", "btl", "self,vader", "--mca", "mpi_yield_when_idle", "0")),
)}

BENCHES = (
    Bench("latency", "Half a ping-pong", "us", points=13,
          bare=(Bare("bare line", "bare_line", label="one cache line"),)),
)

FIGURES = (
    Figure("ping-pong, 8 B, against the bare line", "latency", (8,), 1.15, "bare line"),
    Figure("ping-pong, 8 B", "latency", (8,), 0.85),
    Figure("ping-pong, 1 KiB and 8 KiB", "latency", (1024, 8192), 0.75),
    Figure("ping-pong, 64 KiB to 4 MiB", "latency", (65536, 262144, 1048576, 4194304), 0.45),
)
