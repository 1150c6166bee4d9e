"""A launcher that is played: PMI-1 and PMI-2 servers that count, and that can misbehave.

    with Mock(2, wire=2, fence="never") as mock:
        mock.run([program, "argument"])
    mock.check(finalized=2)

What a client must never do is a violation, which check() reports: a second init, a key put twice, anything after
finalize, a line that the wire does not have, a get of a key before the process has entered the fence.
"""
import os
import selectors
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True


def fail(text):
    sys.exit(f"{sys.argv[0]}: {text}")


class Rank:
    """One client: its socket, what it has sent, how far it is."""

    def __init__(self, number, link):
        self.number, self.link = number, link
        self.got = b""
        self.process = None
        self.framed = False
        self.inits = self.finalizes = self.fences = self.answers = 0
        self.ended = False  # its end of the socket


def split_line(line):
    """cmd and keys of a PMI-1 line; a backslash escapes in values."""
    pairs, word, escaped = {}, "", False
    words = []
    for c in line:
        if escaped:
            word, escaped = word + c, False
        elif c == "\\":
            escaped = True
        elif c == " ":
            words, word = words + [word], ""
        else:
            word += c
    for item in words + [word]:
        if item:
            key, _, value = item.partition("=")
            pairs[key] = value
    return pairs.pop("cmd", pairs.pop("mcmd", None)), pairs


def split_frame(text):
    """cmd and keys of a PMI-2 message; ;; stands for a semicolon in a value."""
    pairs = {}
    for item in text.replace(";;", "\0").split(";"):
        key, _, value = item.partition("=")
        if key:
            pairs[key] = value.replace("\0", ";")
    return pairs.pop("cmd", None), pairs


class Mock:
    """`fence`: "all" answers when all have entered, "never" does not, "hydra2" answers at once and keeps the get of an
    absent key back instead. `spoil(rank, text)` may return bytes to send in place of an answer, b"" to stay silent,
    None to close. `mapping` is the process mapping; without one each rank counts as alone on its node. `few`: the ranks
    that are not started count as having entered the fence. `names`: as which launcher names are served ("hydra", which
    bears no fence, or "slurm"), or "refused": looks like Hydra, and publishes nothing."""

    def __init__(self, size, wire=1, fence="all", mapping=None, spoil=None, names=None, few=False):
        self.size, self.wire, self.fence, self.mapping, self.spoil, self.few = size, wire, fence, mapping, spoil, few
        self.names = names
        self.job = ("kvs_" if names in ("hydra", "refused") else "mock-") + f"{os.getpid()}-{time.monotonic_ns()}"
        self.keys, self.services, self.violations, self.held = {}, {}, [], []
        self.ranks = []
        self.selector = selectors.DefaultSelector()
        self.results = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for rank in self.ranks:
            if rank.process and rank.process.poll() is None:
                rank.process.kill()
                rank.process.wait()
            rank.link.close()
        self.selector.close()

    # ---- running ------------------------------------------------------------------------------

    def start(self, number, command, env):
        ours, theirs = socket.socketpair()
        rank = Rank(number, ours)
        env = {**os.environ, "PMI_FD": str(theirs.fileno()), "PMI_RANK": str(number), "PMI_SIZE": str(self.size),
               "MTEST_SIZE": str(self.size), **(env or {})}
        if self.wire == 2:
            env.setdefault("PMI_VERSION", "2")
        if self.names == "slurm":
            env["PMI_JOBID"] = self.job
        rank.process = subprocess.Popen(command, env=env, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        theirs.close()
        self.ranks.append(rank)
        self.selector.register(ours, selectors.EVENT_READ, rank)

    def run(self, command, env=None, limit=60, ranks=None):
        """Start the ranks (all, or only these) and serve them until they have ended; [(exit code, stdout, stderr)]."""
        for number in range(self.size) if ranks is None else ranks:
            self.start(number, command, env)
        deadline = time.monotonic() + limit
        while any(rank.process.poll() is None for rank in self.ranks):
            if time.monotonic() > deadline:
                for rank in self.ranks:
                    rank.process.kill()
                outputs = [rank.process.communicate() for rank in self.ranks]
                fail(f"{' '.join(command)}: not ended after {limit} s; {outputs}, {self.keys}")
            self.serve(0.05)
        self.serve(0)
        self.results = [(rank.process.returncode, *rank.process.communicate()) for rank in self.ranks]
        return self.results

    def serve(self, seconds):
        for key, _ in self.selector.select(seconds):
            rank = key.data
            try:
                data = rank.link.recv(65536)
            except ConnectionError:
                data = b""
            if not data:
                rank.ended = True
                self.selector.unregister(rank.link)
                continue
            rank.got += data
            while self.take(rank):
                pass

    def check(self, finalized, code=0, put_by=None, published_by=0):
        """All ended with `code`; each rank that has spoken said init once, and `finalized` ranks finalize, once."""
        for rank, (got, out, err) in zip(self.ranks, self.results):
            if got != code:
                fail(f"rank {rank.number}: exit code {got}, expected {code}; {out!r} {err!r}")
        if self.violations:
            fail("; ".join(self.violations))
        finalizes = [rank.finalizes for rank in self.ranks if rank.finalizes]
        if finalizes != [1] * finalized:
            fail(f"finalizes {finalizes}, expected one each of {finalized} ranks")
        if put_by is not None and len(self.keys) != put_by:
            fail(f"keys {sorted(self.keys)}, expected {put_by}")
        if len(self.services) != published_by:
            fail(f"names {sorted(self.services)}, expected {published_by}")

    # ---- the wire -----------------------------------------------------------------------------

    def take(self, rank):
        """Serve one whole message; False: there is none."""
        if not rank.framed:
            line, newline, rest = rank.got.partition(b"\n")
            if not newline:
                return False
            text = line.decode(errors="replace")
            cmd, keys = split_line(text)
        else:
            if len(rank.got) < 6 or len(rank.got) < 6 + int(rank.got[:6]):
                return False
            end = 6 + int(rank.got[:6])
            text, rest = rank.got[6:end].decode(errors="replace"), rank.got[end:]
            cmd, keys = split_frame(text)
        rank.got = rest
        if rank.finalizes:
            self.violate(rank, f"\"{text}\" after finalize")
        handler = getattr(self, "do_" + (cmd or "nothing").replace("-", "_"), None)
        if handler is None:
            self.violate(rank, f"a command that the wire does not have: \"{text}\"")
        else:
            handler(rank, keys)
        return True

    def violate(self, rank, text):
        self.violations.append(f"rank {rank.number}: {text}")

    def answer(self, to, cmd, **keys):
        if to.framed:
            body = "".join(f"{k}={v};" for k, v in {"cmd": cmd, **keys}.items())
            data = f"{len(body):6d}{body}".encode()
        else:
            data = (" ".join(f"{k}={v}" for k, v in {"cmd": cmd, **keys}.items()) + "\n").encode()
        if self.spoil:
            data = self.spoil(to, data)
        to.answers += 1
        try:
            if data is None:
                to.link.shutdown(socket.SHUT_RDWR)
            else:
                to.link.sendall(data)
        except OSError:
            pass  # it has left

    # ---- PMI-1 --------------------------------------------------------------------------------

    def do_init(self, rank, keys):
        rank.inits += 1
        if rank.inits > 1:
            self.violate(rank, "a second init")
        if keys.get("pmi_version") != str(self.wire):
            self.violate(rank, f"pmi_version={keys.get('pmi_version')}, expected {self.wire}")
        self.answer(rank, "response_to_init", pmi_version=self.wire, pmi_subversion=0, rc=0)
        rank.framed = self.wire == 2

    def do_get_maxes(self, rank, _):
        self.answer(rank, "maxes", kvsname_max=256, keylen_max=64, vallen_max=1024)

    def do_get_my_kvsname(self, rank, _):
        self.answer(rank, "my_kvsname", kvsname=self.job)

    def do_get_appnum(self, rank, _):
        self.answer(rank, "appnum", appnum=0)

    def do_get_universe_size(self, rank, _):
        self.answer(rank, "universe_size", size=self.size)

    def put(self, rank, keys):
        if keys["key"] in self.keys:
            self.violate(rank, f"key {keys['key']} put twice")
        if len(keys["key"]) > 63 or len(keys["value"]) > 1023:
            self.violate(rank, f"key or value too long: {keys}")
        self.keys[keys["key"]] = keys["value"]

    def do_put(self, rank, keys):
        self.put(rank, keys)
        self.answer(rank, "put_result", rc=0, msg="success")

    def do_get(self, rank, keys):
        if keys["key"] == "PMI_process_mapping":
            value = self.mapping
        else:
            if not rank.fences:
                self.violate(rank, f"get of {keys['key']} before the fence")
            value = self.keys.get(keys["key"]) if self.all_in() else None
        if value is None:
            self.answer(rank, "get_result", rc=-1, msg="not_found")
        else:
            self.answer(rank, "get_result", rc=0, value=value)

    def all_in(self):
        return (self.few or len(self.ranks) == self.size) and all(rank.fences for rank in self.ranks)

    def do_barrier_in(self, rank, _):
        self.enter(rank)
        if self.fence == "all" and self.all_in():
            for each in self.ranks:
                self.answer(each, "barrier_out")

    def enter(self, rank):
        rank.fences += 1
        if rank.fences > 1:
            self.violate(rank, "a second fence")
        if self.names == "hydra":
            self.violate(rank, "a fence, which ends the job if the ranks of a host leave before it ends")

    def publish(self, rank, name, port):
        """The result."""
        if name in self.services:
            self.violate(rank, f"name {name} published twice")
        if self.names in (None, "refused"):
            return {"rc": 1, "msg": "no_name_server"}
        self.services[name] = port
        return {"rc": 0}

    def do_publish_name(self, rank, keys):
        self.answer(rank, "publish_result", **self.publish(rank, keys["service"], keys["port"]))

    def do_lookup_name(self, rank, keys):
        port = self.services.get(keys["service"])
        if port is None:
            self.answer(rank, "lookup_result", rc=1, msg="service_not_found")
        else:
            self.answer(rank, "lookup_result", port=port, info="ok", rc=0)

    def do_abort(self, rank, _):
        rank.link.shutdown(socket.SHUT_RDWR)

    def do_finalize(self, rank, _):
        rank.finalizes += 1
        if rank.framed:
            self.answer(rank, "finalize-response", rc=0)
        else:
            self.answer(rank, "finalize_ack")

    # ---- PMI-2 --------------------------------------------------------------------------------

    def do_fullinit(self, rank, keys):
        if keys.get("pmirank") != str(rank.number):
            self.violate(rank, f"pmirank={keys.get('pmirank')}")
        self.answer(rank, "fullinit-response", **{"pmi-version": 2, "pmi-subversion": 0}, rank=rank.number,
                    size=self.size, appnum=0, rc=0)

    def do_job_getid(self, rank, _):
        self.answer(rank, "job-getid-response", jobid=self.job, rc=0)

    def do_info_getjobattr(self, rank, keys):
        value = {"universeSize": str(self.size), "PMI_process_mapping": self.mapping}.get(keys.get("key"))
        if value is None:
            self.answer(rank, "info-getjobattr-response", found="FALSE", rc=0)
        else:
            self.answer(rank, "info-getjobattr-response", found="TRUE", value=value, rc=0)

    def do_kvs_put(self, rank, keys):
        self.put(rank, keys)
        self.answer(rank, "kvs-put-response", rc=0)

    def do_kvs_get(self, rank, keys):
        if not rank.fences:
            self.violate(rank, f"get of {keys['key']} before the fence")
        if self.fence != "all" and not self.all_in():
            self.held.append((rank, keys))
            return
        value = self.keys.get(keys["key"])
        if value is None:
            self.answer(rank, "kvs-get-response", found="FALSE", rc=0)
        else:
            self.answer(rank, "kvs-get-response", found="TRUE", value=value, rc=0)

    def do_kvs_fence(self, rank, _):
        self.enter(rank)
        if self.fence == "hydra2":
            self.answer(rank, "kvs-fence-response", rc=0)
        elif self.fence == "all" and self.all_in():
            for each in self.ranks:
                self.answer(each, "kvs-fence-response", rc=0)
        if self.fence == "hydra2" and self.all_in():
            held, self.held = self.held, []
            for each, keys in held:
                self.do_kvs_get(each, keys)

    def do_name_publish(self, rank, keys):
        self.answer(rank, "name-publish-response", **self.publish(rank, keys["name"], keys["port"]))

    def do_name_lookup(self, rank, keys):
        port = self.services.get(keys["name"])
        if port is None:
            self.answer(rank, "name-lookup-response", found="FALSE", rc=1)
        else:
            self.answer(rank, "name-lookup-response", found="TRUE", port=port, rc=0)
