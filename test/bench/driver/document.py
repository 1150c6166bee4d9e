"""doc/performance.md: what stands between two marks in it is made here; the rest is written by hand."""
import datetime
import os
import platform

from . import plot, report
from .table import BENCHES, COLUMNS

BEGIN, END = "<!-- made by maint/bench: begin -->", "<!-- made by maint/bench: end -->"


def machine():
    """The processor, as the kernel names it."""
    model = "unknown processor"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            model = next(line.split(":", 1)[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return "%d cores of %s, Linux %s" % (len(os.sched_getaffinity(0)), model, platform.release().split("-")[0])


def settings():
    """What the tuned columns are."""
    for column in COLUMNS.values():
        if column.tuned:
            yield "- %s: `%s`" % (column.label, " ".join(["%s=%s" % e for e in column.env] + list(column.args)))


def generated(results, families, plots):
    text = [BEGIN, ""]
    if families:
        versions = ", ".join(f.version for f in families.values())
        text += ["Measured on %s on %s, with %s." % (datetime.date.today(), machine(), versions), ""]
    text += [report.foreign_text(results), ""] if results.foreign else []
    text += ["Settings of the tuned columns:", ""] + list(settings()) + [""]
    text += ["## Figures to reach", "", report.figures_table(results), ""]
    for bench in BENCHES:
        section = report.section(bench, results)
        if section:
            own = [p for p in plots if p == bench.name + ".svg" or p.startswith(bench.name + "-")]
            text += [section] + ["![%s](performance/%s)" % (bench.title, p) for p in own] + [""]
    return "\n".join(text + [END]) + "\n"


def write(top, results, families):
    """Replaces the generated part and the plots."""
    path = os.path.join(top, "doc", "performance.md")
    folder = os.path.join(top, "doc", "performance")
    os.makedirs(folder, exist_ok=True)
    plots = plot.plot_all(results, folder, [b for b in BENCHES if b.plot])
    old = BEGIN + "\n" + END + "\n"
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            old = f.read()
    before, _, rest = old.partition(BEGIN)
    after = rest.partition(END)[2].lstrip("\n")
    with open(path, "w", encoding="utf-8") as f:
        f.write(before + generated(results, families, plots) + after)
    print("bench: wrote doc/performance.md and %d plots" % len(plots))
