/* MPI_Wait, Waitall, Waitany, Waitsome: null requests, empty lists, statuses ignored, handles
 * nulled, any order of completion. */
#include "mpitest.h"

#define N 8

static int rank, size, dest, source;
static int in[N], out[N];
static MPI_Request request[2 * N];

/* Receives in the even places, sends in the odd ones of the first N, MPI_REQUEST_NULL in some. */
static void start(int n)
{
    for (int i = 0; i < 2 * N; i++)
        request[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < n; i++) {
        out[i] = rank * 100 + i;
        in[i] = -1;
        MTEST_MPI(MPI_Irecv(&in[i], 1, MPI_INT, source, i, MPI_COMM_WORLD, &request[2 * i]));
    }
}

static void send(int i)
{
    MTEST_MPI(MPI_Send(&out[i], 1, MPI_INT, dest, i, MPI_COMM_WORLD));
}

static void check_arrived(int i, const MPI_Status *status)
{
    MTEST_INT_EQ(in[i], source * 100 + i);
    if (status) {
        MTEST_INT_EQ(status->MPI_SOURCE, source);
        MTEST_INT_EQ(status->MPI_TAG, i);
    }
}

static void check_empty(const MPI_Status *status)
{
    int count, cancelled;
    MTEST_INT_EQ(status->MPI_SOURCE, MPI_ANY_SOURCE);
    MTEST_INT_EQ(status->MPI_TAG, MPI_ANY_TAG);
    MTEST_INT_EQ(status->MPI_ERROR, MPI_SUCCESS);
    MTEST_MPI(MPI_Get_count(status, MPI_INT, &count));
    MTEST_INT_EQ(count, 0);
    MTEST_MPI(MPI_Test_cancelled(status, &cancelled));
    MTEST_INT_EQ(cancelled, 0);
}

static void nothing_to_wait_for(void)
{
    MPI_Request null[3] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Status status[3];
    int index = 5, count = 5, indices[3];
    for (int n = 0; n < 4; n += 3) {
        memset(status, 0x55, sizeof(status));
        MTEST_MPI(MPI_Waitall(n, null, status));
        for (int i = 0; i < n; i++)
            check_empty(&status[i]);
        MTEST_MPI(MPI_Waitall(n, null, MPI_STATUSES_IGNORE));
        memset(status, 0x55, sizeof(status));
        MTEST_MPI(MPI_Waitany(n, null, &index, status));
        MTEST_INT_EQ(index, MPI_UNDEFINED);
        check_empty(status);
        MTEST_MPI(MPI_Waitsome(n, null, &count, indices, MPI_STATUSES_IGNORE));
        MTEST_INT_EQ(count, MPI_UNDEFINED);
    }
    memset(status, 0x55, sizeof(status));
    MTEST_MPI(MPI_Wait(null, status));
    check_empty(status);
    MTEST_MPI(MPI_Wait(null, MPI_STATUS_IGNORE));
}

static void wait_each(void)
{
    MPI_Status status;
    start(N);
    for (int i = N - 1; i >= 0; i--)
        send(i);
    for (int i = 0; i < N; i++) {
        status.MPI_ERROR = 4711; /* calls with one status leave this alone */
        MTEST_MPI(MPI_Wait(&request[2 * i], i % 2 ? MPI_STATUS_IGNORE : &status));
        check_arrived(i, i % 2 ? NULL : &status);
        if (i % 2 == 0)
            MTEST_INT_EQ(status.MPI_ERROR, 4711);
        MTEST_CHECK(request[2 * i] == MPI_REQUEST_NULL, "%x", request[2 * i]);
    }
}

static void wait_all(int with_statuses)
{
    MPI_Status status[2 * N];
    start(N);
    for (int i = 0; i < N; i++)
        MTEST_MPI(MPI_Isend(&out[i], 1, MPI_INT, dest, i, MPI_COMM_WORLD,
                            &request[2 * ((i + 3) % N) + 1]));
    MTEST_MPI(MPI_Waitall(2 * N, request, with_statuses ? status : MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++) {
        check_arrived(i, with_statuses ? &status[2 * i] : NULL);
        MTEST_CHECK(request[2 * i] == MPI_REQUEST_NULL && request[2 * i + 1] == MPI_REQUEST_NULL,
                    "%d", i);
    }
}

static void wait_any(void)
{
    start(N);
    for (int i = N - 1; i >= 0; i--)
        send(i);
    unsigned seen = 0;
    for (int k = 0; k < N; k++) {
        int index;
        MPI_Status status;
        MTEST_MPI(MPI_Waitany(2 * N, request, &index, &status));
        MTEST_CHECK(index >= 0 && !(index & 1) && !(seen & (1u << index)), "index %d", index);
        check_arrived(index / 2, &status);
        MTEST_CHECK(request[index] == MPI_REQUEST_NULL, "%d", index);
        seen |= 1u << index;
    }
}

static void wait_some(int with_statuses)
{
    start(N);
    int left = N, count, indices[2 * N];
    unsigned seen = 0;
    MPI_Status status[2 * N];
    for (int i = N - 1; i >= 0; i--)
        send(i);
    while (left > 0) {
        MTEST_MPI(MPI_Waitsome(2 * N, request, &count, indices,
                               with_statuses ? status : MPI_STATUSES_IGNORE));
        MTEST_CHECK(count >= 1 && count <= left, "%d of %d", count, left);
        for (int k = 0; k < count; k++) {
            MTEST_CHECK(!(seen & (1u << indices[k])), "index %d twice", indices[k]);
            seen |= 1u << indices[k];
            check_arrived(indices[k] / 2, with_statuses ? &status[k] : NULL);
            MTEST_CHECK(request[indices[k]] == MPI_REQUEST_NULL, "%d", indices[k]);
        }
        left -= count;
    }
    MTEST_MPI(MPI_Waitsome(2 * N, request, &count, indices, status));
    MTEST_INT_EQ(count, MPI_UNDEFINED);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    dest = (rank + 1) % size;
    source = (rank + size - 1) % size;
    nothing_to_wait_for();
    for (int i = 0; i < 20; i++) {
        wait_each();
        wait_all(0);
        wait_all(1);
        wait_any();
        wait_some(0);
        wait_some(1);
    }
    MPI_Finalize();
    return MTest_report(rank);
}
