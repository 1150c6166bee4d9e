#!/usr/bin/env python3
"""Descriptors or memory run out: the run works or ends soon with an error that says what was missing; no hang, no crash."""
import resource
import shutil

from hostile import MODES, MPIEXEC, build, check, clean_environment, done, run

VICTIM = build("victim")
SIZES = build("sizes")
HYDRA = shutil.which("mpiexec.hydra")
SANITIZED = bool({"asan", "tsan", "valgrind"} & MODES)


def limited(what, value, *command, limit=40):
    label = f"{what} {value}: {' '.join(command[-3:])}"
    return label, run(*command, limit=limit, label=label, preexec_fn=lambda: resource.setrlimit(what, (value, value)))


def works_or_tells(label, result, *words):
    if result.code == 0:
        check(" No Errors" in result.out, f"{label}: {result}")
        return True
    check(0 < result.code < 128, f"{label}: died: {result}")
    check(any(word in result.err for word in words), f"{label}: none of {words} in the message: {result}")
    return False


def descriptors():
    """From none to spare to plenty: never a hang, and from some number on all is well."""
    words = "Too many open files", "open files", "descriptor", "cannot create"
    for command, enough in ([VICTIM], 16), ([MPIEXEC, "-n", "2", VICTIM], 96), ([MPIEXEC, "-n", "8", VICTIM], 128):
        went = {}
        for n in list(range(3, 20)) + [24, 32, 40, 48, 64, 96, 128]:
            label, result = limited(resource.RLIMIT_NOFILE, n, *command)
            # the dynamic linker, which opens the library, is not ours to blame
            went[n] = works_or_tells(label, result, *words, "error while loading shared libraries")
        check(all(ok for n, ok in went.items() if n >= enough), f"{command}: with {enough} descriptors not all works: {went}")


def descriptors_of_ranks():
    """Only the ranks have few. (Hydra lets the others wait if a rank fails before it has used MPI, as with less than 11.)"""
    for launcher, least in ([MPIEXEC], 4), ([HYDRA] if HYDRA else [], 11):
        for n in range(least, 20):
            if launcher:
                script = f"ulimit -n {n}; exec \"$0\""
                label = f"{launcher[0]}, ranks with {n} descriptors"
                result = run(*launcher, "-n", "2", "sh", "-c", script, VICTIM, label=label)
                if result.code != 0 and not result.err and launcher[0] == HYDRA:
                    continue  # it drops output at times
                works_or_tells(label, result, "Too many open files", "descriptor", "cannot create", "error while loading", "dup",
                               "not open")


def memory():
    """Address space: from too little for the linker up; the library's own part must tell."""
    words = ("emory", "error while loading shared libraries", "cannot map", "failed to map", "cannot allocate", "resource")
    for kib in list(range(4096, 24576, 2048)) + [32768, 49152, 65536, 131072, 262144]:
        for command in [VICTIM], [MPIEXEC, "-n", "2", "sh", "-c", f"ulimit -v {kib}; exec \"$0\"", VICTIM]:
            label = f"{kib} KiB: {' '.join(command[:4])}"
            run_one = ["sh", "-c", f"ulimit -v {kib}; exec \"$0\"", VICTIM] if command == [VICTIM] else command
            result = run(*run_one, limit=40, label=label, env=clean_environment())
            works_or_tells(label, result, *words)
    label, result = limited(resource.RLIMIT_AS, 1 << 30, VICTIM)
    check(result.code == 0, f"{label}: {result}")


def file_size():
    """No SIGXFSZ where files may not be large."""
    for size in 0, 4096, 1 << 20:
        label, result = limited(resource.RLIMIT_FSIZE, size, MPIEXEC, "-n", "2", SIZES)
        works_or_tells(label, result, "File too large", "shared memory", "node directory")
        if HYDRA:
            label, result = limited(resource.RLIMIT_FSIZE, size, HYDRA, "-n", "2", SIZES)
            works_or_tells(label, result, "File too large", "shared memory", "node directory", "/dev/shm")


def processes():
    """No new process or thread: the launcher says so. (Root is not limited.)"""
    label, result = limited(resource.RLIMIT_NPROC, 1, MPIEXEC, "-n", "2", VICTIM)
    works_or_tells(label, result, "cannot", "Resource temporarily unavailable")


descriptors()
descriptors_of_ranks()
if not SANITIZED:  # a sanitizer reserves terabytes
    memory()
file_size()
processes()
done()
