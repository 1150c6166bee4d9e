/* Making and freeing a communicator, microseconds for both: by MPI_Comm_dup and by MPI_Comm_split
 * into halves. */
#include "bench.h"

static void dup(long n, void *arg)
{
    (void) arg;
    for (long i = 0; i < n; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_free(&comm);
    }
}

static void split(long n, void *arg)
{
    (void) arg;
    for (long i = 0; i < n; i++) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, bench.rank % 2, bench.rank, &comm);
        MPI_Comm_free(&comm);
    }
}

static void check(void)
{
    MPI_Comm comm;
    int rank, size, result;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
    bench_need(result == MPI_CONGRUENT, "a duplicate is not congruent to its original");
    MPI_Comm_free(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, bench.rank % 2, bench.rank, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    bench_need(rank == bench.rank / 2 && size == (bench.size + 1 - bench.rank % 2) / 2,
               "a split went wrong");
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    bench_start(&argc, &argv);
    check();
    double t = bench_time(dup, NULL);
    if (bench.rank == 0)
        bench_print("dup", 0, t * 1e6);
    t = bench_time(split, NULL);
    if (bench.rank == 0)
        bench_print("split", 0, t * 1e6);
    check();
    MPI_Finalize();
    return 0;
}
