/* Sends: a pure function chooses the protocol, an array of senders carries it out. */
#include "mpidi_core.h"
#include "mpir_err.h"
#include "protocol.h"

static MPIDI_Core *const core = &MPIDI_core;

/* A send, built once. */
typedef struct Send {
    const MPID_Msg *msg;
    MPIDI_Peer *peer;
    MPIR_Buf buf;
    MPIDI_Am am;
} Send;

/* Make req the request of this send: the user's reference and the device's. */
static void fill_request(MPIR_Request *req, const Send *s)
{
    atomic_store_explicit(&req->obj.ref, 2, memory_order_relaxed);
    req->dev.comm = s->msg->comm;
    req->dev.ctx = s->am.hdr.ctx;
    req->dev.src = s->msg->rank;
    req->dev.tag = s->msg->tag;
    req->dev.buf = s->buf;
    req->dev.peer = s->peer;
    req->dev.state = MPIDI_REQ_MOVING;
    if (!MPIR_Datatype_is_builtin(s->buf.datatype)) {
        MPIR_Datatype_add_ref(s->buf.datatype);
        req->dev.dt_held = true;
    }
}

/* Nothing to pack, nothing that waits before it, no answer wanted, and the transport takes it as
 * it is: no request and no description of the message is needed. */
static inline bool send_short(const MPID_Msg *msg, MPIDI_Peer *peer)
{
    if (MPL_UNLIKELY(!MPIR_Datatype_is_builtin(msg->datatype) || msg->mode == MPID_SYNC
                     || peer->out_head || peer->gone))
        return false;
    size_t bytes = (size_t) msg->count * MPIR_Datatype_builtin_size(msg->datatype);
    MPIDI_Am_hdr hdr = { .ctx = msg->comm->ctx | msg->ctx_bits,
                         .src = msg->comm->rank,
                         .tag = msg->tag,
                         .kind = MPIDI_AM_EAGER };
    return peer->send_short(peer->ep, &hdr, msg->buf, bytes);
}

/* The request that completes an eager send which cannot be done at once. It is made beforehand,
 * since the transport must be told whom to call before it is known whether it will; most sends
 * leave it for the next one. */
static MPIR_Request *spare(void)
{
    if (MPL_UNLIKELY(!core->spare))
        core->spare = MPIR_Request_create(MPIR_REQUEST_SEND, NULL);
    return core->spare;
}

static int use_spare(const Send *s, MPIR_Request **req)
{
    MPIR_Request *r = core->spare;
    core->spare = NULL;
    r->comm = s->msg->comm;
    MPIR_Object_add_ref(&r->comm->obj);
    fill_request(r, s);
    *req = r;
    return MPI_SUCCESS;
}

static int send_eager(Send *s, MPIR_Request **req)
{
    s->am.complete = MPIDI_Request_sent;
    s->am.complete_arg = spare();
    if (MPL_UNLIKELY(!s->am.complete_arg))
        return MPIR_Err("**nomem_ch4", sizeof(MPIR_Request), "a request");
    MPIDI_Send_result r = MPIDI_Out_send(s->peer, &s->am, MPIDI_Request_fail);
    if (MPL_LIKELY(r == MPIDI_SEND_DONE)) {
        *req = NULL;
        return MPI_SUCCESS;
    }
    return r == MPIDI_SEND_GONE ? MPIDI_Peer_gone_error(s->peer) : use_spare(s, req);
}

static int send_by_xfer(Send *s, MPIR_Request **req,
                        int (*start)(MPIDI_Peer *, MPIDI_Am *, MPIR_Request *))
{
    MPIR_Request *r = MPIR_Request_create(MPIR_REQUEST_SEND, s->msg->comm);
    if (!r)
        return MPIR_Err("**nomem_ch4", sizeof *r, "a request");
    fill_request(r, s);
    int err = start(s->peer, &s->am, r);
    if (err) { /* both references go with it */
        MPIDI_Request_finish(r, err);
        MPIR_Request_release(r);
        return err;
    }
    *req = r;
    return MPI_SUCCESS;
}

static int send_eager_sync(Send *s, MPIR_Request **req)
{
    return send_by_xfer(s, req, MPIDI_Xfer_start_sync);
}

static int send_rndv(Send *s, MPIR_Request **req)
{
    return send_by_xfer(s, req, MPIDI_Xfer_start_rndv);
}

/* Most often all goes at once, and there is no request. */
static int send_stream(Send *s, MPIR_Request **req)
{
    MPIDI_Stream_out out = { .buf = &s->buf, .hdr = &s->am.hdr };
    MPIDI_Send_result r = MPIDI_Stream_send(s->peer, &out);
    if (MPL_LIKELY(r == MPIDI_SEND_DONE))
        return MPI_SUCCESS;
    if (r == MPIDI_SEND_GONE)
        return MPIDI_Peer_gone_error(s->peer);
    MPIR_Request *rest = MPIR_Request_create(MPIR_REQUEST_SEND, s->msg->comm);
    if (!rest)
        MPIR_Fatal("out of memory: %zu bytes for a message to rank %d that has begun", sizeof *rest,
                   s->peer->world_rank);
    fill_request(rest, s);
    *req = rest;
    MPIDI_Xfer_start_rest(s->peer, &out, rest);
    return MPI_SUCCESS;
}

static int (*const sender[])(Send *, MPIR_Request **) = {
    [MPIDI_PROTO_EAGER] = send_eager,
    [MPIDI_PROTO_STREAM] = send_stream,
    [MPIDI_PROTO_EAGER_SYNC] = send_eager_sync,
    [MPIDI_PROTO_RNDV] = send_rndv,
};

static const uint8_t kind_of[] = {
    [MPIDI_PROTO_EAGER] = MPIDI_AM_EAGER,
    [MPIDI_PROTO_STREAM] = MPIDI_AM_STREAM,
    [MPIDI_PROTO_EAGER_SYNC] = MPIDI_AM_EAGER_SYNC,
    [MPIDI_PROTO_RNDV] = MPIDI_AM_RTS,
};

static int send(const MPID_Msg *msg, MPIDI_Peer *peer, MPIR_Request **req)
{
    Send s;
    s.msg = msg;
    s.peer = peer;
    MPIDI_Buf_set(&s.buf, msg);
    MPIDI_Proto p = MPIDI_Proto_choose((uint64_t) s.buf.bytes, (MPID_Mode) msg->mode,
                                       &s.peer->sizes);
    s.am.hdr = (MPIDI_Am_hdr) { .ctx = msg->comm->ctx | msg->ctx_bits,
                                .src = msg->comm->rank,
                                .tag = msg->tag,
                                .kind = kind_of[p] };
    s.am.ext = NULL;
    s.am.data = MPIDI_Buf_data(&s.buf, 0, (size_t) s.buf.bytes);
    if (MPL_LIKELY(p == MPIDI_PROTO_EAGER))
        return send_eager(&s, req);
    return sender[p](&s, req);
}

int MPID_Isend(const MPID_Msg *msg, MPIR_Request **req)
{
    int err = MPI_SUCCESS;
    MPIDI_Peer *peer = MPIDI_Peer_of(msg->comm, msg->rank, &err);
    if (MPL_UNLIKELY(!peer))
        return err;
    *req = NULL;
    return MPL_LIKELY(send_short(msg, peer)) ? MPI_SUCCESS : send(msg, peer, req);
}

int MPID_Send(const MPID_Msg *msg)
{
    MPIR_Request *req = NULL;
    int err = MPI_SUCCESS;
    MPIDI_Peer *peer = MPIDI_Peer_of(msg->comm, msg->rank, &err);
    if (MPL_LIKELY(peer && send_short(msg, peer)))
        return MPI_SUCCESS;
    if (!err)
        err = send(msg, peer, &req);
    if (MPL_LIKELY(!req))
        return err;
    err = MPIR_Request_wait(req, MPI_STATUS_IGNORE);
    MPIR_Request_release(req);
    return err;
}
