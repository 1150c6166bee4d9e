/* MPI_Scatter: MPI_Gather backwards. MPI_IN_PLACE stands in the root's recvbuf. */
#include "coll_internal.h"

static void copy_own(MPIR_Sched *s, const MPII_Coll *c)
{
    if (c->recvbuf == MPI_IN_PLACE)
        return;
    const void *place = MPII_Item(c->sendbuf, c->comm->rank * c->sendcount, c->sendtype);
    MPIR_Sched_copy(s, &(MPIR_Sched_copy_args) { place, c->sendcount, c->sendtype, c->recvbuf,
                                                 c->recvcount, c->recvtype });
}

void MPII_Scatter_linear(MPIR_Sched *s, const MPII_Coll *c)
{
    if (c->comm->rank != c->root) {
        MPIR_Sched_recv(s, c->recvbuf, c->recvcount, c->recvtype, c->root);
        return;
    }
    for (int i = 0; i < c->comm->size; i++)
        if (i != c->root)
            MPIR_Sched_send(s, MPII_Item(c->sendbuf, i * c->sendcount, c->sendtype), c->sendcount,
                            c->sendtype, i);
    copy_own(s, c);
}

/* The blocks of relative ranks [first, last) in one message, packed first where the ranks wrap
 * around. */
static void send_subtree(MPIR_Sched *s, const MPII_Coll *c, int first, int last)
{
    int size = c->comm->size, start = MPII_Absolute(first, c->root, size);
    MPI_Count blocks = last - first, fit = MPL_MIN(blocks, size - start);
    const void *place = MPII_Item(c->sendbuf, start * c->sendcount, c->sendtype);
    if (fit == blocks) {
        MPIR_Sched_send(s, place, blocks * c->sendcount, c->sendtype, start);
        return;
    }
    MPI_Count each = MPIR_Datatype_bytes(c->sendtype, c->sendcount);
    char *packed = MPIR_Sched_alloc(s, (size_t) (blocks * each));
    MPII_Pack(s, place, fit * c->sendcount, c->sendtype, packed);
    MPII_Pack(s, c->sendbuf, (blocks - fit) * c->sendcount, c->sendtype, packed + fit * each);
    MPIR_Sched_send(s, packed, blocks * each, MPI_BYTE, start);
}

static long long highest_bit_below(int size)
{
    long long bit = 1;
    while (bit < size)
        bit *= 2;
    return bit / 2;
}

static void scatter_at_root(MPIR_Sched *s, const MPII_Coll *c)
{
    int size = c->comm->size;
    for (long long bit = highest_bit_below(size); bit > 0; bit /= 2)
        send_subtree(s, c, (int) bit, (int) MPL_MIN(2 * bit, size));
    copy_own(s, c);
}

static void scatter_inside(MPIR_Sched *s, const MPII_Coll *c, int relative)
{
    int size = c->comm->size;
    MPI_Count each = MPIR_Datatype_bytes(c->recvtype, c->recvcount);
    long long bit = relative & -relative, blocks = MPL_MIN(bit, size - relative);
    int parent = MPII_Absolute((int) (relative - bit), c->root, size);
    if (blocks == 1) {
        MPIR_Sched_recv(s, c->recvbuf, c->recvcount, c->recvtype, parent);
        return;
    }
    char *packed = MPIR_Sched_alloc(s, (size_t) (blocks * each));
    MPIR_Sched_recv(s, packed, blocks * each, MPI_BYTE, parent);
    MPIR_Sched_fence(s);
    for (long long b = highest_bit_below((int) blocks); b > 0; b /= 2)
        MPIR_Sched_send(s, packed + b * each, MPL_MIN(b, blocks - b) * each, MPI_BYTE,
                        MPII_Absolute((int) (relative + b), c->root, size));
    MPII_Unpack(s, packed, c->recvbuf, c->recvcount, c->recvtype);
}

void MPII_Scatter_binomial(MPIR_Sched *s, const MPII_Coll *c)
{
    int relative = MPII_Relative(c->comm->rank, c->root, c->comm->size);
    if (relative == 0)
        scatter_at_root(s, c);
    else
        scatter_inside(s, c, relative);
}
