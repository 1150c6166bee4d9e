/* Sessions: microseconds for each of many cycles on the slowest rank, and milliseconds for the
 * first.
 *
 *     session pair      MPI_Session_init, MPI_Session_finalize: each rank at its own pace
 *     session comm      in between a communicator from mpi://WORLD, a barrier on it, and its end
 *     session group     one session, whose opening is the first; a communicator from mpi://WORLD,
 *                       a barrier and its end in each cycle
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

/* How many cycles fill the time, by what rank 0 has seen in a few. */
static long agree(double cycle, MPI_Comm comm)
{
    long n = (long) (bench_budget() / cycle);

    MPI_Bcast(&n, 1, MPI_LONG, 0, comm);
    return n < 10 ? 10 : n;
}

static void report(const char *name, const double mine[2], MPI_Comm comm)
{
    double slowest[2];
    char series[64];

    MPI_Comm_rank(comm, &bench.rank);
    MPI_Reduce(mine, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, comm);
    if (bench.rank != 0)
        return;
    snprintf(series, sizeof(series), "%s_first", name);
    bench_print(series, 0, slowest[0] * 1e3);
    bench_print(name, 0, slowest[1] * 1e6);
}

/* Each cycle has a session of its own; what is agreed on and gathered has one, too. */
static void many_sessions(const char *name, void (*cycle)(void))
{
    double t[2] = { repeat(cycle, 1), 0 }, guess = repeat(cycle, 10);

    open_session();
    MPI_Comm comm = open_comm();
    long n = agree(guess, comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    t[1] = repeat(cycle, n);
    open_session();
    comm = open_comm();
    report(name, t, comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

static void one_session(const char *name, void (*cycle)(void))
{
    double t[2] = { repeat(open_session, 1), 0 }, guess = repeat(cycle, 10);
    MPI_Comm comm = open_comm();

    t[1] = repeat(cycle, agree(guess, comm));
    report(name, t, comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
    const char *name = argc == 2 ? argv[1] : "";

    if (strcmp(name, "pair") == 0) {
        many_sessions(name, pair);
    } else if (strcmp(name, "comm") == 0) {
        many_sessions(name, comm_in_pair);
    } else if (strcmp(name, "group") == 0) {
        one_session(name, with_comm);
    } else {
        fprintf(stderr, "usage: session pair|comm|group\n");
        return 2;
    }
    return 0;
}
