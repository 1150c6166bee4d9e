/* Operations in flight: what libfabric may still read, and whom to tell when it is done. */
#include "ofi_impl.h"

#include <stdlib.h>

MPIDI_OFI_Op *MPIDI_OFI_op_make(size_t buf_size)
{
    MPIDI_OFI_Op *op = calloc(1, sizeof(*op) + buf_size);
    if (op)
        op->buf = (char *) (op + 1);
    return op;
}

static MPIDI_OFI_Op *make_for(MPIDI_OFI_Pool *pool)
{
    MPIDI_OFI_Op *op = MPIDI_OFI_op_make(pool->buf_size);
    if (op) {
        op->made = pool->made;
        pool->made = op;
    }
    return op;
}

MPIDI_OFI_Op *MPIDI_OFI_op_new(struct MPIDI_Ep *ep, MPIDI_OFI_Op_kind kind, bool big)
{
    MPIDI_OFI_Pool *pool = big ? &MPIDI_OFI.big : &MPIDI_OFI.small;
    if (pool->n >= pool->max)
        return NULL;
    MPIDI_OFI_Op *op = pool->free;
    if (op)
        pool->free = op->next;
    else if (!(op = make_for(pool)))
        return NULL;
    op->kind = kind;
    op->big = big;
    op->ep = ep;
    op->complete = NULL;
    op->read_complete = NULL;
    pool->n++;
    MPIDI_OFI.in_flight++;
    ep->in_flight++;
    return op;
}

/* Peers that are broken have been taken out of the sum. */
void MPIDI_OFI_op_free(MPIDI_OFI_Op *op)
{
    MPIDI_OFI_Pool *pool = op->big ? &MPIDI_OFI.big : &MPIDI_OFI.small;
    pool->n--;
    if (op->ep->state != MPIDI_OFI_BROKEN) {
        MPIDI_OFI.in_flight--;
        op->ep->in_flight--;
    }
    op->next = pool->free;
    pool->free = op;
}

static void drain(MPIDI_OFI_Pool *pool)
{
    while (pool->made) {
        MPIDI_OFI_Op *op = pool->made;
        pool->made = op->made;
        free(op);
    }
}

/* Also those that were in flight as the endpoint was closed. */
void MPIDI_OFI_pools_free(void)
{
    drain(&MPIDI_OFI.small);
    drain(&MPIDI_OFI.big);
}
