/* Ready sends, whose receives are known to be posted; and a synchronous send that must not end
 * before its receive. */
#include "mpitest.h"

#define N 1000

static int rank, size;

static void ready(int blocking)
{
    int in[N], out[N], dest = (rank + 1) % size, source = (rank + size - 1) % size;
    MPI_Request request[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    for (int i = 0; i < N; i++)
        out[i] = rank + i;
    MTEST_MPI(MPI_Irecv(in, N, MPI_INT, source, 3, MPI_COMM_WORLD, &request[0]));
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (blocking)
        MTEST_MPI(MPI_Rsend(out, N, MPI_INT, dest, 3, MPI_COMM_WORLD));
    else
        MTEST_MPI(MPI_Irsend(out, N, MPI_INT, dest, 3, MPI_COMM_WORLD, &request[1]));
    MTEST_MPI(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++)
        MTEST_INT_EQ(in[i], source + i);
}

static void synchronous(void)
{
    int out = rank, in = -1, flag;
    MPI_Request request;
    MTEST_MPI(MPI_Issend(&out, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &request));
    for (int i = 0; i < 1000; i++) {
        MTEST_MPI(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        MTEST_INT_EQ(flag, 0);
    }
    MTEST_MPI(MPI_Recv(&in, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MTEST_INT_EQ(in, rank);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    ready(0);
    ready(1);
    synchronous();
    MPI_Finalize();
    return MTest_report(rank);
}
