/* Rank 1 leaves in order; who then waits for a message of it gets an error that names it, in bounded time. */
#include "mpitest.h"

int main(int argc, char **argv)
{
    int rank, size, x = 0, class = 0;
    char text[MPI_MAX_ERROR_STRING];
    MTest_init_world(&argc, &argv, &rank, &size);
    if (rank == 1) {
        MTEST_MPI(MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
        MPI_Finalize();
        return 0;
    }
    if (rank == 0) {
        int err, n;
        MTEST_MPI(MPI_Recv(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        MTEST_INT_EQ(x, 1);
        double start = MPI_Wtime();
        err = MPI_Recv(&x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MTEST_CHECK(err != MPI_SUCCESS, "the receive has succeeded");
        MTEST_CHECK(MPI_Wtime() - start < 10, "it took %g s", MPI_Wtime() - start);
        MPI_Error_class(err, &class);
        MTEST_INT_EQ(class, MPI_ERR_OTHER);
        MPI_Error_string(err, text, &n);
        MTEST_CHECK(strstr(text, "ank 1 "), "the text does not name rank 1: %s", text);
    }
    MPI_Finalize();
    return MTest_report(rank);
}
