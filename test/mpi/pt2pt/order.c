/* Messages of one sender are matched in order, whatever mixture of tags, wildcards and sizes; and
 * each of several senders' streams stays in order when received from any source. */
#include "mpitest.h"

#define N 2000

static int rank, size;

/* Sizes on both sides of the eager limit alternate, so that a later small message might overtake a
 * big one. */
static int length(int i)
{
    return i % 7 == 3 ? 20000 : 1 + i % 5;
}

static void send_all(int dest)
{
    static int data[20000];
    for (int i = 0; i < N; i++) {
        MPI_Request request;
        data[0] = i;
        MTEST_MPI(MPI_Isend(data, length(i), MPI_INT, dest, i % 3, MPI_COMM_WORLD, &request));
        MTEST_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
}

static void receive_all(int n_senders)
{
    static int data[20000];
    int *next = calloc((size_t) size, sizeof(int));
    for (int i = 0; i < n_senders * N; i++) {
        MPI_Status status;
        int count;
        MTEST_MPI(
            MPI_Recv(data, 20000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        int expected = next[status.MPI_SOURCE]++;
        MTEST_INT_EQ(data[0], expected);
        MTEST_INT_EQ(status.MPI_TAG, expected % 3);
        MTEST_MPI(MPI_Get_count(&status, MPI_INT, &count));
        MTEST_INT_EQ(count, length(expected));
    }
    free(next);
}

/* Posted receives, exact and wild, take messages in the order of posting. */
static void posted_order(void)
{
    int in[6], out[6], dest = (rank + 1) % size, source = (rank + size - 1) % size;
    MPI_Request request[12];
    const int from[6] = { source, MPI_ANY_SOURCE, source, MPI_ANY_SOURCE, source, MPI_ANY_SOURCE };
    const int tag[6] = { 1, 1, MPI_ANY_TAG, MPI_ANY_TAG, 1, 1 };
    for (int i = 0; i < 6; i++)
        MTEST_MPI(MPI_Irecv(&in[i], 1, MPI_INT, from[i], tag[i], MPI_COMM_WORLD, &request[i]));
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 6; i++) {
        out[i] = i;
        MTEST_MPI(MPI_Isend(&out[i], 1, MPI_INT, dest, 1, MPI_COMM_WORLD, &request[6 + i]));
    }
    MTEST_MPI(MPI_Waitall(12, request, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 6; i++)
        MTEST_INT_EQ(in[i], i);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    posted_order();
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0 && size > 1)
        receive_all(size - 1);
    else if (rank > 0)
        send_all(0);
    MPI_Finalize();
    return MTest_report(rank);
}
