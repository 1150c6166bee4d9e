#!/usr/bin/env python3
"""Records what the client of test/unit/pmi_client.c and a real launcher say to each other, for replay.

    mpiexec.hydra -n 2 record.py NAME ENV,ENV,... test/unit/pmi_client client

writes NAME-RANK.txt. ENV names the variables that the client gets; the others of the launcher are withheld, so that other
ways to find out the same are recorded.
"""
import os
import select
import socket
import subprocess
import sys

name, passed, command = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
server = socket.socket(fileno=int(os.environ["PMI_FD"]))
ours, theirs = socket.socketpair()
env = {k: v for k, v in os.environ.items() if not k.startswith(("PMI_", "MPI_LOCAL")) or k in passed}
variables = " ".join(f"{k}={env[k]}" for k in passed if k in env)
env["PMI_FD"] = str(theirs.fileno())
child = subprocess.Popen(command, env=env, pass_fds=[theirs.fileno()], stdout=subprocess.PIPE, text=True)
theirs.close()

log = ["E " + variables]
rest = {ours: "", server: ""}
peers = {ours: (server, "C"), server: (ours, "S")}
while rest:
    for sock in select.select(list(rest), [], [])[0]:
        data = sock.recv(65536)
        if not data:
            rest.clear() if sock is ours else rest.pop(sock)
            break
        peers[sock][0].sendall(data)
        lines = (rest[sock] + data.decode()).split("\n")
        rest[sock] = lines.pop()
        log += [f"{peers[sock][1]} {line}" for line in lines]
log.append("= " + child.communicate()[0].strip())
with open(f"{name}-{os.environ['PMI_RANK']}.txt", "w", encoding="utf-8") as file:
    file.write("\n".join(log) + "\n")
