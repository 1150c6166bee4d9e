/* Cancelling a receive that has no message yet succeeds; one that has, does not; a send is never
 * cancelled. */
#include "mpitest.h"

static int rank, size, dest, source;

static void unmatched(int from, int tag)
{
    int x = 7, cancelled = 0;
    MPI_Request request;
    MPI_Status status;
    MTEST_MPI(MPI_Irecv(&x, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Cancel(&request));
    MTEST_CHECK(request != MPI_REQUEST_NULL, "the handle is still to be waited for");
    MTEST_MPI(MPI_Wait(&request, &status));
    MTEST_MPI(MPI_Test_cancelled(&status, &cancelled));
    MTEST_INT_EQ(cancelled, 1);
    MTEST_INT_EQ(x, 7);
}

static void matched(void)
{
    int x = -1, y = rank, cancelled = 1, flag = 0;
    MPI_Request request;
    MPI_Status status;
    MTEST_MPI(MPI_Irecv(&x, 1, MPI_INT, source, 3, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Send(&y, 1, MPI_INT, dest, 3, MPI_COMM_WORLD));
    while (!flag)
        MTEST_MPI(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Cancel(&request));
    MTEST_MPI(MPI_Wait(&request, &status));
    MTEST_MPI(MPI_Test_cancelled(&status, &cancelled));
    MTEST_INT_EQ(cancelled, 0);
    MTEST_INT_EQ(x, source);
}

/* The cancelled receive is out of the queue: the next message goes to the next receive. */
static void next_one(void)
{
    int x = 7, z = -1, y = rank;
    MPI_Request request[2];
    MTEST_MPI(MPI_Irecv(&x, 1, MPI_INT, source, 4, MPI_COMM_WORLD, &request[0]));
    MTEST_MPI(MPI_Irecv(&z, 1, MPI_INT, source, 4, MPI_COMM_WORLD, &request[1]));
    MTEST_MPI(MPI_Cancel(&request[0]));
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    MTEST_MPI(MPI_Send(&y, 1, MPI_INT, dest, 4, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
    MTEST_INT_EQ(x, 7);
    MTEST_INT_EQ(z, source);
}

static void given_up(void)
{
    int x = 7;
    MPI_Request request;
    MTEST_MPI(MPI_Irecv(&x, 1, MPI_INT, source, 5, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Cancel(&request));
    MTEST_MPI(MPI_Request_free(&request));
    MTEST_CHECK(request == MPI_REQUEST_NULL, "%x", request);
}

static void sends(void)
{
    static char big[500000], in[500000];
    int cancelled = 1;
    MPI_Request request;
    MPI_Status status;
    MTEST_MPI(MPI_Issend(big, sizeof(big), MPI_BYTE, dest, 6, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Cancel(&request));
    MTEST_MPI(MPI_Recv(in, sizeof(in), MPI_BYTE, source, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Wait(&request, &status));
    MTEST_MPI(MPI_Test_cancelled(&status, &cancelled));
    MTEST_INT_EQ(cancelled, 0);
    request = MPI_REQUEST_NULL;
    MTEST_FAILS(MPI_Cancel(&request), MPI_ERR_REQUEST);
    MTEST_FAILS(MPI_Request_free(&request), MPI_ERR_REQUEST);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF,
                            MPI_ERRORS_RETURN); /* for handles that lead to no communicator */
    dest = (rank + 1) % size;
    source = (rank + size - 1) % size;
    unmatched(source, 1);
    unmatched(MPI_ANY_SOURCE, 1);
    unmatched(source, MPI_ANY_TAG);
    unmatched(MPI_ANY_SOURCE, MPI_ANY_TAG);
    matched();
    next_one();
    given_up();
    sends();
    MPI_Finalize();
    return MTest_report(rank);
}
