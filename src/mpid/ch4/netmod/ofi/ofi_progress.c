/* Completions, sleeping, and the last message of a process. */
#include "ofi_impl.h"

#include <poll.h>
#include <time.h>

static MPIDI_OFI_Op *op_of(void *context)
{
    return context; /* its first member is libfabric's context */
}

/* ---- completions ------------------------------------------------------------------------------- */

/* The operation is free before its callback, which may start another. */
static void finish(MPIDI_OFI_Op *op, bool ok)
{
    MPIDI_OFI_Op o = *op;
    MPIDI_OFI_op_free(op);
    if (o.kind == MPIDI_OFI_OP_SEND)
        o.ep->injected = 0;
    if (o.kind == MPIDI_OFI_OP_READ)
        o.read_complete(o.complete_arg, ok);
    else if (o.complete)
        o.complete(o.complete_arg);
}

static void handle(const struct fi_cq_data_entry *e)
{
    MPIDI_OFI_Op *op = op_of(e->op_context);
    if (op->kind == MPIDI_OFI_OP_RECV)
        MPIDI_OFI_recv_done(op, e->flags, e->buf, e->len);
    else
        finish(op, true);
}

/* Whatever failed towards a peer: it cannot be sent to any more. A read may fail for its own reasons, and is then made up for. */
static void handle_error(void)
{
    struct fi_cq_err_entry e = { .err_data_size = 0 };
    if (fi_cq_readerr(MPIDI_OFI.cq, &e, 0) != 1 || !e.op_context)
        return;
    MPIDI_OFI_Op *op = op_of(e.op_context);
    if (op->kind == MPIDI_OFI_OP_RECV) {
        if (e.err != FI_ECANCELED)
            MPIDI_OFI_recv_failed(op);
        return;
    }
    if (op->kind == MPIDI_OFI_OP_SEND)
        MPIDI_OFI_break(op->ep, true);
    finish(op, false);
}

bool MPIDI_OFI_progress(void)
{
    struct fi_cq_data_entry e[MPIDI_OFI_BATCH];
    ssize_t n = fi_cq_read(MPIDI_OFI.cq, e, MPIDI_OFI_BATCH);
    if (n == -FI_EAVAIL) {
        handle_error();
        return true;
    }
    for (ssize_t i = 0; i < n; i++)
        handle(&e[i]);
    if (__builtin_expect(MPIDI_OFI.n_idle_recv > 0, 0))
        n += MPIDI_OFI_recv_retry();
    return n > 0;
}

/* ---- the last message -------------------------------------------------------------------------- */

#define LOOK_NS UINT64_C(500000000)

/* Nobody waits for what is on its way to a peer that is gone. */
static void look_for_gone(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t now = (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
    if (now - MPIDI_OFI.looked_at < LOOK_NS)
        return;
    MPIDI_OFI.looked_at = now;
    for (struct MPIDI_Ep *ep = MPIDI_OFI.all; ep; ep = ep->next)
        if ((ep->in_flight > 0 || ep->dirty) && ep->state == MPIDI_OFI_READY
            && Netmod_life_is_gone(&ep->life, MPIDI_OFI.life_timeout))
            MPIDI_OFI_break(ep, true);
}

/* Where something was injected since, a marker follows it, whose completion we can wait for. */
static void send_markers(void)
{
    struct MPIDI_Ep **at = &MPIDI_OFI.dirty;
    while (*at) {
        struct MPIDI_Ep *ep = *at;
        if (ep->state == MPIDI_OFI_READY && !MPIDI_OFI_send_marker(ep) && ep->state == MPIDI_OFI_READY) {
            at = &ep->next_dirty;
            continue;
        }
        ep->dirty = false;
        *at = ep->next_dirty;
    }
}

bool MPIDI_OFI_flushed(void)
{
    send_markers();
    if (!MPIDI_OFI.dirty && MPIDI_OFI.in_flight == 0)
        return true;
    look_for_gone();
    return false;
}

/* ---- sleeping ---------------------------------------------------------------------------------- */

bool MPIDI_OFI_sleep_prepare(void)
{
    return fi_trywait(MPIDI_OFI.fabric, MPIDI_OFI.fids, 1) == FI_SUCCESS;
}

void MPIDI_OFI_sleep(int64_t timeout_ns)
{
    struct pollfd p = { .fd = MPIDI_OFI.wait_fd, .events = POLLIN };
    struct timespec t = { .tv_sec = timeout_ns / 1000000000, .tv_nsec = timeout_ns % 1000000000 };
    ppoll(&p, 1, &t, NULL);
}

int MPIDI_OFI_wait_fd(void)
{
    return MPIDI_OFI.wait_fd;
}
