/* What the generated bindings are made of: argument checks and the report of a failed call.
 *
 * A check returns MPI_SUCCESS or an error code. The checks on the way of a message are inline and predict success;
 * what makes the code of a failed check is out of line and cold (binding_check.c). Called by the bindings only.
 */
#ifndef BINDING_H_INCLUDED
#define BINDING_H_INCLUDED

#include <stdlib.h>
#include <string.h>

#include "mpi.h"
#include "mpir_impl.h"
#include "mpl.h"

#define MPIR_COLD __attribute__((cold, noinline))

/* The name that a program calls: weak, so that a profiling library can put its own function in front and call the
 * other one, PMPI_x. */
#define MPIR_WEAK_ALIAS(name) \
    extern __typeof__(P##name) name __attribute__((weak, alias("P" #name)))

/* ---- predefined handles (generated from mpi.h.in) ------------------------------------------------------- */

typedef struct MPIR_Handle_name {
    int handle;
    const char *name;
} MPIR_Handle_name;

extern const MPIR_Handle_name MPIR_handle_names[]; /* sorted by handle, as unsigned */
extern const int MPIR_n_handle_names;
/* By the low 8 bits of the handle; 0 where there is no such type. */
extern const MPI_Datatype MPIR_builtin_types[256];

/* ---- how a call ends that failed ------------------------------------------------------------------------- */

/* `call` is "MPI_Send(buf=%b, count=%d, ...)": the directives (binding_where.c) take the arguments. The code for the
 * user, if the error handler returns. */
MPIR_COLD int MPIR_Fail_none(int err, const char *call, ...);
MPIR_COLD int MPIR_Fail_comm(MPIR_Comm *comm, int err, const char *call, ...);
MPIR_COLD int MPIR_Fail_session(MPIR_Session *session, int err, const char *call, ...);
MPIR_COLD int MPIR_Fail_group(MPIR_Group *group, int err, const char *call, ...);
/* No session was made: the handler that it would have had. */
MPIR_COLD int MPIR_Fail_errhandler(MPIR_Errhandler *errhandler, int err, const char *call, ...);

/* ---- codes of failed checks ------------------------------------------------------------------------------ */

MPIR_COLD int MPIR_Bad_state(void);
MPIR_COLD int MPIR_Bad_null(const char *arg);
MPIR_COLD int MPIR_Bad_comm(const char *arg, int handle);
MPIR_COLD int MPIR_Bad_group(const char *arg, int handle);
MPIR_COLD int MPIR_Bad_session(const char *arg, int handle);
MPIR_COLD int MPIR_Bad_info(const char *arg, int handle);
MPIR_COLD int MPIR_Bad_errhandler(const char *arg, int handle);
MPIR_COLD int MPIR_Bad_op(const char *arg, int handle);
MPIR_COLD int MPIR_Bad_request(const char *arg, int index, int handle);
MPIR_COLD int MPIR_Bad_datatype(const char *arg, int handle);
MPIR_COLD int MPIR_Bad_count(const char *arg, long long count);
MPIR_COLD int MPIR_Bad_negative(const char *arg, long long value);
MPIR_COLD int MPIR_Bad_rank(const char *arg, int rank, int size);
MPIR_COLD int MPIR_Bad_source(const char *arg, int rank, int size);
MPIR_COLD int MPIR_Bad_root(const char *arg, int root, int size);
MPIR_COLD int MPIR_Bad_tag(const char *arg, int tag);
MPIR_COLD int MPIR_Bad_recv_tag(const char *arg, int tag);
MPIR_COLD int MPIR_Bad_alias(const char *arg1, const char *arg2);
MPIR_COLD int MPIR_Bad_status(const char *arg);
MPIR_COLD int MPIR_Bad_predefined_comm(const char *arg, int handle);

/* The unlikely half of a check. */
MPIR_COLD int MPIR_Check_derived(const char *arg, MPI_Datatype datatype, bool committed);
MPIR_COLD int MPIR_Check_odd_buffer(const char *arg, const void *buf, MPI_Count count, MPI_Datatype datatype);

/* ---- state and handles ----------------------------------------------------------------------------------- */

static inline int MPIR_Check_active(void)
{
    return MPL_LIKELY(MPIR_Is_active()) ? MPI_SUCCESS : MPIR_Bad_state();
}

static inline int MPIR_Check_comm(const char *arg, MPI_Comm handle, MPIR_Comm **comm)
{
    *comm = MPIR_Comm_get(handle);
    return MPL_LIKELY(*comm != NULL) ? MPI_SUCCESS : MPIR_Bad_comm(arg, handle);
}

static inline int MPIR_Check_group(const char *arg, MPI_Group handle, MPIR_Group **group)
{
    *group = MPIR_Group_get(handle);
    return MPL_LIKELY(*group != NULL) ? MPI_SUCCESS : MPIR_Bad_group(arg, handle);
}

static inline int MPIR_Check_session(const char *arg, MPI_Session handle, MPIR_Session **session)
{
    *session = MPIR_Session_get(handle);
    return MPL_LIKELY(*session != NULL) ? MPI_SUCCESS : MPIR_Bad_session(arg, handle);
}

static inline int MPIR_Check_info(const char *arg, MPI_Info handle, MPIR_Info **info)
{
    *info = MPIR_Info_get(handle);
    return MPL_LIKELY(*info != NULL) ? MPI_SUCCESS : MPIR_Bad_info(arg, handle);
}

/* MPI_INFO_NULL is as good as an info. */
static inline int MPIR_Check_info_or_null(const char *arg, MPI_Info handle, MPIR_Info **info)
{
    return handle == MPI_INFO_NULL ? MPI_SUCCESS : MPIR_Check_info(arg, handle, info);
}

static inline int MPIR_Check_errhandler(const char *arg, MPI_Errhandler handle, MPIR_Errhandler **eh)
{
    *eh = MPIR_Errhandler_get(handle);
    return MPL_LIKELY(*eh != NULL) ? MPI_SUCCESS : MPIR_Bad_errhandler(arg, handle);
}

static inline int MPIR_Check_op(const char *arg, MPI_Op op)
{
    return MPL_LIKELY(MPIR_Op_get(op) != NULL) ? MPI_SUCCESS : MPIR_Bad_op(arg, op);
}

/* Any datatype, committed or not. */
static inline int MPIR_Check_datatype(const char *arg, MPI_Datatype datatype)
{
    if (MPL_LIKELY(MPIR_builtin_types[datatype & 0xff] == datatype))
        return MPI_SUCCESS;
    return MPIR_Check_derived(arg, datatype, false);
}

static inline int MPIR_Check_committed(const char *arg, MPI_Datatype datatype)
{
    if (MPL_LIKELY(MPIR_builtin_types[datatype & 0xff] == datatype))
        return MPI_SUCCESS;
    return MPIR_Check_derived(arg, datatype, true);
}

int MPIR_Check_datatypes(const char *arg, MPI_Count n, const MPI_Datatype *datatypes);

/* The communicator of the request, if it has one, gets the errors of the call. */
static inline int MPIR_Check_request(const char *arg, MPI_Request handle, MPIR_Comm **comm)
{
    if (handle == MPI_REQUEST_NULL)
        return MPI_SUCCESS;
    MPIR_Request *req = MPIR_Request_get(handle);
    if (MPL_UNLIKELY(!req))
        return MPIR_Bad_request(arg, -1, handle);
    *comm = req->comm;
    return MPI_SUCCESS;
}

/* Where MPI_REQUEST_NULL is no request either. */
static inline int MPIR_Check_live_request(const char *arg, MPI_Request handle, MPIR_Comm **comm)
{
    if (MPL_UNLIKELY(handle == MPI_REQUEST_NULL))
        return MPIR_Bad_request(arg, -1, handle);
    return MPIR_Check_request(arg, handle, comm);
}

int MPIR_Check_requests(const char *arg, int n, const MPI_Request *handles, MPIR_Comm **comm);

/* A communicator that a request named before the call may be gone after it; its memory never is. */
static inline MPIR_Comm *MPIR_Comm_if_alive(MPIR_Comm *comm)
{
    return comm && atomic_load_explicit(&comm->obj.ref, memory_order_relaxed) > 0 ? comm : NULL;
}

/* ---- other arguments ------------------------------------------------------------------------------------- */

static inline int MPIR_Check_pointer(const char *arg, const void *p)
{
    return MPL_LIKELY(p != NULL) ? MPI_SUCCESS : MPIR_Bad_null(arg);
}

/* An array may be NULL if it has no elements. */
static inline int MPIR_Check_array(const char *arg, MPI_Count n, const void *p)
{
    return MPL_LIKELY(p != NULL || n <= 0) ? MPI_SUCCESS : MPIR_Bad_null(arg);
}

static inline int MPIR_Check_count(const char *arg, MPI_Count count)
{
    return MPL_LIKELY(count >= 0) ? MPI_SUCCESS : MPIR_Bad_count(arg, count);
}

int MPIR_Check_counts(const char *arg, MPI_Count n, const MPI_Count *counts);

static inline int MPIR_Check_nonneg(const char *arg, long long value)
{
    return MPL_LIKELY(value >= 0) ? MPI_SUCCESS : MPIR_Bad_negative(arg, value);
}

/* A rank or MPI_PROC_NULL (-1): one comparison. */
static inline int MPIR_Check_dest(const char *arg, int rank, const MPIR_Comm *comm)
{
    _Static_assert(MPI_PROC_NULL == -1 && MPI_ANY_SOURCE == -2, "ranges of ranks are tested in one go");
    if (MPL_LIKELY((unsigned) rank + 1u <= (unsigned) comm->size))
        return MPI_SUCCESS;
    return MPIR_Bad_rank(arg, rank, comm->size);
}

/* A rank, MPI_PROC_NULL or MPI_ANY_SOURCE (-2). */
static inline int MPIR_Check_source(const char *arg, int rank, const MPIR_Comm *comm)
{
    if (MPL_LIKELY((unsigned) rank + 2u <= (unsigned) comm->size + 1u))
        return MPI_SUCCESS;
    return MPIR_Bad_source(arg, rank, comm->size);
}

static inline int MPIR_Check_root(const char *arg, int root, const MPIR_Comm *comm)
{
    if (MPL_LIKELY((unsigned) root < (unsigned) comm->size))
        return MPI_SUCCESS;
    return MPIR_Bad_root(arg, root, comm->size);
}

/* MPI_TAG_UB is INT_MAX. */
static inline int MPIR_Check_tag(const char *arg, int tag)
{
    return MPL_LIKELY(tag >= 0) ? MPI_SUCCESS : MPIR_Bad_tag(arg, tag);
}

static inline int MPIR_Check_recv_tag(const char *arg, int tag)
{
    _Static_assert(MPI_ANY_TAG == -1, "tags of receives are tested in one go");
    return MPL_LIKELY(tag >= MPI_ANY_TAG) ? MPI_SUCCESS : MPIR_Bad_recv_tag(arg, tag);
}

/* NULL is a buffer only of no items, or of a derived type (MPI_BOTTOM); MPI_IN_PLACE where a call knows it was
 * sorted out before. */
static inline int MPIR_Check_buffer(const char *arg, const void *buf, MPI_Count count, MPI_Datatype datatype)
{
    _Static_assert((uintptr_t) -1 + 1 == 0, "NULL and MPI_IN_PLACE are tested in one go");
    if (MPL_LIKELY((uintptr_t) buf + 1u > 1u))
        return MPI_SUCCESS;
    return MPIR_Check_odd_buffer(arg, buf, count, datatype);
}

static inline int MPIR_Check_distinct(const char *arg1, const void *buf1, const char *arg2, const void *buf2,
                                      MPI_Count count)
{
    if (MPL_LIKELY(buf1 != buf2 || count == 0 || buf1 == NULL))
        return MPI_SUCCESS;
    return MPIR_Bad_alias(arg1, arg2);
}

/* A status that is read or filled in, so not MPI_STATUS_IGNORE. */
static inline int MPIR_Check_status(const char *arg, const MPI_Status *status)
{
    if (MPL_LIKELY(status != NULL && status != MPI_STATUS_IGNORE))
        return MPI_SUCCESS;
    return MPIR_Bad_status(arg);
}

int MPIR_Check_fstatus(const char *arg, const MPI_Fint *status);
/* A string of fewer than max characters. */
int MPIR_Check_string(const char *arg, const char *text, size_t max);
int MPIR_Check_not_predefined(const char *arg, MPI_Comm comm);

static inline bool MPIR_At_root(const MPIR_Comm *comm, int root)
{
    return comm->rank == root;
}

/* ---- int and MPI_Aint to MPI_Count and back --------------------------------------------------------------- */

/* A copy in a wider type, which the caller frees; NULL for n == 0. _counts: also checks that none is negative. */
int MPIR_Widen_counts(const char *arg, MPI_Count n, const int *in, MPI_Count **out);
int MPIR_Widen_ints(const char *arg, MPI_Count n, const int *in, MPI_Count **out);
int MPIR_Widen_aints(const char *arg, MPI_Count n, const MPI_Aint *in, MPI_Count **out);

/* MPI_UNDEFINED stands for what does not fit. */
static inline int MPIR_Narrow_int(MPI_Count n)
{
    return n == (int) n ? (int) n : MPI_UNDEFINED;
}

static inline MPI_Aint MPIR_Narrow_aint(MPI_Count n)
{
    return n == (MPI_Aint) n ? (MPI_Aint) n : MPI_UNDEFINED;
}

/* The plain form cannot tell of large counts (MPI-5.0 5.1.13). */
int MPIR_Check_no_large(MPI_Datatype datatype, MPI_Count n_large);

#endif /* BINDING_H_INCLUDED */
