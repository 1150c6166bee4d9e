/* Performance variables in MPI_T. All are continuous and read-only, so starting, stopping, writing and resetting one is
 * an error, and doing so to all of a session's touches none. */
#include "mpit.h"

#include <string.h>

static bool in_range(int pvar_index)
{
    return pvar_index >= 0 && pvar_index < MPIR_pvar_count;
}

static int class_of(const MPIR_Pvar *pvar)
{
    switch (pvar->kind) {
    case MPIR_PVAR_KIND_COUNTER:
        return MPI_T_PVAR_CLASS_COUNTER;
    case MPIR_PVAR_KIND_LEVEL:
        return MPI_T_PVAR_CLASS_LEVEL;
    default:
        return MPI_T_PVAR_CLASS_TIMER;
    }
}

/* ---- what there is --------------------------------------------------------------------------- */

int MPIR_T_pvar_get_num_impl(int *num_pvar)
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    *num_pvar = MPIR_pvar_count;
    return MPI_SUCCESS;
}

int MPIR_T_pvar_get_info_impl(int pvar_index, char *name, int *name_len, int *verbosity,
                              int *var_class, MPI_Datatype *datatype, MPI_T_enum *enumtype,
                              char *desc, int *desc_len, int *bind, int *readonly, int *continuous,
                              int *atomic)
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!in_range(pvar_index))
        return MPI_T_ERR_INVALID_INDEX;
    const MPIR_Pvar *pvar = MPIR_pvar_table[pvar_index];
    MPII_T_put_string(pvar->name, name, name_len);
    MPII_T_put_int(MPI_T_VERBOSITY_USER_BASIC, verbosity);
    MPII_T_put_int(class_of(pvar), var_class);
    if (datatype)
        *datatype = pvar->kind == MPIR_PVAR_KIND_TIMER ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG;
    if (enumtype)
        *enumtype = MPI_T_ENUM_NULL;
    MPII_T_put_string(pvar->help, desc, desc_len);
    MPII_T_put_int(MPI_T_BIND_NO_OBJECT, bind);
    MPII_T_put_int(1, readonly);
    MPII_T_put_int(1, continuous);
    MPII_T_put_int(0, atomic);
    return MPI_SUCCESS;
}

int MPIR_T_pvar_get_index_impl(const char *name, int var_class, int *pvar_index)
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!name || !pvar_index)
        return MPI_T_ERR_INVALID;
    for (int i = 0; i < MPIR_pvar_count; i++) {
        const MPIR_Pvar *pvar = MPIR_pvar_table[i];
        if (class_of(pvar) == var_class && strcmp(pvar->name, name) == 0) {
            *pvar_index = i;
            return MPI_SUCCESS;
        }
    }
    return MPI_T_ERR_INVALID_NAME;
}

/* ---- sessions and handles -------------------------------------------------------------------- */

int MPIR_T_pvar_session_create_impl(MPI_T_pvar_session *session)
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    MPII_T_lock();
    MPII_T_pvar_session *s = MPIR_Pool_alloc(&MPII_T_pvar_session_pool);
    MPII_T_unlock();
    if (!s)
        return MPI_T_ERR_OUT_OF_SESSIONS;
    *session = MPII_T_handle_of(&s->obj);
    return MPI_SUCCESS;
}

static void free_if_of(void *object, void *session)
{
    if (((MPII_T_pvar_handle *) object)->session == session)
        MPIR_Pool_free(&MPII_T_pvar_handle_pool, object);
}

int MPIR_T_pvar_session_free_impl(MPI_T_pvar_session *session)
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    MPII_T_lock();
    MPII_T_pvar_session *s = MPII_T_get(&MPII_T_pvar_session_pool, *session);
    if (s) {
        MPIR_Pool_each(&MPII_T_pvar_handle_pool, free_if_of, s);
        MPIR_Pool_free(&MPII_T_pvar_session_pool, s);
    }
    MPII_T_unlock();
    if (!s)
        return MPI_T_ERR_INVALID_SESSION;
    *session = MPI_T_PVAR_SESSION_NULL;
    return MPI_SUCCESS;
}

int MPIR_T_pvar_handle_alloc_impl(MPI_T_pvar_session session, int pvar_index, void *obj_handle,
                                  MPI_T_pvar_handle *handle, int *count)
{
    (void) obj_handle; /* no variable is bound to an object */
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!in_range(pvar_index))
        return MPI_T_ERR_INVALID_INDEX;
    MPII_T_lock();
    const MPII_T_pvar_session *s = MPII_T_get(&MPII_T_pvar_session_pool, session);
    MPII_T_pvar_handle *h = s ? MPIR_Pool_alloc(&MPII_T_pvar_handle_pool) : NULL;
    if (h) {
        h->session = s;
        h->pvar = MPIR_pvar_table[pvar_index];
    }
    MPII_T_unlock();
    if (!h)
        return s ? MPI_T_ERR_OUT_OF_HANDLES : MPI_T_ERR_INVALID_SESSION;
    *handle = MPII_T_handle_of(&h->obj);
    *count = 1;
    return MPI_SUCCESS;
}

/* Find a handle of a session; the lock is held. */
static int find(MPI_T_pvar_session session, MPI_T_pvar_handle handle, MPII_T_pvar_handle **found)
{
    const MPII_T_pvar_session *s = MPII_T_get(&MPII_T_pvar_session_pool, session);

    if (!s)
        return MPI_T_ERR_INVALID_SESSION;
    MPII_T_pvar_handle *h = MPII_T_get(&MPII_T_pvar_handle_pool, handle);
    if (!h || h->session != s)
        return MPI_T_ERR_INVALID_HANDLE;
    *found = h;
    return MPI_SUCCESS;
}

int MPIR_T_pvar_handle_free_impl(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
    MPII_T_pvar_handle *h;

    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    MPII_T_lock();
    int rc = find(session, *handle, &h);
    if (rc == MPI_SUCCESS)
        MPIR_Pool_free(&MPII_T_pvar_handle_pool, h);
    MPII_T_unlock();
    if (rc == MPI_SUCCESS)
        *handle = MPI_T_PVAR_HANDLE_NULL;
    return rc;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void read_value(const MPIR_Pvar *pvar, void *buf)
{
    unsigned long long count;

    if (pvar->kind == MPIR_PVAR_KIND_TIMER) {
        double seconds = pvar->read_seconds();
        memcpy(buf, &seconds, sizeof(seconds));
        return;
    }
    count = pvar->read ? pvar->read() : __atomic_load_n(pvar->variable, __ATOMIC_RELAXED);
    memcpy(buf, &count, sizeof(count));
}

int MPIR_T_pvar_read_impl(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    MPII_T_pvar_handle *h = NULL;
    const MPIR_Pvar *pvar = NULL;

    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!buf)
        return MPI_T_ERR_INVALID;
    MPII_T_lock();
    int rc = find(session, handle, &h);
    if (rc == MPI_SUCCESS)
        pvar = h->pvar;
    MPII_T_unlock();
    if (pvar)
        read_value(pvar, buf); /* outside of the lock: it may take another one */
    return rc;
}

/* What a variable that always runs and is never written answers; handle may stand for all of the session's. */
static int refuse(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int answer)
{
    MPII_T_pvar_handle *h;

    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    MPII_T_lock();
    int rc = find(session, handle, &h);
    MPII_T_unlock();
    if (rc == MPI_T_ERR_INVALID_HANDLE && handle == MPI_T_PVAR_ALL_HANDLES)
        return MPI_SUCCESS;
    return rc == MPI_SUCCESS ? answer : rc;
}

int MPIR_T_pvar_start_impl(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return refuse(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP);
}

int MPIR_T_pvar_stop_impl(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return refuse(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP);
}

int MPIR_T_pvar_reset_impl(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return refuse(session, handle, MPI_T_ERR_PVAR_NO_WRITE);
}

/* Those two take no MPI_T_PVAR_ALL_HANDLES. */
static int refuse_one(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int answer)
{
    return handle == MPI_T_PVAR_ALL_HANDLES && MPII_T_is_active() ? MPI_T_ERR_INVALID_HANDLE
                                                                  : refuse(session, handle, answer);
}

int MPIR_T_pvar_write_impl(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf)
{
    (void) buf;
    return refuse_one(session, handle, MPI_T_ERR_PVAR_NO_WRITE);
}

int MPIR_T_pvar_readreset_impl(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    (void) buf;
    return refuse_one(session, handle, MPI_T_ERR_PVAR_NO_ATOMIC);
}
