/* A member that has left for good: those who wait for it get an error that names it. Where members wait for each
 * other's messages, it may be one that has left after it got such an error. */
#include <string.h>

#include "mpitest.h"

static int size;

static void expect_gone(int error)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len;
    MTEST_CHECK(error != MPI_SUCCESS, "an operation with a member that has left succeeds");
    MTEST_MPI(MPI_Error_string(error, text, &len));
    const char *named = strstr(text, "Rank ");
    MTEST_CHECK(named != NULL, "the text names no rank: %s", text);
    MTEST_CHECK(named == NULL || size > 2 || named[5] == '0', "the text does not name rank 0: %s", text);
}

int main(int argc, char **argv)
{
    int rank, sum;
    MTest_init_world(&argc, &argv, &rank, &size);
    for (int i = 0; i < 5; i++)
        MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (rank != 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        expect_gone(MPI_Barrier(MPI_COMM_WORLD));
        expect_gone(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        expect_gone(MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD));
    }
    MPI_Finalize();
    return MTest_report(rank);
}
