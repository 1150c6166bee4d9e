/* The codes of failed checks, and the checks that are too long to be inline. */
#include "binding.h"

int MPIR_Bad_state(void)
{
    int world = atomic_load(&MPIR_Process.world);
    int state = atomic_load(&MPIR_Process.state);
    if (world == MPIR_WORLD_NOT_YET && state == MPIR_STATE_COLD)
        return MPIR_Err("**inactive_before");
    return MPIR_Err("**inactive_after", world == MPIR_WORLD_FINALIZED ? "MPI_Finalize" : "MPI_Session_finalize");
}

int MPIR_Bad_null(const char *arg)
{
    return MPIR_Err("**null_pointer", arg);
}

/* Why a handle names no object, in words. */
static const char *reason(int handle, MPIR_Object_type type, int null)
{
    if (handle == null)
        return "the null handle";
    if (MPIR_HANDLE_TYPE(handle) != (unsigned) type)
        return "no handle of this type";
    return "freed, not in use now, or never valid";
}

int MPIR_Bad_comm(const char *arg, int handle)
{
    return MPIR_Err("**comm_handle", arg, (unsigned) handle, reason(handle, MPIR_COMM, MPI_COMM_NULL));
}

int MPIR_Bad_group(const char *arg, int handle)
{
    return MPIR_Err("**group_handle", arg, (unsigned) handle, reason(handle, MPIR_GROUP, MPI_GROUP_NULL));
}

int MPIR_Bad_session(const char *arg, int handle)
{
    return MPIR_Err("**session_handle", arg, (unsigned) handle,
                    reason(handle, MPIR_SESSION, MPI_SESSION_NULL));
}

int MPIR_Bad_info(const char *arg, int handle)
{
    return MPIR_Err("**info_handle", arg, (unsigned) handle, reason(handle, MPIR_INFO, MPI_INFO_NULL));
}

int MPIR_Bad_errhandler(const char *arg, int handle)
{
    return MPIR_Err("**errhandler_handle", arg, (unsigned) handle,
                    reason(handle, MPIR_ERRHANDLER, MPI_ERRHANDLER_NULL));
}

int MPIR_Bad_op(const char *arg, int handle)
{
    return MPIR_Err("**op_handle", arg, (unsigned) handle, reason(handle, MPIR_OP, MPI_OP_NULL));
}

int MPIR_Bad_datatype(const char *arg, int handle)
{
    return MPIR_Err("**type_handle", arg, (unsigned) handle, reason(handle, MPIR_DATATYPE, MPI_DATATYPE_NULL));
}

int MPIR_Bad_request(const char *arg, int index, int handle)
{
    const char *why = reason(handle, MPIR_REQUEST, MPI_REQUEST_NULL);
    if (index >= 0)
        return MPIR_Err("**request_handle_nth", arg, index, (unsigned) handle, why);
    return MPIR_Err("**request_handle", arg, (unsigned) handle, why);
}

int MPIR_Bad_count(const char *arg, long long count)
{
    return MPIR_Err("**count_negative", arg, count);
}

int MPIR_Bad_negative(const char *arg, long long value)
{
    return MPIR_Err("**arg_negative", arg, value);
}

int MPIR_Bad_rank(const char *arg, int rank, int size)
{
    return MPIR_Err("**rank_dest", arg, rank, size - 1);
}

int MPIR_Bad_source(const char *arg, int rank, int size)
{
    return MPIR_Err("**rank_source", arg, rank, size - 1);
}

int MPIR_Bad_root(const char *arg, int root, int size)
{
    return MPIR_Err("**rank_root", arg, root, size - 1);
}

int MPIR_Bad_tag(const char *arg, int tag)
{
    return MPIR_Err("**tag_send", arg, tag);
}

int MPIR_Bad_recv_tag(const char *arg, int tag)
{
    return MPIR_Err("**tag_recv", arg, tag);
}

int MPIR_Bad_alias(const char *arg1, const char *arg2)
{
    return MPIR_Err("**buffer_alias", arg1, arg2);
}

int MPIR_Bad_status(const char *arg)
{
    return MPIR_Err("**status_pointer", arg);
}

int MPIR_Bad_predefined_comm(const char *arg, int handle)
{
    return MPIR_Err("**comm_predefined", arg, handle == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
}

int MPIR_Check_derived(const char *arg, MPI_Datatype datatype, bool committed)
{
    MPIR_Datatype *d = MPIR_Datatype_get(datatype);
    if (!d || d->freed)
        return MPIR_Bad_datatype(arg, datatype);
    if (committed && !d->committed)
        return MPIR_Err("**type_uncommitted", arg, (unsigned) datatype);
    return MPI_SUCCESS;
}

int MPIR_Check_datatypes(const char *arg, MPI_Count n, const MPI_Datatype *datatypes)
{
    for (MPI_Count i = 0; i < n; i++) {
        int err = MPIR_Check_datatype(arg, datatypes[i]);
        if (err)
            return err;
    }
    return MPI_SUCCESS;
}

int MPIR_Check_odd_buffer(const char *arg, const void *buf, MPI_Count count, MPI_Datatype datatype)
{
    if (buf != NULL)
        return MPIR_Err("**buffer_in_place", arg);
    if (count > 0 && MPIR_Datatype_is_builtin(datatype))
        return MPIR_Err("**buffer_null", arg, (long long) count);
    return MPI_SUCCESS;
}

int MPIR_Check_requests(const char *arg, int n, const MPI_Request *handles, MPIR_Comm **comm)
{
    for (int i = 0; i < n; i++) {
        if (handles[i] == MPI_REQUEST_NULL)
            continue;
        MPIR_Request *req = MPIR_Request_get(handles[i]);
        if (MPL_UNLIKELY(!req))
            return MPIR_Bad_request(arg, i, handles[i]);
        if (!*comm)
            *comm = req->comm;
    }
    return MPI_SUCCESS;
}

int MPIR_Check_counts(const char *arg, MPI_Count n, const MPI_Count *counts)
{
    if (n > 0 && !counts)
        return MPIR_Bad_null(arg);
    for (MPI_Count i = 0; i < n; i++)
        if (counts[i] < 0)
            return MPIR_Err("**count_negative_nth", arg, (long long) i, (long long) counts[i]);
    return MPI_SUCCESS;
}

int MPIR_Check_fstatus(const char *arg, const MPI_Fint *status)
{
    if (status && status != MPI_F_STATUS_IGNORE && status != MPI_F_STATUSES_IGNORE)
        return MPI_SUCCESS;
    return MPIR_Bad_status(arg);
}

int MPIR_Check_string(const char *arg, const char *text, size_t max)
{
    if (!text)
        return MPIR_Bad_null(arg);
    size_t length = strnlen(text, max);
    return length < max ? MPI_SUCCESS : MPIR_Err("**string_long", arg, max - 1);
}

int MPIR_Check_not_predefined(const char *arg, MPI_Comm comm)
{
    if (MPIR_HANDLE_KIND(comm) == MPIR_HANDLE_BUILTIN)
        return MPIR_Bad_predefined_comm(arg, comm);
    return MPI_SUCCESS;
}

int MPIR_Check_no_large(MPI_Datatype datatype, MPI_Count n_large)
{
    return n_large == 0 ? MPI_SUCCESS : MPIR_Err("**type_large", (unsigned) datatype);
}

/* ---- wider copies ---------------------------------------------------------------------------------------- */

static int new_counts(const char *arg, MPI_Count n, const void *in, MPI_Count **out)
{
    *out = NULL;
    if (n == 0)
        return MPI_SUCCESS;
    if (!in)
        return MPIR_Bad_null(arg);
    *out = malloc((size_t) n * sizeof(**out));
    return *out ? MPI_SUCCESS : MPIR_Err("**nomem", (size_t) n * sizeof(**out));
}

int MPIR_Widen_ints(const char *arg, MPI_Count n, const int *in, MPI_Count **out)
{
    int err = new_counts(arg, n, in, out);
    for (MPI_Count i = 0; !err && i < n; i++)
        (*out)[i] = in[i];
    return err;
}

int MPIR_Widen_counts(const char *arg, MPI_Count n, const int *in, MPI_Count **out)
{
    int err = MPIR_Widen_ints(arg, n, in, out);
    return err ? err : MPIR_Check_counts(arg, n, *out);
}

int MPIR_Widen_aints(const char *arg, MPI_Count n, const MPI_Aint *in, MPI_Count **out)
{
    int err = new_counts(arg, n, in, out);
    for (MPI_Count i = 0; !err && i < n; i++)
        (*out)[i] = in[i];
    return err;
}
