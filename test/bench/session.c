/* Sessions: microseconds for each of many cycles on the slowest rank, and milliseconds for the first.
 *
 *     session pair      MPI_Session_init, MPI_Session_finalize: each rank at its own pace
 *     session comm      in between a communicator from mpi://WORLD, a barrier on it, and its end
 *     session group     one session; a communicator from mpi://WORLD, a barrier and its end in each cycle
 */
#include "bench.h"

#include <time.h>

static MPI_Session session;

static double now(void) /* MPI_Wtime needs MPI to be initialized */
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static void open_session(void)
{
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
}

static MPI_Comm open_comm(void)
{
    MPI_Group world;
    MPI_Comm comm;

    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Comm_create_from_group(world, "bench", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&world);
    return comm;
}

static void with_comm(void)
{
    MPI_Comm comm = open_comm();

    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
}

static void pair(void)
{
    open_session();
    MPI_Session_finalize(&session);
}

static void comm_in_pair(void)
{
    open_session();
    with_comm();
    MPI_Session_finalize(&session);
}

static double repeat(void (*cycle)(void), long n)
{
    double start = now();

    for (long i = 0; i < n; i++)
        cycle();
    return (now() - start) / (double) n;
}

/* How many cycles fill the time, by what rank 0 sees in a few. */
static long agree(double cycle)
{
    long n = (long) (bench_budget() / cycle);

    open_session();
    MPI_Comm comm = open_comm();
    MPI_Bcast(&n, 1, MPI_LONG, 0, comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return n < 10 ? 10 : n;
}

static void report(const char *name, double first, double cycle)
{
    double mine[2] = { first * 1e3, cycle * 1e6 }, slowest[2];
    char series[64];

    open_session();
    MPI_Comm comm = open_comm();
    MPI_Comm_rank(comm, &bench.rank);
    MPI_Reduce(mine, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, comm);
    snprintf(series, sizeof(series), "%s_first", name);
    if (bench.rank == 0) {
        bench_print(name, 0, slowest[1]);
        bench_print(series, 0, slowest[0]);
    }
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    void (*cycle)(void) = strcmp(name, "pair") == 0 ? pair : strcmp(name, "comm") == 0 ? comm_in_pair : with_comm;

    if (argc != 2 || (cycle == with_comm && strcmp(name, "group") != 0)) {
        fprintf(stderr, "usage: session pair|comm|group\n");
        return 2;
    }
    double first = repeat(cycle == with_comm ? pair : cycle, 1);
    if (cycle == with_comm)
        open_session();
    long n = cycle == with_comm ? 10 : agree(repeat(cycle, 10));
    double t = repeat(cycle, n);
    if (cycle == with_comm)
        MPI_Session_finalize(&session);
    report(name, first, t);
    return 0;
}
