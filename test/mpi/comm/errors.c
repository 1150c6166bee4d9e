/* What must be refused, with the right error class. */
#include "mpitest.h"

int main(int argc, char **argv)
{
    int rank, size, n, result;
    MPI_Comm comm = MPI_COMM_NULL, old, world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
    MPI_Group group;
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MTEST_FAILS(MPI_Comm_size(MPI_COMM_NULL, &n), MPI_ERR_COMM);
    MTEST_FAILS(MPI_Comm_rank(12345, &n), MPI_ERR_COMM);
    MTEST_FAILS(MPI_Comm_rank(MPI_GROUP_EMPTY, &n), MPI_ERR_COMM);
    MTEST_FAILS(MPI_Comm_size(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    MTEST_FAILS(MPI_Comm_free(&world), MPI_ERR_COMM);
    MTEST_FAILS(MPI_Comm_disconnect(&self), MPI_ERR_COMM);
    MTEST_FAILS(MPI_Comm_free(&comm), MPI_ERR_COMM);
    MTEST_FAILS(MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &comm), MPI_ERR_ARG);
    MTEST_FAILS(MPI_Comm_split_type(MPI_COMM_WORLD, 77, 0, MPI_INFO_NULL, &comm), MPI_ERR_ARG);
    MTEST_FAILS(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_NULL, &result), MPI_ERR_COMM);
    MTEST_MPI(MPI_Comm_group(MPI_COMM_WORLD, &group));
    if (size > 1)
        MTEST_FAILS(MPI_Comm_create(MPI_COMM_SELF, group, &comm), MPI_ERR_GROUP);
    MTEST_FAILS(MPI_Comm_create_group(MPI_COMM_WORLD, group, -1, &comm), MPI_ERR_TAG);
    MTEST_INT_EQ(comm, MPI_COMM_NULL);
    MTEST_MPI(MPI_Group_free(&group));
    MTEST_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    old = comm;
    MTEST_MPI(MPI_Comm_free(&comm));
    MTEST_FAILS(MPI_Comm_size(old, &n), MPI_ERR_COMM); /* a handle that was freed */
    MPI_Finalize();
    return MTest_report(rank);
}
