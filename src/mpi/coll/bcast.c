/* MPI_Bcast. */
#include "coll_internal.h"

/* A tree: relative rank r gets the message from r without its lowest bit, and passes it to r + 1,
 * 2, 4 ... below that bit, the largest subtree first. */
void MPII_Bcast_binomial(MPIR_Sched *s, const MPII_Coll *c)
{
    int size = c->comm->size, relative = MPII_Relative(c->comm->rank, c->root, size);
    long long bit = 1;
    while (bit < size && !(relative & bit))
        bit *= 2;
    if (relative != 0) {
        int parent = MPII_Absolute((int) (relative - bit), c->root, size);
        MPIR_Sched_recv(s, c->recvbuf, c->recvcount, c->recvtype, parent);
        MPIR_Sched_fence(s);
    }
    for (bit /= 2; bit > 0; bit /= 2)
        if (relative + bit < size)
            MPIR_Sched_send(s, c->recvbuf, c->recvcount, c->recvtype,
                            MPII_Absolute((int) (relative + bit), c->root, size));
}

/* ---- large messages: each rank gets a part, then the parts go round -------------------------- */

/* The message as bytes, cut into one chunk a relative rank; the last ones may be short or empty. */
typedef struct Chunks {
    char *bytes;
    MPI_Count total, each;
} Chunks;

static MPI_Count chunk_start(const Chunks *k, long long i)
{
    return MPL_MIN(i * k->each, k->total);
}

static MPII_Part chunk_part(const Chunks *k, long long first, long long last, int peer)
{
    MPI_Count start = chunk_start(k, first), end = chunk_start(k, last);
    return (MPII_Part) { k->bytes + start, end - start, MPI_BYTE, peer };
}

/* Relative rank r ends with chunk r, having passed on those of its subtree. */
static void scatter_chunks(MPIR_Sched *s, const MPII_Coll *c, const Chunks *k)
{
    int size = c->comm->size, relative = MPII_Relative(c->comm->rank, c->root, size);
    long long bit = 1;
    while (bit < size && !(relative & bit))
        bit *= 2;
    if (relative != 0) {
        int parent = MPII_Absolute((int) (relative - bit), c->root, size);
        MPII_Part p = chunk_part(k, relative, MPL_MIN(relative + bit, size), parent);
        MPIR_Sched_recv(s, (void *) p.buf, p.count, p.datatype, p.peer);
        MPIR_Sched_fence(s);
    }
    for (bit /= 2; bit > 0; bit /= 2) {
        if (relative + bit >= size)
            continue;
        int child = MPII_Absolute((int) (relative + bit), c->root, size);
        MPII_Part p = chunk_part(k, relative + bit, MPL_MIN(relative + 2 * bit, size), child);
        MPIR_Sched_send(s, p.buf, p.count, p.datatype, p.peer);
    }
    MPIR_Sched_fence(s);
}

static void circulate_chunks(MPIR_Sched *s, const MPII_Coll *c, const Chunks *k)
{
    int size = c->comm->size, relative = MPII_Relative(c->comm->rank, c->root, size);
    int right = (c->comm->rank + 1) % size, left = (c->comm->rank + size - 1) % size;
    for (int i = 0; i < size - 1; i++) {
        int out = (relative - i + size) % size, in = (relative - i - 1 + size) % size;
        MPII_Exchange(s, chunk_part(k, out, out + 1, right), chunk_part(k, in, in + 1, left));
    }
}

void MPII_Bcast_scatter_allgather(MPIR_Sched *s, const MPII_Coll *c)
{
    MPI_Count total = MPIR_Datatype_bytes(c->recvtype, c->recvcount);
    Chunks k = { .total = total, .each = (total + c->comm->size - 1) / c->comm->size };
    MPI_Aint start = 0;
    bool is_run = MPIR_Datatype_is_run(c->recvtype, c->recvcount, &start);
    bool is_root = c->comm->rank == c->root;
    k.bytes = is_run ? (char *) ((uintptr_t) c->recvbuf + (uintptr_t) start)
                     : MPIR_Sched_alloc(s, (size_t) total);
    if (!is_run && is_root)
        MPII_Pack(s, c->recvbuf, c->recvcount, c->recvtype, k.bytes);
    scatter_chunks(s, c, &k);
    circulate_chunks(s, c, &k);
    if (!is_run && !is_root)
        MPII_Unpack(s, k.bytes, c->recvbuf, c->recvcount, c->recvtype);
}
