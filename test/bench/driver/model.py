"""What a benchmark, a column and a figure are. The tables of them are in table.py."""
import dataclasses
import statistics

LOW, HIGH = "low", "high"       # which values are better


@dataclasses.dataclass(frozen=True)
class Column:
    """One way to run the programs: a library with a launcher and settings. One column of a table."""
    name: str
    family: str                 # ours, mpich, openmpi: which compiler wrapper; bare: no MPI
    label: str
    env: tuple = ()             # (NAME, VALUE), …
    args: tuple = ()            # further arguments of the launcher
    crowded_env: tuple = None   # instead of those, with more ranks than cores
    crowded_args: tuple = None
    launcher: str = ""          # another family's launcher
    tuned: bool = False         # a peer with other settings than its defaults


@dataclasses.dataclass(frozen=True)
class Bare:
    """A program without MPI that prints points of the same series: what the machine itself can do."""
    name: str
    program: str
    args: tuple = ()
    label: str = ""


@dataclasses.dataclass(frozen=True)
class Bench:
    """One subject."""
    name: str
    title: str
    unit: str
    program: str = ""           # default: the name
    args: tuple = ()
    quick_args: tuple = None
    ranks: tuple = (2,)         # 0: without a launcher
    better: str = LOW
    x: str = "bytes"            # begins with "bytes" where it is a size
    units: tuple = ()           # (series, unit) where it is another one
    series: str = ""            # the main series; default: the name
    columns: tuple = ("ours", "mpich", "mpich-tuned", "openmpi", "openmpi-tuned")
    main: str = "ours"          # the column that the tables hold against the peers
    bare: tuple = ()            # of Bare
    points: int = 1             # how many the program prints; for the estimate of the time
    budget: float = 1.0         # times the usual time for a point
    limit: float = 120          # seconds until a run counts as hung
    starter: bool = False       # runs through the program `starter`, which notes the time
    watch: str = ""             # a program without MPI that runs this one, many times
    plot: bool = False          # with a plot in doc/performance.md
    note: str = ""

    @property
    def source(self):
        return self.program or self.name

    def unit_of(self, series):
        return dict(self.units).get(series, self.unit)


@dataclasses.dataclass(frozen=True)
class Case:
    """A benchmark with a number of ranks in a column: what is started at one go."""
    bench: Bench
    ranks: int
    column: object              # Column or Bare


@dataclasses.dataclass(frozen=True)
class Figure:
    """A value that is to be reached: ours is at most (or at least, where more is better) `factor` times a reference."""
    name: str
    bench: str
    factor: float
    x: tuple = None             # which points; None: all
    against: str = "peer"       # peer: the better one · default: the better one with default settings ·
                                # value: factor is the limit itself · first: the first x · else a column
    ranks: tuple = None         # default: all
    series: str = ""            # default: that of the benchmark
    column: str = "ours"
    last: bool = False          # only the last x
    added: bool = False         # the difference to the reference is at most `factor`


class Results:
    """All values that were measured: (bench, ranks, series, x) -> column -> values by round."""

    def __init__(self, benches, loaded=False):
        self.benches = benches
        self.loaded = loaded    # the best round counts, not the median
        self.points = {}
        self.failures = {}      # (bench, ranks, column) -> why the last failed run did
        self.foreign = []       # what share of the machine others used during each run
        self.lines = {}         # (bench, ranks, column) -> by round: us that a cache line took just before

    def add(self, case, series, x, value):
        key = (case.bench.name, case.ranks, series, x)
        self.points.setdefault(key, {}).setdefault(case.column.name, []).append(value)

    def fail(self, case, why):
        self.failures[(case.bench.name, case.ranks, case.column.name)] = why

    def nearness(self, bench):
        """Column -> how long a cache line took from core to core around its runs: a virtual machine's cores move."""
        near = {}
        for (name, _, column), lines in self.lines.items():
            if name == bench:
                near.setdefault(column, []).extend(lines)
        return {column: statistics.median(lines) for column, lines in near.items() if lines}

    def value(self, key, column):
        """The median of the rounds; None if there is none."""
        values = self.points.get(key, {}).get(column)
        if not values:
            return None
        if self.loaded:
            better = next(b.better for b in self.benches if b.name == key[0])
            return min(values) if better == LOW else max(values)
        return statistics.median(values)

    def keys(self, bench, ranks=None, series=None):
        return [k for k in self.points if k[0] == bench and (ranks is None or k[1] in ranks)
                and (not series or k[2] == series)]

    def best(self, key, columns, better):
        """(value, column) of the best of these columns, or (None, None)."""
        found = [(self.value(key, c), c) for c in columns if self.value(key, c) is not None]
        if not found:
            return None, None
        return min(found) if better == LOW else max(found)
