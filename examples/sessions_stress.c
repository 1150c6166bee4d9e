/* How long does it take to open and close MPI, once it has been open before?
 *
 *     mpiexec -n 4 ./sessions_stress 10000
 *     MPIR_CVAR_FINALIZE_ATEXIT=1 mpiexec -n 4 ./sessions_stress 10000
 *
 * Each rank opens and closes N sessions, at its own pace; a last session gathers the slowest rank's time.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static double time_pairs(long pairs)
{
    double start = seconds();
    for (long i = 0; i < pairs; i++) {
        MPI_Session session;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Session_finalize(&session);
    }
    return seconds() - start;
}

/* Rank 0 prints the largest of what each rank has measured. */
static void report(long pairs, const double mine[2])
{
    MPI_Session session;
    MPI_Group world;
    MPI_Comm comm;
    int rank, size;
    double slowest[2];

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Comm_create_from_group(world, "sessions_stress", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                               &comm);
    MPI_Group_free(&world);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Reduce(mine, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, comm);
    if (rank == 0)
        printf("%d ranks, %ld empty session pairs each, slowest rank: first pair %.0f us, "
               "each of the others %.2f us\n",
               size, pairs, slowest[0] * 1e6, slowest[1] * 1e6);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
    char *end = NULL;
    long pairs = argc == 2 ? strtol(argv[1], &end, 10) : 10000;
    if (argc > 2 || pairs < 2 || (end != NULL && *end != '\0')) {
        fprintf(stderr, "usage: %s [N]: N empty session pairs, 2 or more (default 10000)\n",
                argv[0]);
        return EXIT_FAILURE;
    }
    double mine[2];
    mine[0] = time_pairs(1);
    mine[1] = time_pairs(pairs - 1) / (double) (pairs - 1);
    report(pairs, mine);
    return EXIT_SUCCESS;
}
