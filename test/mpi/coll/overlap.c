/* Many nonblocking collectives at once on several communicators, completed in any order, with
 * blocking ones and point-to-point messages in between. */
#include "mpitest.h"

enum { COMMS = 3, N = 40, BIG = 20000 };

static int rank, size;

static void many(MPI_Comm *comm)
{
    MPI_Request req[COMMS * N + 2];
    int in[COMMS][N], out[COMMS][N], n = 0, left = (rank + size - 1) % size, x = rank, y = -1, done;
    MTEST_MPI(MPI_Irecv(&y, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &req[n++]));
    for (int i = 0; i < N; i++)
        for (int c = 0; c < COMMS; c++) {
            in[c][i] = c * 100 + i + rank;
            MTEST_MPI(
                MPI_Iallreduce(&in[c][i], &out[c][i], 1, MPI_INT, MPI_SUM, comm[c], &req[n++]));
            if (i % 10 == 5)
                MTEST_MPI(MPI_Barrier(comm[(c + 1) % COMMS]));
            if (i == 3 && c == 1)
                MTEST_MPI(
                    MPI_Isend(&x, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &req[n++]));
        }
    MTEST_MPI(MPI_Testall(n, req, &done, MPI_STATUSES_IGNORE));
    for (int i = n - 1; i >= 0 && !done; i--)
        MTEST_MPI(MPI_Wait(&req[i], MPI_STATUS_IGNORE));
    MTEST_INT_EQ(y, left);
    for (int c = 0; c < COMMS; c++)
        for (int i = 0; i < N; i++)
            MTEST_INT_EQ(out[c][i], size * (c * 100 + i) + size * (size - 1) / 2);
}

static void big(MPI_Comm *comm)
{
    MPI_Request req[COMMS];
    int *in = malloc(sizeof(int) * BIG), *out[COMMS];
    for (int i = 0; i < BIG; i++)
        in[i] = i + rank;
    for (int c = 0; c < COMMS; c++) {
        out[c] = malloc(sizeof(int) * BIG);
        MTEST_MPI(MPI_Iallreduce(in, out[c], BIG, MPI_INT, MPI_MAX, comm[c], &req[c]));
    }
    MTEST_MPI(MPI_Waitall(COMMS, req, MPI_STATUSES_IGNORE));
    for (int c = 0; c < COMMS; c++) {
        for (int i = 0; i < BIG; i += 333)
            MTEST_INT_EQ(out[c][i], i + size - 1);
        free(out[c]);
    }
    free(in);
}

int main(int argc, char **argv)
{
    MPI_Comm comm[COMMS];
    MTest_init_world(&argc, &argv, &rank, &size);
    for (int c = 0; c < COMMS; c++)
        MTEST_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm[c]));
    for (int i = 0; i < 5; i++)
        many(comm);
    big(comm);
    for (int c = 0; c < COMMS; c++)
        MTEST_MPI(MPI_Comm_free(&comm[c]));
    MPI_Finalize();
    return MTest_report(rank);
}
