/* Four epochs of four sessions of four communicators, each used while all are open. */
#include "ring.h"

enum { N = 4 };

static int epoch_of_four(int epoch)
{
    MPI_Session s[N];
    MPI_Comm c[N][N];
    int rank;
    for (int i = 0; i < N; i++) {
        s[i] = MTest_session();
        for (int j = 0; j < N; j++)
            c[i][j] = MTest_session_comm(s[i], "mpi://WORLD", "4x4");
    }
    MPI_Comm_rank(c[0][0], &rank);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            ring_check(c[i][j], 100 * epoch + 10 * i + j);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            MTEST_MPI(MPI_Comm_free(&c[i][j]));
        MTEST_MPI(MPI_Session_finalize(&s[i]));
    }
    return rank;
}

int main(void)
{
    int rank = -1;
    for (int epoch = 0; epoch < N; epoch++)
        rank = epoch_of_four(epoch);
    return MTest_report(rank);
}
