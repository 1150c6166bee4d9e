/* MPI_Test, Testall, Testany, Testsome: flags and outputs before and after completion, null
 * requests, empty lists. */
#include "mpitest.h"

#define N 5

static int rank, size, dest, source;
static int in[N], out[N];
static MPI_Request request[N];

static void start(void)
{
    for (int i = 0; i < N; i++) {
        out[i] = rank * 100 + i;
        in[i] = -1;
        request[i] = MPI_REQUEST_NULL;
        if (i != 2) /* one null among them */
            MTEST_MPI(MPI_Irecv(&in[i], 1, MPI_INT, source, i, MPI_COMM_WORLD, &request[i]));
    }
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

static void send(int i)
{
    MTEST_MPI(MPI_Send(&out[i], 1, MPI_INT, dest, i, MPI_COMM_WORLD));
}

static void check_arrived(int i, const MPI_Status *status)
{
    MTEST_INT_EQ(in[i], source * 100 + i);
    MTEST_INT_EQ(status->MPI_SOURCE, source);
    MTEST_INT_EQ(status->MPI_TAG, i);
    MTEST_CHECK(request[i] == MPI_REQUEST_NULL, "handle %d remains", i);
}

static void nothing_to_test(void)
{
    MPI_Request null[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Status status[2];
    int flag = 0, index = 5, count = 5, indices[2];
    MTEST_MPI(MPI_Test(null, &flag, status));
    MTEST_INT_EQ(flag, 1);
    MTEST_INT_EQ(status[0].MPI_SOURCE, MPI_ANY_SOURCE);
    for (int n = 0; n < 3; n += 2) {
        flag = 0;
        MTEST_MPI(MPI_Testall(n, null, &flag, status));
        MTEST_INT_EQ(flag, 1);
        flag = 0;
        MTEST_MPI(MPI_Testany(n, null, &index, &flag, MPI_STATUS_IGNORE));
        MTEST_INT_EQ(flag, 1);
        MTEST_INT_EQ(index, MPI_UNDEFINED);
        MTEST_MPI(MPI_Testsome(n, null, &count, indices, MPI_STATUSES_IGNORE));
        MTEST_INT_EQ(count, MPI_UNDEFINED);
    }
}

/* Nothing has been sent: flags are false and nothing else is touched. */
static void not_yet(void)
{
    MPI_Status status[N];
    int flag, index, count, indices[N];
    for (int i = 0; i < N; i++)
        status[i].MPI_TAG = 4711;
    MTEST_MPI(MPI_Test(&request[0], &flag, status));
    MTEST_INT_EQ(flag, 0);
    MTEST_MPI(MPI_Testall(N, request, &flag, status));
    MTEST_INT_EQ(flag, 0);
    MTEST_MPI(MPI_Testany(N, request, &index, &flag, status));
    MTEST_INT_EQ(flag, 0);
    MTEST_INT_EQ(index, MPI_UNDEFINED);
    MTEST_MPI(MPI_Testsome(N, request, &count, indices, status));
    MTEST_INT_EQ(count, 0);
    for (int i = 0; i < N; i++) {
        MTEST_INT_EQ(status[i].MPI_TAG, 4711);
        MTEST_CHECK((request[i] == MPI_REQUEST_NULL) == (i == 2), "handle %d", i);
    }
}

static void test_any_some_one(void)
{
    MPI_Status status[N];
    int flag = 0, index, count = 0, indices[N];
    send(3);
    while (!flag)
        MTEST_MPI(MPI_Testany(N, request, &index, &flag, status));
    MTEST_INT_EQ(index, 3);
    check_arrived(3, status);
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD)); /* so that nobody is ahead */
    send(4);
    while (count == 0)
        MTEST_MPI(MPI_Testsome(N, request, &count, indices, status));
    MTEST_INT_EQ(count, 1);
    MTEST_INT_EQ(indices[0], 4);
    check_arrived(4, status);
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD)); /* so that nobody is ahead */
    send(0);
    for (flag = 0; !flag;)
        MTEST_MPI(MPI_Test(&request[0], &flag, status));
    check_arrived(0, status);
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD)); /* so that nobody is ahead */
    send(1);
    for (flag = 0; !flag;)
        MTEST_MPI(MPI_Testall(N, request, &flag, status));
    check_arrived(1, &status[1]);
    MTEST_INT_EQ(status[0].MPI_SOURCE, MPI_ANY_SOURCE); /* was null by then */
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    dest = (rank + 1) % size;
    source = (rank + size - 1) % size;
    nothing_to_test();
    for (int i = 0; i < 20; i++) {
        start();
        not_yet();
        MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
        test_any_some_one();
        MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    }
    MPI_Finalize();
    return MTest_report(rank);
}
