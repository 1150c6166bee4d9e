"""Against a played PMIx server: one connection, one finalize, no fence; process sets; a server that stands still."""
import os
import shlex
import signal
import subprocess
import time

from pmitest import HERE, SLOW, check, compile_program, done

built = subprocess.run(["cc", "-O1", "-Wall", "-o", "pmix_server", os.path.join(HERE, "pmix_server.c"),
                        *shlex.split(subprocess.run(["pkg-config", "--cflags", "--libs", "pmix"], capture_output=True,
                                                    text=True, check=False).stdout), "-lpthread"],
                       capture_output=True, text=True, check=False)
check(built.returncode == 0, f"pmix_server.c does not build (Debian: package libpmix-dev)\n{built.stderr}")
epochs, meet, psets = (compile_program(name) for name in ("epochs", "meet", "psets"))


def serve(size, mode, *command, env=None, expect=""):
    got = subprocess.run(["./pmix_server", str(size), mode, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                         timeout=60 * SLOW, check=False, env={**os.environ, "MTEST_SIZE": str(size), **(env or {})})
    what = f"{size} {mode} {command}: exit code {got.returncode}\n{got.stdout}{got.stderr}"
    check(got.returncode == 0 and expect in got.stdout, f"{what}; expected \"{expect}\"")
    return got.stdout


for atexit in "01":
    cvar = {"MPIR_CVAR_FINALIZE_ATEXIT": atexit}
    serve(3, "plain", epochs, "3", env=cvar, expect="connected 3 finalized 3 fences 0 aborts 0")
    serve(2, "plain", meet, env=cvar, expect="connected 2 finalized 2 fences 0 aborts 0")
    serve(2, "plain", meet, env={**cvar, "MPIR_CVAR_NOLOCAL": "1"}, expect="connected 2 finalized 2 fences 0 aborts 0")
serve(3, "alone", epochs, "3", expect="connected 1 finalized 1 fences 0 aborts 0")
serve(3, "alone", epochs, "3", env={"MPIR_CVAR_NOLOCAL": "1"}, expect="connected 1 finalized 1 fences 0 aborts 0")

for mode in ("psets", "psets-array"):
    out = serve(5, mode, psets)
    check("app://even=0,2,4\n" in out and "app://first=0\n" in out and out.count("mpi://WORLD=0,1,2,3,4\n") == 1
          and "mine" not in out, f"{mode}: {out}")
out = serve(2, "plain", psets)
check("mpi://SELF=0\n" in out and "app" not in out, out)

# the server stands still before the rank has come: an error after MPIR_CVAR_PMI_TIMEOUT, and the rank ends
server = subprocess.Popen(["./pmix_server", "1", "plain", "sh", "-c", f"sleep 1; {epochs} 1; echo code $?"], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                          env={**os.environ, "MPIR_CVAR_PMI_TIMEOUT": "2"})
time.sleep(0.5)
os.kill(server.pid, signal.SIGSTOP)
time.sleep(8)
os.kill(server.pid, signal.SIGCONT)
out, err = server.communicate(timeout=30)
check("code 0" not in out and "code" in out and "PMIx_Init failed" in err, f"a server that stands still: {out}{err}")
done()
