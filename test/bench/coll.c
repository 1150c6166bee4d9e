/* One collective operation: microseconds until the slowest rank has done it, by size.
 *
 *     coll NAME [LARGEST]      default 1048576 bytes
 *
 * The size is that of what one rank gives to one other, as in the operation's count. Roots take
 * turns: otherwise ranks that need not wait run ahead, and what is measured is not how long the
 * operation takes.
 */
#include "bench.h"

typedef struct {
    char *out, *in;
    int size;
} Data;

typedef void (*Operation)(const Data *d, int root);

static void barrier(const Data *d, int root)
{
    (void) d;
    (void) root;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(const Data *d, int root)
{
    MPI_Bcast(bench.rank == root ? d->out : d->in, d->size, MPI_BYTE, root, MPI_COMM_WORLD);
}

static void reduce(const Data *d, int root)
{
    MPI_Reduce(d->out, d->in, d->size / 8, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
}

static void allreduce(const Data *d, int root)
{
    (void) root;
    MPI_Allreduce(d->out, d->in, d->size / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void gather(const Data *d, int root)
{
    MPI_Gather(d->out, d->size, MPI_BYTE, d->in, d->size, MPI_BYTE, root, MPI_COMM_WORLD);
}

static void scatter(const Data *d, int root)
{
    MPI_Scatter(d->out, d->size, MPI_BYTE, d->in, d->size, MPI_BYTE, root, MPI_COMM_WORLD);
}

static void allgather(const Data *d, int root)
{
    (void) root;
    MPI_Allgather(d->out, d->size, MPI_BYTE, d->in, d->size, MPI_BYTE, MPI_COMM_WORLD);
}

static void alltoall(const Data *d, int root)
{
    (void) root;
    MPI_Alltoall(d->out, d->size, MPI_BYTE, d->in, d->size, MPI_BYTE, MPI_COMM_WORLD);
}

/* ---- what must have arrived ------------------------------------------------------------------ */

enum { NOTHING, FROM_ROOT, SUM_AT_ROOT, SUM, ALL_AT_ROOT, PART_OF_ROOT, ALL, PART_OF_ALL };

/* Small whole numbers, so that sums are exact in any order. */
static double term(int rank, int i)
{
    return (double) (i % 1000 + rank);
}

static void check_sum(const Data *d)
{
    const double *in = (const double *) d->in;
    double ranks = (double) bench.size * (bench.size - 1) / 2;

    for (int i = 0; i < d->size / 8; i++)
        bench_need(in[i] == (i % 1000) * (double) bench.size + ranks, "a sum is wrong");
}

static void check_part(const Data *d, int at, int from, int part)
{
    for (int i = 0; i < d->size; i++)
        bench_need((unsigned char) d->in[(size_t) at * (size_t) d->size + (size_t) i] ==
                       bench_byte(from, (size_t) part * (size_t) d->size + (size_t) i),
                   "a byte is not what was sent");
}

static void check(const Data *d, int kind, int root)
{
    int at_root = bench.rank == root;

    if (kind == SUM || (kind == SUM_AT_ROOT && at_root))
        check_sum(d);
    if ((kind == FROM_ROOT && !at_root) || kind == PART_OF_ROOT)
        check_part(d, 0, root, kind == FROM_ROOT ? 0 : bench.rank);
    if (kind == ALL || kind == PART_OF_ALL || (kind == ALL_AT_ROOT && at_root))
        for (int rank = 0; rank < bench.size; rank++)
            check_part(d, rank, rank, kind == PART_OF_ALL ? bench.rank : 0);
}

/* ---- measuring --------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    Operation call;
    int kind;
    int largest; /* so that alltoall keeps within memory */
} operations[] = {
    { "barrier", barrier, NOTHING, 0 },         { "bcast", bcast, FROM_ROOT, 1 << 20 },
    { "reduce", reduce, SUM_AT_ROOT, 1 << 20 }, { "allreduce", allreduce, SUM, 1 << 20 },
    { "gather", gather, ALL_AT_ROOT, 1 << 18 }, { "scatter", scatter, PART_OF_ROOT, 1 << 18 },
    { "allgather", allgather, ALL, 1 << 18 },   { "alltoall", alltoall, PART_OF_ALL, 1 << 18 },
};

typedef struct {
    Data data;
    Operation call;
} Work;

static void repeat(long n, void *arg)
{
    Work *w = arg;

    for (long i = 0; i < n; i++)
        w->call(&w->data, (int) (i % bench.size));
}

static void checked(Work *w, int kind)
{
    Data *d = &w->data;
    int root = bench.size - 1;

    bench_fill(d->out, (size_t) d->size * (size_t) bench.size, bench.rank);
    for (int i = 0; i < d->size / 8 && (kind == SUM || kind == SUM_AT_ROOT); i++)
        ((double *) d->out)[i] = term(bench.rank, i);
    memset(d->in, 0, (size_t) d->size * (size_t) bench.size);
    w->call(d, root);
    check(d, kind, root);
}

int main(int argc, char **argv)
{
    size_t op = 0, known = sizeof(operations) / sizeof(operations[0]);

    bench_start(&argc, &argv);
    while (op < known && argc > 1 && strcmp(argv[1], operations[op].name) != 0)
        op++;
    bench_need(argc > 1 && op < known,
               "the first argument must be the name of a collective operation");
    int largest =
        argc > 2 && atoi(argv[2]) < operations[op].largest ? atoi(argv[2]) : operations[op].largest;
    size_t room = (size_t) largest * (size_t) bench.size;
    Work w = { .data = { .out = bench_buffer(room), .in = bench_buffer(room) },
               .call = operations[op].call };

    for (int size = largest ? 8 : 0; size <= largest; size = size < 1024 ? 1024 : size * 16) {
        w.data.size = size;
        checked(&w, operations[op].kind);
        double t = bench_time(repeat, &w);
        checked(&w, operations[op].kind);
        if (bench.rank == 0)
            bench_print(operations[op].name, size, t * 1e6);
    }
    free(w.data.out);
    free(w.data.in);
    MPI_Finalize();
    return 0;
}
