/* mpi://SELF: every process by itself, with numbers of epochs that differ. */
#include "ring.h"

int main(void)
{
    int rank = ring_epoch("meet", 0);
    for (int i = 0; i < 5 + 3 * rank; i++) {
        int buf[4096], r;
        MPI_Session s = MTest_session();
        MPI_Comm c = MTest_session_comm(s, "mpi://SELF", "alone");
        ring_check(c, i);
        MPI_Request req[2];
        MTEST_MPI(MPI_Isend(buf, 4096, MPI_INT, 0, 1, c, &req[0]));
        MTEST_MPI(MPI_Irecv(buf, 4096, MPI_INT, 0, 1, c, &req[1]));
        MTEST_MPI(MPI_Waitall(2, req, MPI_STATUSES_IGNORE));
        MPI_Comm_rank(c, &r);
        MTEST_INT_EQ(r, 0);
        MTEST_MPI(MPI_Comm_free(&c));
        MTEST_MPI(MPI_Session_finalize(&s));
    }
    return MTest_report(ring_epoch("meet", 1));
}
