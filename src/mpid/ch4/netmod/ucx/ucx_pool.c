/* Messages that are being sent: a pool of what each needs until UCX lets it go. */
#include "ucx_impl.h"

#include <stdlib.h>

MPIDI_UCX_Op *MPIDI_UCX_op_new(struct MPIDI_Ep *ep)
{
    MPIDI_UCX_Op *op = MPIDI_UCX.free_ops;
    if (op)
        MPIDI_UCX.free_ops = op->next;
    else if (!(op = malloc(sizeof(*op))))
        return NULL;
    op->ep = ep;
    op->region = NULL;
    op->complete = NULL;
    op->copy = NULL;
    return op;
}

void MPIDI_UCX_op_free(MPIDI_UCX_Op *op)
{
    free(op->copy);
    op->next = MPIDI_UCX.free_ops;
    MPIDI_UCX.free_ops = op;
}

void MPIDI_UCX_op_enter(MPIDI_UCX_Op *op)
{
    struct MPIDI_Ep *ep = op->ep;
    op->prev = NULL;
    op->next = ep->ops;
    if (op->next)
        op->next->prev = op;
    ep->ops = op;
    ep->in_flight++;
}

void MPIDI_UCX_op_leave(MPIDI_UCX_Op *op)
{
    if (op->prev)
        op->prev->next = op->next;
    else
        op->ep->ops = op->next;
    if (op->next)
        op->next->prev = op->prev;
    op->ep->in_flight--;
}

void MPIDI_UCX_ops_give_up(struct MPIDI_Ep *ep)
{
    for (MPIDI_UCX_Op *op = ep->ops; op; op = op->next) {
        void (*complete)(void *) = op->complete;
        op->complete = NULL;
        if (complete)
            complete(op->complete_arg);
    }
}

void MPIDI_UCX_pool_free(void)
{
    while (MPIDI_UCX.free_ops) {
        MPIDI_UCX_Op *op = MPIDI_UCX.free_ops;
        MPIDI_UCX.free_ops = op->next;
        free(op);
    }
}
