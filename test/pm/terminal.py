#!/usr/bin/env python3
"""On a terminal: input reaches rank 0, the end of input, Ctrl-C; in the background mpiexec is not stopped."""
import fcntl
import os
import pty
import select
import signal
import sys
import termios
import time

from pmtest import MPIEXEC, check, done


def session(commands):
    """Run commands in a child that leads a session on a terminal of its own; returns its pid and our end."""
    pid, fd = pty.fork()
    if pid == 0:
        try:
            commands()
        finally:
            os._exit(99)
    return pid, fd


def read_until(fd, text, seconds=10):
    got = b""
    end = time.monotonic() + seconds
    while text not in got and time.monotonic() < end:
        if not select.select([fd], [], [], 0.1)[0]:
            continue
        try:
            piece = os.read(fd, 4096)
        except OSError:
            break
        got += piece
    check(text in got, f"expected {text!r} on the terminal, came {got!r}")
    return got


def exit_code(pid, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        got, status = os.waitpid(pid, os.WNOHANG)
        if got:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)
    sys.exit("still runs on its terminal")


def foreground():
    os.execv(MPIEXEC, [MPIEXEC, "-n", "2", "sh", "-c", "[ $PMI_RANK = 1 ] && exec cat; while read x; do echo \"got $x\"; done; echo end"])


# in the foreground: lines, then the end of input
child, tty = session(foreground)
os.write(tty, b"hello\n")
read_until(tty, b"got hello")
os.write(tty, b"\x04")
read_until(tty, b"end")
check(exit_code(child) == 0, "exit code after the end of input")
os.close(tty)

# Ctrl-C
child, tty = session(lambda: os.execv(MPIEXEC, [MPIEXEC, "-n", "2", "sh", "-c", "echo ready; exec sleep 60"]))
read_until(tty, b"ready")
os.write(tty, b"\x03")
check(exit_code(child) == 128 + signal.SIGINT, "exit code after Ctrl-C")
os.close(tty)


def background():
    """A shell that starts mpiexec in a process group that is not the terminal's, then brings it to the foreground."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.setpgid(0, 0)
        os.execv(MPIEXEC, [MPIEXEC, "-n", "2", "sh", "-c",
                           "[ $PMI_RANK = 1 ] && exit 0; echo working; read x; echo \"got $x\""])
    try:
        os.setpgid(pid, pid)
    except OSError:
        pass
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        got, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
        if got:
            print("stopped or ended in the background:", status, flush=True)
            os._exit(1)
        time.sleep(0.02)
    print("alive in the background", flush=True)
    os.tcsetpgrp(0, pid)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


child, tty = session(background)
os.write(tty, b"typed\n")
seen = read_until(tty, b"alive in the background")
check(b"working" in seen, f"{seen!r}")
read_until(tty, b"got typed")
check(exit_code(child) == 0, "exit code of the job that came to the foreground")
os.close(tty)


def no_input_wanted():
    """A job in the background that never needs input runs to its end."""
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        os.execv(MPIEXEC, [MPIEXEC, "-n", "2", "sleep", "0.3"])
    os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, os.WUNTRACED)[1]))


child, tty = session(no_input_wanted)
check(exit_code(child) == 0, "a job in the background")
os.close(tty)

# the terminal goes away: as for any program, the job gets SIGHUP
child, tty = session(lambda: os.execv(MPIEXEC, [MPIEXEC, "-n", "2", "sh", "-c", "echo ready; exec sleep 60"]))
read_until(tty, b"ready")
os.close(tty)
check(exit_code(child) == 128 + signal.SIGHUP, "exit code after the terminal has gone")

# flags of what we inherited are not changed
read_end, write_end = os.pipe()
flags = [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in (read_end, write_end)]
child = os.fork()
if child == 0:
    os.dup2(read_end, 0)
    os.dup2(write_end, 1)
    os.execv(MPIEXEC, [MPIEXEC, "-n", "2", "sh", "-c", "sleep 0.2"])
time.sleep(0.1)
check([fcntl.fcntl(fd, fcntl.F_GETFL) for fd in (read_end, write_end)] == flags, "flags were changed")
check(exit_code(child) == 0, "exit code")
assert termios
done()
