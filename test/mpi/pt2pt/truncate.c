/* A message longer than the receive: MPI_ERR_TRUNCATE, what fits arrives, nothing beyond is
 * touched, and the next message is fine. Messages shorter than the receive are fine. */
#include "mpitest.h"

static int rank, size, dest, source;

static void one(int sent, int room, int blocking)
{
    int *out = malloc((size_t) (sent + 1) * sizeof(int)),
        *in = malloc((size_t) (room + 1) * sizeof(int));
    int next = 0, count, err, expected = sent > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    MPI_Request send, recv;
    MPI_Status status;
    for (int i = 0; i < sent; i++)
        out[i] = i;
    for (int i = 0; i <= room; i++)
        in[i] = -1;
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (!blocking)
        MTEST_MPI(MPI_Irecv(in, room, MPI_INT, source, 9, MPI_COMM_WORLD, &recv));
    MTEST_MPI(MPI_Isend(out, sent, MPI_INT, dest, 9, MPI_COMM_WORLD, &send));
    err = blocking ? MPI_Recv(in, room, MPI_INT, source, 9, MPI_COMM_WORLD, &status)
                   : MPI_Wait(&recv, &status);
    if (expected == MPI_SUCCESS)
        MTEST_MPI(err);
    else
        MTEST_FAILS(err, expected);
    MTEST_INT_EQ(status.MPI_SOURCE, source);
    MTEST_INT_EQ(status.MPI_TAG, 9);
    MPI_Get_count(&status, MPI_INT, &count);
    MTEST_INT_EQ(count, sent < room ? sent : room);
    for (int i = 0; i < count; i++)
        MTEST_INT_EQ(in[i], i);
    for (int i = count; i <= room; i++)
        MTEST_INT_EQ(in[i], -1);
    MTEST_MPI(MPI_Wait(&send, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Sendrecv(&sent, 1, MPI_INT, dest, 9, &next, 1, MPI_INT, source, 9, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE));
    MTEST_INT_EQ(next, sent);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    dest = (rank + 1) % size;
    source = (rank + size - 1) % size;
    const int sizes[] = { 0, 1, 3, 2000, 5000, 16000, 100000 };
    for (int s = 0; s < 7; s++)
        for (int r = 0; r < 7; r++)
            for (int blocking = 0; blocking < 2; blocking++)
                one(sizes[s], sizes[r], blocking);
    MPI_Finalize();
    return MTest_report(rank);
}
