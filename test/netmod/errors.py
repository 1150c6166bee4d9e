#!/usr/bin/env python3
"""No network module serves: the error says which were tried and why each did not."""
import os
import subprocess
import sys
import tempfile

PROGRAM = """#include <mpi.h>
int main(int argc, char **argv) { MPI_Init(&argc, &argv); MPI_Finalize(); return 0; }
"""


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "hello.c"), os.path.join(folder, "hello")
        with open(source, "w", encoding="ascii") as file:
            file.write(PROGRAM)
        subprocess.run([os.environ["MPICC"], source, "-o", program], check=True)
        cases = [({"MPIR_CVAR_NETMOD": "none_such"}, ["MPIR_CVAR_NETMOD=none_such", "netmod_none_such.so"]),
                 ({"MPIR_CVAR_NETMOD": "../x"}, ['"../x" is no name of a module']),
                 ({"MPIR_CVAR_NETMOD": "no_a,no_b"}, ["netmod_no_a.so", "netmod_no_b.so"])]
        module = os.path.join(os.environ["PREFIX"], "lib", "perennial", "netmod_ofi.so")
        if os.path.exists(module):
            cases += [({"MPIR_CVAR_NETMOD": "ofi", "MPIR_CVAR_OFI_USE_PROVIDER": "bogus"}, ["ofi: ", "provider bogus"]),
                      ({"MPIR_CVAR_NETMOD": "ofi", "MPIR_CVAR_NETMOD_INTERFACE": "nic99"}, ['"nic99"'])]
        for setting, words in cases:
            env = dict(os.environ, MPIR_CVAR_NOLOCAL="1", **setting)
            done = subprocess.run([os.environ["MPIEXEC"], "-timeout", "30", "-n", "2", program], env=env,
                                  capture_output=True, text=True)
            missing = [w for w in words if w not in done.stderr]
            if done.returncode == 0 or missing:
                print(f"{setting}: exit code {done.returncode}, not said: {missing}\n{done.stderr}", file=sys.stderr)
                bad += 1
    if not bad:
        print(" No Errors")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
