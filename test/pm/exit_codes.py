#!/usr/bin/env python3
"""The exit code says how the job went, and a message names rank, pid, host and cause."""
import re
import socket

from pmtest import PMI, check, done, python, run

HOST = re.escape(socket.gethostname())

check(run("-n", "4", "true").stderr == "", "a job without failure says something")
result = run("-n", "3", "sh", "-c", "exit $((PMI_RANK == 1 ? 7 : 0))", code=7)
check(re.search(rf"rank 1 \(pid \d+ on {HOST}\) exited with code 7", result.stderr), result.stderr)

# a rank that dies ends the others, at once
result = run("-n", "4", "sh", "-c", "[ $PMI_RANK = 2 ] && kill -SEGV $$; exec sleep 60", code=128 + 11)
check(re.search(rf"rank 2 \(pid \d+ on {HOST}\) was killed by signal 11 \(SIGSEGV", result.stderr), result.stderr)
check(re.search(r"rank 0-1,3 runs, has not used MPI yet", result.stderr), result.stderr)
check(result.seconds < 5, f"it took {result.seconds} s")
run("-n", "2", "sh", "-c", "kill -KILL $$", code=128 + 9)
run("-n", "2", "sh", "-c", "[ $PMI_RANK = 0 ] && exit 3; exec sleep 60", code=3)

# also those that do not want to go
result = run("-n", "2", "sh", "-c", "trap '' TERM; [ $PMI_RANK = 1 ] && sleep 0.2 && exit 5; while :; do sleep 0.1; done", code=5)
check(result.seconds < 5, f"it took {result.seconds} s")

# programs that cannot be started
result = run("-n", "2", "no-such-program", code=127)
check('"no-such-program"' in result.stderr and result.stderr.count("\n") == 1, result.stderr)
result = run("-n", "2", "./no-such-program", code=127)
check('"./no-such-program": No such file' in result.stderr and result.stderr.count("\n") == 1, result.stderr)
with open("not_executable", "w", encoding="utf-8") as file:
    file.write("echo hello\n")
run("-n", "1", "./not_executable", code=126)
run("-n", "1", "/", code=126)

# leaving MPI: with a goodbye, without one, and coming back
run("-n", "3", *python(PMI + "init(); finalize()"))
result = run("-n", "3", *python(PMI + "init(); ask('cmd=barrier_in'); time.sleep(0 if rank == 1 else 60)"), code=1)
check("rank 1 " in result.stderr and "exited with code 0 without finalizing MPI" in result.stderr, result.stderr)
check("rank 0,2 runs, " in result.stderr, result.stderr)
run("-n", "2", *python(PMI + "init(); finalize(); init(); finalize(); init(); finalize()"))
result = run("-n", "2", *python(PMI + "init(); finalize(); init()"), code=1)

# a code after the goodbye is shown, and the others finish their work
result = run("-n", "2", *python(PMI + "init(); finalize(); time.sleep(rank * 0.5); print('end', rank)\nsys.exit(4 if rank == 0 else 0)"),
             code=4)
check("end 1" in result.stdout and "exited with code 4 after finalizing MPI" in result.stderr, result.stderr)

# MPI_Abort's code, as PMI carries it
for asked, came in ((9, 9), (256, 1), (-1, 255), (0, 0)):
    result = run("-n", "2", *python(PMI + f"init(); rank or say('cmd=abort exitcode={asked} message=it\\\\ is\\\\ over'); time.sleep(60)"),
                 code=came)
    check(f"called MPI_Abort with code {asked}: it is over" in result.stderr, result.stderr)

# the first failure counts
run("-n", "2", "sh", "-c", "[ $PMI_RANK = 0 ] && exit 3; sleep 0.3; exit 4", code=3)

# a rank that leaves while others wait for it in a barrier
result = run("-n", "3", *python(PMI + "rank == 2 and sys.exit(0)\ninit(); ask('cmd=barrier_in')"), code=1)
check("rank 2 " in result.stderr and "is waited for in PMI barrier WORLD" in result.stderr, result.stderr)

# nonsense on PMI
for text in ("garbage", "cmd=unknown", "x" * 20000, "cmd=init\\x00"):
    result = run("-n", "2", *python(PMI + f"say('{text}'); time.sleep(60)"), code=1)
    check("sent to PMI" in result.stderr, result.stderr)

result = run("-exitinfo", "-n", "2", "sh", "-c", "exit 0")
check(len(re.findall(r"rank \d \(pid \d+ on .*\) exited with code 0", result.stderr)) == 2, result.stderr)
done()
