/* MPI_Reduce. Both algorithms are one tree; they differ in who is its root and in whether order is
 * kept. */
#include "coll_internal.h"

/* This rank's contribution, in a place where results may be accumulated. */
static void *begin_with_own(MPIR_Sched *s, const MPII_Coll *c, void *result)
{
    if (c->sendbuf != MPI_IN_PLACE)
        MPII_Copy_items(s, c->sendbuf, result, c->recvcount, c->recvtype);
    return result;
}

/* Relative rank r gathers from r + 1, 2, 4 ... up to its lowest bit and passes the result to r
 * without that bit. What comes from r + 2^k covers the ranks right after those that r has already,
 * so "mine op theirs" keeps the order; in that case the result is in the buffer that was received.
 * Returns where the result is. */
static void *reduce_up(MPIR_Sched *s, const MPII_Coll *c, int root, void *mine, bool ordered)
{
    int size = c->comm->size, relative = MPII_Relative(c->comm->rank, root, size);
    void *theirs = NULL;
    for (long long bit = 1; bit < size; bit *= 2) {
        if (relative & bit) {
            int parent = MPII_Absolute((int) (relative - bit), root, size);
            MPIR_Sched_send(s, mine, c->recvcount, c->recvtype, parent);
            break;
        }
        if (relative + bit >= size)
            continue;
        if (!theirs)
            theirs = MPII_Scratch(s, c->recvcount, c->recvtype);
        int child = MPII_Absolute((int) (relative + bit), root, size);
        MPIR_Sched_recv(s, theirs, c->recvcount, c->recvtype, child);
        MPIR_Sched_fence(s);
        MPIR_Sched_reduce(s, ordered ? mine : theirs, ordered ? theirs : mine, c->recvcount,
                          c->recvtype, c->op);
        if (ordered) {
            void *swap = mine;
            mine = theirs;
            theirs = swap;
        }
    }
    return mine;
}

void MPII_Reduce_binomial(MPIR_Sched *s, const MPII_Coll *c)
{
    bool is_root = c->comm->rank == c->root;
    int relative = MPII_Relative(c->comm->rank, c->root, c->comm->size);
    void *mine = c->recvbuf;
    if (!is_root && (relative & 1))
        mine = (void *) c->sendbuf; /* a leaf: sends what it has */
    else
        mine = begin_with_own(s, c, is_root ? mine : MPII_Scratch(s, c->recvcount, c->recvtype));
    reduce_up(s, c, c->root, mine, false);
}

/* For operations that do not commute: in the order of ranks, with rank 0 on top, which passes the
 * result on. */
void MPII_Reduce_ordered(MPIR_Sched *s, const MPII_Coll *c)
{
    bool is_root = c->comm->rank == c->root;
    void *mine = MPII_Scratch(s, c->recvcount, c->recvtype);
    const void *own = c->sendbuf == MPI_IN_PLACE ? c->recvbuf : c->sendbuf;
    MPII_Copy_items(s, own, mine, c->recvcount, c->recvtype);
    void *result = reduce_up(s, c, 0, mine, true);
    if (c->root == 0) {
        if (is_root)
            MPII_Copy_items(s, result, c->recvbuf, c->recvcount, c->recvtype);
        return;
    }
    MPIR_Sched_fence(s);
    if (c->comm->rank == 0)
        MPIR_Sched_send(s, result, c->recvcount, c->recvtype, c->root);
    if (is_root)
        MPIR_Sched_recv(s, c->recvbuf, c->recvcount, c->recvtype, 0);
}
