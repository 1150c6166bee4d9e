"""Open MPI's mpirun, by PMIx; and what its client library may not do: change the environment or signal handlers."""
import subprocess

from pmitest import check, compile_program, done, need, suite

need("mpirun.openmpi", "openmpi-bin")
untouched = compile_program("untouched")
MPIRUN = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
got = subprocess.run([*MPIRUN, "-n", "2", untouched], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                     check=False)
check(got.returncode == 0 and got.stdout.count("untouched") == 2, f"{got.stdout}{got.stderr}")
got = subprocess.run([*MPIRUN, "-n", "2", untouched, "abort"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                     timeout=60, check=False)
check(got.returncode == 7, f"MPI_Abort(7): exit code {got.returncode}; {got.stdout}{got.stderr}")
suite("openmpi", "test/mpi/session", "test/mpi/pt2pt")
done()
