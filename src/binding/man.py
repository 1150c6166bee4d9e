"""Man pages (section 3) from the descriptions."""

from checks import checks_of
from model import BY_VALUE, HANDLES
from prototypes import params_of, user_param
from prototypes import declare

WHEN = {
    "any": "May be called at any time, also before MPI is initialized and after it is finalized, by any thread.",
    "epoch": "May be called while MPI is active: between the first initialization of the world model or of a session "
             "and the last finalization.",
    "unlocked": "May be called while MPI is active: between the first initialization of the world model or of a "
                "session and the last finalization. Never waits for another thread.",
}
KIND = {
    "comm": "communicator", "group": "group", "session": "session", "errhandler": "error handler",
    "info": "info object", "datatype": "datatype", "op": "reduction operation", "request": "request",
    "count": "number", "bytes": "number of bytes", "bigcount": "number", "aint": "address or number of bytes",
    "int": "integer", "flag": "true (1) or false (0)", "rank": "rank", "root": "rank of the root", "tag": "tag",
    "keyval": "key", "buffer": "buffer", "pointer": "address", "string": "string", "status": "status",
    "fstatus": "Fortran status", "argv": "arguments of the program", "argarray": "arguments of the program",
}
WORDS = {
    "null": "may be null", "signed": "may be negative", "proc_null": "may be MPI_PROC_NULL",
    "any_source": "may be MPI_ANY_SOURCE", "any_tag": "may be MPI_ANY_TAG", "large_only": "in the _c form only",
    "undefined": "MPI_UNDEFINED if too large",
}
# Name of a check in the generated C -> error class that it raises.
CLASSES = {
    "comm": "MPI_ERR_COMM", "not_predefined": "MPI_ERR_COMM", "group": "MPI_ERR_GROUP", "session": "MPI_ERR_SESSION",
    "info": "MPI_ERR_INFO", "info_or_null": "MPI_ERR_INFO", "errhandler": "MPI_ERR_ERRHANDLER", "op": "MPI_ERR_OP",
    "datatype": "MPI_ERR_TYPE", "datatypes": "MPI_ERR_TYPE", "committed": "MPI_ERR_TYPE",
    "request": "MPI_ERR_REQUEST", "live_request": "MPI_ERR_REQUEST", "requests": "MPI_ERR_REQUEST",
    "count": "MPI_ERR_COUNT", "counts": "MPI_ERR_COUNT", "dest": "MPI_ERR_RANK", "source": "MPI_ERR_RANK",
    "root": "MPI_ERR_ROOT", "tag": "MPI_ERR_TAG", "recv_tag": "MPI_ERR_TAG", "buffer": "MPI_ERR_BUFFER",
    "distinct": "MPI_ERR_BUFFER", "pointer": "MPI_ERR_ARG", "array": "MPI_ERR_ARG", "nonneg": "MPI_ERR_ARG",
    "string": "MPI_ERR_ARG", "status": "MPI_ERR_ARG", "fstatus": "MPI_ERR_ARG",
}


def error_classes(f):
    """What the checks of f raise, in order."""
    found = []
    for _, check in checks_of(f, True):
        name = check.partition("(")[0]
        if name.startswith("MPIR_Check_"):
            cls = CLASSES[name[len("MPIR_Check_"):]]
        elif name == "MPIR_Op_check":
            cls = "MPI_ERR_OP"
        elif "MPI_T_ERR_INVALID" in check:
            cls = "MPI_T_ERR_INVALID"
        elif "MPIR_Bad_null" in check:
            cls = "MPI_ERR_ARG"
        else:
            continue
        if cls not in found:
            found.append(cls)
    return found


def troff(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def synopsis(f, large):
    params = [user_param(p, large) for p in params_of(f, large)] or ["void"]
    if f.variadic:
        params.append("...")
    name = f.name + ("_c" if large else "")
    return f"{declare(f.returns, name)}({', '.join(params)});"


def described(p):
    kind = KIND.get(p.kind, "function" if p.is_function else p.kind)
    if p.kind in ("status",) and p.dir == "out":
        kind += ", or MPI_STATUS" + ("ES" if p.dims else "") + "_IGNORE"
    if p.dims:
        kind = f"array of {' x '.join(p.dims)}: {kind}"
    words = [WORDS[w] for w in p.words if w in WORDS]
    if p.dir == "inout" and (p.kind in HANDLES or p.kind in BY_VALUE) and "keep" not in p and not p.dims:
        words.append("becomes the null handle")
    return ", ".join([kind] + words)


def page(f, version):
    out = [f'.TH {f.name} 3 "" "Perennial MPI {version}" "MPI"', ".SH NAME",
           f"{f.name} \\- {troff(f.doc[0].lower() + f.doc[1:].rstrip('.'))}", ".SH SYNOPSIS", ".nf",
           "#include <mpi.h>", ".sp", troff(synopsis(f, False))]
    if f.large:
        out.append(troff(synopsis(f, True)))
    out.append(".fi")
    if f.params:
        out.append(".SH PARAMETERS")
        for p in f.params:
            out += [".TP", f".I {p.name}", f"({p.dir}) {troff(described(p))}"]
    out += [".SH DESCRIPTION", troff(f.doc)] + [troff(n) for n in f.notes] + [".PP", troff(WHEN[f.when])]
    if f.returns == "int":
        out += [".SH ERRORS", returns(f)]
    out += [".SH STANDARD", f"MPI 5.0, section {f.section}; in MPI since version {f.since}.", ""]
    return "\n".join(out)


def returns(f):
    classes = error_classes(f)
    text = "MPI_SUCCESS, or an error code"
    if f.owner() == "return":
        text += " (no error handler is called)"
    else:
        text += " if the error handler returns"
    if classes:
        text += ". Wrong arguments give codes of the classes " + ", ".join(classes)
    return troff(text + ".")


def pages(f, version):
    """(name, text) of the page of f and of its _c form, which is the same page."""
    yield f.name, page(f, version)
    if f.large:
        yield f.name + "_c", f".so man3/{f.name}.3\n"
