"""From results to text: tables, figures, CSV. Tables are Markdown, which also reads well in a terminal."""
import csv
import statistics

from .model import LOW
from .table import BENCHES, COLUMNS, FIGURES


def number(v):
    """Three digits that count."""
    if v is None:
        return "–"
    if v >= 100:
        return "{:,.0f}".format(v)
    return "%.1f" % v if v >= 10 else "%.2f" % v if v >= 0.1 else "%.2g" % v


def point(bench, x):
    """512 B, 64 KiB; plain where x is no size."""
    if not bench.x.startswith("bytes"):
        return "{:,.0f}".format(x)
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if x >= size:
            return "%g %s" % (x / size, unit)
    return "%g B" % x


def markdown(rows):
    """Aligned; the first row is the heading, the first column text."""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    def line(cells):
        first = [cells[0].ljust(widths[0])]
        return "| " + " | ".join(first + [c.rjust(w) for c, w in zip(cells[1:], widths[1:])]) + " |"
    rule = "|" + "|".join(["-" * (widths[0] + 2)] + ["-" * (w + 1) + ":" for w in widths[1:]]) + "|"
    return "\n".join([line(rows[0]), rule] + [line(r) for r in rows[1:]])


# ---- one table for each benchmark --------------------------------------------------------------

def peers_of(bench, defaults=False):
    peers = [COLUMNS[c] for c in bench.columns if COLUMNS[c].family in ("mpich", "openmpi")]
    return [c.name for c in peers if not (defaults and c.tuned)]


def shown_columns(bench, results):
    """(name, label) of the columns with at least one value."""
    there = {c for k in results.keys(bench.name) for c in results.points[k]}
    named = [(c, COLUMNS[c].label) for c in bench.columns] + [(b.name, b.label or b.name) for b in bench.bare]
    return [(name, label) for name, label in named if name in there]


def ratio_text(results, key, bench):
    ours = results.value(key, bench.main)
    best, _ = results.best(key, peers_of(bench), bench.better)
    return number(ours / best) if ours is not None and best else "–"


class Layout:
    """Which of ranks, series and x tell the rows of a table apart."""

    def __init__(self, bench, keys):
        self.bench = bench
        self.ranks = len({k[1] for k in keys}) > 1
        self.series = len({k[2] for k in keys}) > 1
        self.x = len({k[3] for k in keys}) > 1 or not (self.ranks or self.series)

    def head(self):
        return ["ranks"] * self.ranks + ["what"] * self.series + [self.bench.x] * self.x

    def cells(self, key):
        unit = self.bench.unit_of(key[2])
        what = key[2].replace("_", " ") + (", " + unit if unit != self.bench.unit and unit else "")
        return [str(key[1])] * self.ranks + [what] * self.series + [point(self.bench, key[3])] * self.x


def bench_table(bench, results):
    """Points that only a program without MPI has are left to the plots."""
    keys = [k for k in results.keys(bench.name) if COLUMNS.keys() & results.points[k].keys()]
    if not keys:
        return ""
    columns = shown_columns(bench, results)
    layout = Layout(bench, keys)
    peers = any(c in peers_of(bench) for c, _ in columns)
    main = "ours" if bench.main == "ours" else COLUMNS[bench.main].label
    rows = [layout.head() + [label for _, label in columns] + [main + " / best peer"] * peers]
    order = {series: i for i, series in enumerate(dict.fromkeys(k[2] for k in keys))}
    for key in sorted(keys, key=lambda k: (k[1], order[k[2]], k[3])):
        values = [number(results.value(key, c)) for c, _ in columns]
        rows.append(layout.cells(key) + values + [ratio_text(results, key, bench)] * peers)
    return markdown(rows)


def failures_of(bench, results):
    """A line for each column and reason, with the numbers of ranks."""
    grouped = {}
    for (name, ranks, column), why in sorted(results.failures.items()):
        if name == bench.name:
            label = COLUMNS[column].label if column in COLUMNS else column
            grouped.setdefault((label, why.split(" (its output")[0]), []).append(str(ranks))
    for (label, why), ranks in grouped.items():
        many = ranks != ["0"] and len(bench.ranks) > 1
        yield "%s%s: %s." % (label, " (%s ranks)" % ", ".join(ranks) if many else "", why)


def unequal(bench, results):
    """A warning if the cores were nearer to each other in some columns' runs than in others'."""
    near = results.nearness(bench.name)
    if not near or max(near.values()) < 1.4 * min(near.values()):
        return ""
    text = ", ".join("%s %s" % (COLUMNS[c].label, number(v)) for c, v in near.items())
    return ("**Not comparable**: the host moved the cores between runs. One cache line from core to core, us: %s. "
            "Repeat with more rounds.\n" % text)


def section(bench, results, level="##"):
    """Heading, what it is, table, failures."""
    table = bench_table(bench, results)
    failures = list(failures_of(bench, results))
    if not table and not failures:
        return ""
    better = "less" if bench.better == LOW else "more"
    text = ["%s %s\n" % (level, bench.title)]
    text.append("`maint/bench %s`: %s; %s is better.%s\n" % (
        bench.name, bench.unit, better, " " + bench.note if bench.note else ""))
    text += [table + "\n"] if table else []
    text += [unequal(bench, results)] if unequal(bench, results) else []
    text += ["- " + line for line in failures]
    return "\n".join(text) + "\n"


# ---- the figures -------------------------------------------------------------------------------

def reference(figure, bench, results, key):
    """The value that ours is held against, and what it is called."""
    if figure.against == "value":
        return 1.0, ""
    if figure.against in ("peer", "default"):
        best, column = results.best(key, peers_of(bench, figure.against == "default"), bench.better)
        return best, COLUMNS[column].label if column else "a peer"
    if figure.against == "first":
        first = min(k[3] for k in results.keys(key[0], (key[1],), key[2]))
        return results.value(key[:3] + (first,), figure.column), "at depth %g" % first
    bare = {b.name: b.label or b.name for b in bench.bare}
    label = COLUMNS[figure.against].label if figure.against in COLUMNS else bare[figure.against]
    return results.value(key, figure.against), label


def points_of(figure, bench, results):
    keys = results.keys(bench.name, figure.ranks, figure.series or bench.series or bench.name)
    if figure.last:
        last = {k[1]: max(q[3] for q in keys if q[1] == k[1]) for k in keys}
        keys = [k for k in keys if k[3] == last[k[1]]]
    return sorted((k for k in keys if figure.x is None or k[3] in figure.x), key=lambda k: (k[1], k[3]))


def where(figure, bench, key):
    """The point, as far as the name of the figure does not say it."""
    x = [point(bench, key[3])] if key[3] > 0 and (figure.x is None or len(figure.x) > 1) else []
    return ", ".join(x + (["%d ranks" % key[1]] if len(bench.ranks) > 1 else []))


def judge(figure, bench, ours, ref, unit):
    """(what it comes to, the limit, whether it is reached)."""
    if figure.added:
        return number(ours - ref) + " " + unit, "≤ %g %s" % (figure.factor, unit), ours - ref <= figure.factor
    ratio = ours / ref
    sign = "≤" if bench.better == LOW else "≥"
    ok = ratio <= figure.factor if bench.better == LOW else ratio >= figure.factor
    if figure.against == "value":
        return "", ("%s %g %s" % (sign, figure.factor, unit)).strip(), ok
    return number(ratio), "%s %g" % (sign, figure.factor), ok


def figure_rows(figure, results):
    """A row for each point: name, point, ours, reference, ratio, limit, reached."""
    bench = next(b for b in BENCHES if b.name == figure.bench)
    for key in points_of(figure, bench, results):
        ours = results.value(key, figure.column)
        ref, label = reference(figure, bench, results, key)
        unit = bench.unit_of(key[2])
        if ours is None or not ref:
            continue
        ratio, limit, ok = judge(figure, bench, ours, ref, unit)
        against = "" if figure.against == "value" else "%s: %s" % (label, number(ref))
        yield [figure.name, where(figure, bench, key), (number(ours) + " " + unit).strip(), against, ratio, limit,
               "yes" if ok else "NO"]


def figures_table(results):
    rows = [r for f in FIGURES for r in figure_rows(f, results)]
    if not rows:
        return ""
    head = ["figure", "at", "ours", "against", "ratio", "to reach", "reached"]
    return markdown([head] + rows)


# ---- files -------------------------------------------------------------------------------------

def write_csv(path, results):
    """Every value of every round, and how long a cache line took from core to core then."""
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f)
        out.writerow(["bench", "ranks", "series", "x", "column", "round", "value", "line"])
        for (bench, ranks, series, x), columns in results.points.items():
            for column, values in columns.items():
                lines = results.lines.get((bench, ranks, column), [])
                for i, value in enumerate(values):
                    line = "%.4g" % lines[i] if i < len(lines) else ""
                    out.writerow([bench, ranks, series, "%g" % x, column, i + 1, "%.6g" % value, line])


def write_failures(path, results):
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f)
        out.writerow(["bench", "ranks", "column", "why"])
        for key, why in results.failures.items():
            out.writerow(list(key) + [why])


def read_csv(folder_csv, failures_csv, results):
    with open(folder_csv, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            key = (row["bench"], int(row["ranks"]), row["series"], float(row["x"]))
            results.points.setdefault(key, {}).setdefault(row["column"], []).append(float(row["value"]))
            lines = results.lines.setdefault((key[0], key[1], row["column"]), [])
            if row["line"] and len(lines) < int(row["round"]):
                lines.append(float(row["line"]))
    try:
        with open(failures_csv, newline="", encoding="utf-8") as f:
            for row in csv.DictReader(f):
                results.failures[(row["bench"], int(row["ranks"]), row["column"])] = row["why"]
    except FileNotFoundError:
        pass


def foreign_text(results):
    if not results.foreign:
        return ""
    median, worst = statistics.median(results.foreign), max(results.foreign)
    text = "Others used %.0f %% of the machine (median of all runs; %.0f %% at worst)." % (median * 100, worst * 100)
    return text + (" These numbers are not fit to be published." if median > 0.05 or results.loaded else "")
