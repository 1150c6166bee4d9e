#!/usr/bin/env python3
"""Input and output: nothing is lost, changed or mixed within a line; whatever the ends are."""
import hashlib
import os
import signal
import subprocess
import time

from pmtest import MPIEXEC, check, done, finish, python, run, start

# labels, line by line, on both outputs; a last line without its end; an empty line
result = run("-l", "-n", "3", "sh", "-c", "printf 'a\\n\\nb'; echo err$PMI_RANK >&2")
for rank in range(3):
    for line in (f"[{rank}] a", f"[{rank}] ", f"[{rank}] b"):
        check(line in result.stdout.split("\n"), f"no line {line!r} in {result.stdout!r}")
    check(f"[{rank}] err{rank}\n" in result.stderr, result.stderr)

# lines of ranks that write in pieces stay whole
PIECES = "import os, time\nfor i in range(50):\n for c in ('%s' % os.environ['PMI_RANK']) * 40 + '\\n': os.write(1, c.encode())"
result = run("-n", "3", *python(PIECES))
check(sorted(result.stdout.split()) == sorted([str(r) * 40 for r in range(3) for _ in range(50)]), "lines were mixed")

# a prompt appears although its line has not ended
job = start("-n", "2", "sh", "-c", "[ $PMI_RANK = 0 ] && printf 'name? ' && read x && echo \"hello $x\"; true", stdin=subprocess.PIPE)
check(job.stdout.read(6) == "name? ", "no prompt")
job.stdin.write("you\n")
job.stdin.flush()
out, _ = finish(job, 0)
check(out == "hello you\n", repr(out))

# any byte, in order
data = bytes(range(256)) * 4096 + os.urandom(100001)
result = run("-n", "1", "cat", input=data, text=False)
check(result.stdout == data, "binary output differs")
result = run("-n", "2", "-stdin", "1", "cat", input=data, text=False)
check(result.stdout == data, "binary output of rank 1 differs")

# 100 MB, fast; and to a reader that is slow at first
WRITE = "import os\nb = bytes(range(256)) * 256\nfor i in range({n}):\n os.write(1, b)"
result = run("-n", "1", *python(WRITE.format(n=1600)), text=False, timeout=60)
check(len(result.stdout) == 1600 * 65536, f"{len(result.stdout)} bytes of 104857600")
check(hashlib.md5(result.stdout).digest() == hashlib.md5(bytes(range(256)) * 256 * 1600).digest(), "100 MB differ")
with subprocess.Popen([MPIEXEC, "-n", "2", *python(WRITE.format(n=40))], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as job:
    time.sleep(1)
    total = 0
    while piece := job.stdout.read(50000):
        total += len(piece)
        time.sleep(0.001)
    check(job.wait() == 0 and total == 2 * 40 * 65536, f"slow reader: {total} bytes, exit code {job.returncode}")

# a reader that goes: as without mpiexec
with subprocess.Popen([MPIEXEC, "-n", "1", "yes"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                      restore_signals=True) as job:
    job.stdout.read(10)
    job.stdout.close()
    check(job.wait(10) == 128 + signal.SIGPIPE, f"reader gone: exit code {job.returncode}")

# to a file, both outputs in the same one, appended
with open("out.txt", "w", encoding="utf-8") as file:
    file.write("before\n")
    file.flush()
    subprocess.run([MPIEXEC, "-n", "2", "sh", "-c", "echo out; echo err >&2"], stdout=file, stderr=file, stdin=subprocess.DEVNULL,
                   check=True)
with open("out.txt", encoding="utf-8") as file:
    check(sorted(file.read().split()) == ["before", "err", "err", "out", "out"], "output in a file")

# who gets standard input
check(run("-n", "3", "sh", "-c", "echo $PMI_RANK$(cat)", input="in").stdout.split() .count("0in") == 1, "rank 0 reads by default")
for who, expected in (("2", ["0", "1", "2in"]), ("all", ["0in", "1in", "2in"]), ("none", ["0", "1", "2"])):
    result = run("-n", "3", "-stdin", who, "sh", "-c", "echo $PMI_RANK$(cat)", input="in")
    check(sorted(result.stdout.split()) == expected, f"-stdin {who}: {result.stdout!r}")
result = run("-n", "2", "-stdin", "all", "sh", "-c", "md5sum", input=data, text=False)
check(set(result.stdout.split()) == {hashlib.md5(data).hexdigest().encode(), b"-"}, "-stdin all, much input")

# a rank that reads nothing, or leaves early, holds nobody up
check(run("-n", "2", "true", input=data, text=False).seconds < 5, "input that nobody reads")
run("-n", "2", "-stdin", "all", "sh", "-c", "[ $PMI_RANK = 0 ] && exit 0; cat >/dev/null", input=data, text=False)

# a rank takes no more than it reads
result = subprocess.run(["sh", "-c", '"$0" -n 1 sh -c "read x; echo rank: \\$x"; cat', MPIEXEC], input="one\ntwo\n",
                        capture_output=True, text=True, check=True)
check(result.stdout == "rank: one\ntwo\n", f"input was eaten: {result.stdout!r}")

# descriptors that are not there
for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
    result = subprocess.run(["sh", "-c", f'"$0" -n 2 sh -c "cat; echo out; echo err >&2" {closed}', MPIEXEC], capture_output=True,
                            text=True, check=False, timeout=20)
    check(result.returncode == 0, f"with {closed}: exit code {result.returncode} {result.stderr}")
    check(result.stdout == ("" if ">&-" in closed.split() else "out\nout\n"), f"with {closed}: {result.stdout!r}")

# an unwritable output does not hang
with open("/dev/full", "w", encoding="utf-8") as full:
    subprocess.run([MPIEXEC, "-n", "1", "sh", "-c", "echo x; true"], stdout=full, stdin=subprocess.DEVNULL, check=False, timeout=20)
done()
