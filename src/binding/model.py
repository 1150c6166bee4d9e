"""The descriptions in api/*.txt, read into Function and Param objects. README.md defines the format."""

import os
import re

CHAPTERS = ["init", "session", "comm", "group", "attr", "info", "errhan", "datatype", "pt2pt", "request",
            "coll", "op", "misc", "mpit", "handle"]

HANDLES = {
    "comm": ("MPI_Comm", "MPIR_Comm", "MPI_COMM_NULL"),
    "group": ("MPI_Group", "MPIR_Group", "MPI_GROUP_NULL"),
    "session": ("MPI_Session", "MPIR_Session", "MPI_SESSION_NULL"),
    "errhandler": ("MPI_Errhandler", "MPIR_Errhandler", "MPI_ERRHANDLER_NULL"),
    "info": ("MPI_Info", "MPIR_Info", "MPI_INFO_NULL"),
}
BY_VALUE = {
    "datatype": ("MPI_Datatype", "MPI_DATATYPE_NULL"),
    "op": ("MPI_Op", "MPI_OP_NULL"),
    "request": ("MPI_Request", "MPI_REQUEST_NULL"),
}
# kind: C type of the plain form, of the _c form, of the implementation
NUMBERS = {
    "count": ("int", "MPI_Count", "MPI_Count"),
    "bytes": ("MPI_Aint", "MPI_Count", "MPI_Count"),
    "bigcount": ("MPI_Count", "MPI_Count", "MPI_Count"),
    "aint": ("MPI_Aint", "MPI_Aint", "MPI_Aint"),
    "int": ("int", "int", "int"),
    "flag": ("int", "int", "int"),
    "rank": ("int", "int", "int"),
    "root": ("int", "int", "int"),
    "tag": ("int", "int", "int"),
    "keyval": ("int", "int", "int"),
}
OTHERS = ["buffer", "pointer", "string", "status", "fstatus", "argv", "argarray"]
WORDS = {"null", "no_null", "not_predefined", "keep", "lenient", "signed", "nonneg", "undefined",
         "large_only", "proc_null", "any_source", "any_tag", "const"}
WORDS_WITH_VALUE = {"with", "max", "size"}


class Error(Exception):
    pass


class Param:
    def __init__(self, direction, name, kind, words):
        self.dir, self.name = direction, name
        m = re.fullmatch(r"([\w*]+)((?:\[\w+\])*)", kind)
        self.kind = m.group(1)
        self.dims = re.findall(r"\[(\w+)\]", m.group(2))
        self.words = {}
        for w in words:
            key, _, value = w.partition("=")
            if key not in (WORDS_WITH_VALUE if value else WORDS):
                raise Error(f"{name}: unknown word '{w}'")
            self.words[key] = value or True

    def __contains__(self, word):
        return word in self.words

    @property
    def is_function(self):
        return self.kind.startswith("MPI_") and self.kind.endswith("*")

    @property
    def is_raw(self):
        """A C type of mpi.h that is handed through."""
        return self.kind.startswith("MPI_") and not self.kind.endswith("*")

    @property
    def count(self):
        """The parameter that says how long this array is."""
        return self.dims[0] if self.dims else None


class Message:
    """A (buffer, count, datatype) triple and when it counts."""

    def __init__(self, words):
        self.buf, self.count, self.datatype = words[:3]
        self.when = words[3] if len(words) > 3 else None
        if self.when not in (None, "in_place", "in_place_at_root", "at_root"):
            raise Error(f"message {self.buf}: unknown word '{self.when}'")


class Function:
    def __init__(self, chapter, head):
        words = head.split()
        self.chapter, self.name = chapter, words[0]
        self.when = words[1] if len(words) > 1 else None
        self.large = "_c" in words[2:]
        self.doc = self.since = self.section = None
        self.returns, self.impl, self.impl_c, self.error, self.do = "int", None, None, None, None
        self.params, self.messages, self.distinct, self.notes = [], [], [], []
        self.variadic = False

    @property
    def short(self):
        return self.name[len("MPI_"):]

    def param(self, name):
        for p in self.params:
            if p.name == name:
                return p
        raise Error(f"{self.name}: no parameter '{name}'")

    def impl_name(self, large):
        base = self.impl or self.short
        if large and self.impl_c:
            base = self.impl_c
        return f"MPIR_{base}_impl"

    def owner(self):
        """The parameter whose object gets errors, or a word: none, return."""
        if self.error in ("return", "errhandler", "request"):
            return self.error
        for p in self.params:
            if p.kind in ("comm", "group", "session") and p.dir != "out" and not p.dims:
                return p
        return "none"

    def check(self):
        if self.when not in ("any", "epoch", "unlocked"):
            raise Error(f"{self.name}: says neither 'any' nor 'epoch' nor 'unlocked'")
        if not self.doc or not self.since or not self.section:
            raise Error(f"{self.name}: lacks its sentence, 'since' or 'section'")
        for p in self.params:
            if not (p.kind in HANDLES or p.kind in BY_VALUE or p.kind in NUMBERS or p.kind in OTHERS
                    or p.kind.startswith("MPI_")):
                raise Error(f"{self.name}: {p.name}: unknown kind '{p.kind}'")
            for name in p.dims:
                if not name.isdigit():
                    self.param(name)
            for key in ("with", "size"):
                if key in p:
                    self.param(p.words[key])
        for m in self.messages:
            for name in (m.buf, m.count, m.datatype):
                self.param(name)
        for name in self.distinct[:3]:
            self.param(name)


def parse_line(f, line):
    words = line.split()
    first, rest = words[0], words[1:]
    if first in ("in", "out", "inout"):
        f.params.append(Param(first, rest[0], rest[1], rest[2:]))
    elif first == "since":
        m = re.fullmatch(r"since ([\d.]+), section ([\d.]+)", line)
        f.since, f.section = m.group(1), m.group(2)
    elif first == "message":
        f.messages.append(Message(rest))
    elif first == "distinct":
        f.distinct = rest
    elif first in ("returns", "impl", "impl_c", "error"):
        setattr(f, first, " ".join(rest))
    elif first == "do":
        f.do = line[len("do "):]
    elif first == "note":
        f.notes.append(line[len("note "):])
    elif first == "variadic":
        f.variadic = True
    elif f.doc is None:
        f.doc = line
    else:
        raise Error(f"cannot read '{line}'")


def read_chapter(path, chapter):
    functions = []
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            line = text.rstrip()
            if not line or line.startswith("#"):
                continue
            try:
                if not line.startswith(" "):
                    functions.append(Function(chapter, line))
                else:
                    parse_line(functions[-1], line.strip())
            except (Error, IndexError, AttributeError) as e:
                raise SystemExit(f"{path}:{number}: {e}")
    for f in functions:
        try:
            f.check()
        except Error as e:
            raise SystemExit(f"{path}: {e}")
    return functions


def read_api(directory):
    """All functions, in the order of the chapters."""
    functions = []
    for chapter in CHAPTERS:
        functions += read_chapter(os.path.join(directory, chapter + ".txt"), chapter)
    names = [f.name for f in functions]
    for n in names:
        if names.count(n) > 1:
            raise SystemExit(f"{n} is described twice")
    return functions
