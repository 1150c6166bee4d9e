/* MPI_Comm_dup and its kin. Hints are not copied (MPI-5.0 7.4.2); only the _with_info forms set
 * them. */
#include "comm_internal.h"
#include "mpir_impl.h"

/* What a copy takes over besides group, session and error handler. */
static int take_over(MPIR_Comm *comm, const MPIR_Info *info, MPIR_Comm *copy)
{
    int ret = MPIR_Attr_copy_all(comm->attrs, comm->obj.handle, &copy->attrs);
    return ret ? ret : MPII_Comm_apply_info(copy, info);
}

/* Take back a copy that is not going to be handed out. */
static int discard(MPIR_Comm *copy, int ret)
{
    MPIR_Attr_delete_all(&copy->attrs, copy->obj.handle);
    MPIR_Comm_release(copy);
    return ret;
}

int MPIR_Comm_dup_with_info_impl(MPIR_Comm *comm, MPIR_Info *info, MPIR_Comm **newcomm)
{
    MPIR_Comm *copy;
    MPIR_Sched *s = MPIR_Sched_create(comm);
    MPIR_Sched_name(s, "MPI_Comm_dup");
    int ret = MPII_Comm_make(s, comm, comm->group, &copy);
    if (ret)
        return ret;
    ret = take_over(comm, info, copy);
    if (ret)
        return discard(copy, ret);
    *newcomm = copy;
    return MPI_SUCCESS;
}

int MPIR_Comm_dup_impl(MPIR_Comm *comm, MPIR_Comm **newcomm)
{
    return MPIR_Comm_dup_with_info_impl(comm, NULL, newcomm);
}

/* ---- nonblocking: the object is there at once, its id comes later ---------------------------- */

static int activate(void *comm)
{
    return MPII_Comm_activate(comm);
}

static int start_dup(MPIR_Comm *comm, MPIR_Comm *copy, MPIR_Request **request)
{
    MPIR_Sched *s = MPIR_Sched_create(comm);
    MPIR_Sched_name(s, "MPI_Comm_idup");
    MPII_Comm_share_id(s, comm, comm->group, &copy->ctx);
    MPIR_Sched_fence(s);
    MPIR_Sched_call(s, activate, copy);
    int ret = MPIR_Sched_start(s, request);
    if (ret)
        copy->ctx = 0; /* the device has not heard of it */
    return ret;
}

int MPIR_Comm_idup_with_info_impl(MPIR_Comm *comm, MPIR_Info *info, MPIR_Comm **newcomm,
                                  MPIR_Request **request)
{
    MPIR_Comm *copy;
    int ret = MPII_Comm_alloc(comm->group, comm, &copy);
    if (ret)
        return ret;
    ret = take_over(comm, info, copy);
    if (!ret)
        ret = start_dup(comm, copy, request);
    if (ret)
        return discard(copy, ret);
    *newcomm = copy;
    return MPI_SUCCESS;
}

int MPIR_Comm_idup_impl(MPIR_Comm *comm, MPIR_Comm **newcomm, MPIR_Request **request)
{
    return MPIR_Comm_idup_with_info_impl(comm, NULL, newcomm, request);
}
