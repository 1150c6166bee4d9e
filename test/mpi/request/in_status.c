/* Several requests of which some fail: MPI_ERR_IN_STATUS and the error of each in its status; the
 * single forms give the error itself. Messages that are too long serve as failures. */
#include "mpitest.h"

#define N 4

static int rank, size, dest, source;
static int in[N], out[2];
static MPI_Request request[N];
static MPI_Status status[N];

/* Requests 1 and 3 fail; `all`: all are complete before this returns. */
static void start(void)
{
    for (int i = 0; i < N; i++) {
        MTEST_MPI(MPI_Irecv(&in[i], 1, MPI_INT, source, i, MPI_COMM_WORLD, &request[i]));
        memset(&status[i], 0x55, sizeof(status[i]));
    }
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < N; i++)
        MTEST_MPI(MPI_Send(out, 1 + i % 2, MPI_INT, dest, i, MPI_COMM_WORLD));
}

static void settle(void)
{
    int flag = 0, errclass;
    do { /* all complete, none taken */
        int err = MPI_Request_get_status_all(N, request, &flag, MPI_STATUSES_IGNORE);
        MPI_Error_class(err, &errclass);
    } while (!flag);
    MTEST_INT_EQ(errclass, MPI_ERR_IN_STATUS);
}

static void check(int k, int i)
{
    int errclass;
    MPI_Error_class(status[k].MPI_ERROR, &errclass);
    MTEST_INT_EQ(errclass, i % 2 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    MTEST_INT_EQ(status[k].MPI_SOURCE, source);
    MTEST_INT_EQ(status[k].MPI_TAG, i);
    MTEST_CHECK(request[i] == MPI_REQUEST_NULL, "handle %d remains", i);
}

static void all_forms(void)
{
    int flag;
    start();
    MTEST_FAILS(MPI_Waitall(N, request, status), MPI_ERR_IN_STATUS);
    for (int i = 0; i < N; i++)
        check(i, i);
    start();
    MTEST_FAILS(MPI_Waitall(N, request, MPI_STATUSES_IGNORE), MPI_ERR_IN_STATUS);
    MTEST_CHECK(request[1] == MPI_REQUEST_NULL && request[2] == MPI_REQUEST_NULL, "handles remain");
    start();
    settle();
    MTEST_FAILS(MPI_Testall(N, request, &flag, status), MPI_ERR_IN_STATUS);
    MTEST_INT_EQ(flag, 1);
    for (int i = 0; i < N; i++)
        check(i, i);
}

static void some_forms(int wait)
{
    int count = 0, indices[N], err;
    start();
    settle();
    err = wait ? MPI_Waitsome(N, request, &count, indices, status)
               : MPI_Testsome(N, request, &count, indices, status);
    MTEST_FAILS(err, MPI_ERR_IN_STATUS);
    MTEST_INT_EQ(count, N);
    for (int k = 0; k < count; k++)
        check(k, indices[k]);
}

static void any_forms(int wait)
{
    start();
    settle();
    for (int k = 0; k < N; k++) {
        int index = -1, flag = 1;
        int err = wait ? MPI_Waitany(N, request, &index, &status[0])
                       : MPI_Testany(N, request, &index, &flag, &status[0]);
        MTEST_INT_EQ(flag, 1);
        if (index % 2)
            MTEST_FAILS(err, MPI_ERR_TRUNCATE);
        else
            MTEST_MPI(err);
        MTEST_CHECK(request[index] == MPI_REQUEST_NULL, "handle %d remains", index);
    }
}

static void single_forms(void)
{
    int flag;
    start();
    settle();
    MTEST_FAILS(MPI_Request_get_status(request[1], &flag, &status[0]), MPI_ERR_TRUNCATE);
    MTEST_INT_EQ(flag, 1);
    MTEST_FAILS(MPI_Wait(&request[1], &status[0]), MPI_ERR_TRUNCATE);
    MTEST_FAILS(MPI_Test(&request[3], &flag, &status[0]), MPI_ERR_TRUNCATE);
    MTEST_INT_EQ(flag, 1);
    MTEST_MPI(MPI_Waitall(N, request, status));
}

/* No failure: MPI_ERROR is left as it was. */
static void no_failure(void)
{
    MTEST_MPI(MPI_Irecv(&in[0], 1, MPI_INT, source, 9, MPI_COMM_WORLD, &request[0]));
    MTEST_MPI(MPI_Send(out, 1, MPI_INT, dest, 9, MPI_COMM_WORLD));
    status[0].MPI_ERROR = 4711;
    MTEST_MPI(MPI_Waitall(1, request, status));
    MTEST_INT_EQ(status[0].MPI_ERROR, 4711);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF,
                            MPI_ERRORS_RETURN); /* for handles that lead to no communicator */
    dest = (rank + 1) % size;
    source = (rank + size - 1) % size;
    all_forms();
    for (int wait = 0; wait < 2; wait++) {
        some_forms(wait);
        any_forms(wait);
    }
    single_forms();
    no_failure();
    MTEST_FAILS(MPI_Waitall(-1, request, status), MPI_ERR_COUNT);
    request[0] = 12345;
    MTEST_FAILS(MPI_Wait(&request[0], &status[0]), MPI_ERR_REQUEST);
    MTEST_FAILS(MPI_Waitall(1, request, status), MPI_ERR_REQUEST);
    MPI_Finalize();
    return MTest_report(rank);
}
