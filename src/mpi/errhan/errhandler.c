/* Error handlers as objects, and the initial one. */
#include "errhan.h"

#include "mpir_comm.h"
#include "mpir_impl.h"
#include "mpir_pmi.h"
#include "mpir_session.h"

#include <pthread.h>
#include <stdatomic.h>
#include <strings.h>

#define PREDEFINED(index)                                                                          \
    [index] = { .obj = { .handle = MPIR_HANDLE_MAKE_BUILTIN(MPIR_ERRHANDLER, index), .ref = 1 } }

/* All of these live with the process. */
MPIR_Errhandler MPIR_Errhandler_builtin[4] = {
    PREDEFINED(MPIR_ERRORS_ARE_FATAL),
    PREDEFINED(MPIR_ERRORS_RETURN),
    PREDEFINED(MPIR_ERRORS_THROW),
    PREDEFINED(MPIR_ERRORS_ABORT),
};
MPIR_Pool MPIR_Errhandler_pool =
    MPIR_POOL_INIT(MPIR_ERRHANDLER, MPIR_Errhandler, MPIR_Errhandler_builtin, 4, true);

static struct {
    /* Guards the errhandler member of communicators and sessions: handlers run without the library's lock while
     * another thread may set a new one. */
    pthread_mutex_t lock;
    _Atomic(MPIR_Errhandler *) initial; /* NULL: not asked for yet */
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_predefined(const MPIR_Errhandler *eh)
{
    return MPIR_HANDLE_KIND(eh->obj.handle) == MPIR_HANDLE_BUILTIN;
}

/* ---- references ------------------------------------------------------------------------------ */

static MPIR_Errhandler *hold(MPIR_Errhandler *eh)
{
    if (!is_predefined(eh))
        MPIR_Object_add_ref(&eh->obj);
    return eh;
}

void MPIR_Errhandler_release(MPIR_Errhandler *eh)
{
    if (eh && !is_predefined(eh) && MPIR_Object_release(&eh->obj))
        MPIR_Pool_free(&MPIR_Errhandler_pool, eh);
}

static MPIR_Errhandler *hold_slot(MPIR_Errhandler *const *slot)
{
    pthread_mutex_lock(&state.lock);
    MPIR_Errhandler *eh = hold(*slot);
    pthread_mutex_unlock(&state.lock);
    return eh;
}

static void set_slot(MPIR_Errhandler **slot, MPIR_Errhandler *eh)
{
    pthread_mutex_lock(&state.lock);
    MPIR_Errhandler *old = *slot;
    *slot = hold(eh);
    pthread_mutex_unlock(&state.lock);
    MPIR_Errhandler_release(old);
}

MPIR_Errhandler *MPII_Errhandler_hold_comm(MPIR_Comm *comm)
{
    return comm ? hold_slot(&comm->errhandler) : MPIR_Errhandler_initial();
}

MPIR_Errhandler *MPII_Errhandler_hold_session(MPIR_Session *session)
{
    return session ? hold_slot(&session->errhandler) : MPIR_Errhandler_initial();
}

/* ---- the initial error handler --------------------------------------------------------------- */

static const struct {
    const char *name;
    int builtin;
} initial[] = {
    { "mpi_errors_are_fatal", MPIR_ERRORS_ARE_FATAL },
    { "mpi_errors_abort", MPIR_ERRORS_ABORT },
    { "mpi_errors_return", MPIR_ERRORS_RETURN },
};

static MPIR_Errhandler *by_name(const char *name)
{
    for (size_t i = 0; i < MPL_ARRAY_SIZE(initial); i++) {
        if (strcasecmp(name, initial[i].name) == 0)
            return &MPIR_Errhandler_builtin[initial[i].builtin];
    }
    return NULL;
}

const char *MPIR_Errhandler_initial_name(void)
{
    const MPIR_Errhandler *eh = MPIR_Errhandler_initial();
    size_t i = 0;

    while (&MPIR_Errhandler_builtin[initial[i].builtin] != eh)
        i++;
    return initial[i].name;
}

MPIR_Errhandler *MPIR_Errhandler_initial(void)
{
    MPIR_Errhandler *eh = atomic_load(&state.initial);

    if (eh)
        return eh;
    const char *name = MPIR_Pmi_initial_errhandler();
    MPIR_Errhandler *found = name ? by_name(name) : NULL;
    if (!found)
        found = &MPIR_Errhandler_builtin[MPIR_ERRORS_ARE_FATAL];
    /* Who comes first decides; only that one complains about a bad name. */
    if (!atomic_compare_exchange_strong(&state.initial, &eh, found))
        return eh;
    if (name && !by_name(name))
        MPIR_Warn("initial error handler \"%s\" from the launcher is unknown (expected "
                  "mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return); "
                  "mpi_errors_are_fatal serves",
                  name);
    return found;
}

int MPIR_Errhandler_set_initial(const char *name)
{
    MPIR_Errhandler *eh = by_name(name);

    if (!eh)
        return MPIR_Err("**errhandler_name", name);
    atomic_store(&state.initial, eh);
    return MPI_SUCCESS;
}

/* ---- the MPI calls --------------------------------------------------------------------------- */

static int create(MPIR_Object_type kind, MPIR_Errhandler **errhandler)
{
    MPIR_Errhandler *eh = MPIR_Pool_alloc(&MPIR_Errhandler_pool);

    if (!eh)
        return MPIR_Err("**nomem", sizeof(*eh));
    eh->kind = kind;
    *errhandler = eh;
    return MPI_SUCCESS;
}

static const char *kind_name(MPIR_Object_type kind)
{
    switch (kind) {
    case MPIR_COMM:
        return "communicator";
    case MPIR_SESSION:
        return "session";
    case MPIR_WIN:
        return "window";
    case MPIR_FILE:
        return "file";
    default:
        return "object of another kind";
    }
}

static int check_kind(const MPIR_Errhandler *eh, MPIR_Object_type kind)
{
    if (is_predefined(eh) || eh->kind == kind)
        return MPI_SUCCESS;
    return MPIR_Err("**errhandler_kind", kind_name(eh->kind), kind_name(kind));
}

int MPIR_Comm_create_errhandler_impl(MPI_Comm_errhandler_function *comm_errhandler_fn,
                                     MPIR_Errhandler **errhandler)
{
    if (!comm_errhandler_fn)
        return MPIR_Err("**errhandler_fn");
    int rc = create(MPIR_COMM, errhandler);
    if (rc == MPI_SUCCESS)
        (*errhandler)->fn.comm = comm_errhandler_fn;
    return rc;
}

int MPIR_Session_create_errhandler_impl(MPI_Session_errhandler_function *session_errhandler_fn,
                                        MPIR_Errhandler **errhandler)
{
    if (!session_errhandler_fn)
        return MPIR_Err("**errhandler_fn");
    int rc = create(MPIR_SESSION, errhandler);
    if (rc == MPI_SUCCESS)
        (*errhandler)->fn.session = session_errhandler_fn;
    return rc;
}

int MPIR_Comm_set_errhandler_impl(MPIR_Comm *comm, MPIR_Errhandler *errhandler)
{
    int rc = check_kind(errhandler, MPIR_COMM);

    if (rc == MPI_SUCCESS)
        set_slot(&comm->errhandler, errhandler);
    return rc;
}

int MPIR_Session_set_errhandler_impl(MPIR_Session *session, MPIR_Errhandler *errhandler)
{
    int rc = check_kind(errhandler, MPIR_SESSION);

    if (rc == MPI_SUCCESS)
        set_slot(&session->errhandler, errhandler);
    return rc;
}

int MPIR_Comm_get_errhandler_impl(MPIR_Comm *comm, MPIR_Errhandler **errhandler)
{
    *errhandler = hold_slot(&comm->errhandler);
    return MPI_SUCCESS;
}

int MPIR_Session_get_errhandler_impl(MPIR_Session *session, MPIR_Errhandler **errhandler)
{
    *errhandler = hold_slot(&session->errhandler);
    return MPI_SUCCESS;
}

int MPIR_Comm_call_errhandler_impl(MPIR_Comm *comm, int errorcode)
{
    MPIR_Errhandler *eh = hold_slot(&comm->errhandler);

    MPIR_Errhandler_call_comm(eh, comm, errorcode);
    MPIR_Errhandler_release(eh);
    return MPI_SUCCESS;
}

int MPIR_Session_call_errhandler_impl(MPIR_Session *session, int errorcode)
{
    MPIR_Errhandler *eh = hold_slot(&session->errhandler);

    MPIR_Errhandler_call_session(eh, session, errorcode);
    MPIR_Errhandler_release(eh);
    return MPI_SUCCESS;
}

int MPIR_Errhandler_free_impl(MPIR_Errhandler *errhandler)
{
    /* A predefined one may come from MPI_Comm_get_errhandler, whose callers free what they got: let them. */
    MPIR_Errhandler_release(errhandler);
    return MPI_SUCCESS;
}
