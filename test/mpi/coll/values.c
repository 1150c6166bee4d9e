/* Every collective operation, blocking and nonblocking, in place and not, with small and large
 * vectors, at every root, on MPI_COMM_WORLD and on a communicator in reverse order. */
#include "mpitest.h"

enum { MAX_COUNT = 60000 };

typedef struct Job {
    MPI_Comm comm;
    int rank, size, count, root, in_place, nonblocking;
    long *a, *b; /* size * count each */
} Job;

static long value(int rank, long i)
{
    return rank * 1000003L + i * 7 + 1;
}

static void clear(const Job *j, long *buf)
{
    for (long i = 0; i < (long) j->size * j->count; i++)
        buf[i] = -1;
}

static void set(long *buf, int rank, long n)
{
    for (long i = 0; i < n; i++)
        buf[i] = value(rank, i);
}

static void expect(const Job *j, const char *what, long i, long got, long want)
{
    MTEST_CHECK(got == want,
                "%s: item %ld is %ld, expected %ld (rank %d of %d, count %d, root %d, %s%s)", what,
                i, got, want, j->rank, j->size, j->count, j->root, j->in_place ? "in place, " : "",
                j->nonblocking ? "nonblocking" : "blocking");
}

#define CALL(j, name, ...)                                                                         \
    do {                                                                                           \
        if (j->nonblocking) {                                                                      \
            MPI_Request req_;                                                                      \
            MTEST_MPI(MPI_I##name(__VA_ARGS__, &req_));                                            \
            MTEST_MPI(MPI_Wait(&req_, MPI_STATUS_IGNORE));                                         \
        } else                                                                                     \
            MTEST_MPI(MPI_UPPER_##name(__VA_ARGS__));                                              \
    } while (0)
#define MPI_UPPER_bcast MPI_Bcast
#define MPI_UPPER_reduce MPI_Reduce
#define MPI_UPPER_allreduce MPI_Allreduce
#define MPI_UPPER_gather MPI_Gather_c /* the forms with large counts are the same inside */
#define MPI_UPPER_scatter MPI_Scatter
#define MPI_UPPER_allgather MPI_Allgather_c
#define MPI_UPPER_alltoall MPI_Alltoall

static void bcast(const Job *j)
{
    clear(j, j->a);
    if (j->rank == j->root)
        set(j->a, j->root, j->count);
    CALL(j, bcast, j->a, j->count, MPI_LONG, j->root, j->comm);
    for (long i = 0; i < j->count; i++)
        expect(j, "bcast", i, j->a[i], value(j->root, i));
}

static long sum(const Job *j, long i)
{
    long s = 0;
    for (int r = 0; r < j->size; r++)
        s += value(r, i);
    return s;
}

static void reduce(const Job *j)
{
    int here = j->in_place && j->rank == j->root;
    clear(j, j->b);
    set(here ? j->b : j->a, j->rank, j->count);
    CALL(j, reduce, here ? MPI_IN_PLACE : j->a, j->rank == j->root ? j->b : NULL, j->count,
         MPI_LONG, MPI_SUM, j->root, j->comm);
    for (long i = 0; i < j->count && j->rank == j->root; i++)
        expect(j, "reduce", i, j->b[i], sum(j, i));
    if (!here) /* what is sent stays as it is */
        for (long i = 0; i < j->count; i++)
            expect(j, "reduce sendbuf", i, j->a[i], value(j->rank, i));
}

static void allreduce(const Job *j)
{
    clear(j, j->b);
    set(j->in_place ? j->b : j->a, j->rank, j->count);
    CALL(j, allreduce, j->in_place ? MPI_IN_PLACE : j->a, j->b, j->count, MPI_LONG, MPI_SUM,
         j->comm);
    for (long i = 0; i < j->count; i++)
        expect(j, "allreduce", i, j->b[i], sum(j, i));
}

static void gather(const Job *j)
{
    int here = j->in_place && j->rank == j->root;
    clear(j, j->b);
    set(here ? j->b + (long) j->rank * j->count : j->a, j->rank, j->count);
    CALL(j, gather, here ? MPI_IN_PLACE : j->a, j->count, MPI_LONG, j->b, j->count, MPI_LONG,
         j->root, j->comm);
    for (long i = 0; i < (long) j->size * j->count && j->rank == j->root; i++)
        expect(j, "gather", i, j->b[i], value((int) (i / j->count), i % j->count));
}

static void scatter(const Job *j)
{
    int here = j->in_place && j->rank == j->root;
    clear(j, j->b);
    set(j->a, j->root, (long) j->size * j->count);
    CALL(j, scatter, j->a, j->count, MPI_LONG, here ? MPI_IN_PLACE : j->b, j->count, MPI_LONG,
         j->root, j->comm);
    for (long i = 0; i < j->count && !here; i++)
        expect(j, "scatter", i, j->b[i], value(j->root, (long) j->rank * j->count + i));
}

static void allgather(const Job *j)
{
    clear(j, j->b);
    set(j->in_place ? j->b + (long) j->rank * j->count : j->a, j->rank, j->count);
    CALL(j, allgather, j->in_place ? MPI_IN_PLACE : j->a, j->count, MPI_LONG, j->b, j->count,
         MPI_LONG, j->comm);
    for (long i = 0; i < (long) j->size * j->count; i++)
        expect(j, "allgather", i, j->b[i], value((int) (i / j->count), i % j->count));
}

static void alltoall(const Job *j)
{
    clear(j, j->b);
    set(j->in_place ? j->b : j->a, j->rank, (long) j->size * j->count);
    CALL(j, alltoall, j->in_place ? MPI_IN_PLACE : j->a, j->count, MPI_LONG, j->b, j->count,
         MPI_LONG, j->comm);
    for (long i = 0; i < (long) j->size * j->count; i++)
        expect(j, "alltoall", i, j->b[i],
               value((int) (i / j->count), (long) j->rank * j->count + i % j->count));
}

static void all(Job *j)
{
    for (j->in_place = 0; j->in_place < 2; j->in_place++)
        for (j->nonblocking = 0; j->nonblocking < 2; j->nonblocking++) {
            bcast(j);
            reduce(j);
            allreduce(j);
            gather(j);
            scatter(j);
            allgather(j);
            alltoall(j);
        }
}

static void on(MPI_Comm comm)
{
    static const int count[] = { 0, 1, 2, 17, 1000, MAX_COUNT };
    Job j = { .comm = comm };
    MPI_Comm_rank(comm, &j.rank);
    MPI_Comm_size(comm, &j.size);
    j.a = malloc(sizeof(long) * MAX_COUNT * (size_t) j.size);
    j.b = malloc(sizeof(long) * MAX_COUNT * (size_t) j.size);
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        j.count = count[i];
        int all_roots = count[i] < 1000;
        for (int root = 0; root < (all_roots ? j.size : 1); root++) {
            j.root = all_roots ? root : j.size / 2;
            all(&j);
        }
    }
    free(j.a);
    free(j.b);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Comm reversed;
    MTest_init_world(&argc, &argv, &rank, &size);
    on(MPI_COMM_WORLD);
    MTEST_MPI(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed));
    on(reversed);
    MTEST_MPI(MPI_Comm_free(&reversed));
    on(MPI_COMM_SELF);
    MPI_Finalize();
    return MTest_report(rank);
}
