"""What the tests of mpiexec share. A test calls check() and run(), and ends with done()."""
import os
import signal
import subprocess
import sys
import time

from pmitest import check, done  # noqa: F401

sys.dont_write_bytecode = True
MPIEXEC = os.environ["MPIEXEC"]
SLOW = 5 if {"asan", "tsan", "valgrind"} & set(os.environ.get("MTEST_MODES", "").replace(",", " ").split()) else 1

# A shell that starts something in the background makes it ignore these, which is inherited.
for ignored in signal.SIGINT, signal.SIGQUIT:
    if signal.getsignal(ignored) == signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)

# For `python3 -c`: a rank that speaks PMI by hand. say() sends lines, hear() reads one.
PMI = """
import os, socket, sys, time
rank, size = int(os.environ['PMI_RANK']), int(os.environ['PMI_SIZE'])
link = socket.socket(fileno=int(os.environ['PMI_FD'])).makefile('rw')
def say(text):
    link.write(text + '\\n'); link.flush()
def hear():
    return link.readline().strip()
def ask(text):
    say(text); return hear()
def init():
    assert 'rc=0' in ask('cmd=init pmi_version=1 pmi_subversion=1')
def finalize():
    assert ask('cmd=finalize') == 'cmd=finalize_ack'
"""


def python(code):
    """The words of a command that runs Python code in a rank."""
    return [sys.executable, "-c", code]


def run(*args, code=0, timeout=30, text=True, **more):
    """Run mpiexec and check its exit code."""
    more.setdefault("stdin", subprocess.DEVNULL if "input" not in more else None)
    if "input" in more:
        del more["stdin"]
    start = time.monotonic()
    result = subprocess.run([MPIEXEC, *args], capture_output=True, text=text, check=False, timeout=timeout * SLOW, **more)
    result.seconds = time.monotonic() - start
    if code is not None:
        check(result.returncode == code, f"mpiexec {' '.join(args)[:200]}: exit code {result.returncode}, expected {code}\n"
              f"{result.stdout[-500:]!r}\n{result.stderr[-1000:]!r}")
    return result


def start(*args, **more):
    """Start mpiexec in the background, with its output in a pipe."""
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.Popen([MPIEXEC, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def finish(process, code, timeout=15):
    """Wait for what start() began; returns output and errors."""
    try:
        out, err = process.communicate(timeout=timeout * SLOW)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        sys.exit(f"{process.args}: still runs after {timeout} s")
    if code is not None:
        check(process.returncode == code, f"{process.args}: exit code {process.returncode}, expected {code}\n{out}\n{err}")
    return out, err


def has_process(pid):
    """Is it there, and no zombie?"""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def wait_gone(pids, seconds=5):
    """Which of the processes are still there after a while?"""
    end = time.monotonic() + seconds * SLOW
    while time.monotonic() < end and any(has_process(pid) for pid in pids):
        time.sleep(0.01)
    return [pid for pid in pids if has_process(pid)]
