/* Types belong to no epoch: made in the first, used and freed in later ones. */
#include "mpitest.h"

int main(int argc, char **argv)
{
    int rank = -1, size, x[6], y[6];
    MPI_Datatype t = MPI_DATATYPE_NULL, inner;
    (void) argc;
    (void) argv;
    for (int epoch = 0; epoch < 5; epoch++) {
        MPI_Session session = MTest_session();
        MPI_Comm comm = MTest_session_comm(session, "mpi://WORLD", "epochs");
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        if (epoch == 0) {
            MTEST_MPI(MPI_Type_vector(3, 1, 2, MPI_INT, &inner));
            MTEST_MPI(MPI_Type_dup(inner, &t));
            MTEST_MPI(MPI_Type_free(&inner));
            MTEST_MPI(MPI_Type_set_name(t, "lasting"));
            MTEST_MPI(MPI_Type_commit(&t));
        }
        for (int i = 0; i < 6; i++) {
            x[i] = rank * 10 + i;
            y[i] = -1;
        }
        MTEST_MPI(MPI_Sendrecv(x, 1, t, (rank + 1) % size, 0, y, 1, t, (rank + size - 1) % size, 0,
                               comm, MPI_STATUS_IGNORE));
        for (int i = 0; i < 6; i++)
            MTEST_INT_EQ(y[i], i & 1 ? -1 : (rank + size - 1) % size * 10 + i);
        MTEST_MPI(MPI_Comm_free(&comm));
        if (epoch == 4) {
            char name[MPI_MAX_OBJECT_NAME];
            int length;
            MTEST_MPI(MPI_Type_get_name(t, name, &length));
            MTEST_STR_EQ(name, "lasting");
            MTEST_MPI(MPI_Type_free(&t));
        }
        MTEST_MPI(MPI_Session_finalize(&session));
    }
    return MTest_report(rank);
}
