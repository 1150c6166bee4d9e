/* MPI_Allgather. */
#include "coll_internal.h"

static void *block(const MPII_Coll *c, MPI_Count i)
{
    return MPII_Item(c->recvbuf, i * c->recvcount, c->recvtype);
}

static MPII_Part blocks(const MPII_Coll *c, int first, int n, int peer)
{
    return (MPII_Part) { block(c, first), n * c->recvcount, c->recvtype, peer };
}

static void place_own(MPIR_Sched *s, const MPII_Coll *c)
{
    if (c->sendbuf != MPI_IN_PLACE)
        MPIR_Sched_copy(s, &(MPIR_Sched_copy_args) { c->sendbuf, c->sendcount, c->sendtype,
                                                     block(c, c->comm->rank), c->recvcount,
                                                     c->recvtype });
}

/* Size is a power of two: in round k partners swap the 2^k blocks that each has. */
void MPII_Allgather_recursive_doubling(MPIR_Sched *s, const MPII_Coll *c)
{
    int rank = c->comm->rank;
    place_own(s, c);
    for (int bit = 1; bit < c->comm->size; bit *= 2) {
        int peer = rank ^ bit, mine = rank & ~(bit - 1), theirs = peer & ~(bit - 1);
        MPII_Exchange(s, blocks(c, mine, bit, peer), blocks(c, theirs, bit, peer));
    }
}

void MPII_Allgather_ring(MPIR_Sched *s, const MPII_Coll *c)
{
    int rank = c->comm->rank, size = c->comm->size;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    place_own(s, c);
    for (int i = 0; i < size - 1; i++)
        MPII_Exchange(s, blocks(c, (rank - i + size) % size, 1, right),
                      blocks(c, (rank - i - 1 + size) % size, 1, left));
}

/* Any size in ceil(log2(size)) rounds: packed, with the own block first, then those of the next
 * ranks; at the end the row is turned into place. */
void MPII_Allgather_bruck(MPIR_Sched *s, const MPII_Coll *c)
{
    int rank = c->comm->rank, size = c->comm->size;
    MPI_Count each = MPIR_Datatype_bytes(c->recvtype, c->recvcount);
    char *row = MPIR_Sched_alloc(s, (size_t) (size * each));
    if (c->sendbuf == MPI_IN_PLACE)
        MPII_Pack(s, block(c, rank), c->recvcount, c->recvtype, row);
    else
        MPII_Pack(s, c->sendbuf, c->sendcount, c->sendtype, row);
    for (long long have = 1; have < size; have *= 2) {
        MPI_Count bytes = MPL_MIN(have, size - have) * each;
        int to = (int) ((rank - have + size) % size), from = (int) ((rank + have) % size);
        MPII_Exchange(s, (MPII_Part) { row, bytes, MPI_BYTE, to },
                      (MPII_Part) { row + have * each, bytes, MPI_BYTE, from });
    }
    MPII_Unpack(s, row, block(c, rank), (size - rank) * c->recvcount, c->recvtype);
    MPII_Unpack(s, row + (size - rank) * each, c->recvbuf, rank * c->recvcount, c->recvtype);
}
