#!/usr/bin/env python3
"""test/runtests itself: each way to fail is seen as a failure, and a pass as a pass."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

GOOD = 'echo " No Errors"\n'
LISTED = "{name} 1 {keys}\n"

# name: (script, keys of the testlist, text that must be in the report; None: the run passes)
CASES = {
    "good": (GOOD, "", None),
    "exit_code": (GOOD + "exit 3\n", "", "exit code 3"),
    "died": ("kill -SEGV $$\n", "", "exit code SIGSEGV"),
    "silent": ("exit 0\n", "", "last line of stdout"),
    "not_last": (GOOD + "echo more\n", "", "last line of stdout"),
    "twice": (GOOD + GOOD, "", "last line of stdout"),
    "noise": (GOOD + "echo surprise >&2\n", "", "unexpected on stderr: surprise"),
    "noise_expected": (GOOD + "echo surprise 42 >&2\n", "'stderr=^surprise [0-9]+$'", None),
    "daemon": ("setsid sleep 60 >/dev/null 2>&1 &\n" + GOOD, "", "left processes"),
    "shm": (": >/dev/shm/perennial-runner-test.$$\n" + GOOD, "", "left in /dev/shm"),
    "known": ("exit 1\n", "'xfail=not written yet'", None),
    "known_passes": (GOOD, "'xfail=not written yet'", "passes, though listed"),
    "environment": ('[ "$A" = "b c" ] && [ "$1" = word ] && ' + GOOD, "'env=A=b c' arg=word", None),
}


def expect(condition, message, output):
    if not condition:
        print(f"{message}; output was:\n{output}", file=sys.stderr)
        sys.exit(1)


def run(root, *words):
    return subprocess.run([sys.executable, os.path.join(root, "runtests"), "--prefix", root, *words],
                          capture_output=True, text=True, cwd=root, check=False, stdin=subprocess.DEVNULL)


def check_stopping(root):
    """A runner that is told to stop takes its runs with it."""
    with open(os.path.join(root, "area", "testlist"), "w", encoding="utf-8") as file:
        file.write("slow 1\n")
    with open(os.path.join(root, "area", "slow.sh"), "w", encoding="utf-8") as file:
        file.write("echo $$ >pid\nexec sleep 60\n")
    pid_file = os.path.join(root, "_results", "area_slow", "cwd", "pid")
    runner = subprocess.Popen([sys.executable, os.path.join(root, "runtests"), "--prefix", root, "area"],
                              cwd=root, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    while not os.path.exists(pid_file) or not os.path.getsize(pid_file):
        time.sleep(0.02)
    runner.terminate()
    said = runner.communicate()[1]
    expect(runner.returncode == 143 and "stopped by SIGTERM" in said, "SIGTERM does not stop the runner", said)
    with open(pid_file, encoding="utf-8") as file:
        pid = file.read().strip()
    for _ in range(1000): # a busy machine takes its time
        if not os.path.exists(f"/proc/{pid}/exe"):
            return
        time.sleep(0.02)
    expect(False, "a run outlives its runner", pid)


def check_bad_lists(root):
    """What cannot be understood is named, with its place."""
    for line, message in (("good x", "ranks are \"x\""), ("missing 1", "no missing"), ("good", "expected a name"),
                          ("good 1 colour=red", "colour=red"), ("good 1 env=A", "expected env=NAME=VALUE"),
                          ("good 1 skip=mars", "mars"), ("good 1 timeLimit=soon", "expected a number")):
        with open(os.path.join(root, "area", "testlist"), "w", encoding="utf-8") as file:
            file.write(line + "\n")
        done = run(root, "area")
        expect(done.returncode == 2 and message in done.stderr and "testlist:1" in done.stderr,
               f"testlist line \"{line}\" is not refused with {message}", done.stdout + done.stderr)


def check_skipping(root):
    """A script that cannot run here is counted as skipped, neither as passed nor as failed."""
    with open(os.path.join(root, "area", "testlist"), "w", encoding="utf-8") as file:
        file.write("skips 1\n")
    for end, expected in (("exit 77", "0 passed, 0 failed\n"), ("exit 0", "0 passed, 1 failed\n")):
        with open(os.path.join(root, "area", "skips.sh"), "w", encoding="utf-8") as file:
            file.write(f'[ "$A" = "b c" ] && echo "skipped: no moon tonight"\n{end}\n')
        done = run(root, "area", "--env", "A=b c")
        expect(expected in done.stdout and ("no moon tonight" in done.stdout), f"{end} is not told as skipped", done.stdout)


def main():
    root = tempfile.mkdtemp(dir=os.getcwd())
    for name in ("runtests", "harness", "util", "configs"):
        source = os.path.join(os.environ["TOP"], "test", name)
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, os.path.join(root, name))
    for place in ("area", "bin"):
        os.mkdir(os.path.join(root, place))
    shutil.copy("/bin/true", os.path.join(root, "bin", "mpicc"))
    with open(os.path.join(root, "area", "testlist"), "w", encoding="utf-8") as file:
        file.writelines(LISTED.format(name=name, keys=keys) for name, (_, keys, _) in CASES.items())
    for name, (script, _, _) in CASES.items():
        with open(os.path.join(root, "area", name + ".sh"), "w", encoding="utf-8") as file:
            file.write(script)

    for name, (_, _, message) in CASES.items():
        done = run(root, f"area/{name}.sh")
        text = done.stdout + done.stderr
        if message is None:
            expect(done.returncode == 0 and " 0 failed" in text, f"{name} does not pass", text)
        else:
            expect(done.returncode == 1 and "0 passed, 1 failed\n" in text and message in text,
                   f"{name} is not reported with \"{message}\"", text)
    check_skipping(root)
    done = run(root, "test:mpich/no/such")
    expect(done.returncode == 2 and "no such configuration" in done.stderr, "unknown configuration taken", done.stderr)
    check_bad_lists(root)
    check_stopping(root)
    print(" No Errors")


try:
    main()
finally:
    for leftover in glob.glob("/dev/shm/perennial-runner-test.*"):
        os.unlink(leftover)
