/* Rank 0 sends to rank 1, which never calls MPI; rank 0 must get away all the same. Run by absent.py. */
#include "mpitest.h"

int main(int argc, char **argv)
{
    const char *text = getenv("PMI_RANK");
    int rank, size, value = 42;
    if (text && atoi(text) != 0)
        return 0;
    MTest_init_world(&argc, &argv, &rank, &size);
    MTEST_MPI(MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
    MPI_Finalize();
    return MTest_report(0);
}
