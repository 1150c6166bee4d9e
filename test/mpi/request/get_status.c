/* MPI_Request_get_status and its _all, _any, _some: they tell and leave the requests as they are.
 */
#include "mpitest.h"

#define N 4

static int rank, size, dest, source;
static int in[N], out[N];
static MPI_Request request[N], before[N];

static void unchanged(void)
{
    MTEST_CHECK(memcmp(request, before, sizeof(request)) == 0, "a handle changed");
}

static void pending(void)
{
    int flag, index, count, indices[N];
    MTEST_MPI(MPI_Request_get_status(request[0], &flag, MPI_STATUS_IGNORE));
    MTEST_INT_EQ(flag, 0);
    MTEST_MPI(MPI_Request_get_status_all(N, request, &flag, MPI_STATUSES_IGNORE));
    MTEST_INT_EQ(flag, 0);
    MTEST_MPI(MPI_Request_get_status_any(N, request, &index, &flag, MPI_STATUS_IGNORE));
    MTEST_INT_EQ(flag, 0);
    MTEST_MPI(MPI_Request_get_status_some(N, request, &count, indices, MPI_STATUSES_IGNORE));
    MTEST_INT_EQ(count, 0);
    unchanged();
}

static void complete(void)
{
    MPI_Status status[N];
    int flag = 0, index = -1, count = 0, indices[N];
    while (!flag)
        MTEST_MPI(MPI_Request_get_status_all(N, request, &flag, status));
    for (int i = 0; i < N; i++)
        MTEST_INT_EQ(status[i].MPI_TAG, i);
    for (int i = 0; i < N; i++) { /* as often as one likes */
        MTEST_MPI(MPI_Request_get_status(request[i], &flag, status));
        MTEST_INT_EQ(flag, 1);
        MTEST_INT_EQ(status[0].MPI_TAG, i);
    }
    MTEST_MPI(MPI_Request_get_status_any(N, request, &index, &flag, status));
    MTEST_INT_EQ(flag, 1);
    MTEST_CHECK(index >= 0 && index < N, "%d", index);
    MTEST_INT_EQ(status[0].MPI_TAG, index);
    MTEST_MPI(MPI_Request_get_status_some(N, request, &count, indices, status));
    MTEST_INT_EQ(count, N);
    for (int k = 0; k < count; k++)
        MTEST_INT_EQ(status[k].MPI_TAG, indices[k]);
    unchanged();
    for (int i = 0; i < N; i++)
        MTEST_INT_EQ(in[i], source * 10 + i);
    MTEST_MPI(MPI_Waitall(N, request, MPI_STATUSES_IGNORE));
}

static void null_requests(void)
{
    int flag = 0, index = 5, count = 5, indices[N];
    MPI_Status status;
    for (int i = 0; i < N; i++)
        request[i] = MPI_REQUEST_NULL;
    MTEST_MPI(MPI_Request_get_status(request[0], &flag, &status));
    MTEST_INT_EQ(flag, 1);
    MTEST_INT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
    flag = 0;
    MTEST_MPI(MPI_Request_get_status_all(N, request, &flag, MPI_STATUSES_IGNORE));
    MTEST_INT_EQ(flag, 1);
    flag = 0;
    MTEST_MPI(MPI_Request_get_status_any(N, request, &index, &flag, &status));
    MTEST_INT_EQ(flag, 1);
    MTEST_INT_EQ(index, MPI_UNDEFINED);
    MTEST_MPI(MPI_Request_get_status_some(N, request, &count, indices, MPI_STATUSES_IGNORE));
    MTEST_INT_EQ(count, MPI_UNDEFINED);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    dest = (rank + 1) % size;
    source = (rank + size - 1) % size;
    for (int i = 0; i < N; i++)
        MTEST_MPI(MPI_Irecv(&in[i], 1, MPI_INT, source, i, MPI_COMM_WORLD, &request[i]));
    memcpy(before, request, sizeof(request));
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    pending();
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < N; i++) {
        out[i] = rank * 10 + i;
        MTEST_MPI(MPI_Send(&out[i], 1, MPI_INT, dest, i, MPI_COMM_WORLD));
    }
    complete();
    null_requests();
    MPI_Finalize();
    return MTest_report(rank);
}
