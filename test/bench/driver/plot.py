"""SVG plots by gnuplot: one for each benchmark in which a value depends on a size or a number of ranks."""
import os
import shutil
import subprocess

from .report import point, shown_columns
from .table import BENCHES

COLORS = {"ours": "#2a7f3f", "ours-deferred": "#7cc47f", "ours-hydra": "#8a9a2a",
          "mpich": "#1f5fa8", "mpich-tuned": "#7fb0e0", "openmpi": "#c8501e",
          "openmpi-tuned": "#f0a878"}
BARE_COLORS = ("#777777", "#aaaaaa", "#444444")


def lines_of(bench, results):
    """{(series, ranks or None): {column: [(x, value)]}}: one entry for each plot."""
    keys = results.keys(bench.name)
    over_ranks = len({k[3] for k in keys}) == 1 and len({k[1] for k in keys}) > 1
    plots = {}
    for key in sorted(keys):
        _, ranks, series, x = key
        lines = plots.setdefault((series, None if over_ranks else ranks), {})
        for column, _ in shown_columns(bench, results):
            value = results.value(key, column)
            if value is not None and value > 0:
                lines.setdefault(column, []).append((ranks if over_ranks else x, value))
    return {k: v for k, v in plots.items() if any(len(points) > 1 for points in v.values())}


def marks(bench, lines, over_ranks):
    """Marks of the x axis at the measured points, at most about a dozen."""
    xs = sorted({x for column, points in lines.items() if column in COLORS for x, _ in points})
    xs = xs[::len(xs) // 12 + 1]
    return ", ".join("'%s' %g" % ("%d" % x if over_ranks else point(bench, x), x) for x in xs)


def script(path, titles, lines, labels, xtics):
    """`titles` are those of the plot and of its axes."""
    title, xlabel, unit = titles
    text = ["set terminal svg size 800,420 font 'sans-serif,13' background '#ffffff' noenhanced",
            "set output '%s'" % path, "set title '%s'" % title, "set xlabel '%s'" % xlabel,
            "set ylabel '%s'" % unit, "set key outside right top Left reverse", "set grid lc rgb '#dddddd'",
            "set logscale x 2", "set logscale y 10", "set format y '%g'", "set xtics (%s) rotate by -40" % xtics]
    curves, grey = [], 0
    for i, (column, points) in enumerate(lines.items()):
        text += ["$d%d << E" % i] + ["%g %g" % p for p in points] + ["E"]
        color = COLORS.get(column)
        if color is None:
            color, grey = BARE_COLORS[grey % len(BARE_COLORS)], grey + 1
        width = 3 if column == "ours" else 1.5
        dash = " dt 2" if column not in COLORS else ""
        curves.append("$d%d with linespoints lw %g pt 7 ps 0.5 lc rgb '%s'%s title '%s'" % (
            i, width, color, dash, labels.get(column, column)))
    return "\n".join(text + ["plot " + ", ".join(curves)]) + "\n"


def plot_all(results, folder, benches=BENCHES):
    """The names of the files made in `folder`."""
    if not shutil.which("gnuplot"):
        return []
    made = []
    for bench in benches:
        labels = dict(shown_columns(bench, results))
        plots = lines_of(bench, results)
        for (series, ranks), lines in plots.items():
            main = series == (bench.series or bench.name)
            name = bench.name + ("" if main else "-" + series)
            several = len({r for s, r in plots if s == series}) > 1
            name += "-%d" % ranks if several else ""
            title = bench.title + ("" if main else ": " + series.replace("_", " "))
            title += ", %d ranks" % ranks if several else ""
            xlabel = "ranks" if ranks is None else bench.x
            path = os.path.join(folder, name + ".svg")
            text = script(path, (title, xlabel, bench.unit_of(series)), lines, labels,
                          marks(bench, lines, ranks is None))
            done = subprocess.run(["gnuplot"], input=text, text=True, capture_output=True, check=False)
            if done.returncode == 0:
                made.append(name + ".svg")
            else:
                print("bench: gnuplot: " + done.stderr.strip().replace("\n", " ")[:200])
    return made
