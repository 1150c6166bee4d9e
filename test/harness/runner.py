"""Builds test programs with the installed mpicc and runs them: one Run is one program at one size."""
import os
import re
import shutil
import signal
import subprocess
import threading
import time
import uuid

from . import launchers, leftovers

NO_ERRORS = " No Errors"
GRACE = 20  # seconds after the launcher's own time limit in which it collects backtraces
SKIPPED = 77  # exit code of a script that cannot run here; its last line says why
SHOWN_LINES = 15  # of what a failed run said on stderr; all of it is in its folder


class Run:
    """One program at one number of ranks, with one value of the CVAR (or None)."""

    def __init__(self, entry, size, cvar):
        self.entry, self.size, self.cvar = entry, size, cvar
        self.problems, self.seconds, self.status = [], 0.0, None
        self.skipped = None  # why

    @property
    def title(self):
        words = [f"{self.entry.folder}/{self.entry.name}"]
        words += self.entry.args + [f"{name}={value}" for name, value in self.entry.env.items()]
        words += self.entry.launcher_options
        if not self.entry.is_script and self.entry.folder != "unit":
            words.append(f"n={self.size}")
        if self.cvar is not None:
            words.append(f"atexit={self.cvar}")
        return " ".join(words)


class Builder:
    """Compiles each program once; a program is rebuilt only when something that it is made of is newer."""

    def __init__(self, house):
        self.house = house
        self.lock = threading.Lock()
        self.done = {}

    def program(self, entry):
        """(path, None), or (None, what the compiler said)."""
        if entry.source is None:
            path = os.path.join(self.house.build, "test", "unit", entry.name)
            return (path, None) if os.path.exists(path) else (None, f"not built: {path}")
        if entry.is_script:
            return entry.source, None
        key = (entry.source, tuple(entry.extra_sources), tuple(entry.libs))
        with self.lock:
            slot = self.done.setdefault(key, {"lock": threading.Lock(), "result": None})
        with slot["lock"]:
            result = slot["result"]
            if result is None:
                result = self.compile(entry)
                # What the compiler said is shown once, not for every size.
                slot["result"] = (None, "the compiler's words are above") if result[0] is None else result
            return result

    def compile(self, entry):
        folder = os.path.dirname(entry.source)
        sources = [entry.source] + [os.path.join(folder, name) for name in entry.extra_sources]
        target = os.path.join(self.house.scratch, entry.folder, entry.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        wrapper = "mpicxx" if entry.source.endswith(".cxx") else "mpicc"
        command = [os.path.join(self.house.prefix, "bin", wrapper), "-O1", "-g", "-pthread",
                   "-Wall", "-Wextra", "-Werror", "-I" + self.house.util, "-I" + folder,
                   "-o", target] + sources + entry.libs
        if not self.stale(target, sources + self.headers(folder), command):
            return target, None
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False)
        if done.returncode != 0:
            return None, "$ " + " ".join(command) + "\n" + done.stdout + done.stderr
        with open(target + ".command", "w", encoding="utf-8") as file:
            file.write("\n".join(command))
        return target, None

    def headers(self, folder):
        found = []
        for place in (self.house.util, folder, os.path.join(self.house.prefix, "include")):
            if os.path.isdir(place):
                found += [os.path.join(place, name) for name in os.listdir(place) if name.endswith(".h")]
        return found + [os.path.join(self.house.prefix, "bin", "mpicc")]

    @staticmethod
    def stale(target, parts, command):
        try:
            with open(target + ".command", encoding="utf-8") as file:
                if file.read() != "\n".join(command):
                    return True
            born = os.path.getmtime(target)
            return any(os.path.getmtime(part) > born for part in parts)
        except OSError:
            return True


def launch_command(house, run, program, limit):
    """The whole command line of a run."""
    entry = run.entry
    launcher = entry.launcher or house.launcher
    words = [program] + entry.args
    if entry.is_script:
        interpreter = house.python if program.endswith(".py") else "/bin/sh"
        return [interpreter] + words
    if house.valgrind:
        words = house.valgrind_command(run) + words
    if launcher == "none":
        return words
    if launcher == "mpiexec":
        start = [os.path.join(house.prefix, "bin", "mpiexec"), "-timeout", str(limit)]
        return start + entry.launcher_options + ["-n", str(run.size)] + words
    return house.foreign_launcher(launcher).start(run.size) + launchers.translate(entry.launcher_options)[0] + words


def launcher_environment(house, run):
    """What a launcher that is not ours is told by variables."""
    launcher = house.foreign_launcher(run.entry.launcher or house.launcher)
    if launcher is None:
        return {}
    return {**launcher.env, **launchers.translate(run.entry.launcher_options)[1]}


def environment(house, run, mark):
    env = dict(os.environ)
    for name in [name for name in env if name.startswith(("MPIR_CVAR_", "PMI_", "PMIX_", "MPICH_", "MTEST_"))]:
        del env[name]
    env.update(house.env)
    env.update(launcher_environment(house, run))
    if run.cvar is not None:
        env["MPIR_CVAR_FINALIZE_ATEXIT"] = run.cvar
    if "asan" in house.modes:
        suppressions = os.path.join(house.util, "lsan.supp")
        env.setdefault("LSAN_OPTIONS", f"suppressions={suppressions}:print_suppressions=0")
    env.update({
        leftovers.MARK: mark,
        "PREFIX": house.prefix,
        "BUILD": house.build or "",
        "TOP": house.top,
        "SRCDIR": os.path.join(house.test_root, run.entry.folder),
        "MPICC": os.path.join(house.prefix, "bin", "mpicc"),
        "MPICXX": os.path.join(house.prefix, "bin", "mpicxx"),
        "MPIEXEC": os.path.join(house.prefix, "bin", "mpiexec"),
        "PYTHON3": house.python,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": house.util,
        "MTEST_MODES": ",".join(sorted(house.modes)),
        "MTEST_SIZE": str(run.size),
    })
    env.update(run.entry.env)
    return env


def wait_or_kill(process, mark, limit, folder):
    """Output of the run; after limit + GRACE seconds its stacks are saved and it is killed."""
    try:
        out, err = process.communicate(timeout=limit + GRACE)
        return out, err, None
    except subprocess.TimeoutExpired:
        with open(os.path.join(folder, "backtraces"), "w", encoding="utf-8") as file:
            file.write(leftovers.backtraces(mark))
        leftovers.kill_all(mark, process.pid)
    try:
        out, err = process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        out, err = b"", b""  # someone that escaped the mark still holds the pipe
    return out, err, f"was killed after {limit + GRACE} s; stacks are in {folder}/backtraces"


def judge(house, run, code, out, err):
    """Fill run.problems from what the program did."""
    lines = [line for line in out.splitlines() if line.strip()]
    if code == SKIPPED and run.entry.is_script and lines and lines[-1].startswith("skipped: "):
        run.skipped = lines[-1].removeprefix("skipped: ")
        return
    if code != 0:
        name = signal.Signals(-code).name if code < 0 else str(code)
        run.problems.append(f"exit code {name}, expected 0")
    if lines.count(NO_ERRORS) != 1 or lines[-1] != NO_ERRORS:
        last = lines[-1] if lines else ""
        run.problems.append(f"last line of stdout is \"{last}\", expected \"{NO_ERRORS}\" once and at the end")
    allowed = [re.compile(pattern) for pattern in run.entry.stderr + house.allowed_stderr]
    unexpected = [line for line in err.splitlines()
                  if line.strip() and not any(pattern.search(line) for pattern in allowed)]
    if unexpected:
        run.problems.append("unexpected on stderr: " + "\n".join(unexpected[:SHOWN_LINES]))


def look_for_leftovers(run, mark, group, shm_before):
    left = leftovers.wait_for_none(mark, 2)
    if left:
        run.problems.append("left processes: " + "; ".join(f"{pid} {cmd}" for pid, cmd in left.items()))
        leftovers.kill_all(mark, group)
    files = leftovers.new_shm_files(shm_before)
    if files:
        run.problems.append("left in /dev/shm: " + " ".join(sorted(files)))


def execute(house, builder, run):
    """Build and run; sets run.status ("pass", "fail", "xfail", "skip"), run.problems and run.seconds."""
    started = time.monotonic()
    program, complaint = builder.program(run.entry)
    folder = os.path.join(house.results, re.sub(r"[^A-Za-z0-9.=+-]+", "_", run.title))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "cwd"))
    out = err = ""
    command = []
    if program is None:
        run.problems.append("does not build: " + complaint)
    else:
        mark = uuid.uuid4().hex
        limit = run.entry.time_limit * house.time_scale
        command = launch_command(house, run, program, limit)
        shm_before = leftovers.shm_files()
        process = subprocess.Popen(command, cwd=os.path.join(folder, "cwd"), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment(house, run, mark), start_new_session=True)
        leftovers.running[mark] = process.pid
        out, err, late = wait_or_kill(process, mark, limit, folder)
        out, err = out.decode(errors="replace"), err.decode(errors="replace")
        if late:
            run.problems.append(late)
        judge(house, run, process.returncode, out, err)
        look_for_leftovers(run, mark, process.pid, shm_before)
        del leftovers.running[mark]
        house.read_valgrind_logs(run)
    run.seconds = time.monotonic() - started
    conclude(run, house.keep, folder, command, out, err)


def conclude(run, keep, folder, command, out, err):
    """Set the status; keep the files of a run that failed."""
    failed = bool(run.problems)
    if run.skipped is not None and not failed:
        run.status = "skip"
    elif run.entry.xfail is not None:
        run.status = "xfail" if failed else "fail"
        if not failed:
            run.problems.append(f"passes, though listed as a known failure: {run.entry.xfail}")
    else:
        run.status = "fail" if failed else "pass"
    if run.status in ("pass", "skip") and not keep:
        shutil.rmtree(folder, ignore_errors=True)
        return
    contents = {"command": " ".join(command) + "\n", "stdout": out, "stderr": err,
                "problems": "\n".join(run.problems) + "\n"}
    for name, text in contents.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
