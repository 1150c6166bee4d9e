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
    if bench.x != "bytes":
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
    ours = results.value(key, "ours")
    best, _ = results.best(key, peers_of(bench), bench.better)
    return number(ours / best) if ours is not None and best else "–"


def bench_table(bench, results):
    keys = results.keys(bench.name)
    if not keys:
        return ""
    columns = shown_columns(bench, results)
    several_ranks = len({k[1] for k in keys}) > 1
    several_series = len({k[2] for k in keys}) > 1
    single_x = len({k[3] for k in keys}) == 1 and (several_ranks or several_series)
    head = (["ranks"] if several_ranks else []) + (["what"] if several_series else [])
    head += [] if single_x else [bench.x]
    peers = any(c in peers_of(bench) for c, _ in columns)
    rows = [head + [label for _, label in columns] + (["ours / best peer"] if peers else [])]
    for key in sorted(keys, key=lambda k: (k[1], k[2] if several_series else "", k[3])):
        cells = ([str(key[1])] if several_ranks else []) + ([key[2].replace("_", " ")] if several_series else [])
        cells += [] if single_x else [point(bench, key[3])]
        cells += [number(results.value(key, c)) for c, _ in columns]
        rows.append(cells + ([ratio_text(results, key, bench)] if peers else []))
    return markdown(rows)


def failures_of(bench, results):
    lines = []
    for (name, ranks, column), why in sorted(results.failures.items()):
        if name == bench.name:
            label = COLUMNS[column].label if column in COLUMNS else column
            lines.append("%s%s: %s" % (label, ", %d ranks" % ranks if ranks else "", why))
    return lines


def section(bench, results, level="##"):
    """Heading, what it is, table, failures."""
    table = bench_table(bench, results)
    failures = failures_of(bench, results)
    if not table and not failures:
        return ""
    better = "less" if bench.better == LOW else "more"
    text = ["%s %s\n" % (level, bench.title)]
    text.append("`maint/bench %s`: %s; %s is better.%s\n" % (
        bench.name, bench.unit, better, " " + bench.note if bench.note else ""))
    text += [table + "\n"] if table else []
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
        return results.value(key[:3] + (first,), figure.column), "at %g" % first
    label = COLUMNS[figure.against].label if figure.against in COLUMNS else figure.against
    return results.value(key, figure.against), label


def figure_rows(figure, results):
    """A row for each point: name, point, ours, reference, ratio, limit, reached."""
    bench = next(b for b in BENCHES if b.name == figure.bench)
    series = figure.series or bench.name
    for key in sorted(results.keys(bench.name, figure.ranks, series), key=lambda k: (k[1], k[3])):
        if figure.x is not None and key[3] not in figure.x:
            continue
        ours = results.value(key, figure.column)
        ref, label = reference(figure, bench, results, key)
        if ours is None or not ref:
            continue
        ratio = ours / ref
        ok = ratio <= figure.factor if bench.better == LOW else ratio >= figure.factor
        at = ([] if len({k[3] for k in results.keys(bench.name, None, series)}) == 1 else [point(bench, key[3])])
        at += ["%d ranks" % key[1]] if len(bench.ranks) > 1 else []
        sign = "≤" if bench.better == LOW else "≥"
        absolute = figure.against == "value"
        yield [figure.name, ", ".join(at), number(ours) + " " + bench.unit,
               "" if absolute else "%s %s" % (label, number(ref)), "" if absolute else number(ratio),
               "%s %g%s" % (sign, figure.factor, " " + bench.unit if absolute else ""), "yes" if ok else "NO"]


def figures_table(results):
    rows = [r for f in FIGURES for r in figure_rows(f, results)]
    if not rows:
        return ""
    head = ["figure", "at", "ours", "against", "ratio", "to reach", "reached"]
    return markdown([head] + rows)


# ---- files -------------------------------------------------------------------------------------

def write_csv(path, results):
    """Every value of every round."""
    with open(path, "w", newline="", encoding="utf-8") as f:
        out = csv.writer(f)
        out.writerow(["bench", "ranks", "series", "x", "column", "round", "value"])
        for (bench, ranks, series, x), columns in results.points.items():
            for column, values in columns.items():
                for i, value in enumerate(values, 1):
                    out.writerow([bench, ranks, series, "%g" % x, column, i, "%.6g" % value])


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
