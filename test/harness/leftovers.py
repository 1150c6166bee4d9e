"""What a job must not leave behind: processes, and files in /dev/shm.

Processes are known by a variable with a fresh value that each run has in its environment, so that daemons
and children in other process groups are found, too. Without /proc only the process group is looked at.
"""
import os
import signal
import shutil
import subprocess
import time

MARK = "PERENNIAL_TEST_RUN"
SHM = "/dev/shm"


# Pids that have no environment for good; lives with the runner.
without_environment = set()


def pids():
    return filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc/self") else [])


def read_environment(pid):
    """The environment as bytes; empty also for kernel threads."""
    with open(f"/proc/{pid}/environ", "rb") as file:
        return file.read()


def environment_of(pid):
    """In the midst of an exec a process shows an empty environment, so look again before believing it."""
    environ = read_environment(pid)
    if environ or pid in without_environment:
        return environ
    try:
        os.readlink(f"/proc/{pid}/exe")
    except FileNotFoundError:
        return b""  # kernel thread or zombie
    for _ in range(10):
        time.sleep(0.01)
        environ = read_environment(pid)
        if environ:
            return environ
    without_environment.add(pid)
    return b""


def processes_of(mark):
    """Pid -> command of the live processes whose environment carries the mark."""
    needle = f"{MARK}={mark}".encode()
    found = {}
    for pid in pids():
        try:
            if needle in environment_of(pid).split(b"\0"):
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    found[int(pid)] = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue  # gone, or somebody else's
    return found


def wait_for_none(mark, seconds):
    """The processes that are still there after at most so many seconds."""
    deadline = time.monotonic() + seconds
    left = processes_of(mark)
    while left and time.monotonic() < deadline:
        time.sleep(0.02)
        left = processes_of(mark)
    return left


def kill_all(mark, group):
    """End what is left of a run: its process group and every process that carries the mark."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    for pid in processes_of(mark):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


# Mark -> process group of the runs that are going on; lives with the runner.
running = {}


def kill_running():
    """For a runner that is told to stop."""
    for mark, group in list(running.items()):
        kill_all(mark, group)


def backtraces(mark):
    """Text with the stacks of the run's processes, at most 16, if gdb is there."""
    gdb = shutil.which("gdb")
    text = []
    for pid, command in list(processes_of(mark).items())[:16]:
        text.append(f"==== {pid}: {command}\n")
        if gdb:
            try:
                done = subprocess.run([gdb, "-p", str(pid), "-batch", "-ex", "thread apply all bt"],
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      timeout=30, check=False)
                text.append(done.stdout)
            except subprocess.TimeoutExpired:
                text.append("gdb gave no answer in 30 s\n")
    return "".join(text)


def shm_files():
    try:
        return set(os.listdir(SHM))
    except OSError:
        return set()


def in_use(name):
    """Does a live process have this file of /dev/shm open or mapped?"""
    path = os.path.join(SHM, name)
    for pid in pids():
        try:
            with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file:
                if path in file.read():
                    return True
            for fd in os.listdir(f"/proc/{pid}/fd"):
                try:
                    if os.readlink(f"/proc/{pid}/fd/{fd}") == path:
                        return True
                except OSError:
                    continue
        except OSError:
            continue
    return False


def new_shm_files(before):
    """Files that have come since `before` and stay though no live process uses them (other jobs may be running)."""
    for _ in range(50):
        left = {name for name in shm_files() - before if not in_use(name)}
        if not left:
            return left
        time.sleep(0.1)
    return {name for name in left if os.path.exists(os.path.join(SHM, name))}
