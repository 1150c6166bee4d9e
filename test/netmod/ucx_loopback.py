#!/usr/bin/env python3
"""The network module ucx by itself, one process at both ends, over transports of UCX."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")


def main():
    module = os.path.join(os.environ["PREFIX"], "lib", "perennial", "netmod_ucx.so")
    if not os.path.exists(module):
        print(" No Errors")  # it was not built
        return 0
    subprocess.run(["cc", "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-g",
                    "-I", os.path.join(TOP, "src", "mpid", "ch4", "include"),
                    os.path.join(HERE, "ucx_loopback.c"), "-o", "ucx_loopback", "-ldl"], check=True)
    bad = 0
    for transports in "self", "tcp", "posix,sysv,cma", "tcp,self,posix":
        env = dict(os.environ, UCX_TLS=transports, UCX_NO_SUCH_VARIABLE="1")
        done = subprocess.run(["./ucx_loopback", module], env=env, capture_output=True, text=True, timeout=200)
        if done.returncode != 0 or done.stdout or done.stderr:
            print(f"UCX_TLS={transports}: exit code {done.returncode}\n{done.stdout}{done.stderr}", file=sys.stderr)
            bad += 1
    if not bad:
        print(" No Errors")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
