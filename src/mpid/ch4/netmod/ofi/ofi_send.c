/* Messages out. */
#include "ofi_impl.h"

/* Head and protocol data at `to`; returns how many bytes they are. */
static size_t put_head(const MPIDI_Am *am, char *to)
{
    MPIDI_OFI_Head head = { .hdr = am->hdr };
    head.from = MPIDI_OFI.env->rank;
    memcpy(to, &head, sizeof(head));
    if (am->hdr.ext_size)
        memcpy(to + sizeof(head), am->ext, am->hdr.ext_size);
    return sizeof(head) + am->hdr.ext_size;
}

static size_t put_all(const MPIDI_Am *am, char *to)
{
    size_t n = put_head(am, to);
    if (am->data.size)
        MPIDI_data_copy(&am->data, 0, to + n, am->data.size);
    return n + am->data.size;
}

MPIDI_Send_result MPIDI_OFI_result(struct MPIDI_Ep *ep, ssize_t r)
{
    if (r == 0)
        return MPIDI_SEND_DONE;
    if (r == -FI_EAGAIN || r == -FI_EBUSY || r == -FI_ENOMEM)
        return MPIDI_SEND_AGAIN;
    MPIDI_OFI_break(ep, false);
    return MPIDI_SEND_GONE;
}

/* libfabric copies; there is no completion, so flushed() sends a marker after it. */
static MPIDI_Send_result inject(struct MPIDI_Ep *ep, const MPIDI_Am *am)
{
    char buf[MPIDI_OFI_INLINE_MAX];
    size_t n = put_all(am, buf);
    MPIDI_Send_result r = MPIDI_OFI_result(ep, fi_inject(MPIDI_OFI.ep, buf, n, ep->addr));
    ep->injected++;
    if (r == MPIDI_SEND_DONE && !ep->dirty) {
        ep->dirty = true;
        ep->next_dirty = MPIDI_OFI.dirty;
        MPIDI_OFI.dirty = ep;
    }
    return r;
}

/* We copy, and the core is done with the message. */
static MPIDI_Send_result send_copy(struct MPIDI_Ep *ep, const MPIDI_Am *am, bool big)
{
    MPIDI_OFI_Op *op = MPIDI_OFI_op_new(ep, MPIDI_OFI_OP_SEND, big);
    if (!op)
        return MPIDI_SEND_AGAIN;
    size_t n = put_all(am, op->buf);
    MPIDI_Send_result r = MPIDI_OFI_result(ep, fi_send(MPIDI_OFI.ep, op->buf, n, NULL, ep->addr, op));
    if (r != MPIDI_SEND_DONE)
        MPIDI_OFI_op_free(op);
    return r;
}

/* The payload stays where it is until it has gone. */
static MPIDI_Send_result send_in_place(struct MPIDI_Ep *ep, const MPIDI_Am *am)
{
    MPIDI_OFI_Op *op = MPIDI_OFI_op_new(ep, MPIDI_OFI_OP_SEND, false);
    if (!op)
        return MPIDI_SEND_AGAIN;
    op->complete = am->complete;
    op->complete_arg = am->complete_arg;
    struct iovec iov[2] = {
        { op->buf, put_head(am, op->buf) },
        { (void *) (uintptr_t) am->data.base, am->data.size },
    };
    ssize_t e = fi_sendv(MPIDI_OFI.ep, iov, NULL, 2, ep->addr, op);
    MPIDI_Send_result r = MPIDI_OFI_result(ep, e);
    if (r == MPIDI_SEND_DONE)
        return MPIDI_SEND_PENDING;
    MPIDI_OFI_op_free(op);
    return r;
}

MPIDI_Send_result MPIDI_OFI_send(MPIDI_Ep *ep, const MPIDI_Am *am)
{
    if (__builtin_expect(ep->state != MPIDI_OFI_READY, 0)) {
        MPIDI_OFI_Ep_state state = MPIDI_OFI_resolve(ep);
        if (state != MPIDI_OFI_READY)
            return state == MPIDI_OFI_NEW ? MPIDI_SEND_AGAIN : MPIDI_SEND_GONE;
    }
    size_t n = sizeof(MPIDI_OFI_Head) + am->hdr.ext_size + am->data.size;
    if (n <= MPIDI_OFI.inject_max && ep->injected < MPIDI_OFI_INJECTED_MAX)
        return inject(ep, am);
    if (ep->in_flight >= MPIDI_OFI.per_peer_max)
        return MPIDI_SEND_AGAIN;
    if (am->data.size >= MPIDI_OFI.zcopy_min && !am->data.pack && am->complete)
        return send_in_place(ep, am);
    return send_copy(ep, am, n > MPIDI_OFI_SMALL);
}

bool MPIDI_OFI_send_marker(struct MPIDI_Ep *ep)
{
    MPIDI_Am am = { .hdr = { .kind = 0 } };
    MPIDI_OFI_Op *op = MPIDI_OFI_op_new(ep, MPIDI_OFI_OP_SEND, false);
    if (!op)
        return false;
    struct iovec iov = { op->buf, put_head(&am, op->buf) };
    struct fi_msg msg = { .msg_iov = &iov, .iov_count = 1, .addr = ep->addr, .context = op };
    ssize_t r = fi_sendmsg(MPIDI_OFI.ep, &msg, FI_COMPLETION | FI_TRANSMIT_COMPLETE);
    if (MPIDI_OFI_result(ep, r) == MPIDI_SEND_DONE)
        return true;
    MPIDI_OFI_op_free(op);
    return false;
}
