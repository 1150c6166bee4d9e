/* Session pairs, then the world, without a word to another rank: nothing of it may wait for one. */
#include "mpitest.h"

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3, size;
    for (int i = 0; i < n; i++) {
        MPI_Session s = MTest_session();
        MPI_Group world;
        MTEST_MPI(MPI_Group_from_session_pset(s, "mpi://WORLD", &world));
        MPI_Group_size(world, &size);
        MPI_Group_free(&world);
        MTEST_MPI(MPI_Session_finalize(&s));
    }
    MTEST_MPI(MPI_Init(NULL, NULL));
    MTEST_MPI(MPI_Finalize());
    for (int i = 0; i < n; i++) {
        MPI_Session s = MTest_session();
        MTEST_MPI(MPI_Session_finalize(&s));
    }
    printf("size %d\n", size);
    return MTest_report(-1) != 0;
}
