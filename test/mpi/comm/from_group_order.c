/* Creations from overlapping groups, with tags of their own, by processes that come at very
 * different times: the first member of each group may be the last to call. */
#include <time.h>

#include "mpitest.h"

int main(void)
{
    int rank, size;
    MPI_Session session = MTest_session();
    MPI_Group world, g;
    MTEST_MPI(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    MPI_Group_size(world, &size);
    MPI_Group_rank(world, &rank);
    for (int i = 0; i < size; i++) {
        char tag[32];
        MPI_Comm comm;
        int one = 1, sum = 0, order[64];
        struct timespec pause = { 0, ((rank * 7 + i * 3) % 5) * 2000000L };
        nanosleep(&pause, NULL);
        for (int k = 0; k < size; k++)
            order[k] = (k + i) % size; /* led by rank i */
        if (rank == (i + 1) % size && i % 2)
            continue; /* one stays out, see below */
        int n = i % 2 ? size - 1 : size;
        if (i % 2)
            for (int k = 1; k < n; k++)
                order[k] = (k + 1 + i) % size; /* without the one behind the leader */
        MTEST_MPI(MPI_Group_incl(world, n, order, &g));
        snprintf(tag, sizeof tag, "round %d", i);
        MTEST_MPI(MPI_Comm_create_from_group(g, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        MTEST_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
        MTEST_INT_EQ(sum, n);
        MTEST_MPI(MPI_Comm_free(&comm));
        MTEST_MPI(MPI_Group_free(&g));
    }
    MTEST_MPI(MPI_Group_free(&world));
    MTEST_MPI(MPI_Session_finalize(&session));
    return MTest_report(rank);
}
