#!/usr/bin/env python3
"""The example transport of doc/device.md: built outside the library, loaded by it, kept over re-init."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        module, program = os.path.join(folder, "dgram.so"), os.path.join(folder, "reinit")
        subprocess.run(["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fvisibility=hidden",
                        "-I", os.path.join(TOP, "src", "mpid", "ch4", "include"), os.path.join(HERE, "dgram.c"),
                        "-o", module], check=True)
        subprocess.run([os.environ["MPICC"], "-Wall", "-Wextra", "-D_GNU_SOURCE", "-I", os.path.join(HERE, "..", "util"),
                        os.path.join(HERE, "reinit.c"), "-o", program, "-ldl"], check=True)
        for deferred in "0", "1":
            for n in "1", "2", "4", "8":
                env = dict(os.environ, MPIR_CVAR_TRANSPORT_PATH=module, MPIR_CVAR_FINALIZE_ATEXIT=deferred)
                done = subprocess.run([os.environ["MPIEXEC"], "-timeout", "60", "-n", n, program], env=env,
                                      capture_output=True, text=True)
                if done.returncode != 0 or done.stdout != " No Errors\n" or done.stderr:
                    print(f"{n} ranks, deferred {deferred}: exit code {done.returncode}\n{done.stdout}{done.stderr}",
                          file=sys.stderr)
                    bad += 1
    if not bad:
        print(" No Errors")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
