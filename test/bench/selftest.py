"""Do the tables of the benchmark driver fit together, and does it measure and report?"""
import csv
import os
import subprocess
import sys

sys.dont_write_bytecode = True
TOP = os.environ["TOP"]
BENCH = os.path.join(TOP, "test", "bench")
sys.path.insert(0, BENCH)
from driver import report, run  # noqa: E402
from driver.model import LOW, Case, Results  # noqa: E402
from driver.table import BENCHES, COLUMNS, FIGURES  # noqa: E402

errors = []


def check(condition, what):
    if not condition:
        errors.append(what)


def tables():
    names = [b.name for b in BENCHES]
    check(len(names) == len(set(names)), "two benchmarks have the same name")
    for b in BENCHES:
        for program in [b.source if b.columns else "", b.watch] + [bare.program for bare in b.bare]:
            check(not program or os.path.exists(os.path.join(BENCH, program + ".c")), "no source of " + program)
        check(all(c in COLUMNS for c in b.columns), b.name + ": unknown column")
        check(b.main in b.columns, b.name + ": the main column is none of its columns")
    for f in FIGURES:
        bench = next((b for b in BENCHES if b.name == f.bench), None)
        check(bench is not None, f.name + ": unknown benchmark")
        known = set(bench.columns) | {b.name for b in bench.bare} | {"peer", "default", "value", "first"}
        check(f.against in known and f.column in bench.columns, f.name + ": unknown column or reference")


def reports():
    check(list(run.parse("hello\n= latency 8 0.25\n= x 1\n")) == [("latency", 8.0, 0.25)], "parse")
    check([report.number(v) for v in (None, 1234, 12.34, 0.5, 0.0123)] == ["–", "1,234", "12.3", "0.50", "0.012"],
          "number")
    bench = next(b for b in BENCHES if b.name == "latency")
    check([report.point(bench, x) for x in (8, 65536, 1 << 20)] == ["8 B", "64 KiB", "1 MiB"], "point")
    results = Results(BENCHES)
    for column, values in (("ours", (1, 9, 2)), ("mpich", (4, 4, 4)), ("openmpi", (8, 5, 5))):
        for v in values:
            results.add(Case(bench, 2, COLUMNS[column]), "latency", 8, v)
    key = ("latency", 2, "latency", 8)
    check(results.value(key, "ours") == 2, "the median of 1, 9, 2 is 2")
    check(results.best(key, ["mpich", "openmpi"], LOW) == (4, "mpich"), "the better peer")
    rows = {r[0]: r for f in FIGURES for r in report.figure_rows(f, results)}
    check(rows["ping-pong, 8 B"][4:] == ["0.50", "≤ 0.85", "yes"], "the figure: %s" % rows)


def measures():
    out = os.path.join(os.getcwd(), "out")
    argv = [sys.executable, os.path.join(TOP, "maint", "bench"), "latency", "session_pair", "--prefix",
            os.environ["PREFIX"], "--columns", "ours", "--ms", "1", "--rounds", "2", "--out", out]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    check(done.returncode == 0, "maint/bench: code %d, %s" % (done.returncode, done.stderr[-500:]))
    check("## Half a ping-pong" in done.stdout, "no table: " + done.stdout[:500])
    with open(os.path.join(out, "results.csv"), newline="", encoding="utf-8") as f:
        rows = [r for r in csv.DictReader(f) if r["column"] == "ours"]
    check({"latency", "session_pair"} == {r["bench"] for r in rows}, "results.csv lacks a benchmark")
    check(all(float(r["value"]) > 0 for r in rows) and {r["round"] for r in rows} == {"1", "2"}, "wrong values")
    wrong = subprocess.run(argv[:2] + ["nonsense"], capture_output=True, text=True, check=False)
    check(wrong.returncode == 2 and "there is no benchmark 'nonsense'" in wrong.stderr, "a wrong name is accepted")


tables()
reports()
measures()
for error in errors:
    print("error: " + error)
print(" No Errors" if not errors else " Found %d errors" % len(errors))
sys.exit(1 if errors else 0)
