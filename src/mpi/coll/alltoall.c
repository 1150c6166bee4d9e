/* MPI_Alltoall. */
#include <string.h>

#include "coll_internal.h"

static void *block(const void *buf, MPI_Count count, MPI_Datatype datatype, int i)
{
    return MPII_Item(buf, i * count, datatype);
}

/* What is to be sent. With MPI_IN_PLACE it is about to be overwritten, so it is packed away first.
 */
static MPII_Part outgoing(MPIR_Sched *s, const MPII_Coll *c)
{
    if (c->sendbuf != MPI_IN_PLACE)
        return (MPII_Part) { c->sendbuf, c->sendcount, c->sendtype, 0 };
    MPI_Count each = MPIR_Datatype_bytes(c->recvtype, c->recvcount);
    void *packed = MPIR_Sched_alloc(s, (size_t) (c->comm->size * each));
    MPII_Pack(s, c->recvbuf, c->comm->size * c->recvcount, c->recvtype, packed);
    return (MPII_Part) { packed, each, MPI_BYTE, 0 };
}

static void exchange_round(MPIR_Sched *s, const MPII_Coll *c, const MPII_Part *out, int round)
{
    int rank = c->comm->rank, size = c->comm->size;
    int to = (rank + round) % size, from = (rank - round + size) % size;
    MPIR_Sched_recv(s, block(c->recvbuf, c->recvcount, c->recvtype, from), c->recvcount,
                    c->recvtype, from);
    MPIR_Sched_send(s, block(out->buf, out->count, out->datatype, to), out->count, out->datatype,
                    to);
}

static void copy_own(MPIR_Sched *s, const MPII_Coll *c, const MPII_Part *out)
{
    int rank = c->comm->rank;
    if (c->sendbuf != MPI_IN_PLACE) /* else it is in place already */
        MPIR_Sched_copy(s, &(MPIR_Sched_copy_args) {
                               block(out->buf, out->count, out->datatype, rank), out->count,
                               out->datatype, block(c->recvbuf, c->recvcount, c->recvtype, rank),
                               c->recvcount, c->recvtype });
}

/* Everything at once; each rank begins with another peer. */
void MPII_Alltoall_spread(MPIR_Sched *s, const MPII_Coll *c)
{
    MPII_Part out = outgoing(s, c);
    for (int round = 1; round < c->comm->size; round++)
        exchange_round(s, c, &out, round);
    copy_own(s, c, &out);
}

/* One peer after the other, so that large messages do not crowd each other. */
void MPII_Alltoall_pairwise(MPIR_Sched *s, const MPII_Coll *c)
{
    MPII_Part out = outgoing(s, c);
    copy_own(s, c, &out);
    for (int round = 1; round < c->comm->size; round++) {
        exchange_round(s, c, &out, round);
        MPIR_Sched_fence(s);
    }
}

/* ---- small blocks: ceil(log2(size)) rounds, in each of which half of the row moves ----------- */

/* The row: block i is on its way to the rank i ahead; in the round of bit b, the blocks with that
 * bit move by b. */
typedef struct Shuffle {
    char *row, *bundle;
    MPI_Count each;
    int size, bit;
    bool collect; /* into the bundle, or distribute from it */
} Shuffle;

static int do_shuffle(void *arg)
{
    Shuffle *f = arg;
    char *b = f->bundle;
    for (int i = f->bit; i < f->size; i++) {
        if (!(i & f->bit))
            continue;
        char *r = f->row + i * f->each;
        memcpy(f->collect ? b : r, f->collect ? r : b, (size_t) f->each);
        b += f->each;
    }
    return MPI_SUCCESS;
}

static void shuffle(MPIR_Sched *s, const Shuffle *model, bool collect, char *bundle)
{
    Shuffle *f = MPIR_Sched_alloc(s, sizeof *f);
    if (!f)
        return;
    *f = *model;
    f->collect = collect;
    f->bundle = bundle;
    MPIR_Sched_call(s, do_shuffle, f);
}

static int count_with_bit(int size, int bit)
{
    int n = 0;
    for (int i = bit; i < size; i++)
        n += (i & bit) != 0;
    return n;
}

static void bruck_rounds(MPIR_Sched *s, const MPII_Coll *c, Shuffle *f)
{
    int rank = c->comm->rank;
    size_t room = (size_t) f->size * (size_t) f->each;
    char *out = MPIR_Sched_alloc(s, room), *in = MPIR_Sched_alloc(s, room);
    for (long long bit = 1; bit < f->size; bit *= 2) {
        f->bit = (int) bit;
        MPI_Count bytes = count_with_bit(f->size, f->bit) * f->each;
        int to = (int) ((rank + bit) % f->size), from = (int) ((rank - bit + f->size) % f->size);
        shuffle(s, f, true, out);
        MPII_Exchange(s, (MPII_Part) { out, bytes, MPI_BYTE, to },
                      (MPII_Part) { in, bytes, MPI_BYTE, from });
        shuffle(s, f, false, in);
    }
}

void MPII_Alltoall_bruck(MPIR_Sched *s, const MPII_Coll *c)
{
    int rank = c->comm->rank, size = c->comm->size;
    MPII_Part out = { c->sendbuf, c->sendcount, c->sendtype, 0 };
    if (c->sendbuf == MPI_IN_PLACE)
        out = (MPII_Part) { c->recvbuf, c->recvcount, c->recvtype, 0 };
    Shuffle f = { .size = size, .each = MPIR_Datatype_bytes(c->recvtype, c->recvcount) };
    f.row = MPIR_Sched_alloc(s, (size_t) (size * f.each));
    MPII_Pack(s, block(out.buf, out.count, out.datatype, rank), (size - rank) * out.count,
              out.datatype, f.row);
    MPII_Pack(s, out.buf, rank * out.count, out.datatype, f.row + (size - rank) * f.each);
    bruck_rounds(s, c, &f);
    /* What has come i ranks is from the rank i behind. */
    for (int i = 0; i < size; i++)
        MPII_Unpack(s, f.row + i * f.each,
                    block(c->recvbuf, c->recvcount, c->recvtype, (rank - i + size) % size),
                    c->recvcount, c->recvtype);
}
