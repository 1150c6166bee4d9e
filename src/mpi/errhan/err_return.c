/* The end of a failed call: which error handler runs, and what the predefined ones do. Messages on stderr. */
#include "errhan.h"

#include "mpid.h"
#include "mpir_comm.h"
#include "mpir_group.h"
#include "mpir_process.h"
#include "mpir_session.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* An error on its way to a handler. */
typedef struct Event {
    int code;
    const char *where;     /* the failed call, or NULL */
    MPIR_Comm *comm;       /* what it happened on: */
    MPIR_Session *session; /* one of these, or neither */
} Event;

/* ---- messages -------------------------------------------------------------------------------- */

/* "perennial: rank R: ", or with the pid while no rank is known. */
static int put_prefix(char *text, size_t size)
{
    if (atomic_load_explicit(&MPIR_Process.state, memory_order_relaxed) == MPIR_STATE_COLD)
        return snprintf(text, size, "perennial: process %ld: ", (long) getpid());
    return snprintf(text, size, "perennial: rank %d: ", MPIR_Process.rank);
}

/* One line with one write, so that lines of two processes do not mix. */
static void MPL_PRINTF(1, 0) print_line(const char *format, va_list args)
{
    char line[2048];
    size_t room = sizeof(line) - 1; /* of the newline */
    int n = put_prefix(line, room);

    vsnprintf(line + n, room - (size_t) n, format, args);
    size_t len = strlen(line);
    if (line[len - 1] != '\n') {
        line[len] = '\n';
        line[len + 1] = '\0';
    }
    fputs(line, stderr);
    fflush(stderr);
}

void MPIR_Warn(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_line(format, args);
    va_end(args);
}

void MPIR_Fatal(const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    MPID_Abort(MPI_ERR_INTERN, text); /* prints it */
}

/* ---- the predefined handlers ----------------------------------------------------------------- */

/* Whose handler it is: "of my_comm". */
static void describe_owner(const Event *ev, char *text, size_t size)
{
    if (ev->comm)
        snprintf(text, size, "of %s",
                 ev->comm->name[0] ? ev->comm->name : "a nameless communicator");
    else
        snprintf(text, size, "%s", ev->session ? "of the session" : "for errors without an object");
}

/* Never 0: a job that failed must not look like one that succeeded. */
static int exit_code(int code)
{
    int class = MPIR_Err_class(code) & 0xff;
    return class ? class : MPI_ERR_OTHER;
}

static void print_error(const Event *ev)
{
    char text[MPI_MAX_ERROR_STRING];
    bool placed = MPII_Err_place(ev->code, ev->where);

    MPIR_Err_text(ev->code, text, sizeof(text));
    if (placed)
        MPIR_Warn("fatal error in %s", text);
    else if (ev->where)
        MPIR_Warn("fatal error in %s: %s", ev->where, text);
    else
        MPIR_Warn("fatal error: %s", text);
}

static void __attribute__((noreturn)) end_job(const Event *ev, const char *handler)
{
    char owner[MPI_MAX_OBJECT_NAME + 8], reason[256];

    print_error(ev);
    describe_owner(ev, owner, sizeof(owner));
    snprintf(reason, sizeof(reason), "the error handler %s is %s", owner, handler);
    MPID_Abort(exit_code(ev->code), reason); /* prints the reason and the exit code */
}

/* What MPI_ERRORS_ABORT means on a session: this process alone leaves, in good order, so that the launcher and the
 * peers know. */
static void __attribute__((noreturn)) end_process(const Event *ev)
{
    int state = atomic_load(&MPIR_Process.state);

    print_error(ev);
    MPIR_Warn(
        "the error handler of the session is MPI_ERRORS_ABORT; this process ends with exit code %d",
        exit_code(ev->code));
    if (state != MPIR_STATE_COLD && state != MPIR_STATE_CLOSED) {
        (void) MPIR_Lock(); /* never let go: no other thread may use what is closed now */
        MPID_Finalize();
    }
    MPL_flush_stdio();
    _exit(exit_code(ev->code));
}

static void run_predefined(MPIR_Errhandler *eh, const Event *ev)
{
    switch (MPIR_HANDLE_BUILTIN_INDEX(eh->obj.handle)) {
    case MPIR_ERRORS_ARE_FATAL:
        end_job(ev, "MPI_ERRORS_ARE_FATAL");
    case MPIR_ERRORS_ABORT:
        if (ev->session)
            end_process(ev);
        end_job(ev, "MPI_ERRORS_ABORT");
    default:
        return; /* MPI_ERRORS_RETURN, and what C++ programs call throw */
    }
}

static void run(MPIR_Errhandler *eh, const Event *ev)
{
    int code = ev->code;

    if (MPIR_HANDLE_KIND(eh->obj.handle) == MPIR_HANDLE_BUILTIN) {
        run_predefined(eh, ev);
    } else if (eh->kind == MPIR_SESSION) {
        MPI_Session handle = ev->session ? ev->session->obj.handle : MPI_SESSION_NULL;
        eh->fn.session(&handle, &code, ev->where);
    } else {
        MPI_Comm handle = ev->comm ? ev->comm->obj.handle : MPI_COMM_NULL;
        eh->fn.comm(&handle, &code, ev->where);
    }
}

void MPIR_Errhandler_call_comm(MPIR_Errhandler *eh, MPIR_Comm *comm, int code)
{
    run(eh, &(Event) { .code = code, .comm = comm });
}

void MPIR_Errhandler_call_session(MPIR_Errhandler *eh, MPIR_Session *session, int code)
{
    run(eh, &(Event) { .code = code, .session = session });
}

/* ---- from a binding -------------------------------------------------------------------------- */

static int run_and_release(MPIR_Errhandler *eh, const Event *ev)
{
    (void) MPII_Err_place(ev->code, ev->where);
    run(eh, ev);
    MPIR_Errhandler_release(eh);
    return ev->code;
}

int MPIR_Err_return_comm(MPIR_Comm *comm, const char *where, int code)
{
    if (!comm && MPIR_World_is_active())
        comm = &MPIR_Comm_builtin[MPIR_COMM_SELF_INDEX];
    return run_and_release(MPII_Errhandler_hold_comm(comm),
                           &(Event) { .code = code, .where = where, .comm = comm });
}

int MPIR_Err_return_session(MPIR_Session *session, const char *where, int code)
{
    if (!session)
        return MPIR_Err_return_comm(NULL, where, code);
    return run_and_release(MPII_Errhandler_hold_session(session),
                           &(Event) { .code = code, .where = where, .session = session });
}

int MPIR_Err_return_group(MPIR_Group *group, const char *where, int code)
{
    return MPIR_Err_return_session(group ? group->session : NULL, where, code);
}
