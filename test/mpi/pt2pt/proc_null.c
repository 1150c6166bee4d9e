/* MPI_PROC_NULL: everything succeeds at once, and receives give the prescribed status. */
#include "mpitest.h"

static void check_status(const MPI_Status *status)
{
    int count, cancelled;
    MTEST_INT_EQ(status->MPI_SOURCE, MPI_PROC_NULL);
    MTEST_INT_EQ(status->MPI_TAG, MPI_ANY_TAG);
    MTEST_MPI(MPI_Get_count(status, MPI_INT, &count));
    MTEST_INT_EQ(count, 0);
    MTEST_MPI(MPI_Test_cancelled(status, &cancelled));
    MTEST_INT_EQ(cancelled, 0);
}

static void sends(void)
{
    int x = 1;
    MPI_Request request[5];
    MTEST_MPI(MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Ssend(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Rsend(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Bsend(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD)); /* needs no buffer */
    MTEST_MPI(MPI_Isend(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[0]));
    MTEST_MPI(MPI_Issend(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[1]));
    MTEST_MPI(MPI_Irsend(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[2]));
    MTEST_MPI(MPI_Ibsend(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[3]));
    MTEST_MPI(MPI_Isend(NULL, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[4]));
    MTEST_MPI(MPI_Waitall(5, request, MPI_STATUSES_IGNORE));
}

static void receives(void)
{
    int x = 7, flag = 0;
    MPI_Status status;
    MPI_Request request;
    MTEST_MPI(MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status));
    check_status(&status);
    MTEST_MPI(MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Test(&request, &flag, &status));
    MTEST_INT_EQ(flag, 1);
    check_status(&status);
    MTEST_MPI(MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status));
    check_status(&status);
    flag = 0;
    MTEST_MPI(MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &status));
    MTEST_INT_EQ(flag, 1);
    check_status(&status);
    MTEST_INT_EQ(x, 7);
}

static void both(int rank)
{
    int x = 7, y = 8, in = 0;
    MPI_Status status;
    MPI_Request request;
    MTEST_MPI(MPI_Sendrecv(&x, 1, MPI_INT, MPI_PROC_NULL, 1, &y, 1, MPI_INT, MPI_PROC_NULL, 1,
                           MPI_COMM_WORLD, &status));
    check_status(&status);
    MTEST_MPI(MPI_Sendrecv_replace(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1,
                                   MPI_COMM_WORLD, &status));
    check_status(&status);
    MTEST_MPI(MPI_Isendrecv(&x, 1, MPI_INT, MPI_PROC_NULL, 1, &y, 1, MPI_INT, MPI_PROC_NULL, 1,
                            MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Wait(&request, &status));
    check_status(&status);
    MTEST_INT_EQ(x, 7);
    MTEST_INT_EQ(y, 8);
    /* one side only */
    MTEST_MPI(MPI_Isend(&x, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Sendrecv(&y, 1, MPI_INT, MPI_PROC_NULL, 1, &in, 1, MPI_INT, rank, 2,
                           MPI_COMM_WORLD, &status));
    MTEST_INT_EQ(status.MPI_SOURCE, rank);
    MTEST_INT_EQ(in, 7);
    MTEST_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    int rank, size;
    MTest_init_world(&argc, &argv, &rank, &size);
    sends();
    receives();
    both(rank);
    MPI_Finalize();
    return MTest_report(rank);
}
