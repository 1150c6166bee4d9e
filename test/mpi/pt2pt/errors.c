/* Wrong arguments: the class of the error, and outputs untouched. */
#include "mpitest.h"

int main(int argc, char **argv)
{
    int rank, size, x = 0, flag = 17;
    MPI_Request request = 4711;
    MPI_Status status;
    MPI_Datatype uncommitted, huge;
    MTest_init_world(&argc, &argv, &rank, &size);
    MTEST_MPI(MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted));
    MTEST_FAILS(MPI_Send(&x, -1, MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    MTEST_FAILS(MPI_Send(&x, 1, MPI_DATATYPE_NULL, rank, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    MTEST_FAILS(MPI_Send(&x, 1, uncommitted, rank, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    MTEST_FAILS(MPI_Send(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    MTEST_FAILS(MPI_Send(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    MTEST_FAILS(MPI_Send(&x, 1, MPI_INT, rank, -1, MPI_COMM_WORLD), MPI_ERR_TAG);
    MTEST_FAILS(MPI_Send(NULL, 1, MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    MTEST_FAILS(MPI_Recv(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD, &status), MPI_ERR_RANK);
    MTEST_FAILS(MPI_Recv(&x, 1, MPI_INT, rank, -2, MPI_COMM_WORLD, &status), MPI_ERR_TAG);
    MTEST_FAILS(MPI_Irecv(&x, -5, MPI_INT, rank, 0, MPI_COMM_WORLD, &request), MPI_ERR_COUNT);
    MTEST_FAILS(MPI_Iprobe(size + 3, 0, MPI_COMM_WORLD, &flag, &status), MPI_ERR_RANK);
    MTEST_INT_EQ(request, 4711);
    MTEST_INT_EQ(flag, 17);
    MTEST_MPI(MPI_Type_free(&uncommitted));

    /* counts that fit each by itself and not together */
    MTEST_MPI(MPI_Type_contiguous_c((MPI_Count) 1 << 40, MPI_INT, &huge));
    MTEST_MPI(MPI_Type_commit(&huge));
    MTEST_FAILS(MPI_Send_c(&x, (MPI_Count) 1 << 40, huge, rank, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    MTEST_FAILS(MPI_Isend_c(&x, (MPI_Count) 1 << 62, MPI_INT, rank, 0, MPI_COMM_WORLD, &request),
                MPI_ERR_COUNT);
    MTEST_FAILS(MPI_Recv_c(&x, (MPI_Count) 1 << 40, huge, rank, 0, MPI_COMM_WORLD, &status),
                MPI_ERR_COUNT);
    MTEST_FAILS(MPI_Irecv_c(&x, (MPI_Count) 1 << 61, MPI_INT, rank, 0, MPI_COMM_WORLD, &request),
                MPI_ERR_COUNT);
    MTEST_INT_EQ(request, 4711);
    MTEST_MPI(MPI_Type_free(&huge));
    MPI_Finalize();
    return MTest_report(rank);
}
