/* Requests: what is in flight. Pooled; they belong to the epoch. */
#ifndef MPIR_REQUEST_H_INCLUDED
#define MPIR_REQUEST_H_INCLUDED

#include "mpi.h"
#include "mpir_comm.h"
#include "mpir_handle.h"

struct MPIR_Sched;

typedef enum MPIR_Request_kind {
    MPIR_REQUEST_SEND,
    MPIR_REQUEST_RECV,
    MPIR_REQUEST_COLL,
    MPIR_REQUEST_OTHER, /* iflush and the like: completes, has an empty status */
} MPIR_Request_kind;

typedef struct MPIR_Request MPIR_Request;

/* Where the data of a message is. */
typedef struct MPIR_Buf {
    char *base; /* contiguous: of the first byte of data; else the user's buffer */
    MPI_Count count;
    MPI_Count bytes; /* of data */
    MPI_Datatype datatype;
    bool contiguous;
} MPIR_Buf;

/* References: one for the user's handle (or the blocking call), one held by the device or the schedule engine until
 * it is done with the object. Complete when pending == 0; status is valid from then on. */
struct MPIR_Request {
    MPIR_Object obj;
    MPIR_Request_kind kind;
    _Atomic int pending;
    MPI_Status status; /* of a receive; MPI_ERROR is the request's error code for all kinds */
    MPIR_Comm *comm; /* a counted reference, or NULL */
    void (*on_complete)(MPIR_Request *, void *arg); /* called once, when pending reaches 0; or NULL */
    void *on_complete_arg;
    struct MPIR_Sched *sched; /* of MPIR_REQUEST_COLL */
    MPIR_Request *next; /* free for the layer that owns it while in flight */
    /* ---- the device's part (ch4/core) ---- */
    struct {
        MPIR_Request *next, *prev; /* posted receives of one pattern */
        uint64_t order; /* of posting, to keep the standard's order among wildcards */
        uint64_t ctx;
        int32_t src, tag; /* pattern of a receive; of a send its destination and tag */
        MPIR_Buf buf;
        MPIR_Comm *comm; /* without a reference of its own: a blocking call has the caller's */
        struct MPIDI_Peer *peer; /* of a send */
        struct MPIDI_Xfer *xfer; /* while more than one active message is needed */
        uint8_t state; /* MPIDI_Request_state */
        bool dt_held; /* a reference to the datatype is held */
    } dev;
};

extern MPIR_Pool MPIR_Request_pool;
extern MPIR_Request MPIR_Request_builtin[1]; /* [0]: complete for ever, empty status; for sends that are done */
#define MPIR_REQUEST_COMPLETE (&MPIR_Request_builtin[0])
#define MPIR_REQUEST_COMPLETE_HANDLE MPIR_HANDLE_MAKE_BUILTIN(MPIR_REQUEST, 0)

static inline MPIR_Request *MPIR_Request_get(int handle)
{
    if (handle == MPIR_REQUEST_COMPLETE_HANDLE)
        return MPIR_REQUEST_COMPLETE;
    return MPIR_Pool_get_made(&MPIR_Request_pool, handle, MPIR_REQUEST, sizeof(MPIR_Request));
}

/* A request of one reference, pending = 1, empty status; comm (may be NULL) gains a reference. NULL when out of
 * memory. */
MPIR_Request *MPIR_Request_create(MPIR_Request_kind kind, MPIR_Comm *comm);

/* Let one reference go; frees with the last. The predefined one is never freed. Requests are counted under the
 * library's lock, so plain loads and stores do. */
void MPIR_Request_release_last(MPIR_Request *req);
static inline void MPIR_Request_release(MPIR_Request *req)
{
    int ref = atomic_load_explicit(&req->obj.ref, memory_order_relaxed);
    if (MPL_LIKELY(ref > 1))
        atomic_store_explicit(&req->obj.ref, ref - 1, memory_order_relaxed);
    else
        MPIR_Request_release_last(req);
}

static inline bool MPIR_Request_is_complete(const MPIR_Request *req)
{
    return atomic_load_explicit(&req->pending, memory_order_acquire) == 0;
}

/* One part of the request is done; the last part runs on_complete. Only under the library's lock; the release store is
 * for waiters that look without it. */
void MPIR_Request_call_back(MPIR_Request *req);
static inline void MPIR_Request_complete(MPIR_Request *req)
{
    int left = atomic_load_explicit(&req->pending, memory_order_relaxed) - 1;
    atomic_store_explicit(&req->pending, left, memory_order_release);
    if (MPL_UNLIKELY(req->on_complete != NULL) && left == 0)
        MPIR_Request_call_back(req);
}

/* Wait for req (progress included); returns its error code. Does not release it. */
int MPIR_Request_wait(MPIR_Request *req, MPI_Status *status);

/* End of an epoch: free every request that the user left behind. */
void MPIR_Request_drop_all(void);

/* Fields of a status (MPICH ABI layout). */
void MPIR_Status_set_empty(MPI_Status *status);
/* Hand a status to the user (or MPI_STATUS_IGNORE). Leaves the error field as it was: only calls that return
 * several statuses set it (MPI-5.0 3.2.5). */
static inline void MPIR_Status_give(MPI_Status *to, const MPI_Status *from)
{
    if (to == MPI_STATUS_IGNORE)
        return;
    to->count_lo = from->count_lo;
    to->count_hi_and_cancelled = from->count_hi_and_cancelled;
    to->MPI_SOURCE = from->MPI_SOURCE;
    to->MPI_TAG = from->MPI_TAG;
}
static inline void MPIR_Status_set_count(MPI_Status *s, MPI_Count bytes)
{
    s->count_lo = (int) (uint32_t) bytes;
    s->count_hi_and_cancelled =
        (int) (((uint32_t) (bytes >> 32) << 1) | ((unsigned) s->count_hi_and_cancelled & 1u));
}
static inline MPI_Count MPIR_Status_count(const MPI_Status *s)
{
    return (MPI_Count) (uint32_t) s->count_lo
        | ((MPI_Count) ((uint32_t) s->count_hi_and_cancelled >> 1) << 32);
}
static inline void MPIR_Status_set_cancelled_bit(MPI_Status *s, int flag)
{
    s->count_hi_and_cancelled = (s->count_hi_and_cancelled & ~1) | (flag ? 1 : 0);
}

#endif /* MPIR_REQUEST_H_INCLUDED */
