"""Reads testlist files and the table of named configurations.

A testlist line: `name ranks[,ranks...] [key=value ...]`, quoted as in a shell; `#` starts a comment.
test/README.md explains the keys.
"""
import os
import shlex

KEYS = {"arg", "env", "timeLimit", "cvar", "launcher", "xfail", "mpiexec", "stderr", "with", "libs", "skip"}
SUFFIXES = (".c", ".cxx", ".py", ".sh")
MODES = {"asan", "tsan", "valgrind", "portable", "hydra", "openmpi", "slurm", "mpiexec", "netmod"}


class ListError(Exception):
    """A testlist or the table of configurations says something that cannot be understood."""


class Entry:
    """One line of a testlist: a program and how it wants to be run."""

    def __init__(self, folder, name, source, ranks, open_ended):
        self.folder = folder  # relative to test/, "mpi/session"
        self.name = name
        self.source = source  # absolute path, or None for a unit test that make has built
        self.ranks = ranks
        self.open_ended = open_ended  # "4+": any number from the last one on is fine
        self.args, self.env, self.launcher_options = [], {}, []
        self.stderr, self.extra_sources, self.libs, self.skip = [], [], [], set()
        self.time_limit, self.both_cvars = 60, False
        self.launcher, self.xfail = None, None

    @property
    def is_script(self):
        return self.source is not None and self.source.endswith((".py", ".sh"))

    def sizes(self, asked):
        """The numbers of ranks to run with, when the command line asks for these (or for none)."""
        if not asked or self.is_script or self.launcher == "none":
            return self.ranks
        allowed = [n for n in asked if n in self.ranks or (self.open_ended and n > self.ranks[-1])]
        return allowed


def parse_ranks(text, where):
    open_ended = text.endswith("+")
    try:
        ranks = [int(word) for word in text.rstrip("+").split(",")]
    except ValueError:
        ranks = []
    if not ranks or min(ranks) < 1:
        raise ListError(f"{where}: ranks are \"{text}\", expected positive numbers like 1,2,4 or 2+")
    return ranks, open_ended


def find_source(folder_path, name, where):
    candidates = [""] if name.endswith(SUFFIXES) else SUFFIXES
    for suffix in candidates:
        path = os.path.join(folder_path, name + suffix)
        if os.path.exists(path):
            return path
    raise ListError(f"{where}: no {name}{{{','.join(SUFFIXES)}}} beside the testlist")


def apply_key(entry, key, value, where):
    def number(text):
        try:
            return int(text)
        except ValueError:
            raise ListError(f"{where}: {key}={text}: expected a number") from None

    if key == "arg":
        entry.args.append(value)
    elif key == "env":
        name, equals, content = value.partition("=")
        if not equals:
            raise ListError(f"{where}: env={value}: expected env=NAME=VALUE")
        entry.env[name] = content
    elif key == "timeLimit":
        entry.time_limit = number(value)
    elif key == "cvar":
        if value != "both":
            raise ListError(f"{where}: cvar={value}: expected cvar=both")
        entry.both_cvars = True
    elif key == "launcher":
        entry.launcher = value
    elif key == "xfail":
        entry.xfail = value
    elif key == "mpiexec":
        entry.launcher_options += shlex.split(value)
    elif key == "stderr":
        entry.stderr.append(value)
    elif key == "with":
        entry.extra_sources += value.split(",")
    elif key == "libs":
        entry.libs += value.split()
    elif key == "skip":
        unknown = set(value.split(",")) - MODES
        if unknown:
            raise ListError(f"{where}: skip={value}: {', '.join(sorted(unknown))} is not one of "
                            f"{', '.join(sorted(MODES))}")
        entry.skip |= set(value.split(","))


def parse_line(line, folder, folder_path, where):
    """An Entry, or None for an empty line."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        raise ListError(f"{where}: {error}") from None
    if not words:
        return None
    if len(words) < 2:
        raise ListError(f"{where}: \"{line.strip()}\": expected a name and a number of ranks")
    ranks, open_ended = parse_ranks(words[1], where)
    is_unit = folder == "unit"
    source = None if is_unit else find_source(folder_path, words[0], where)
    name = words[0]
    if source is not None and os.path.basename(source) == name:
        name = os.path.splitext(name)[0]  # `name.py` says which of several files of that name is meant
    entry = Entry(folder, name, source, ranks, open_ended)
    for word in words[2:]:
        key, equals, value = word.partition("=")
        if not equals or key not in KEYS:
            raise ListError(f"{where}: \"{word}\": expected key=value with a key of "
                            f"{', '.join(sorted(KEYS))}")
        apply_key(entry, key, value, where)
    if is_unit or entry.is_script:
        entry.launcher = "none"
    if entry.launcher == "none" and not entry.is_script and ranks != [1]:
        raise ListError(f"{where}: launcher=none runs one process, not {words[1]}")
    return entry


def read_testlist(test_root, folder):
    """All entries of test_root/folder/testlist."""
    folder_path = os.path.join(test_root, folder)
    path = os.path.join(folder_path, "testlist")
    entries = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            entry = parse_line(line, folder, folder_path, f"{path}:{number}")
            if entry is not None:
                entries.append(entry)
    return entries


def read_unit_tests(test_root):
    """The unit tests named in test/unit/Makefile.mk, with the keys that test/unit/testlist gives to some."""
    names = []
    with open(os.path.join(test_root, "unit", "Makefile.mk"), encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    for line in text.splitlines():
        if line.startswith("check_PROGRAMS"):
            names += [os.path.basename(word) for word in line.split("=", 1)[1].split()]
    listed = {}
    if os.path.exists(os.path.join(test_root, "unit", "testlist")):
        listed = {entry.name: entry for entry in read_testlist(test_root, "unit")}
    entries = []
    for name in names:
        entry = listed.pop(name, None) or Entry("unit", name, None, [1], False)
        entry.launcher = "none"
        entries.append(entry)
    if listed:
        raise ListError(f"test/unit/testlist names {', '.join(listed)}, not built by test/unit/Makefile.mk")
    return entries


class Configuration:
    """A row of test/configs: a way to run the suite that has a name."""

    def __init__(self, name):
        self.name = name
        self.env, self.folders, self.configure = {}, [], []
        self.launcher, self.cvar, self.valgrind, self.ranks = None, None, False, None


def read_configurations(path):
    """Name -> Configuration, in the order of the table."""
    table = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = shlex.split(line, comments=True)
            if not words:
                continue
            config = Configuration(words[0])
            for word in words[1:]:
                read_setting(config, word, f"{path}:{number}")
            table[config.name] = config
    return table


def read_setting(config, word, where):
    key, equals, value = word.partition("=")
    if word == "valgrind":
        config.valgrind = True
    elif key == "env" and "=" in value:
        name, _, content = value.partition("=")
        config.env[name] = content
    elif key == "folders" and equals:
        config.folders = value.split(",")
    elif key == "configure" and equals:
        config.configure.append(value)
    elif key == "launcher" and equals:
        config.launcher = value
    elif key == "ranks" and equals:
        config.ranks = parse_ranks(value, where)[0]
    elif key == "cvar" and value in ("0", "1", "both"):
        config.cvar = value
    else:
        raise ListError(f"{where}: \"{word}\": expected env=NAME=VALUE, folders=, configure=, launcher=, "
                        f"ranks=, cvar=0|1|both or valgrind")
