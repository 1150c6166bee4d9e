/* MPI_Comm_free, MPI_Comm_disconnect. */
#include "comm_internal.h"
#include "mpid.h"
#include "mpir_bsend.h"
#include "mpir_impl.h"

int MPIR_Comm_free_impl(MPIR_Comm *comm)
{
    int ret = MPIR_Attr_delete_all(&comm->attrs, comm->obj.handle);
    if (!ret)
        ret = MPIR_Bsend_detach_at_free(&comm->bsend);
    if (ret)
        return ret;
    comm->freed = true; /* requests in flight keep it alive */
    MPIR_Comm_release(comm);
    return MPI_SUCCESS;
}

typedef struct Search {
    const MPIR_Comm *comm;
    MPIR_Request *found;
} Search;

static void match(void *object, void *arg)
{
    MPIR_Request *req = object;
    Search *search = arg;
    if (!search->found && req->comm == search->comm && !MPIR_Request_is_complete(req))
        search->found = req;
}

/* Only what is in flight counts: requests that the user has not waited for refer to the
 * communicator, too. */
static MPIR_Request *find_pending(const MPIR_Comm *comm)
{
    Search search = { .comm = comm };
    if (atomic_load_explicit(&comm->obj.ref, memory_order_relaxed) > 1)
        MPIR_Pool_each(&MPIR_Request_pool, match, &search);
    return search.found;
}

int MPIR_Comm_disconnect_impl(MPIR_Comm *comm)
{
    MPIR_Request *req;
    while ((req = find_pending(comm))) {
        MPIR_Object_add_ref(&req->obj);
        MPIR_Request_wait(req, MPI_STATUS_IGNORE); /* its error is its own user's */
        MPIR_Request_release(req);
    }
    return MPIR_Comm_free_impl(comm);
}
