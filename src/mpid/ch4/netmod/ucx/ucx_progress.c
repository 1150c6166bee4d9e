/* Progress, sleeping, and the last message of a process. */
#include "ucx_impl.h"

#include <poll.h>
#include <time.h>

uint64_t MPIDI_UCX_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

bool MPIDI_UCX_progress(void)
{
    bool moved = ucp_worker_progress(MPIDI_UCX.worker) != 0;
    if (__builtin_expect(MPIDI_UCX.broken != NULL, 0))
        moved |= MPIDI_UCX_close_broken();
    return moved;
}

/* ---- the last message ------------------------------------------------------------------------ */

#define LOOK_NS UINT64_C(500000000)

static void flush_done(void *request, ucs_status_t status, void *user_data)
{
    struct MPIDI_Ep *ep = user_data;
    ucp_request_free(request);
    ep->flushing = false;
    if (status != UCS_OK)
        MPIDI_UCX_break(ep, true);
}

static void start_flush(struct MPIDI_Ep *ep)
{
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb.send = flush_done,
        .user_data = ep,
    };
    void *request = ucp_ep_flush_nbx(ep->ep, &param);
    ep->dirty = false;
    if (UCS_PTR_IS_ERR(request))
        MPIDI_UCX_break(ep, true);
    else
        ep->flushing = request != NULL;
}

/* Is all that was sent to this peer out of the process's hands? */
static bool is_out(struct MPIDI_Ep *ep)
{
    if (ep->state == MPIDI_UCX_READY && ep->dirty && !ep->flushing)
        start_flush(ep);
    return ep->state != MPIDI_UCX_READY || (!ep->dirty && !ep->flushing && ep->in_flight == 0);
}

/* Nobody waits for what is on its way to a peer that is gone. */
static void look_for_gone(void)
{
    uint64_t now = MPIDI_UCX_now_ns();
    if (now - MPIDI_UCX.looked_at < LOOK_NS)
        return;
    MPIDI_UCX.looked_at = now;
    for (struct MPIDI_Ep *ep = MPIDI_UCX.unflushed; ep; ep = ep->next_unflushed)
        if (ep->state == MPIDI_UCX_READY && Netmod_life_is_gone(&ep->life, MPIDI_UCX.life_timeout))
            MPIDI_UCX_break(ep, true);
}

bool MPIDI_UCX_flushed(void)
{
    struct MPIDI_Ep **at = &MPIDI_UCX.unflushed;
    while (*at) {
        struct MPIDI_Ep *ep = *at;
        if (!is_out(ep)) {
            at = &ep->next_unflushed;
            continue;
        }
        ep->listed = false;
        *at = ep->next_unflushed;
    }
    if (!MPIDI_UCX.unflushed)
        return true;
    look_for_gone();
    return false;
}

/* ---- sleeping -------------------------------------------------------------------------------- */

/* Arming says no if something has come since the last progress, so no wake-up is lost. */
bool MPIDI_UCX_sleep_prepare(void)
{
    return !MPIDI_UCX.broken && ucp_worker_arm(MPIDI_UCX.worker) == UCS_OK;
}

void MPIDI_UCX_sleep(int64_t timeout_ns)
{
    struct pollfd p = { .fd = MPIDI_UCX.wait_fd, .events = POLLIN };
    struct timespec t = { .tv_sec = timeout_ns / 1000000000, .tv_nsec = timeout_ns % 1000000000 };
    ppoll(&p, 1, &t, NULL);
}

int MPIDI_UCX_wait_fd(void)
{
    return MPIDI_UCX.wait_fd;
}
