/* MPI_Allreduce. */
#include "coll_internal.h"

/* ---- recursive doubling ---------------------------------------------------------------------- */

/* Two buffers, and which one holds the result so far. With an ordered operation they change roles.
 */
typedef struct Accumulator {
    const MPII_Coll *c;
    bool ordered;
    void *mine, *theirs;
} Accumulator;

static void get_theirs(MPIR_Sched *s, const Accumulator *a, int peer)
{
    MPIR_Sched_recv(s, a->theirs, a->c->recvcount, a->c->recvtype, peer);
}

static void send_mine(MPIR_Sched *s, const Accumulator *a, int peer)
{
    MPIR_Sched_send(s, a->mine, a->c->recvcount, a->c->recvtype, peer);
}

/* Fold what came into what is here. */
static void fold(MPIR_Sched *s, Accumulator *a, bool theirs_come_first)
{
    const MPII_Coll *c = a->c;
    MPIR_Sched_fence(s);
    if (theirs_come_first || !a->ordered) {
        MPIR_Sched_reduce(s, a->theirs, a->mine, c->recvcount, c->recvtype, c->op);
    } else {
        MPIR_Sched_reduce(s, a->mine, a->theirs, c->recvcount, c->recvtype, c->op);
        void *swap = a->mine;
        a->mine = a->theirs;
        a->theirs = swap;
    }
}

/* With 2^k + extra ranks, the first 2 * extra ranks work in pairs: the odd one stands for both.
 * Numbers of the 2^k that go on keep the order of ranks. */
static int rank_of_number(int number, int extra)
{
    return number < extra ? 2 * number + 1 : number + extra;
}

static void double_up(MPIR_Sched *s, Accumulator *a, int number, int extra, int power)
{
    for (int bit = 1; bit < power; bit *= 2) {
        int peer = rank_of_number(number ^ bit, extra);
        get_theirs(s, a, peer);
        send_mine(s, a, peer);
        fold(s, a, (number & bit) != 0);
    }
}

static void first_of_pair(MPIR_Sched *s, const Accumulator *a, int rank)
{
    send_mine(s, a, rank + 1);
    MPIR_Sched_fence(s);
    MPIR_Sched_recv(s, a->c->recvbuf, a->c->recvcount, a->c->recvtype, rank + 1);
}

void MPII_Allreduce_recursive_doubling(MPIR_Sched *s, const MPII_Coll *c)
{
    int rank = c->comm->rank, size = c->comm->size, power = 1;
    while (power <= size / 2)
        power *= 2;
    int extra = size - power;
    Accumulator a = { .c = c, .ordered = !MPIR_Op_is_commutative(c->op), .mine = c->recvbuf };
    if (c->sendbuf != MPI_IN_PLACE)
        MPII_Copy_items(s, c->sendbuf, c->recvbuf, c->recvcount, c->recvtype);
    if (rank < 2 * extra && rank % 2 == 0) {
        first_of_pair(s, &a, rank);
        return;
    }
    if (size > 1)
        a.theirs = MPII_Scratch(s, c->recvcount, c->recvtype);
    if (rank < 2 * extra) {
        get_theirs(s, &a, rank - 1);
        fold(s, &a, true);
    }
    double_up(s, &a, rank < 2 * extra ? rank / 2 : rank - extra, extra, power);
    if (rank < 2 * extra)
        send_mine(s, &a, rank - 1);
    MPII_Copy_items(s, a.mine, c->recvbuf, c->recvcount, c->recvtype);
}

/* ---- ring: each rank reduces one block, then the blocks go round ----------------------------- */

/* The vector, cut into one block of items a rank; sizes differ by one at most. */
static MPI_Count block_start(const MPII_Coll *c, int i)
{
    MPI_Count each = c->recvcount / c->comm->size, rest = c->recvcount % c->comm->size;
    return i * each + MPL_MIN(i, rest);
}

static MPII_Part block_part(const MPII_Coll *c, int i, int peer)
{
    MPI_Count start = block_start(c, i), end = block_start(c, i + 1);
    return (MPII_Part) { MPII_Item(c->recvbuf, start, c->recvtype), end - start, c->recvtype,
                         peer };
}

void MPII_Allreduce_ring(MPIR_Sched *s, const MPII_Coll *c)
{
    int rank = c->comm->rank, size = c->comm->size;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    if (c->sendbuf != MPI_IN_PLACE)
        MPII_Copy_items(s, c->sendbuf, c->recvbuf, c->recvcount, c->recvtype);
    void *scratch = MPII_Scratch(s, c->recvcount / size + 1, c->recvtype);
    for (int i = 0; i < size - 1; i++) {
        MPII_Part out = block_part(c, (rank - i + size) % size, right);
        MPII_Part in = block_part(c, (rank - i - 1 + size) % size, left);
        void *mine = (void *) in.buf;
        in.buf = scratch;
        MPII_Exchange(s, out, in);
        MPIR_Sched_reduce(s, scratch, mine, in.count, c->recvtype, c->op);
    }
    for (int i = 0; i < size - 1; i++)
        MPII_Exchange(s, block_part(c, (rank + 1 - i + size) % size, right),
                      block_part(c, (rank - i + size) % size, left));
}
