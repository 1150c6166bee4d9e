/* Twenty thousand requests in one call, completed in an unfavourable order. A wait that looked at
 * all of them at each turn would take minutes. */
#include "mpitest.h"

#define N 20000

int main(int argc, char **argv)
{
    static int in[N], out[N];
    static MPI_Request request[2 * N];
    int rank, size;
    MTest_init_world(&argc, &argv, &rank, &size);
    int dest = (rank + 1) % size, source = (rank + size - 1) % size;
    for (int i = 0; i < N; i++)
        MTEST_MPI(MPI_Irecv(&in[i], 1, MPI_INT, source, i, MPI_COMM_WORLD, &request[i]));
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = N - 1; i >= 0; i--) {
        out[i] = rank + i;
        MTEST_MPI(MPI_Isend(&out[i], 1, MPI_INT, dest, i, MPI_COMM_WORLD, &request[N + i]));
    }
    double start = MPI_Wtime();
    MTEST_MPI(MPI_Waitall(2 * N, request, MPI_STATUSES_IGNORE));
    MTEST_CHECK(MPI_Wtime() - start < 20, "it took %g s", MPI_Wtime() - start);
    for (int i = 0; i < N; i++) {
        if (in[i] != source + i) {
            MTEST_ERROR("message %d is %d, expected %d", i, in[i], source + i);
            break;
        }
    }
    MPI_Finalize();
    return MTest_report(rank);
}
