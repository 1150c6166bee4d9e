"""What the hostile tests share: building and running a program with a time limit, and a PMI server that can be made to misbehave."""
import concurrent.futures
import os
import signal
import socket
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
MPIEXEC = os.environ["MPIEXEC"]
MODES = set(os.environ.get("MTEST_MODES", "").split(","))
SLOW = 5 if {"asan", "tsan", "valgrind"} & MODES else 1
LAUNCHER_VARIABLES = ("PMI_", "PMIX_", "MPI_LOCAL", "PERENNIAL_NODEDIR", "PERENNIAL_PSETS")
errors = 0


def fail(text):
    """Count an error and go on."""
    global errors
    errors += 1
    if errors <= 20:
        print(text, file=sys.stderr)


def check(condition, text):
    if not condition:
        fail(text)


def done():
    if errors:
        sys.exit(f"{errors} errors")
    print(" No Errors")
    sys.exit(0)


def build(name, *flags, compiler=None, folder=HERE):
    """Compile name.c of this folder (or another) into the current one; its path."""
    out = os.path.abspath(name)
    subprocess.run([compiler or os.environ["MPICC"], "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-pthread", "-I",
                    os.path.join(HERE, "..", "util"), os.path.join(folder, name + ".c"), "-o", out, *flags], check=True)
    return out


def clean_environment(**more):
    """Without a launcher's variables; None removes."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHER_VARIABLES)}
    env.update({k: v for k, v in more.items() if v is not None})
    return env


class Result:
    """How a process ended."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    def __str__(self):
        return f"code {self.code}, {self.seconds:.1f} s, stdout {self.out[-300:]!r}, stderr {self.err[-600:]!r}"


def finish(process, limit, label):
    """Wait for a process that leads its own group; a hang is an error."""
    start = time.monotonic()
    try:
        out, err = process.communicate(timeout=limit * SLOW)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        fail(f"{label}: still running after {limit * SLOW} s: {err[-500:]}")
    return Result(process.returncode, out, err, time.monotonic() - start)


def finish_all(processes, limit, label):
    """The same for several at once: none stays a zombie while others are waited for."""
    with concurrent.futures.ThreadPoolExecutor(len(processes)) as pool:
        return list(pool.map(lambda i: finish(processes[i], limit, f"{label}, rank {i}"), range(len(processes))))


def run(*command, limit=30, env=None, label=None, **more):
    more.setdefault("stdin", subprocess.DEVNULL)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                               env=env or clean_environment(), start_new_session=True, **more)
    return finish(process, limit, label or " ".join(command))


def check_refused(result, label, *words):
    """Ended by itself with an exit code and a message that has all the words."""
    check(0 < result.code < 128, f"{label}: expected an exit code that tells of an error, came {result}")
    for word in words:
        check(word in result.err, f"{label}: no {word!r} in the message: {result}")


# ---- a PMI-1 server ------------------------------------------------------------------------------------------------


class Server:
    """PMI-1. Serves one job of `size` ranks, each on a socket pair of its own. A subclass overrides answer() to misbehave."""

    version = 1

    def __init__(self, size=1, name="kvs_hostile"):
        self.size, self.name = size, name
        self.lock = threading.Condition()
        self.pairs, self.in_barrier, self.rounds = {}, 0, 0
        self.threads = []

    def start(self, command, rank, locals_known=True, **env):
        """Start a rank; it leads its own process group."""
        here, there = socket.socketpair()
        more = {"PMI_FD": str(there.fileno()), "PMI_RANK": str(rank), "PMI_SIZE": str(self.size)}
        if locals_known:
            more.update(MPI_LOCALRANKID=str(rank), MPI_LOCALNRANKS=str(self.size))
        more.update(env)  # a variable that is None is taken away
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   errors="replace", env=clean_environment(**more), pass_fds=[there.fileno()],
                                   start_new_session=True)
        there.close()
        thread = threading.Thread(target=self.serve, args=(here, rank), daemon=True)
        thread.start()
        self.threads.append(thread)
        return process

    def serve(self, link, rank):
        try:
            buffer = b""
            while True:
                data = link.recv(65536)
                if not data:
                    break
                buffer += data
                while True:
                    words, buffer = self.take(buffer)
                    if words is None:
                        break
                    reply = self.answer(words.get("cmd", ""), words, link)
                    if reply is None:
                        return
                    if reply:
                        link.sendall(reply if isinstance(reply, bytes) else self.pack(reply))
        except OSError:
            pass  # the rank is gone
        finally:
            link.close()

    def pack(self, reply):
        return reply.encode() + b"\n"

    def take(self, buffer):
        """The first request as a dictionary, or None, and what is left."""
        if b"\n" not in buffer:
            return None, buffer
        line, rest = buffer.split(b"\n", 1)
        return dict(w.split("=", 1) for w in line.decode().split(" ") if "=" in w), rest

    def barrier(self):
        with self.lock:
            turn = self.rounds
            self.in_barrier += 1
            if self.in_barrier == self.size:
                self.in_barrier, self.rounds = 0, turn + 1
                self.lock.notify_all()
            self.lock.wait_for(lambda: self.rounds > turn)

    def answer(self, cmd, words, link):
        """The reply: text, bytes that are sent as they are, "" for none, None to close the connection."""
        if cmd == "init":
            return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
        if cmd == "get_maxes":
            return "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024"
        if cmd == "get_my_kvsname":
            return f"cmd=my_kvsname kvsname={self.name}"
        if cmd == "get_appnum":
            return "cmd=appnum appnum=0"
        if cmd == "get_universe_size":
            return "cmd=universe_size size=-1"
        if cmd == "put":
            self.pairs[words["key"]] = words["value"]
            return "cmd=put_result rc=0 msg=success"
        if cmd == "get":
            value = self.pairs.get(words["key"])
            return f"cmd=get_result rc=0 msg=success value={value}" if value else "cmd=get_result rc=-1 msg=key_not_found"
        if cmd == "barrier_in":
            self.barrier()
            return "cmd=barrier_out"
        if cmd == "finalize":
            return "cmd=finalize_ack"
        return None


# ---- a PMI-2 server ------------------------------------------------------------------------------------------------


def frame(text):
    return f"{len(text):6d}{text}"


class Server2(Server):
    """PMI-2: frames after a first line. Enough for jobs of one rank."""

    version = 2

    def __init__(self, size=1, name="kvs_hostile"):
        super().__init__(size, name)
        self.framed = False

    def start(self, command, rank, locals_known=True, **env):
        return super().start(command, rank, locals_known, MPIR_CVAR_PMI_VERSION="2", **env)

    def take(self, buffer):
        if not self.framed:
            words, rest = super().take(buffer)
            self.framed = words is not None
            return words, rest
        if len(buffer) < 6 or len(buffer) < 6 + int(buffer[:6]):
            return None, buffer
        n = 6 + int(buffer[:6])
        return dict(w.split("=", 1) for w in buffer[6:n].decode().split(";") if "=" in w), buffer[n:]

    def pack(self, reply):
        return reply.encode() if reply[0] in " 0123456789" else super().pack(reply)

    def answer(self, cmd, words, link):
        if cmd == "init":
            return "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=0"
        if cmd == "fullinit":
            return frame(f"cmd=fullinit-response;rank={words['pmirank']};size={self.size};appnum=0;debugged=FALSE;pmiverbose=FALSE;rc=0;")
        if cmd == "job-getid":
            return frame(f"cmd=job-getid-response;jobid={self.name};rc=0;")
        if cmd == "info-getjobattr":
            return frame("cmd=info-getjobattr-response;found=FALSE;rc=0;")
        if cmd == "kvs-get":
            return frame("cmd=kvs-get-response;found=FALSE;rc=0;")
        return frame(f"cmd={cmd}-response;rc=0;")
