/* MPI_Comm_disconnect waits for what is pending on the communicator; MPI_Comm_free does not. */
#include "mpitest.h"

#define N (1 << 20)

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Comm comm;
    MPI_Request req[2];
    MTest_init_world(&argc, &argv, &rank, &size);
    int *out = malloc(N * sizeof(int)), *in = calloc(N, sizeof(int));
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++)
            out[i] = rank * N + i + round;
        MTEST_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        MTEST_MPI(MPI_Irecv(in, N, MPI_INT, left, 1, comm, &req[0]));
        MTEST_MPI(MPI_Isend(out, N, MPI_INT, right, 1, comm, &req[1]));
        if (round == 0) {
            MTEST_MPI(MPI_Comm_disconnect(&comm));
            MTEST_INT_EQ(in[N - 1], left * N + N - 1); /* complete already */
        } else {
            MTEST_MPI(MPI_Comm_free(&comm));
        }
        MTEST_INT_EQ(comm, MPI_COMM_NULL);
        MTEST_MPI(MPI_Waitall(2, req, MPI_STATUSES_IGNORE));
        for (int i = 0; i < N; i += 1000)
            MTEST_INT_EQ(in[i], left * N + i + round);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return MTest_report(rank);
}
