/* The last message of a process that finalizes and exits at once arrives: small, medium, large, buffered and freed. */
#include <unistd.h>

#include "ring.h"

int main(int argc, char **argv)
{
    int rank, size;
    int n = argc > 1 ? atoi(argv[1]) : 8;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *buf = calloc((size_t) n, 1), *room = malloc((size_t) n + MPI_BSEND_OVERHEAD);
    if (rank > 0) {
        MPI_Request req;
        buf[n - 1] = (char) rank;
        MTEST_MPI(MPI_Buffer_attach(room, n + MPI_BSEND_OVERHEAD));
        MTEST_MPI(MPI_Bsend(buf, n, MPI_CHAR, 0, 1, MPI_COMM_WORLD));
        MTEST_MPI(MPI_Isend(buf, n, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &req));
        MTEST_MPI(MPI_Request_free(&req));
        MPI_Finalize();
        free(room);
        free(buf);
        return MTest_errs;
    }
    usleep(50 * 1000); /* the senders are gone, or wait for us in MPI_Finalize */
    for (int r = 1; r < size; r++)
        for (int tag = 2; tag >= 1; tag--) {
            buf[n - 1] = 0;
            MTEST_MPI(MPI_Recv(buf, n, MPI_CHAR, r, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            MTEST_INT_EQ(buf[n - 1], r);
        }
    MPI_Finalize();
    free(room);
    free(buf);
    return MTest_report(rank);
}
