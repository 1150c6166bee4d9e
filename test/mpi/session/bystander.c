/* P1: the last rank never calls MPI, or only late; the others open sessions, meet among themselves, and leave. */
#include <unistd.h>

#include "launched.h"
#include "ring.h"

int main(int argc, char **argv)
{
    int rank = MTest_launched_rank(), size = MTest_launched_size();
    int late = argc > 1 && strcmp(argv[1], "late") == 0;
    if (rank == size - 1 && size > 1) {
        usleep(late ? 300 * 1000 : 1000);
        if (late)
            ring_epoch("everybody", 2);
        return late ? MTest_report(-1) : 0;
    }
    for (int i = 0; i < 100; i++) {
        MPI_Session s = MTest_session();
        MPI_Group world, others;
        MPI_Comm c = MPI_COMM_NULL;
        int last = size - 1;
        MTEST_MPI(MPI_Group_from_session_pset(s, "mpi://WORLD", &world));
        if (size > 1)
            MTEST_MPI(MPI_Group_excl(world, 1, &last, &others));
        else
            MTEST_MPI(MPI_Group_union(world, world, &others));
        MTEST_MPI(MPI_Comm_create_from_group(others, "others", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
        ring_check(c, i);
        MPI_Comm_free(&c);
        MPI_Group_free(&world);
        MPI_Group_free(&others);
        MTEST_MPI(MPI_Session_finalize(&s));
    }
    if (late)
        ring_epoch("everybody", 2);
    return MTest_report(rank);
}
