"""What the user sees while tests run, and the JUnit file."""
import sys
import time
import xml.etree.ElementTree as ElementTree


class Progress:
    """One line that is overwritten on a terminal; elsewhere a line now and then. Failures always show."""

    def __init__(self, total, verbose, results):
        self.total, self.verbose, self.results = total, verbose, results
        self.count = {"pass": 0, "fail": 0, "xfail": 0, "skip": 0}
        self.tty = sys.stdout.isatty()
        self.shown = time.monotonic()

    def clear(self):
        if self.tty:
            sys.stdout.write("\r\x1b[K")

    def done(self, run):
        self.count[run.status] += 1
        number = sum(self.count.values())
        word = {"pass": "ok", "fail": "FAILED", "xfail": "known failure", "skip": "skipped"}[run.status]
        line = f"[{number}/{self.total}] {run.title}  {word}  {run.seconds:.1f} s"
        if run.status == "fail":
            self.clear()
            print(line)
            for problem in run.problems:
                print("    " + problem.replace("\n", "\n    "))
        elif self.verbose or run.status == "skip":
            self.clear()
            print(line + (f": {run.skipped}" if run.skipped else ""))
        elif self.tty:
            self.clear()
            sys.stdout.write(line[:100])
        elif time.monotonic() - self.shown > 15 or number == self.total:
            print(f"[{number}/{self.total}] {self.count['fail']} failed so far")
        else:
            return
        self.shown = time.monotonic()
        sys.stdout.flush()

    def summary(self, skipped):
        self.clear()
        if self.count["xfail"]:
            print(f"{self.count['xfail']} known failures, as listed")
        if self.count["skip"]:
            print(f"{self.count['skip']} skipped: could not run here, see above")
        for reason, number in sorted(skipped.items()):
            print(f"{number} skipped: {reason}")
        if self.count["fail"]:
            print(f"Output of the failed runs: {self.results}")
        print(f"{self.count['pass']} passed, {self.count['fail']} failed", flush=True)
        return 1 if self.count["fail"] else 0


def write_junit(path, runs, name):
    suite = ElementTree.Element("testsuite", name=name, tests=str(len(runs)),
                                failures=str(sum(run.status == "fail" for run in runs)),
                                skipped=str(sum(run.status in ("xfail", "skip") for run in runs)))
    for run in runs:
        case = ElementTree.SubElement(suite, "testcase", classname=run.entry.folder.replace("/", "."),
                                      name=run.title, time=f"{run.seconds:.3f}")
        text = "\n".join("".join(c if c.isprintable() or c in "\n\t" else "?" for c in problem)
                         for problem in run.problems)
        if run.status == "fail":
            ElementTree.SubElement(case, "failure", message=text.split("\n")[0]).text = text
        elif run.status == "xfail":
            ElementTree.SubElement(case, "skipped", message=run.entry.xfail)
        elif run.status == "skip":
            ElementTree.SubElement(case, "skipped", message=run.skipped)
    ElementTree.ElementTree(suite).write(path, encoding="unicode", xml_declaration=True)
