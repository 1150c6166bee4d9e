#!/usr/bin/env python3
"""Every way to leave: exit code, time, what is left in /dev/shm and in the process table (P4, P5, P6)."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

MPIEXEC = os.environ["MPIEXEC"]
HYDRA = shutil.which("mpiexec.hydra")
MPICC = os.environ["MPICC"]
PREFIX = os.environ["PREFIX"]
HERE = os.path.dirname(os.path.abspath(__file__))
UTIL = os.path.join(HERE, "..", "..", "util")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", ".."))
from harness import leftovers  # noqa: E402

# way: (exit code of mpiexec, word that its message must contain or None, exit code as a singleton)
WAYS = {
    "return": (0, None, 0),
    "exit_7": (7, None, 7),
    "_exit": (0, None, 0),
    "exit_unfinalized": ("not 0", "rank 0", 0),
    "_exit_unfinalized": ("not 0", "rank 0", 0),
    "abort": (134, "rank 0", -6),
    "mpi_abort": (3, "rank 0", 3),
    "sigkill": (137, "rank 0", -9),
    "sigterm": (143, "rank 0", -15),
    "fatal_error": ("not 0", "rank 0", "not 0"),
    "fork": (0, None, 0),
    "hook_after": (0, None, 0),
    "hook_before": (0, None, 0),
    "session_in_hook": (0, None, 0),
    "many_epochs": (0, None, 0),
}
# Of libfabric's shm provider, which names them after processes; those of killed ones stay.
PROVIDER_FILE = re.compile(r"(\d+):\d+:\d+")
LIMIT = 10.0  # seconds; each takes milliseconds
errors = 0


def fail(text):
    global errors
    errors += 1
    print(text, file=sys.stderr)


def processes_of(exe):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe").startswith(exe):
                found.append(int(pid))
        except OSError:
            pass
    return found


def ours_in_shm():
    return {name for name in os.listdir("/dev/shm") if name.startswith("perennial")}


def stays_in_shm(before):
    """What is new there, and not another job's, which would go away with it."""
    new = ours_in_shm() - before
    end = time.monotonic() + LIMIT * 3
    while new and time.monotonic() < end:
        time.sleep(0.1)
        new &= ours_in_shm()
    return new


def remove_provider_files():
    if os.environ.get("MPIR_CVAR_OFI_USE_PROVIDER") != "shm":
        return
    for name in os.listdir("/dev/shm"):
        pid = PROVIDER_FILE.fullmatch(name)
        if pid and not os.path.exists(f"/proc/{pid[1]}"):
            os.remove(os.path.join("/dev/shm", name))


def wait_until_none(exe):
    for _ in range(50):
        if not processes_of(exe):
            return True
        time.sleep(0.1)
    return False


def launch(command, env):
    """Hydra 4.0 now and then dies of SIGPIPE when ranks end at once, whatever the program; then once more."""
    for _ in range(5):
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT * 3, env=env)
        if command[0] != HYDRA or done.returncode != -signal.SIGPIPE:
            break
    return done


def same(code, expected):
    return expected is None or (code != 0 if expected == "not 0" else code == expected)


def run(command, exe, expected, word, env):
    shm = ours_in_shm()
    start = time.monotonic()
    label = " ".join(command) + f" (deferred {env['MPIR_CVAR_FINALIZE_ATEXIT']})"
    try:
        done = launch(command, env)
    except subprocess.TimeoutExpired:
        fail(f"{label}: still running after {LIMIT * 3} s")
        for pid in processes_of(exe):
            os.kill(pid, signal.SIGKILL)
        return
    took = time.monotonic() - start
    if not same(done.returncode, expected):
        fail(f"{label}: exit code {done.returncode}, expected {expected}\n{done.stderr}")
    if word and word not in done.stderr:
        fail(f"{label}: no {word!r} in the message:\n{done.stderr}")
    if expected == 0 and done.stderr:
        fail(f"{label}: unexpected output:\n{done.stderr}")
    if took > LIMIT:
        fail(f"{label}: took {took:.1f} s")
    left = stays_in_shm(shm)
    if left:
        fail(f"{label}: left in /dev/shm: {left}")
    if not wait_until_none(exe):
        fail(f"{label}: left processes {processes_of(exe)}")
    if done.returncode != 0 or command[0] == HYDRA or command[-1] in ("_exit", "exit_unfinalized", "_exit_unfinalized"):
        remove_provider_files()


def build(folder, source, *flags):
    out = os.path.join(folder, os.path.splitext(source)[0])
    compiler = MPICC.replace("mpicc", "mpicxx") if source.endswith(".cxx") else MPICC
    subprocess.run([compiler, "-Wall", "-Wextra", "-g", "-I", UTIL, os.path.join(HERE, source), "-o", out,
                    *flags], check=True)
    return out


def sanitizer_flags():
    """A library with a sanitizer can only be opened by a program that has it, too."""
    modes = os.environ.get("MTEST_MODES", "").split(",")
    flags = {"asan": "-fsanitize=address,undefined", "tsan": "-fsanitize=thread"}
    return [flag for mode, flag in flags.items() if mode in modes]


def main():
    with tempfile.TemporaryDirectory() as folder:
        leaver = build(folder, "leaver.c")
        static = build(folder, "static_object.cxx")
        dlopened = os.path.join(folder, "dlopened")
        subprocess.run(["cc", "-Wall", *sanitizer_flags(), os.path.join(HERE, "dlopened.c"), "-o", dlopened, "-ldl"],
                       check=True)
        for deferred in "0", "1":
            env = dict(os.environ, MPIR_CVAR_FINALIZE_ATEXIT=deferred,
                       LIBMPI=os.path.join(PREFIX, "lib", "libmpi.so.12"))
            for way, (code, word, single) in WAYS.items():
                run([leaver, way], leaver, single, None, env)
                for n in "1", "2", "4":
                    run([MPIEXEC, "-n", n, leaver, way], leaver, code, word, env)
                if HYDRA:  # has codes and words of its own
                    run([HYDRA, "-n", "3", leaver, way], leaver, 0 if code == 0 and way != "_exit" else None, None, env)
            for program in static, dlopened:
                run([program], program, 0, None, env)
                run([MPIEXEC, "-n", "3", program], program, 0, None, env)
    if errors == 0:
        print(" No Errors")
    return errors != 0


if __name__ == "__main__":
    sys.exit(main())
