/* Receives, probes, and the arrival of messages. */
#include <string.h>

#include "mpidi_core.h"
#include "mpir_err.h"

static MPIDI_Core *const core = &MPIDI_core;

int MPIDI_Truncate_error(MPI_Count bytes, MPI_Count room, const MPIDI_Key *key)
{
    return MPIR_Err("**truncate", key->src, key->tag, (long long) bytes, (long long) room);
}

/* Up to here a copy is best built in. */
enum { SHORT = 64 };

/* ---- a message meets its receive ------------------------------------------------------------- */

/* Copy an eager message to where it belongs and fill the status in; returns the receive's error. */
static inline int land(const MPIR_Buf *buf, MPI_Status *status, const MPIDI_Key *key,
                       const void *data, size_t size)
{
    if (MPL_LIKELY(size <= SHORT && buf->contiguous && (MPI_Count) size <= buf->bytes))
        MPL_copy_short(buf->base, data, size);
    else
        MPIDI_Buf_put(buf, 0, data, size);
    if (MPL_LIKELY((MPI_Count) size <= buf->bytes)) {
        MPIDI_Status_set(status, key, (MPI_Count) size);
        return MPI_SUCCESS;
    }
    MPIDI_Status_set(status, key, buf->bytes);
    return MPIDI_Truncate_error((MPI_Count) size, buf->bytes, key);
}

/* Give a stray to a receive request. */
static void give(MPIDI_Stray *u, MPIR_Request *req)
{
    MPIDI_Match_take(u);
    req->dev.state = MPIDI_REQ_MOVING;
    if (u->kind == MPIDI_AM_RTS) {
        MPIDI_Status_set(&req->status, &u->key, u->bytes);
        MPIDI_Handle handle = { .bytes = u->data, .size = u->handle_size };
        MPIDI_Xfer_accept(u->world_rank, &u->rts, &handle, req);
    } else if (u->stream) {
        MPIDI_Stream_hand_over(u->stream, req);
    } else {
        int err = land(&req->dev.buf, &req->status, &u->key, u->data, (size_t) u->bytes);
        if (u->kind == MPIDI_AM_EAGER_SYNC)
            MPIDI_Xfer_answer(u->world_rank, u->kind, u->rts.id);
        MPIDI_Request_finish(req, err);
    }
    MPIDI_Stray_free(u);
}

/* ---- receives -------------------------------------------------------------------------------- */

static inline MPIDI_Key pattern_of(const MPID_Msg *msg)
{
    return (MPIDI_Key) { .ctx = msg->comm->ctx | msg->ctx_bits, .src = msg->rank, .tag = msg->tag };
}

static inline MPIDI_Stray *find_stray(const MPIDI_Key *pattern)
{
    return MPL_LIKELY(core->match.n_strays == 0) ? NULL : MPIDI_Match_find(pattern);
}

/* Make req the request of this receive: the caller's reference and the device's. */
static inline void fill_request(MPIR_Request *req, const MPID_Msg *msg, const MPIDI_Key *pattern)
{
    atomic_store_explicit(&req->obj.ref, 2, memory_order_relaxed);
    req->dev.comm = msg->comm;
    req->dev.ctx = pattern->ctx;
    req->dev.src = pattern->src;
    req->dev.tag = pattern->tag;
    MPIDI_Buf_set(&req->dev.buf, msg);
    if (MPL_UNLIKELY(!MPIR_Datatype_is_builtin(msg->datatype))) {
        MPIR_Datatype_add_ref(msg->datatype);
        req->dev.dt_held = true;
    }
}

static inline void start(const MPID_Msg *msg, MPIR_Request *req)
{
    MPIDI_Key pattern = pattern_of(msg);
    fill_request(req, msg, &pattern);
    MPIDI_Stray *u = find_stray(&pattern);
    if (MPL_UNLIKELY(u != NULL))
        give(u, req);
    else
        MPIDI_Match_post(req);
}

static int no_request(void)
{
    return MPIR_Err("**nomem_ch4", sizeof(MPIR_Request), "a request");
}

int MPID_Irecv(const MPID_Msg *msg, MPIR_Request **req)
{
    MPIR_Request *r = MPIR_Request_create(MPIR_REQUEST_RECV, msg->comm);
    if (MPL_UNLIKELY(!r))
        return no_request();
    start(msg, r);
    *req = r;
    return MPI_SUCCESS;
}

/* ---- blocking receives ----------------------------------------------------------------------- */

/* A blocking receive keeps its request for the next one, as it was made, so that it need not be
 * made again. */
static inline MPIR_Request *take_spare(void)
{
    MPIR_Request *req = core->spare_recv;
    core->spare_recv = NULL;
    return MPL_LIKELY(req != NULL) ? req : MPIR_Request_create(MPIR_REQUEST_RECV, NULL);
}

/* The caller's reference is the last one, or the wait was given up. */
static inline void park_spare(MPIR_Request *req)
{
    if (MPL_UNLIKELY(core->spare_recv
                     || atomic_load_explicit(&req->obj.ref, memory_order_relaxed) != 1)) {
        MPIR_Request_release(req);
        return;
    }
    atomic_store_explicit(&req->pending, 1, memory_order_relaxed);
    req->status.MPI_ERROR = MPI_SUCCESS;
    core->spare_recv = req;
}

/* An eager message that is here already needs no request. */
static bool recv_now(const MPID_Msg *msg, MPI_Status *status, int *err)
{
    MPIDI_Key pattern = pattern_of(msg);
    MPIDI_Stray *u = find_stray(&pattern);
    if (!u || u->kind != MPIDI_AM_EAGER || u->stream)
        return false;
    MPIR_Buf buf;
    MPI_Status got = { 0 };
    MPIDI_Buf_set(&buf, msg);
    MPIDI_Match_take(u);
    *err = land(&buf, &got, &u->key, u->data, (size_t) u->bytes);
    MPIDI_Stray_free(u);
    MPIR_Status_give(status, &got);
    return true;
}

int MPID_Recv(const MPID_Msg *msg, MPI_Status *status)
{
    int err = MPI_SUCCESS;
    if (core->match.n_strays && recv_now(msg, status, &err))
        return err;
    MPIR_Request *req = take_spare();
    if (MPL_UNLIKELY(!req))
        return no_request();
    start(msg, req);
    err = MPIR_Request_wait(req, status);
    park_spare(req);
    return err;
}

int MPID_Cancel_recv(MPIR_Request *req)
{
    if (req->dev.state != MPIDI_REQ_POSTED)
        return MPI_SUCCESS; /* matched: it completes as if never cancelled */
    MPIDI_Match_unpost(req);
    MPIR_Status_set_cancelled_bit(&req->status, 1);
    MPIDI_Request_finish(req, MPI_SUCCESS);
    return MPI_SUCCESS;
}

/* ---- probes ---------------------------------------------------------------------------------- */

static bool probe_now(const MPID_Msg *msg, MPI_Status *status)
{
    MPIDI_Key pattern = pattern_of(msg);
    MPIDI_Stray *u = find_stray(&pattern);
    if (!u)
        return false;
    MPI_Status got = { 0 };
    MPIDI_Status_set(&got, &u->key, u->bytes);
    MPIR_Status_give(status, &got);
    return true;
}

int MPID_Iprobe(const MPID_Msg *pattern, int *flag, MPI_Status *status)
{
    bool found = probe_now(pattern, status);
    if (!found) {
        MPID_Progress_poll();
        found = probe_now(pattern, status);
    }
    *flag = found;
    return MPI_SUCCESS;
}

typedef struct Probe {
    const MPID_Msg *pattern;
    MPI_Status *status;
} Probe;

static bool probe_done(void *arg)
{
    const Probe *p = arg;
    return probe_now(p->pattern, p->status);
}

static void probe_what(void *arg, char *text, size_t size)
{
    const Probe *p = arg;
    MPIR_Request like = { .kind = MPIR_REQUEST_RECV };
    like.dev.comm = p->pattern->comm;
    like.dev.src = p->pattern->rank;
    like.dev.tag = p->pattern->tag;
    memcpy(text, "probe: ", MPL_MIN(size, sizeof "probe: "));
    if (size > sizeof "probe: ")
        MPID_Request_describe(&like, text + sizeof "probe: " - 1, size - (sizeof "probe: " - 1));
}

int MPID_Probe(const MPID_Msg *pattern, MPI_Status *status)
{
    Probe p = { .pattern = pattern, .status = status };
    if (probe_done(&p))
        return MPI_SUCCESS;
    MPID_Wait wait = { .done = probe_done, .arg = &p, .what = probe_what };
    return MPID_Progress_wait(&wait);
}

/* ---- arrival --------------------------------------------------------------------------------- */

static inline MPIDI_Key key_of(const MPIDI_Am_hdr *hdr)
{
    return (MPIDI_Key) { .ctx = hdr->ctx, .src = hdr->src, .tag = hdr->tag };
}

static MPIDI_Stray *new_stray(int world_rank, const MPIDI_Am_hdr *hdr, size_t n, MPI_Count bytes)
{
    MPIDI_Stray *u = MPIDI_Stray_new(n);
    u->key = key_of(hdr);
    u->kind = hdr->kind;
    u->world_rank = world_rank;
    u->bytes = bytes;
    u->stream = NULL;
    return u;
}

static void keep_eager(int world_rank, const MPIDI_Am_hdr *hdr, const void *ext,
                       const void *payload, size_t size)
{
    MPIDI_Stray *u = new_stray(world_rank, hdr, size, (MPI_Count) size);
    if (hdr->kind == MPIDI_AM_EAGER_SYNC)
        memcpy(&u->rts.id, ext, sizeof u->rts.id);
    if (size)
        memcpy(u->data, payload, size);
    MPIDI_Match_keep(u);
}

static void arrive_eager(int world_rank, const MPIDI_Am_hdr *hdr, const void *ext,
                         const void *payload, size_t size)
{
    MPIDI_Key key = key_of(hdr);
    MPIR_Request *req = MPIDI_Match_arrival(&key);
    if (MPL_UNLIKELY(!req)) {
        keep_eager(world_rank, hdr, ext, payload, size);
        return;
    }
    int err = land(&req->dev.buf, &req->status, &key, payload, size);
    if (hdr->kind == MPIDI_AM_EAGER_SYNC) {
        uint64_t id;
        memcpy(&id, ext, sizeof id);
        MPIDI_Xfer_answer(world_rank, hdr->kind, id);
    }
    MPIDI_Request_finish(req, err);
}

static void arrive_rts(int world_rank, const MPIDI_Am_hdr *hdr, const void *ext,
                       const MPIDI_Handle *handle)
{
    MPIDI_Rts rts;
    memcpy(&rts, ext, sizeof rts);
    MPI_Count bytes = (MPI_Count) (rts.size & MPIDI_RTS_BYTES_MASK);
    MPIDI_Key key = key_of(hdr);
    MPIR_Request *req = MPIDI_Match_arrival(&key);
    if (req) {
        MPIDI_Status_set(&req->status, &key, bytes);
        MPIDI_Xfer_accept(world_rank, &rts, handle, req);
        return;
    }
    MPIDI_Stray *u = new_stray(world_rank, hdr, handle->size, bytes);
    u->rts = rts;
    u->handle_size = (uint16_t) handle->size;
    if (handle->size)
        memcpy(u->data, handle->bytes, handle->size);
    MPIDI_Match_keep(u);
}

/* Least bytes of protocol data by kind. */
static const uint8_t ext_least[] = {
    [MPIDI_AM_EAGER] = 0,
    [MPIDI_AM_EAGER_SYNC] = sizeof(uint64_t),
    [MPIDI_AM_RTS] = sizeof(MPIDI_Rts),
    [MPIDI_AM_CTS] = sizeof(MPIDI_Cts),
    [MPIDI_AM_DATA] = sizeof(MPIDI_Piece),
    [MPIDI_AM_FIN] = sizeof(uint64_t),
    [MPIDI_AM_ACK] = sizeof(uint64_t),
    [MPIDI_AM_BOOT] = 0,
    [MPIDI_AM_STREAM] = sizeof(uint64_t),
    [MPIDI_AM_MORE] = 0,
};

static void deliver_other(int world_rank, const MPIDI_Am_hdr *hdr, const void *ext,
                          const void *payload, size_t size)
{
    if (hdr->kind == 0 || hdr->kind >= MPL_ARRAY_SIZE(ext_least)
        || hdr->ext_size < ext_least[hdr->kind]
        || (hdr->kind == MPIDI_AM_RTS && size > MPIDI_HANDLE_MAX)) {
        MPIR_Warn("dropped a malformed message of rank %d: kind %d with %d bytes of protocol data",
                  world_rank, hdr->kind, hdr->ext_size);
        return;
    }
    switch (hdr->kind) {
        case MPIDI_AM_EAGER_SYNC:
            arrive_eager(world_rank, hdr, ext, payload, size);
            break;
        case MPIDI_AM_RTS:
            arrive_rts(world_rank, hdr, ext, &(MPIDI_Handle) { .bytes = payload, .size = size });
            break;
        case MPIDI_AM_CTS:
            MPIDI_Xfer_cts(world_rank, ext);
            break;
        case MPIDI_AM_DATA:
            MPIDI_Xfer_data(world_rank, ext, payload, size);
            break;
        case MPIDI_AM_FIN:
        case MPIDI_AM_ACK:
            MPIDI_Xfer_fin(world_rank, ext);
            break;
        case MPIDI_AM_BOOT:
            MPIDI_Boot_arrive(world_rank, hdr, payload, size);
            break;
        case MPIDI_AM_STREAM:
            MPIDI_Stream_first(world_rank, hdr, ext, payload, size);
            break;
        case MPIDI_AM_MORE:
            MPIDI_Stream_more(world_rank, payload, size);
            break;
    }
}

void MPIDI_Deliver(int world_rank, const MPIDI_Am_hdr *hdr, const void *ext, const void *payload,
                   size_t size)
{
    if (MPL_LIKELY(hdr->kind == MPIDI_AM_EAGER))
        arrive_eager(world_rank, hdr, ext, payload, size);
    else
        deliver_other(world_rank, hdr, ext, payload, size);
}
