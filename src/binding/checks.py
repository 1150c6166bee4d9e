"""Which checks a call makes, as C. checks_of() gives pairs: a condition that goes before the check (or None for a
statement that cannot fail) and the call of a check in binding.h."""

from model import HANDLES


def checks_of(f, large):
    params = [p for p in f.params if large or "large_only" not in p]
    triples = {name for m in f.messages for name in (m.count, m.datatype)}
    comm = next((p.name + "_ptr" for p in params if p.kind == "comm" and p.dir == "in"), None)
    out = []
    handles = [p for p in params if p.kind in ("comm", "group", "session") and p.dir != "out"]
    for p in handles:
        out += handle_checks(p)
    for p in params:
        if p not in handles and p.name not in triples:
            out += param_checks(f, p, large, comm)
    for m in f.messages:
        out += message_checks(m, comm)
    for p in params:
        if "with" in p:
            out.append(("", f"MPIR_Op_check({p.name}, {p.words['with']})"))
    if f.distinct:
        a, b, count = f.distinct[:3]
        at_root = "at_root" in f.distinct[3:]
        out.append((f"MPIR_At_root({comm}, root)" if at_root else "",
                    f'MPIR_Check_distinct("{a}", {a}, "{b}", {b}, {count})'))
    return unique(out)


def unique(checks):
    seen, out = set(), []
    for c in checks:
        if c not in seen:
            seen.add(c)
            out.append(c)
    return out


def handle_checks(p):
    ptr = p.name + "_ptr"
    if "lenient" in p:
        return [(None, f"{ptr} = {HANDLES[p.kind][1]}_get({p.name});")]
    if p.kind == "info" and "null" in p:
        return [("", f'MPIR_Check_info_or_null("{p.name}", {p.name}, &{ptr})')]
    out, value = [], p.name
    if p.dir == "inout":
        out.append(pointer(p))
        value = "*" + p.name
    out.append(("", f'MPIR_Check_{p.kind}("{p.name}", {value}, &{ptr})'))
    if "not_predefined" in p:
        out.append(("", f'MPIR_Check_not_predefined("{p.name}", {value})'))
    return out


def pointer(p):
    return ("", f'MPIR_Check_pointer("{p.name}", {p.name})')


def param_checks(f, p, large, comm):
    if p.kind in HANDLES and p.dir != "out":
        return handle_checks(p)
    if p.kind in ("status", "fstatus"):
        return status_checks(p)
    if p.kind == "request" and p.dir != "out":
        return request_checks(p)
    if p.dims:
        return array_checks(p, large)
    if p.kind == "buffer":
        if "size" not in p:
            return []
        return [("", f'MPIR_Check_array("{p.name}", {p.words["size"]}, {p.name})')]
    if p.kind in ("argv", "argarray"):
        return []
    if p.is_function:
        return [] if "null" in p else [("", f'{p.name} ? MPI_SUCCESS : MPIR_Bad_null("{p.name}")')]
    if p.dir != "in":
        return output_checks(f, p, large)
    return input_checks(p, comm)


def output_checks(f, p, large):
    if "null" in p:
        return []
    if f.error == "return":
        return [("", f"{p.name} ? MPI_SUCCESS : MPI_T_ERR_INVALID")]
    out = [pointer(p)]
    if p.kind in ("datatype", "op") and p.dir == "inout":
        out.append(("", f'MPIR_Check_{p.kind}("{p.name}", *{p.name})'))
    if p.kind == "count" and p.dir == "inout":
        out.append(("", f'MPIR_Check_count("{p.name}", *{p.name})'))
        if not large:
            out.append((None, f"{p.name}_n = *{p.name};"))
    return out


def input_checks(p, comm):
    name = p.name
    if p.kind == "string":
        if "max" in p:
            return [("", f'MPIR_Check_string("{name}", {name}, {p.words["max"]})')]
        return [] if "null" in p else [pointer(p)]
    if p.kind in ("datatype", "op"):
        return [("", f'MPIR_Check_{p.kind}("{name}", {name})')]
    if p.kind == "rank":
        check = "source" if "any_source" in p else "dest"
        return [("", f'MPIR_Check_{check}("{name}", {name}, {comm})')]
    if p.kind == "root":
        return [("", f'MPIR_Check_root("{name}", {name}, {comm})')]
    if p.kind == "tag":
        check = "recv_tag" if "any_tag" in p else "tag"
        return [("", f'MPIR_Check_{check}("{name}", {name})')]
    if p.kind == "count" and "signed" not in p or "nonneg" in p and name.endswith("count"):
        return [("", f'MPIR_Check_count("{name}", {name})')]
    if "nonneg" in p:
        return [("", f'MPIR_Check_nonneg("{name}", {name})')]
    return []


def array_checks(p, large):
    name, n = p.name, p.count
    if p.dir == "in" and p.kind in ("count", "bytes"):
        if not large:
            kind = "aints" if p.kind == "bytes" else "ints" if "signed" in p else "counts"
            return [("", f'MPIR_Widen_{kind}("{name}", {n}, {name}, &{name}_n)')]
        if p.kind == "count" and "signed" not in p:
            return [("", f'MPIR_Check_counts("{name}", {n}, {name})')]
    out = [("", f'MPIR_Check_array("{name}", {n}, {name})')]
    if p.kind == "datatype" and p.dir == "in":
        out.append(("", f'MPIR_Check_datatypes("{name}", {n}, {name})'))
    return out


def status_checks(p):
    if p.kind == "fstatus":
        return [("", f'MPIR_Check_fstatus("{p.name}", {p.name})')]
    if p.dims:
        return [("", f'MPIR_Check_array("{p.name}", {p.count}, {p.name})')]
    if p.dir == "out" and "no_null" not in p:
        return [pointer(p)]
    return [("", f'MPIR_Check_status("{p.name}", {p.name})')]


def request_checks(p):
    if p.dims:
        return [("", f'MPIR_Check_array("{p.name}", {p.count}, {p.name})'),
                ("", f'MPIR_Check_requests("{p.name}", {p.count}, {p.name}, &comm_ptr)')]
    check = "live_request" if "no_null" in p else "request"
    if p.dir == "in":
        return [("", f'MPIR_Check_{check}("{p.name}", {p.name}, &comm_ptr)')]
    return [pointer(p), ("", f'MPIR_Check_{check}("{p.name}", *{p.name}, &comm_ptr)')]


def message_checks(m, comm):
    before = {
        None: "",
        "in_place": f"{m.buf} != MPI_IN_PLACE",
        "in_place_at_root": f"!({m.buf} == MPI_IN_PLACE && MPIR_At_root({comm}, root))",
        "at_root": f"MPIR_At_root({comm}, root)",
    }[m.when]
    return [(before, f'MPIR_Check_count("{m.count}", {m.count})'),
            (before, f'MPIR_Check_committed("{m.datatype}", {m.datatype})'),
            (before, f'MPIR_Check_buffer("{m.buf}", {m.buf}, {m.count}, {m.datatype})')]
