"""Compiles the programs and runs them, interleaved, with a time limit; nothing is left behind."""
import os
import resource
import signal
import subprocess
import sys
import time

from . import peers
from .model import Bare, Case

MARK = "PERENNIAL_BENCH_RUN"    # known by this variable, processes of a run can be found again


def family_of(column):
    return "bare" if isinstance(column, Bare) else column.family


def program_of(case):
    return case.column.program if isinstance(case.column, Bare) else case.bench.source


class Machine:
    """How busy is the machine with the work of others?"""

    @staticmethod
    def busy_seconds():
        with open("/proc/stat", encoding="ascii") as f:
            ticks = [int(v) for v in f.readline().split()[1:9]]
        # idle and iowait are no work; steal is what other machines on this host took
        return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def own_seconds():
        both = [resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(u.ru_utime + u.ru_stime for u in both)

    def __init__(self):
        self.cores = len(os.sched_getaffinity(0))
        self.start()

    def start(self):
        self.at, self.busy, self.own = time.monotonic(), self.busy_seconds(), self.own_seconds()

    def foreign(self):
        """The share of the machine that others used since start(); None after too short a time."""
        elapsed = (time.monotonic() - self.at) * (os.cpu_count() or 1)
        others = (self.busy_seconds() - self.busy) - (self.own_seconds() - self.own)
        return max(0.0, min(1.0, others / elapsed)) if elapsed > 0.2 else None


class Builder:
    """Compiles what is needed, once for each family."""

    def __init__(self, source_dir, out, families):
        self.source_dir = source_dir
        self.out = out
        self.families = families
        self.done = {}          # (family, program) -> path, or None
        self.why = {}           # (family, program) -> first error line

    def get(self, family, program):
        key = (family, program)
        if key not in self.done:
            self.done[key] = self.compile(family, program)
        return self.done[key]

    def compile(self, family, program):
        folder = os.path.join(self.out, "bin", family)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, program)
        source = os.path.join(self.source_dir, program + ".c")
        argv = peers.compile_argv(self.families, family, source, path)
        log = subprocess.run(argv, capture_output=True, text=True, check=False)
        if log.returncode == 0:
            return path
        with open(path + ".log", "w", encoding="utf-8") as f:
            f.write(" ".join(argv) + "\n" + log.stdout + log.stderr)
        errors = [line for line in log.stderr.split("\n") if "error" in line or "undefined" in line]
        what = errors[0].split("error:")[-1].strip() if errors else "see %s.log" % path
        self.why[(family, program)] = "%s.c does not compile: %s" % (program, what)
        return None


def kill_marked(mark):
    """Ends processes that a run has left, in whatever session they are."""
    wanted = ("%s=%s" % (MARK, mark)).encode()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % pid, "rb") as f:
                if wanted in f.read().split(b"\0"):
                    os.kill(int(pid), signal.SIGKILL)
        except OSError:
            continue


class Runner:
    """Runs cases. `ms` is the time for each point; `loaded`: take what is least disturbed by other work."""

    def __init__(self, builder, families, ms, quick, loaded=False):
        self.builder = builder
        self.families = families
        self.machine = Machine()
        self.ms = ms
        self.quick = quick
        self.loaded = loaded
        self.count = 0

    def near(self, case):
        """How long does a cache line take from core to core at this moment? None if that does not matter."""
        if case.ranks != 2 or self.machine.cores < 2 or isinstance(case.column, Bare):
            return None
        probe = self.builder.get("bare", "bare_line")
        if probe is None:
            return None
        env = dict(os.environ, BENCH_MS="4", BENCH_QUANTILE="0.25")
        done = subprocess.run([probe], env=env, capture_output=True, text=True, check=False)
        return next((value for _, _, value in parse(done.stdout)), None)

    def command(self, case):
        """The whole argument vector, or a reason why there is none."""
        family = family_of(case.column)
        names = [program_of(case)] + [p for p in (case.bench.watch, "starter" if case.bench.starter else "") if p]
        paths = []
        for name in names:
            path = self.builder.get(family if name == names[0] else "bare", name)
            if path is None:
                return None, self.builder.why[(family if name == names[0] else "bare", name)]
            paths.append(path)
        if isinstance(case.column, Bare):
            args = [a.format(ranks=case.ranks) for a in case.column.args]
            return paths[1:2] * bool(case.bench.watch) + [paths[0]] + args, None
        quick = self.quick and case.bench.quick_args is not None
        args = list(case.bench.quick_args if quick else case.bench.args)
        return peers.launch(self.families, case, self.machine.cores) + paths[1:] + [paths[0]] + args, None

    def environment(self, case):
        env = dict(os.environ, BENCH_MS="%g" % (self.ms * case.bench.budget), OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        for name in list(env):  # what the caller has set for one library must not make the comparison unfair
            if name.startswith(("MPIR_CVAR_", "OMPI_MCA_", "UCX_", "PMI_", "PMIX_")):
                del env[name]
        if self.loaded:
            env["BENCH_QUANTILE"] = "0.05"
        if not isinstance(case.column, Bare):
            env.update(peers.settings(case, self.machine.cores)[0])
        self.count += 1
        env[MARK] = "%d.%d" % (os.getpid(), self.count)
        return env

    def run(self, case):
        """(points, why it failed, share of others): points are (series, x, value)."""
        argv, why = self.command(case)
        if argv is None:
            return [], why, None
        env = self.environment(case)
        self.machine.start()
        child = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            out, err = child.communicate(timeout=case.bench.limit)
        except subprocess.TimeoutExpired:
            return [], self.end(child, env[MARK], case.bench.limit), None
        except BaseException:
            self.end(child, env[MARK], 0)
            raise
        foreign = self.machine.foreign()
        if child.returncode != 0:
            kill_marked(env[MARK])
            return [], self.explain(case, child.returncode, err), foreign
        points = list(parse(out))
        return points, None if points else "printed no result", foreign

    @staticmethod
    def end(child, mark, limit):
        child.terminate()
        try:
            child.communicate(timeout=2)
        except subprocess.TimeoutExpired:
            child.kill()
        kill_marked(mark)
        child.wait()
        return "hung (no end after %g s)" % limit

    def explain(self, case, code, err):
        """One line for the table; the whole text into a file."""
        name = "%s.%d.%s.log" % (case.bench.name, case.ranks, case.column.name)
        with open(os.path.join(self.builder.out, name), "w", encoding="utf-8") as f:
            f.write(err)
        if code < 0:
            return "died of signal %d" % -code
        return "failed with exit code %d (its output: %s)" % (code, name)


def parse(out):
    for line in out.split("\n"):
        words = line.split()
        if len(words) == 4 and words[0] == "=":
            yield words[1], float(words[2]), float(words[3])


def cases_of(bench, columns):
    """Interleaved: for each number of ranks all columns, one after the other."""
    cases = []
    for ranks in bench.ranks:
        cases += [Case(bench, ranks, columns[c]) for c in bench.columns if c in columns]
        cases += [Case(bench, ranks, b) for b in bench.bare]
    return cases


class Progress:
    """Where are we, and how long does it still take?"""

    def __init__(self, plan, rounds, ms):
        self.total = rounds * len(plan)
        self.rounds = rounds
        self.plan = plan
        self.known = {}
        self.guess = {c: 1.0 + c.bench.points * c.bench.budget * ms / 1e3 * 1.4 for c in plan}
        self.done = 0
        self.shown = 0
        self.tty = sys.stderr.isatty()

    def left(self):
        rest = [self.plan[i % len(self.plan)] for i in range(self.done, self.total)]
        return sum(self.known.get(c, self.guess[c]) for c in rest)

    def show(self, case):
        now = time.monotonic()
        if not self.tty and now - self.shown < 10:
            return
        self.shown = now
        left = int(self.left())
        text = "round %d/%d, run %d/%d, %s: %s, %s; %d:%02d left" % (
            self.done // len(self.plan) + 1, self.rounds, self.done + 1, self.total, case.bench.name,
            "%d ranks" % case.ranks if case.ranks else "no launcher", case.column.name, left // 60, left % 60)
        sys.stderr.write("\r%-100.100s" % text if self.tty else text + "\n")
        sys.stderr.flush()

    def ran(self, case, seconds):
        self.known[case] = seconds
        self.done += 1

    def end(self):
        if self.tty:
            sys.stderr.write("\r%100s\r" % "")


def run_all(runner, plan, rounds, results):
    """All rounds. A case that hangs or dies is tried in the first round only."""
    progress = Progress(plan, rounds, runner.ms)
    for _ in range(rounds):
        for case in plan:
            progress.show(case)
            start = time.monotonic()
            if (case.bench.name, case.ranks, case.column.name) not in results.failures:
                line = runner.near(case)
                points, why, foreign = runner.run(case)
                if points and line is not None:
                    results.lines.setdefault((case.bench.name, case.ranks, case.column.name), []).append(line)
                for series, x, value in points:
                    results.add(case, series, x, value)
                results.foreign += [foreign] if foreign is not None else []
                if why:
                    results.fail(case, why)
            progress.ran(case, time.monotonic() - start)
    progress.end()
