"""What runs as process 1 of a host that hosts.py makes, and the way in: a remote shell without a network.

    hostd.py serve FOLDER NAME        listen on FOLDER/NAME.socket
    hostd.py FOLDER NAME COMMAND...   run it by a shell on that host; exit with its code

A Unix socket in a folder that all hosts see reaches into another network namespace. Standard input, output and error travel
over it, so that the command has the caller's; its environment is the host's, as with a remote shell. A caller that dies leaves
the command running, as with a remote shell, too.
"""
import array
import json
import os
import selectors
import signal
import socket
import subprocess
import sys

MESSAGE_MAX = 65536


def path_of(folder, name):
    return os.path.join(folder, name + ".socket")


class Server:
    """Lives as long as the host."""

    def __init__(self, folder, name):
        self.callers = {}  # pid -> connection
        self.wakeup, poke = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(poke)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path_of(folder, name))
        self.listener.listen(64)

    def accept(self):
        caller = self.listener.accept()[0]
        size = array.array("i").itemsize
        text, control, _, _ = caller.recvmsg(MESSAGE_MAX, socket.CMSG_LEN(3 * size))
        if not text or not control:
            caller.close()
            return
        fds = array.array("i")
        fds.frombytes(control[0][2])
        request = json.loads(text)
        try:
            child = subprocess.Popen(request["command"], stdin=fds[0], stdout=fds[1], stderr=fds[2], cwd=request["cwd"],
                                     env={**os.environ, **request["env"]}, start_new_session=True)
            child.returncode = 0  # reap() takes care of it
            self.callers[child.pid] = caller
        except OSError as error:
            os.write(fds[2], f"{error}\n".encode())
            self.answer(caller, 127)
        for fd in fds:
            os.close(fd)

    @staticmethod
    def answer(caller, code):
        try:
            caller.send(bytes([code]))
        except OSError:
            pass  # it did not wait
        caller.close()

    def reap(self):
        """Process 1 inherits all orphans of the host."""
        while self.wakeup_bytes():
            continue
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            code = os.waitstatus_to_exitcode(status)
            if pid in self.callers:
                self.answer(self.callers.pop(pid), code if code >= 0 else 128 - code)

    def wakeup_bytes(self):
        try:
            return os.read(self.wakeup, 512)
        except BlockingIOError:
            return b""

    def serve(self):
        selector = selectors.DefaultSelector()
        selector.register(self.listener, selectors.EVENT_READ, self.accept)
        selector.register(self.wakeup, selectors.EVENT_READ, self.reap)
        while True:
            for key, _ in selector.select():
                key.data()


def call(folder, name, command, env=None):
    """Run a command on a host with this process's standard streams; its exit code."""
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path_of(folder, name))
        text = json.dumps({"command": command, "cwd": os.getcwd(), "env": env or {}}).encode()
        server.sendmsg([text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))])
        for fd in (0, 1):
            os.close(fd)  # whoever reads the command's output is to see its end
        code = server.recv(1)
    return code[0] if code else 255


def main(words):
    if words[0] == "serve":
        Server(words[1], words[2]).serve()
    env = json.loads(os.environ.pop("HOSTD_ENV", "{}"))
    folder, *words = words
    while words[0].startswith("-"):  # options of ssh: Hydra gives -x
        words.pop(0)
    name, *command = words
    sys.exit(call(folder, name, ["/bin/sh", "-c", " ".join(command)], env))


if __name__ == "__main__":
    main(sys.argv[1:])
