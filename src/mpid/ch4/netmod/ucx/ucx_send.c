/* Messages out. */
#include "ucx_impl.h"

#include <stdlib.h>

size_t MPIDI_UCX_put_head(MPIDI_UCX_Op *op, const MPIDI_Am *am)
{
    MPIDI_UCX_Head head = { .hdr = am->hdr };
    head.from = MPIDI_UCX.env->rank;
    head.number = op->ep->number;
    memcpy(op->head, &head, sizeof(head));
    if (am->hdr.ext_size)
        memcpy(op->head + sizeof(head), am->ext, am->hdr.ext_size);
    return sizeof(head) + am->hdr.ext_size;
}

/* UCX lets a message go. It is free before its callback, which may start another. */
static void sent(void *request, ucs_status_t status, void *user_data)
{
    MPIDI_UCX_Op *op = user_data;
    struct MPIDI_Ep *ep = op->ep;
    void (*complete)(void *) = op->complete;
    void *arg = op->complete_arg;
    ucp_request_free(request);
    if (op->region)
        MPIDI_UCX_region_sent(op->region);
    else
        MPIDI_UCX_op_leave(op);
    MPIDI_UCX_op_free(op);
    if (MPIDI_UCX.closing)
        return;
    if (status != UCS_OK) {
        MPIDI_UCX_break(ep, true);
        MPIDI_UCX_tell(ep);
    }
    if (complete)
        complete(arg);
}

/* From now on flushed() has to look after this peer. */
static void mark_dirty(struct MPIDI_Ep *ep)
{
    ep->dirty = true;
    if (ep->listed)
        return;
    ep->listed = true;
    ep->next_unflushed = MPIDI_UCX.unflushed;
    MPIDI_UCX.unflushed = ep;
}

MPIDI_Send_result MPIDI_UCX_start(MPIDI_UCX_Op *op, size_t head_size, const void *data,
                                  size_t size)
{
    struct MPIDI_Ep *ep = op->ep;
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA
            | UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_MEMORY_TYPE,
        .cb.send = sent,
        .user_data = op,
        .memory_type = UCS_MEMORY_TYPE_HOST,
        .flags = op->region ? UCP_AM_SEND_FLAG_RNDV : UCP_AM_SEND_FLAG_EAGER,
    };
    void *request = ucp_am_send_nbx(ep->ep, MPIDI_UCX_AM_ID, op->head, head_size, data, size,
                                    &param);
    if (UCS_PTR_IS_ERR(request)) {
        MPIDI_UCX_op_free(op);
        MPIDI_UCX_break(ep, false);
        return MPIDI_SEND_GONE;
    }
    mark_dirty(ep);
    if (!request) {
        MPIDI_UCX_op_free(op);
        return MPIDI_SEND_DONE;
    }
    if (!op->region)
        MPIDI_UCX_op_enter(op);
    return MPIDI_SEND_PENDING;
}

/* What UCX is to read: the payload where it is, or a copy. NULL: no memory. */
static const void *source(MPIDI_UCX_Op *op, const MPIDI_Am *am)
{
    size_t n = am->data.size;
    if (n > MPIDI_UCX_COPY_MAX && !am->data.pack && am->complete) {
        op->complete = am->complete;
        op->complete_arg = am->complete_arg;
        return am->data.base;
    }
    void *to = op->data;
    if (n > MPIDI_UCX_COPY_MAX)
        to = op->copy = malloc(n);
    if (to && n > 0)
        MPIDI_data_copy(&am->data, 0, to, n);
    return to;
}

static MPIDI_Send_result send_eager(struct MPIDI_Ep *ep, const MPIDI_Am *am)
{
    MPIDI_UCX_Op *op = MPIDI_UCX_op_new(ep);
    const void *data = op ? source(op, am) : NULL;
    if (!data) {
        if (op)
            MPIDI_UCX_op_free(op);
        return MPIDI_SEND_AGAIN;
    }
    bool copied = !op->complete;
    size_t n = MPIDI_UCX_put_head(op, am);
    ep->number += am->hdr.kind != MPIDI_AM_DATA;
    MPIDI_Send_result r = MPIDI_UCX_start(op, n, data, am->data.size);
    return r == MPIDI_SEND_PENDING && copied ? MPIDI_SEND_DONE : r;
}

MPIDI_Send_result MPIDI_UCX_send(MPIDI_Ep *ep, const MPIDI_Am *am)
{
    if (__builtin_expect(ep->state != MPIDI_UCX_READY, 0)) {
        MPIDI_UCX_Ep_state state = MPIDI_UCX_resolve(ep);
        if (state != MPIDI_UCX_READY)
            return state == MPIDI_UCX_NEW ? MPIDI_SEND_AGAIN : MPIDI_SEND_GONE;
    }
    if (ep->in_flight >= MPIDI_UCX_OPS_MAX)
        return MPIDI_SEND_AGAIN;
    if (am->hdr.kind == MPIDI_AM_RTS && am->data.size > 0)
        return MPIDI_UCX_send_large(ep, am);
    return send_eager(ep, am);
}
