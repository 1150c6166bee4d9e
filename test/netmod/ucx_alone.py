#!/usr/bin/env python3
"""The network module ucx by itself, without the library: one process at both ends, and two of which one leaves or dies; over
transports of UCX."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
SCENES = "leave", "flood", "offer", "read"


def build(name):
    subprocess.run(["cc", "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-g",
                    "-I", os.path.join(TOP, "src", "mpid", "ch4", "include"),
                    os.path.join(HERE, name + ".c"), "-o", name, "-ldl"], check=True)


def run(words, transports):
    env = dict(os.environ, UCX_TLS=transports, UCX_NO_SUCH_VARIABLE="1")
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=100)
    if done.returncode == 0 and not done.stdout and not done.stderr:
        return 0
    print(f"UCX_TLS={transports} {' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}", file=sys.stderr)
    return 1


def main():
    module = os.path.join(os.environ["PREFIX"], "lib", "perennial", "netmod_ucx.so")
    if not os.path.exists(module):
        print(" No Errors")  # it was not built
        return 0
    build("ucx_loopback")
    build("ucx_pair")
    bad = sum(run(["./ucx_loopback", module], tls) for tls in ("self", "tcp", "posix,sysv,cma", "tcp,self,posix"))
    bad += sum(run(["./ucx_pair", module, scene], tls) for tls in ("tcp", "posix,cma", "sysv") for scene in SCENES)
    bad += run(["./ucx_pair", module, "stop"], "tcp")
    bad += sum(run(["./ucx_pair", module, "leave"], "tcp") for _ in range(10))
    if not bad:
        print(" No Errors")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
