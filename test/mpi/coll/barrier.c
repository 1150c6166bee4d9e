/* Nobody leaves a barrier before all have come: a token in a message that must have arrived. */
#include <time.h>

#include "mpitest.h"

int main(int argc, char **argv)
{
    int rank, size, flag, token;
    MTest_init_world(&argc, &argv, &rank, &size);
    for (int late = 0; late < size; late++) {
        if (rank == late) {
            struct timespec pause = { 0, 20000000L };
            nanosleep(&pause, NULL);
            for (int r = 0; r < size; r++)
                if (r != rank)
                    MTEST_MPI(MPI_Send(&rank, 1, MPI_INT, r, 0, MPI_COMM_WORLD));
        }
        if (late % 2) {
            MPI_Request req;
            MTEST_MPI(MPI_Ibarrier(MPI_COMM_WORLD, &req));
            for (flag = 0; !flag;)
                MTEST_MPI(MPI_Test(&req, &flag, MPI_STATUS_IGNORE));
        } else {
            MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
        }
        if (rank != late) {
            /* Sent before the sender came: what it sent to me is there, or at most a moment later
             * on other transports. */
            MTEST_MPI(MPI_Recv(&token, 1, MPI_INT, late, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            MTEST_INT_EQ(token, late);
        }
    }
    MPI_Finalize();
    return MTest_report(rank);
}
