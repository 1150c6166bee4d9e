/* Messages that are still in the buffer at MPI_Finalize arrive. Rank 0 receives late. */
#include <unistd.h>

#include "mpitest.h"

#define BYTES 150000
#define N 3

int main(int argc, char **argv)
{
    int rank, size;
    static char out[BYTES], in[BYTES], buffer[N * (BYTES + MPI_BSEND_OVERHEAD)];
    MTest_init_world(&argc, &argv, &rank, &size);
    if (rank > 0) {
        MTEST_MPI(MPI_Buffer_attach(buffer, sizeof(buffer)));
        for (int i = 0; i < N; i++) {
            memset(out, rank * N + i, BYTES);
            MTEST_MPI(MPI_Bsend(out, BYTES, MPI_BYTE, 0, i, MPI_COMM_WORLD));
        }
    } else {
        usleep(100000);
        for (int i = 0; i < N; i++) {
            for (int r = 1; r < size; r++) {
                MTEST_MPI(MPI_Recv(in, BYTES, MPI_BYTE, r, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                MTEST_CHECK(in[0] == r * N + i && in[BYTES - 1] == r * N + i, "from %d: %d, %d", r,
                            in[0], in[BYTES - 1]);
            }
        }
    }
    MPI_Finalize();
    return MTest_report(rank);
}
