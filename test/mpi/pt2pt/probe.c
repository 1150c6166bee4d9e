/* Probe and iprobe: nothing there, exact and wild patterns, messages longer than the eager limit,
 * order. */
#include "mpitest.h"

static int rank, size, dest, source;

static void describe(int from, int tag, int blocking, int expected_bytes)
{
    MPI_Status status;
    int flag = 0, count;
    if (blocking) {
        MTEST_MPI(MPI_Probe(from, tag, MPI_COMM_WORLD, &status));
    } else {
        while (!flag)
            MTEST_MPI(MPI_Iprobe(from, tag, MPI_COMM_WORLD, &flag, &status));
    }
    MTEST_INT_EQ(status.MPI_SOURCE, source);
    MTEST_INT_EQ(status.MPI_TAG, 5);
    MTEST_MPI(MPI_Get_count(&status, MPI_BYTE, &count));
    MTEST_INT_EQ(count, expected_bytes);
}

static void probe_then_receive(int n)
{
    char *out = malloc((size_t) n + 1), *in = malloc((size_t) n + 1);
    MPI_Request request;
    memset(out, n, (size_t) n + 1);
    MTEST_MPI(MPI_Isend(out, n, MPI_BYTE, dest, 5, MPI_COMM_WORLD, &request));
    describe(source, 5, 1, n);
    describe(MPI_ANY_SOURCE, 5, 0, n);
    describe(source, MPI_ANY_TAG, 1, n);
    describe(MPI_ANY_SOURCE, MPI_ANY_TAG, 0, n);
    MTEST_MPI(MPI_Probe(source, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Recv(in, n, MPI_BYTE, source, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MTEST_CHECK(memcmp(in, out, (size_t) n) == 0, "%d bytes arrived wrong", n);
    MTEST_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    free(out);
    free(in);
}

static void nothing_there(void)
{
    int flag = 1;
    MPI_Status status = { .MPI_TAG = 4711 };
    MTEST_MPI(MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, &status));
    MTEST_INT_EQ(flag, 0);
    MTEST_INT_EQ(status.MPI_TAG, 4711);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    dest = (rank + 1) % size;
    source = (rank + size - 1) % size;
    nothing_there();
    const int sizes[] = { 0, 1, 100, 5000, 300000 };
    for (int i = 0; i < 5; i++)
        probe_then_receive(sizes[i]);
    nothing_there();
    MPI_Finalize();
    return MTest_report(rank);
}
