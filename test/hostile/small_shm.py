#!/usr/bin/env python3
"""Little room in /dev/shm, or none, in a mount namespace of its own: our mpiexec does not need it, under Hydra what cannot be had is
told, and nothing ever ends in SIGBUS."""
import os
import shutil
import subprocess
import sys

from hostile import HERE, MODES, MPIEXEC, build, check, done, run

VICTIM = build("victim")
SIZES = build("sizes")
ABSENT = build("absent", folder=os.path.join(HERE, "..", "interop"))
FORBID = build("forbid", compiler="cc")
PORTABLE = "portable" in MODES
UNSHARE = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
HYDRA = shutil.which("mpiexec.hydra")


def inside(mount, *command):
    script = f"mount -t tmpfs -o {mount} tmpfs /dev/shm && exec \"$@\""
    return [*UNSHARE, "sh", "-c", script, "sh", *command]


def full(*command):
    """Of 64 KiB, one page is left."""
    script = "head -c 61440 /dev/zero >/dev/shm/filler; exec \"$@\""
    return inside("size=64k", "sh", "-c", script, "sh", *command)


def works(label, command):
    result = run(*command, limit=60, label=label)
    check(result.code == 0 and " No Errors" in result.out and not result.err, f"{label}: {result}")


def works_or_tells(label, command, *words):
    """When a rank aborts, Hydra at times drops what the ranks have said last; so three tries."""
    for _ in range(3):
        result = run(*command, limit=60, label=label)
        if result.code == 0 or result.err:
            break
    if result.code == 0:
        check(" No Errors" in result.out, f"{label}: {result}")
        return
    check("Bus error" not in result.err + result.out and "SIGBUS" not in result.err and 0 < result.code < 128, f"{label}: {result}")
    for word in words:
        check(word in result.err, f"{label}: no {word!r} in the message: {result}")


if subprocess.run(inside("size=1m", "true"), capture_output=True, check=False).returncode != 0:
    print("no right to make a mount namespace here: nothing tested", file=sys.stdout)
    done()

for n in "2", "4":
    for program in VICTIM, SIZES:
        for size in "1m", "64k", "4k":
            label = f"{size}, {n} ranks, {os.path.basename(program)}"
            ours = inside(f"size={size}", MPIEXEC, "-n", n, program)
            if PORTABLE:  # has no other memory
                works_or_tells(label, ours, "shared memory")
            else:
                works(label, ours)
            if HYDRA:
                theirs = inside(f"size={size}", HYDRA, "-n", n, program)
                if size == "1m" and not PORTABLE:
                    works("Hydra, " + label, theirs)
                else:
                    works_or_tells("Hydra, " + label, theirs, "/dev/shm")

forbidden = [FORBID, "memfd_create=EPERM", "--"]
for size in "4m", "1m", "64k", "4k":
    for program in VICTIM, SIZES:
        works_or_tells(f"{size}, no memfd", inside(f"size={size}", *forbidden, MPIEXEC, "-n", "4", program), "perennial")
        if HYDRA:
            works_or_tells(f"{size}, no memfd, Hydra", inside(f"size={size}", *forbidden, HYDRA, "-n", "4", program), "/dev/shm")
if not PORTABLE:
    works("full", full(MPIEXEC, "-n", "4", SIZES))
if HYDRA:
    works_or_tells("full, Hydra", full(HYDRA, "-n", "4", SIZES), "/dev/shm")
    if not PORTABLE:  # rank 1 ends without a call of MPI, after rank 0 has sent to it
        works("absent receiver, Hydra", inside("size=1m", HYDRA, "-n", "2", ABSENT))
        works("absent receiver, shell, Hydra", inside("size=1m", HYDRA, "-n", "2", "sh", "-c", f"{ABSENT}; true"))
    works_or_tells("read-only, Hydra", inside("size=1m,ro", HYDRA, "-n", "2", VICTIM), "/tmp")
works("singleton", inside("size=4k", SIZES) if not PORTABLE else [SIZES])
done()
