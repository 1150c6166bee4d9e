#!/usr/bin/env python3
"""Somebody else's things under the name of the job's shared memory (a launcher that is not ours): refused with a message that has the
name, never written to, never a crash; what a dead job left is replaced."""
import fcntl
import os
import signal
import struct
import time

from hostile import Server, build, check, check_refused, done, fail, finish_all

VICTIM = build("victim")
SHM = "/dev/shm" if os.access("/dev/shm", os.W_OK) else "/tmp"
PREFIX = f"perennial-{os.geteuid()}-"
JOB = f"kvs_foreign_{os.getpid()}"
SIZE = 1 << 20
MAGIC = 0x524944414E4E4550


def find_name():
    """Where a job of this name puts its file: seen when a first rank waits for the second. That rank is killed, so the file stays."""
    before = set(os.listdir(SHM))
    process = Server(2, JOB).start([VICTIM], 0)
    name = None
    for _ in range(1000):
        new = [n for n in set(os.listdir(SHM)) - before if n.startswith(PREFIX) and n.count("-") == 2 and "." not in n]
        if new:
            name = os.path.join(SHM, new[0])
            break
        time.sleep(0.01)
    time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return name


def job():
    server = Server(2, JOB)
    processes = [server.start([VICTIM], rank) for rank in range(2)]
    return finish_all(processes, 20, "foreign file")


def works(label):
    for rank, result in enumerate(job()):
        check(result.code == 0 and not result.err, f"{label}: rank {rank}: {result}")
    check(not os.path.lexists(path), f"{label}: {path} is left")


def refused(label, *words):
    for rank, result in enumerate(job()):
        check_refused(result, f"{label}: rank {rank}", path, *words)


def remove():
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    elif os.path.lexists(path):
        os.unlink(path)


def make(content=b"", mode=0o600, size=SIZE, lock=fcntl.LOCK_SH):
    """A file under the name; open (so held by a lock) until close()."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.ftruncate(fd, size)
    os.pwrite(fd, content, 0)
    os.fchmod(fd, mode)
    if lock is not None:
        fcntl.flock(fd, lock)
    return fd


def header(layout=2, n_local=2, job_nonce=7):
    return struct.pack("<QIIQ", MAGIC, layout, n_local, job_nonce)


def held(label, words, **file):
    """Held by a living process: not touched, and an error."""
    fd = make(**file)
    before = os.pread(fd, SIZE, 0)
    refused(label, *words)
    check(os.path.exists(path) and os.pread(fd, SIZE, 0) == before, f"{label}: the file was changed or removed")
    os.close(fd)
    remove()


def stale(label, **file):
    """Nobody holds it, and nobody but this user could have written it: a dead job's."""
    os.close(make(lock=None, **file))
    works(label)
    remove()


path = find_name()
if not path:
    fail(f"no file {PREFIX}* came in {SHM}")
    done()
works("file of a killed rank")

held("garbage", ["no node directory"], content=b"garbage" * 100)
held("empty", ["0 bytes"], size=0)
held("short", ["100 bytes"], size=100)
held("zeros", ["no node directory"])
held("of another size", ["for 7 processes"], content=header(n_local=7))
held("of another version", ["layout 99"], content=header(layout=99))
held("without a job", ["no node directory"], content=header(job_nonce=0))
held("open to all", ["mode 0666"], mode=0o666)
held("readable by the group", ["mode 0640"], mode=0o640)
held("locked for ever", ["locked by another"], lock=fcntl.LOCK_EX)

stale("garbage of a dead job", content=b"garbage" * 100)
stale("empty file of a dead job", size=0)
stale("bogus number of processes", content=header(n_local=0xffffffff))
stale("another size of a dead job", content=header(n_local=7))

os.close(make(mode=0o666, lock=None))  # others could have written to it
refused("open to all, held by nobody", "mode 0666")
remove()

if os.geteuid() == 0:
    fd = make()
    os.fchown(fd, 12345, 12345)
    refused("of another user", "user 12345")
    os.close(fd)
    remove()

with open("precious", "w", encoding="utf-8") as file:
    file.write("precious")
for target in os.path.abspath("precious"), "/nowhere/at/all":
    os.symlink(target, path)
    refused(f"symbolic link to {target}", "symbolic link")
    check(os.path.islink(path), "the link was removed")
    remove()
with open("precious", encoding="utf-8") as file:
    check(file.read() == "precious", "written through a link")
os.mkdir(path)
refused("folder", "directory")
remove()
os.mkfifo(path, 0o600)
refused("named pipe", "regular file")
remove()
works("after all that")
done()
