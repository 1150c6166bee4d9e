/* Messages of 4 to 80 KiB, which may come in several pieces: many at once so that there is no
 * room for all, found by probes while the rest still comes, of a derived type, from several
 * sources to receives that take any, and on a communicator that goes before they were received. */
#include "mpitest.h"

enum { N = 40, LEAST = 1000, STEP = 487, LARGEST = LEAST + N * STEP };

static int rank, size, next, before;

/* Lives with the program. */
static int out[N][LARGEST], in[N][LARGEST];

static int length(int i)
{
    return LEAST + i * STEP;
}

static void fill(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < LARGEST; j++) {
            out[i][j] = rank * 1000000 + i * 31 + j;
            in[i][j] = -1;
        }
}

static void check(int i, int from, int n)
{
    int wrong = 0;
    for (int j = 0; j < n; j++)
        wrong += in[i][j] != from * 1000000 + i * 31 + j;
    for (int j = n; j < LARGEST; j++)
        wrong += in[i][j] != -1;
    MTEST_INT_EQ(wrong, 0);
}

static void send_all(MPI_Comm comm, int to, MPI_Request *requests)
{
    for (int i = 0; i < N; i++)
        MTEST_MPI(MPI_Isend(out[i], length(i), MPI_INT, to, i, comm, &requests[i]));
}

/* posted: receives come before the messages. */
static void many(int posted)
{
    MPI_Request sends[N], recvs[N];
    fill();
    for (int i = 0; posted && i < N; i++)
        MTEST_MPI(MPI_Irecv(in[i], LARGEST, MPI_INT, before, i, MPI_COMM_WORLD, &recvs[i]));
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    send_all(MPI_COMM_WORLD, next, sends);
    for (int i = N - 1; !posted && i >= 0; i--)
        MTEST_MPI(MPI_Irecv(in[i], LARGEST, MPI_INT, before, i, MPI_COMM_WORLD, &recvs[i]));
    MTEST_MPI(MPI_Waitall(N, recvs, MPI_STATUSES_IGNORE));
    MTEST_MPI(MPI_Waitall(N, sends, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++)
        check(i, before, length(i));
}

static void probed(void)
{
    MPI_Request sends[N];
    MPI_Status status;
    fill();
    send_all(MPI_COMM_WORLD, next, sends);
    for (int k = 0; k < N; k++) {
        int n;
        MTEST_MPI(MPI_Probe(before, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        MTEST_MPI(MPI_Get_count(&status, MPI_INT, &n));
        int i = status.MPI_TAG;
        MTEST_INT_EQ(i, k);
        MTEST_INT_EQ(n, length(i));
        MTEST_MPI(MPI_Recv(in[i], n, MPI_INT, before, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        check(i, before, n);
    }
    MTEST_MPI(MPI_Waitall(N, sends, MPI_STATUSES_IGNORE));
}

/* Every other integer goes out and comes in packed. */
static void strided(void)
{
    MPI_Datatype every_other;
    enum { COUNT = LARGEST / 2 };
    fill();
    MTEST_MPI(MPI_Type_vector(COUNT, 1, 2, MPI_INT, &every_other));
    MTEST_MPI(MPI_Type_commit(&every_other));
    MTEST_MPI(MPI_Sendrecv(out[0], 1, every_other, next, 3, in[0], COUNT, MPI_INT, before, 3,
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Sendrecv(out[1], COUNT, MPI_INT, next, 3, in[1], 1, every_other, before, 3,
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Type_free(&every_other));
    int wrong = 0;
    for (int j = 0; j < COUNT; j++) {
        wrong += in[0][j] != before * 1000000 + 2 * j;
        wrong += in[1][2 * j] != before * 1000000 + 31 + j;
        wrong += j > 0 && in[1][2 * j - 1] != -1;
    }
    MTEST_INT_EQ(wrong, 0);
}

static void many_to_one(void)
{
    MPI_Request sends[N];
    MPI_Status status;
    fill();
    if (rank != 0)
        send_all(MPI_COMM_WORLD, 0, sends);
    for (int k = 0; rank == 0 && k < N * (size - 1); k++) {
        int n;
        MTEST_MPI(MPI_Recv(in[0], LARGEST, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                           MPI_COMM_WORLD, &status));
        MTEST_MPI(MPI_Get_count(&status, MPI_INT, &n));
        MTEST_INT_EQ(n, length(status.MPI_TAG));
        int wrong = 0;
        for (int j = 0; j < n; j++)
            wrong += in[0][j] != status.MPI_SOURCE * 1000000 + status.MPI_TAG * 31 + j;
        MTEST_INT_EQ(wrong, 0);
    }
    if (rank != 0)
        MTEST_MPI(MPI_Waitall(N, sends, MPI_STATUSES_IGNORE));
}

/* Is another rank reached over a network? */
static int are_apart(void)
{
    MPI_Comm node;
    int near;
    MTEST_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    MPI_Comm_size(node, &near);
    MTEST_MPI(MPI_Comm_free(&node));
    return near < size || MTest_looks_like_several();
}

/* Unmatched messages are dropped with the communicator; others go on. */
static void dropped(void)
{
    MPI_Request send;
    MPI_Comm comm;
    /* Between nodes only the shortest is sent before it is matched. */
    int i = are_apart() ? 0 : N / 2;
    MTEST_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    MTEST_MPI(MPI_Isend(out[i], length(i), MPI_INT, next, 1, comm, &send));
    MTEST_MPI(MPI_Wait(&send, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Comm_free(&comm));
    many(0);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    many(1);
    many(0);
    probed();
    strided();
    many_to_one();
    if (size > 1)
        dropped();
    MPI_Finalize();
    return MTest_report(rank);
}
