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

void MPIDI_UCX_pool_free(void)
{
    while (MPIDI_UCX.free_ops) {
        MPIDI_UCX_Op *op = MPIDI_UCX.free_ops;
        MPIDI_UCX.free_ops = op->next;
        free(op);
    }
}
