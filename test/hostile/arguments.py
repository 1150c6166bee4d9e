#!/usr/bin/env python3
"""Each wrong argument of each function: null, garbage and stale handles, negative counts, ranks, roots and tags out of range, null
pointers, types that are not committed. Generated from the description of the bindings; the call must give the right error class and
a message with function and argument, and must not crash. Runs in one process, so that what is wrongly let through does not block."""
import os
import sys

from hostile import build, check, done, run

sys.path.insert(0, os.path.join(os.environ["TOP"], "src", "binding"))
from model import BY_VALUE, HANDLES, read_api  # noqa: E402
from prototypes import params_of  # noqa: E402

GARBAGE = {"comm": "MPI_INT", "group": "MPI_COMM_WORLD", "session": "MPI_GROUP_EMPTY", "errhandler": "MPI_SUM", "info": "MPI_COMM_SELF",
           "datatype": "MPI_COMM_WORLD", "op": "MPI_INT", "request": "MPI_INFO_NULL"}
NULLS = {kind: h[-1] for kind, h in list(HANDLES.items()) + list(BY_VALUE.items())}
CLASSES = {"comm": "MPI_ERR_COMM", "group": "MPI_ERR_GROUP", "session": "MPI_ERR_SESSION", "info": "MPI_ERR_INFO",
           "errhandler": "MPI_ERR_ERRHANDLER", "datatype": "MPI_ERR_TYPE", "op": "MPI_ERR_OP", "request": "MPI_ERR_REQUEST",
           "rank": "MPI_ERR_RANK", "root": "MPI_ERR_ROOT", "tag": "MPI_ERR_TAG", "keyval": "MPI_ERR_KEYVAL", "count": "MPI_ERR_COUNT"}
GOOD = {"comm": "good.comm", "group": "good.group", "session": "good.session", "errhandler": "MPI_ERRORS_RETURN", "info": "good.info",
        "datatype": "MPI_INT", "op": "MPI_SUM", "request": "MPI_REQUEST_NULL", "count": "1", "bytes": "4", "bigcount": "1", "aint": "4",
        "int": "1", "flag": "1", "rank": "0", "root": "0", "tag": "1"}
# Never return, or cannot fail by an argument.
LEFT_OUT = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Abort", "MPI_Session_call_errhandler", "MPI_Comm_call_errhandler"}


def good(f, p, index):
    """An expression for an argument in order."""
    if p.kind == "keyval":
        value = "good.type_keyval" if "type" in p.name else "good.comm_keyval"
        return value if p.dir == "in" else f"(place.keyval = {value}, &place.keyval)"
    if p.kind in ("buffer", "pointer"):
        return f"place.buffer[{index}]"
    if p.kind == "string":
        return '"key"' if p.dir == "in" else f"place.buffer[{index}]"
    if p.kind == "status":
        return "place.status"
    if p.kind == "fstatus":
        return "place.fstatus"
    if p.is_function:
        return "(void *) nothing"
    if p.kind in ("argv", "argarray"):
        return "NULL"
    if p.dims and p.dir == "out":
        return f"(void *) place.array[{index}]"
    if p.dims:
        return f"(void *) array(&place.array[{index}], sizeof(place.array[0]) / 8, good_{p.kind}, {size_of(p)})"
    if p.kind.startswith("MPI_"):
        return "NULL" if p.dir == "in" else "(void *) place.buffer[0]"
    if p.dir == "in":
        return "MPI_PROC_NULL" if "proc_null" in p else GOOD[p.kind]
    if p.dir == "out":
        return f"(void *) place.array[{index}]"
    # what a handle that is passed by address holds
    return f"(void *) put(place.array[{index}], {GOOD[p.kind]}, {size_of(p)})"


large = False  # of the function at hand


def size_of(p):
    eight = p.kind in ("bytes", "bigcount", "aint") or (p.kind == "count" and large)
    return 8 if eight else 4


def bad_values(f, p, index):
    """(expression, acceptable classes, what it is) of wrong arguments. No class: any error."""
    by_address = p.dir != "in" and not p.dims
    if "lenient" in p or f.error == "return" and p.kind.startswith("MPI_T"):
        return
    if p.kind in NULLS and p.dir != "out" and not p.dims:
        values = [GARBAGE[p.kind], "0x12345678", "0x7fffffff", "-1"]
        if p.kind in ("comm", "group", "info", "datatype", "request", "session", "op", "errhandler"):
            values.append(f"stale_{p.kind}()")
        if "null" not in p and (p.kind != "request" or "no_null" in p):
            values.append(NULLS[p.kind])
        if "not_predefined" in p:
            values.append("MPI_COMM_WORLD")
        for value in values:
            text = f"(void *) put(place.array[{index}], {value}, 4)" if by_address else value
            yield text, [CLASSES[p.kind], "MPI_ERR_ARG" if p.kind == "errhandler" else CLASSES[p.kind]], value
        triples = {m.datatype for m in f.messages}
        if p.kind == "datatype" and p.name in triples:
            yield "good.uncommitted", ["MPI_ERR_TYPE"], "an uncommitted type"
    elif p.kind == "keyval" and p.dir != "out":
        for value in "MPI_KEYVAL_INVALID", "MPI_COMM_WORLD", "0x12345678":
            text = f"(place.keyval = {value}, &place.keyval)" if by_address else value
            yield text, ["MPI_ERR_KEYVAL"], value
    elif p.dir == "in" and not p.dims:
        if p.kind == "rank":
            for value in ["-77", "1", "1000000"] + ([] if "any_source" in p else ["MPI_ANY_SOURCE"]):
                yield value, ["MPI_ERR_RANK"], value
        if p.kind == "root":
            for value in "-77", "1", "MPI_ANY_SOURCE":
                yield value, ["MPI_ERR_ROOT"], value
        if p.kind == "tag":
            for value in ["-5", "-2147483647 - 1"] + ([] if "any_tag" in p else ["MPI_ANY_TAG"]):
                yield value, ["MPI_ERR_TAG"], value
        if p.kind == "count" and "signed" not in p or "nonneg" in p:
            yield "-1", ["MPI_ERR_COUNT", "MPI_ERR_ARG"], "-1"
            yield "-2147483647 - 1", ["MPI_ERR_COUNT", "MPI_ERR_ARG"], "INT_MIN"
        if p.kind == "string" and "null" not in p:
            yield "NULL", [], "NULL"
        if p.is_function and "null" not in p:
            yield "NULL", ["MPI_ERR_ARG"], "NULL"
    if p.kind == "buffer":
        if p.name in {m.buf for m in f.messages}:
            yield "NULL", ["MPI_ERR_BUFFER"], "NULL"
        if "size" in p:
            yield "NULL", ["MPI_ERR_ARG", "MPI_ERR_BUFFER"], "NULL"
    elif p.kind == "status" and ("no_null" in p or p.dir == "out" or p.dir == "in" and not p.dims):
        yield "NULL", ["MPI_ERR_ARG"], "NULL"
    elif p.dims:
        yield "NULL", ["MPI_ERR_ARG", "MPI_ERR_REQUEST"], "NULL"
        if p.kind in ("count", "datatype") and p.dir == "in" and "signed" not in p:
            yield (f"(void *) array(&place.array[{index}], sizeof(place.array[0]) / 8, bad_{p.kind}, {size_of(p)})",
                   [CLASSES[p.kind], "MPI_ERR_ARG"], "an array with a wrong element")
    elif p.dir != "in" and "null" not in p and p.kind not in ("argv",):
        yield "NULL", ["MPI_ERR_ARG", CLASSES.get(p.kind, "MPI_ERR_ARG")], "NULL"


def calls_of(f, is_large):
    global large
    large = is_large
    params = params_of(f, is_large)
    name = f.name + ("_c" if is_large else "")
    for index, p in enumerate(params):
        for text, classes, what in bad_values(f, p, index):
            args = [text if q is p else good(f, q, i) for i, q in enumerate(params)]
            classes = ", ".join(dict.fromkeys(classes)) or "0"
            yield f'    TRY("{name}", "{p.name}", "{what}", {int(f.error == "return")}, {name}({", ".join(args)}), {classes});'


HEAD = """
#include "mpitest.h"
#include <signal.h>
#include <unistd.h>

static void nothing(void) {}
static struct { MPI_Comm comm; MPI_Group group; MPI_Session session; MPI_Info info; int comm_keyval, type_keyval;
                MPI_Datatype uncommitted; } good;
static struct { _Alignas(64) char buffer[16][4096]; long array[16][64]; MPI_Status status[16]; MPI_Fint fstatus[16]; int keyval; } place;
static long good_count = 1, good_bytes = 4, good_int = 0, bad_count = -1;
static long good_datatype, good_request, bad_datatype;
static const char *at = "";
static long n_calls;

#define COMPLAIN(...) (MTest_errs++, fprintf(stderr, __VA_ARGS__), fputc('\\n', stderr))

static void *put(void *where, long value, int size) { memcpy(where, &value, (size_t) size); return where; }
static void *array(void *where, int n, long value, int size)
{
    for (int i = 0; i < n; i++)
        put((char *) where + i * size, value, size);
    return where;
}
static void hung(int sig) { (void) sig; fprintf(stderr, "%s: hangs or crashes\\n", at); _exit(1); }

static void judge(const char *function, const char *argument, const char *what, int is_tool, int code, const int *classes, int n)
{
    char text[MPI_MAX_ERROR_STRING] = "", call[128];
    int errclass = 0, length, fits = 0;
    n_calls++;
    if (is_tool) {
        MTEST_CHECK(code != MPI_SUCCESS, "%s with %s for %s succeeded", function, what, argument);
        return;
    }
    MPI_Error_class(code, &errclass);
    MPI_Error_string(code, text, &length);
    for (int i = 0; i < n; i++)
        fits |= classes[i] == errclass || (classes[i] == 0 && errclass != 0);
    if (code == MPI_SUCCESS)
        COMPLAIN("%s with %s for %s succeeded", function, what, argument);
    else if (!fits)
        COMPLAIN("%s with %s for %s: class %d, expected %d: %s", function, what, argument, errclass, classes[0], text);
    snprintf(call, sizeof(call), "%s(", function);
    if (code != MPI_SUCCESS && (!strstr(text, call) || !strstr(text, argument) ||
                                !(strstr(text, "expected") || strstr(text, "cannot"))))
        COMPLAIN("%s with %s for %s: the message does not say enough: %s", function, what, argument, text);
}

#define TRY(function, argument, what, is_tool, call, ...)                                          \\
    do {                                                                                           \\
        at = function " with " what " for " argument;                                              \\
        alarm(20);                                                                                 \\
        int classes_[] = { __VA_ARGS__ };                                                          \\
        memset(&place, 0, sizeof(place));                                                          \\
        judge(function, argument, what, is_tool, (call), classes_, (int) (sizeof(classes_) / sizeof(int))); \\
    } while (0)

/* Handles of what has just been freed: made anew each time, since the next object may get the same. */
static int stale_comm(void) { MPI_Comm c, h; MPI_Comm_dup(MPI_COMM_SELF, &c); h = c; MPI_Comm_free(&c); return h; }
static int stale_group(void) /* of its own, not shared with a communicator */
{
    MPI_Group g, h;
    int zero = 0;
    MPI_Group_incl(good.group, 1, &zero, &g);
    h = g;
    MPI_Group_free(&g);
    return h;
}
static int stale_info(void) { MPI_Info i, h; MPI_Info_create(&i); h = i; MPI_Info_free(&i); return h; }
static int stale_datatype(void)
{
    MPI_Datatype t, h;
    MPI_Type_contiguous(3, MPI_INT, &t);
    h = t;
    MPI_Type_free(&t);
    return h;
}
static int stale_request(void)
{
    static int buf;
    MPI_Request r, h;
    MPI_Irecv(&buf, 1, MPI_INT, 0, 9, good.comm, &r);
    h = r;
    MPI_Cancel(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    return h;
}
static int stale_session(void)
{
    MPI_Session s, h;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
    h = s;
    MPI_Session_finalize(&s);
    return h;
}
static int stale_op(void)
{
    MPI_Op o, h;
    MPI_Op_create((MPI_User_function *) (void *) nothing, 1, &o);
    h = o;
    MPI_Op_free(&o);
    return h;
}
static int stale_errhandler(void)
{
    MPI_Errhandler e, h;
    MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *) (void *) nothing, &e);
    h = e;
    MPI_Errhandler_free(&e);
    return h;
}

static void prepare(void)
{
    signal(SIGALRM, hung); signal(SIGSEGV, hung); signal(SIGBUS, hung); signal(SIGABRT, hung); signal(SIGFPE, hung);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_SELF, &good.comm);
    MPI_Comm_group(good.comm, &good.group);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &good.session);
    MPI_Info_create(&good.info);
    MPI_Info_set(good.info, "key", "value");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &good.comm_keyval, NULL);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &good.type_keyval, NULL);
    MPI_Type_contiguous(2, MPI_INT, &good.uncommitted);
    good_datatype = MPI_INT; good_request = MPI_REQUEST_NULL; bad_datatype = MPI_DATATYPE_NULL;
}
"""

MAIN = """
int main(int argc, char **argv)
{
    int provided;
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    prepare();
%s
    /* and the library is as good as before */
    int one = 1, sum = 0;
    MTEST_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, good.comm));
    MTEST_INT_EQ(sum, 1);
    MPI_Type_free(&good.uncommitted);
    MPI_Info_free(&good.info);
    MPI_Group_free(&good.group);
    MPI_Comm_free_keyval(&good.comm_keyval);
    MPI_Type_free_keyval(&good.type_keyval);
    MPI_Session_finalize(&good.session);
    MPI_Comm_free(&good.comm);
    MPI_T_finalize();
    MPI_Finalize();
    MTEST_CHECK(n_calls > 1000, "only %%ld calls", n_calls);
    return MTest_report(0);
}
"""


def main():
    names, text = [], [HEAD]
    for f in read_api(os.path.join(os.environ["TOP"], "src", "binding", "api")):
        if f.name in LEFT_OUT or f.returns != "int" or f.variadic:
            continue
        lines = [line for form in ([False, True] if f.large else [False]) for line in calls_of(f, form)]
        if lines:
            names.append(f.name)
            text += [f"static void try_{f.name}(void)", "{", *lines, "}", ""]
    text.append(MAIN % "\n".join(f"    try_{name}();" for name in names))
    with open("arguments.c", "w", encoding="utf-8") as file:
        file.write("\n".join(text))
    check(len(names) > 150, f"only {len(names)} functions")
    program = build("arguments", "-w", "-Wno-error", "-O0", folder=os.getcwd())
    result = run(program, limit=100, label="arguments")
    check(result.code == 0 and " No Errors" in result.out and not result.err, f"{result.code}: {result.err[-6000:]}")
    done()


main()
