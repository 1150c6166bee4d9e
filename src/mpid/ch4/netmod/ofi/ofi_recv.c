/* Messages in. Buffers that take many messages each where the provider does that well (FI_MULTI_RECV), else one each. */
#include "ofi_impl.h"

#include <stdlib.h>

/* A buffer that cannot be posted now is kept for the next round of progress. */
static void post(MPIDI_OFI_Op *op)
{
    struct iovec iov = { op->buf, op->size };
    struct fi_msg msg = { .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = op };
    ssize_t r = fi_recvmsg(MPIDI_OFI.ep, &msg, MPIDI_OFI.multi_recv ? FI_MULTI_RECV : 0);
    if (r != 0)
        MPIDI_OFI.idle_recv[MPIDI_OFI.n_idle_recv++] = op;
}

bool MPIDI_OFI_recv_retry(void)
{
    int n = MPIDI_OFI.n_idle_recv;
    MPIDI_OFI.n_idle_recv = 0;
    MPIDI_OFI_Op *idle[MPIDI_OFI_RECV_SINGLE];
    memcpy(idle, MPIDI_OFI.idle_recv, (size_t) n * sizeof(idle[0]));
    for (int i = 0; i < n; i++)
        post(idle[i]);
    return MPIDI_OFI.n_idle_recv < n;
}

int MPIDI_OFI_recv_start(void)
{
    const bool multi = MPIDI_OFI.multi_recv;
    size_t size = multi ? 2 * MPIDI_OFI.message_max : MPIDI_OFI.message_max;
    int n = multi ? MPIDI_OFI_RECV_BUFFERS : MPIDI_OFI_RECV_SINGLE;
    for (int i = 0; i < n; i++) {
        MPIDI_OFI_Op *op = MPIDI_OFI_op_make(size);
        if (!op)
            return MPIDI_OFI.env->error("out of memory: %zu bytes for a receive buffer", size);
        op->kind = MPIDI_OFI_OP_RECV;
        op->size = size;
        MPIDI_OFI.recv[MPIDI_OFI.n_recv++] = op;
        post(op);
    }
    if (MPIDI_OFI.n_idle_recv == n)
        return MPIDI_OFI.env->error("libfabric takes no receive buffer of %zu bytes", size);
    return 0;
}

/* Where messages lie behind each other they are not aligned. */
static void deliver(const char *data, size_t n)
{
    MPIDI_OFI_Head head;
    if (n < sizeof(head))
        return;
    memcpy(&head, data, sizeof(head));
    size_t before = sizeof(head) + head.hdr.ext_size;
    if (head.hdr.kind == 0)
        return; /* a marker of flushed() */
    if (before > n || head.hdr.ext_size > MPIDI_AM_EXT_MAX || head.from < 0 || head.from >= MPIDI_OFI.env->size) {
        MPIDI_OFI.env->warn("dropped a message of %zu bytes that is none of this job's", n);
        return;
    }
    MPIDI_OFI.env->deliver(head.from, &head.hdr, data + sizeof(head), data + before, n - before);
}

void MPIDI_OFI_recv_done(MPIDI_OFI_Op *op, uint64_t flags, const char *data, size_t n)
{
    bool multi = MPIDI_OFI.multi_recv;
    if (flags & FI_RECV)
        deliver(multi ? data : op->buf, n);
    if (!multi || (flags & FI_MULTI_RECV))
        post(op);
}

/* The buffer came back without a message. */
void MPIDI_OFI_recv_failed(MPIDI_OFI_Op *op)
{
    post(op);
}
