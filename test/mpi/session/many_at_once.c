/* Many sessions open at once, each with its communicator; messages of one are not seen by another. */
#include "ring.h"

enum { N = 40 };

int main(void)
{
    MPI_Session session[N];
    MPI_Comm comm[N];
    int rank, size, got;
    for (int i = 0; i < N; i++) {
        char tag[32];
        snprintf(tag, sizeof(tag), "many/%d", i);
        session[i] = MTest_session();
        comm[i] = MTest_session_comm(session[i], "mpi://WORLD", tag);
    }
    MPI_Comm_rank(comm[0], &rank);
    MPI_Comm_size(comm[0], &size);
    MPI_Request req[N];
    for (int i = 0; i < N; i++)
        MTEST_MPI(MPI_Isend(&i, 0, MPI_INT, (rank + 1) % size, i, comm[i], &req[i]));
    for (int i = N - 1; i >= 0; i--) {
        MPI_Status st;
        MTEST_MPI(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm[i], &st));
        MTEST_INT_EQ(st.MPI_TAG, i);
    }
    MTEST_MPI(MPI_Waitall(N, req, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++)
        ring_check(comm[i], 100 * i);
    /* Closed in another order than opened. */
    for (int i = 0; i < N; i += 2) {
        MTEST_MPI(MPI_Comm_free(&comm[i]));
        MTEST_MPI(MPI_Session_finalize(&session[i]));
    }
    for (int i = 1; i < N; i += 2) {
        ring_check(comm[i], i);
        MTEST_MPI(MPI_Comm_disconnect(&comm[i]));
        MTEST_MPI(MPI_Session_finalize(&session[i]));
    }
    return MTest_report(rank);
}
