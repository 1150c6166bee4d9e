/* Request objects: their pool, how they are made, completed, waited for and freed. */
#include <string.h>

#include "mpid.h"
#include "mpir_err.h"
#include "mpir_process.h"
#include "mpir_request.h"

MPIR_Request MPIR_Request_builtin[1] = { {
    .obj = { .handle = MPIR_REQUEST_COMPLETE_HANDLE, .ref = 1 },
    .kind = MPIR_REQUEST_OTHER,
    .status = { .MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG },
} };

MPIR_Pool MPIR_Request_pool =
    MPIR_POOL_INIT(MPIR_REQUEST, MPIR_Request, MPIR_Request_builtin, 1, false);

/* Lives with the epoch: requests not in use, not yet given back to the pool, so that the next one
 * need not be zeroed. */
static struct {
    MPIR_Request *head; /* linked through `next`; ref == 0, so their handles name nothing */
    int n;
} cache;

enum { CACHE_MAX = 256 };

void MPIR_Status_set_empty(MPI_Status *status)
{
    memset(status, 0, sizeof *status);
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
}

/* Requests and the communicators in them are counted under the library's lock, so plain loads and
 * stores do. */
static inline void comm_add_ref(MPIR_Comm *comm)
{
    int ref = atomic_load_explicit(&comm->obj.ref, memory_order_relaxed);
    atomic_store_explicit(&comm->obj.ref, ref + 1, memory_order_relaxed);
}

static inline void comm_release(MPIR_Comm *comm)
{
    int ref = atomic_load_explicit(&comm->obj.ref, memory_order_relaxed);
    if (MPL_LIKELY(ref > 1))
        atomic_store_explicit(&comm->obj.ref, ref - 1, memory_order_relaxed);
    else
        MPIR_Comm_release(comm);
}

static MPIR_Request *take(void)
{
    MPIR_Request *req = cache.head;
    if (MPL_UNLIKELY(!req))
        return MPIR_Pool_alloc(&MPIR_Request_pool);
    cache.head = req->next;
    cache.n--;
    atomic_store_explicit(&req->obj.ref, 1, memory_order_relaxed);
    return req;
}

MPIR_Request *MPIR_Request_create(MPIR_Request_kind kind, MPIR_Comm *comm)
{
    MPIR_Request *req = take();
    if (MPL_UNLIKELY(!req))
        return NULL;
    req->kind = kind;
    atomic_store_explicit(&req->pending, 1, memory_order_relaxed);
    MPIR_Status_set_empty(&req->status);
    req->comm = comm;
    req->on_complete = NULL;
    req->on_complete_arg = NULL;
    req->sched = NULL;
    req->next = NULL;
    req->dev.peer = NULL;
    req->dev.xfer = NULL;
    req->dev.state = 0;
    req->dev.dt_held = false;
    if (comm)
        comm_add_ref(comm);
    return req;
}

static void give_back(MPIR_Request *req)
{
    if (MPL_UNLIKELY(cache.n >= CACHE_MAX)) {
        MPIR_Pool_free(&MPIR_Request_pool, req);
        return;
    }
    atomic_store_explicit(&req->obj.ref, 0, memory_order_relaxed);
    req->next = cache.head;
    cache.head = req;
    cache.n++;
}

void MPIR_Request_release_last(MPIR_Request *req)
{
    if (MPL_UNLIKELY(req == MPIR_REQUEST_COMPLETE))
        return;
    if (req->comm)
        comm_release(req->comm);
    give_back(req);
}

void MPIR_Request_call_back(MPIR_Request *req)
{
    void (*call)(MPIR_Request *, void *) = req->on_complete;
    req->on_complete = NULL;
    call(req, req->on_complete_arg);
}

static bool is_complete(void *req)
{
    return MPIR_Request_is_complete(req);
}

int MPIR_Request_wait(MPIR_Request *req, MPI_Status *status)
{
    if (!MPIR_Request_is_complete(req)) {
        MPID_Wait wait = { .done = is_complete, .arg = req, .what = MPID_Request_describe };
        int err = MPID_Progress_wait(&wait);
        if (err)
            return err;
    }
    MPIR_Status_give(status, &req->status);
    return req->status.MPI_ERROR;
}

/* ---- end of an epoch ------------------------------------------------------------------------- */

/* What is still in flight is nobody's any more: the device lets go of it. A collective that still
 * runs belongs to the schedule engine, which frees it. */
static void drop(void *object, void *arg)
{
    MPIR_Request *req = object;
    (void) arg;
    bool complete = MPIR_Request_is_complete(req);
    if (req->kind == MPIR_REQUEST_COLL && !complete)
        return;
    if (!complete)
        MPID_Request_forget(req);
    if (req->comm)
        comm_release(req->comm);
    MPIR_Pool_free(&MPIR_Request_pool, req);
}

static void empty_cache(void)
{
    while (cache.head) {
        MPIR_Request *req = cache.head;
        cache.head = req->next;
        atomic_store_explicit(&req->obj.ref, 1, memory_order_relaxed); /* as the pool gave it */
        MPIR_Pool_free(&MPIR_Request_pool, req);
    }
    cache.n = 0;
}

void MPIR_Request_drop_all(void)
{
    empty_cache();
    MPIR_Pool_each(&MPIR_Request_pool, drop, NULL);
}
