/* MPI_Gather. */
#include "coll_internal.h"

static bool own_is_in_place(const MPII_Coll *c)
{
    return c->sendbuf == MPI_IN_PLACE;
}

static void copy_own(MPIR_Sched *s, const MPII_Coll *c)
{
    if (own_is_in_place(c))
        return;
    void *place = MPII_Item(c->recvbuf, c->comm->rank * c->recvcount, c->recvtype);
    MPIR_Sched_copy(s, &(MPIR_Sched_copy_args) { c->sendbuf, c->sendcount, c->sendtype, place,
                                                 c->recvcount, c->recvtype });
}

void MPII_Gather_linear(MPIR_Sched *s, const MPII_Coll *c)
{
    if (c->comm->rank != c->root) {
        MPIR_Sched_send(s, c->sendbuf, c->sendcount, c->sendtype, c->root);
        return;
    }
    for (int i = 0; i < c->comm->size; i++)
        if (i != c->root)
            MPIR_Sched_recv(s, MPII_Item(c->recvbuf, i * c->recvcount, c->recvtype), c->recvcount,
                            c->recvtype, i);
    copy_own(s, c);
}

/* ---- tree: relative rank r collects the packed blocks r, r + 1, ... of its subtree ----------- */

/* At the root: the blocks of relative ranks [first, last) go to their places as they come. Those
 * of a subtree lie side by side unless the ranks wrap around; then they are received in packed
 * form. */
static void receive_subtree(MPIR_Sched *s, const MPII_Coll *c, int first, int last)
{
    int size = c->comm->size, start = MPII_Absolute(first, c->root, size);
    MPI_Count blocks = last - first, fit = MPL_MIN(blocks, size - start);
    void *place = MPII_Item(c->recvbuf, start * c->recvcount, c->recvtype);
    if (fit == blocks) {
        MPIR_Sched_recv(s, place, blocks * c->recvcount, c->recvtype, start);
        return;
    }
    MPI_Count each = MPIR_Datatype_bytes(c->recvtype, c->recvcount);
    char *packed = MPIR_Sched_alloc(s, (size_t) (blocks * each));
    MPIR_Sched_recv(s, packed, blocks * each, MPI_BYTE, start);
    MPIR_Sched_fence(s);
    MPII_Unpack(s, packed, place, fit * c->recvcount, c->recvtype);
    MPII_Unpack(s, packed + fit * each, c->recvbuf, (blocks - fit) * c->recvcount, c->recvtype);
}

static void gather_at_root(MPIR_Sched *s, const MPII_Coll *c)
{
    int size = c->comm->size;
    copy_own(s, c);
    for (long long bit = 1; bit < size; bit *= 2)
        receive_subtree(s, c, (int) bit, (int) MPL_MIN(2 * bit, size));
}

static void gather_inside(MPIR_Sched *s, const MPII_Coll *c, int relative)
{
    int size = c->comm->size;
    MPI_Count each = MPIR_Datatype_bytes(c->sendtype, c->sendcount);
    long long bit = relative & -relative, blocks = MPL_MIN(bit, size - relative);
    int parent = MPII_Absolute((int) (relative - bit), c->root, size);
    if (blocks == 1) {
        MPIR_Sched_send(s, c->sendbuf, c->sendcount, c->sendtype, parent);
        return;
    }
    char *packed = MPIR_Sched_alloc(s, (size_t) (blocks * each));
    MPII_Pack(s, c->sendbuf, c->sendcount, c->sendtype, packed);
    for (long long b = 1; b < blocks; b *= 2)
        MPIR_Sched_recv(s, packed + b * each, MPL_MIN(b, blocks - b) * each, MPI_BYTE,
                        MPII_Absolute((int) (relative + b), c->root, size));
    MPIR_Sched_fence(s);
    MPIR_Sched_send(s, packed, blocks * each, MPI_BYTE, parent);
}

void MPII_Gather_binomial(MPIR_Sched *s, const MPII_Coll *c)
{
    int relative = MPII_Relative(c->comm->rank, c->root, c->comm->size);
    if (relative == 0)
        gather_at_root(s, c);
    else
        gather_inside(s, c, relative);
}
