/* Ranks 0 and 1 exchange messages in each of three epochs; others may be there or not. */
#include "mpitest.h"

static void exchange(int epoch)
{
    static const int both[] = { 0, 1 };
    MPI_Session s = MTest_session();
    MPI_Group world, pair;
    MPI_Comm c = MPI_COMM_NULL;
    int rank, got = -1;
    MTEST_MPI(MPI_Group_from_session_pset(s, "mpi://WORLD", &world));
    MTEST_MPI(MPI_Group_incl(world, 2, both, &pair));
    MTEST_MPI(MPI_Comm_create_from_group(pair, "meet", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
    MPI_Comm_rank(c, &rank);
    int mine = 10 * epoch + rank;
    MTEST_MPI(MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &got, 1, MPI_INT, 1 - rank, 0, c, MPI_STATUS_IGNORE));
    MTEST_CHECK(got == 10 * epoch + 1 - rank, "got %d in epoch %d", got, epoch);
    MPI_Comm_free(&c);
    MPI_Group_free(&pair);
    MPI_Group_free(&world);
    MTEST_MPI(MPI_Session_finalize(&s));
}

int main(void)
{
    for (int epoch = 0; epoch < 3; epoch++)
        exchange(epoch);
    return MTest_report(-1) != 0;
}
