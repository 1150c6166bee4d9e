/* What must be refused, with the right error class. */
#include "mpitest.h"

int main(int argc, char **argv)
{
    int rank, size, a = 1, b = 2, c[64];
    MPI_Datatype type;
    MPI_Op sum = MPI_SUM, null = MPI_OP_NULL;
    MPI_Request req = MPI_REQUEST_NULL;
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MTEST_FAILS(MPI_Allreduce(&a, &b, 1, MPI_WCHAR, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
    MTEST_FAILS(MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_MAXLOC, MPI_COMM_WORLD), MPI_ERR_OP);
    MTEST_FAILS(MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_REPLACE, MPI_COMM_WORLD), MPI_ERR_OP);
    MTEST_FAILS(MPI_Reduce(&a, &b, 1, MPI_FLOAT, MPI_BAND, 0, MPI_COMM_WORLD), MPI_ERR_OP);
    MTEST_FAILS(MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP);
    MTEST_FAILS(MPI_Allreduce(&a, &a, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    MTEST_FAILS(MPI_Allreduce(&a, &b, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_COUNT);
    MTEST_FAILS(MPI_Bcast(&a, 1, MPI_INT, size, MPI_COMM_WORLD), MPI_ERR_ROOT);
    MTEST_FAILS(MPI_Bcast(&a, 1, MPI_INT, -1, MPI_COMM_WORLD), MPI_ERR_ROOT);
    MTEST_FAILS(MPI_Bcast(&a, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    MTEST_FAILS(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
    MTEST_FAILS(MPI_Ibarrier(MPI_COMM_NULL, &req), MPI_ERR_COMM);
    MTEST_INT_EQ(req, MPI_REQUEST_NULL);
    MTEST_FAILS(MPI_Op_free(&sum), MPI_ERR_OP);
    MTEST_FAILS(MPI_Op_free(&null), MPI_ERR_OP);
    MTEST_FAILS(MPI_Reduce_local(&a, &b, 1, MPI_DOUBLE, MPI_BXOR), MPI_ERR_OP);
    MTEST_MPI(MPI_Type_contiguous(2, MPI_INT, &type));
    MTEST_FAILS(MPI_Bcast(c, 1, type, 0, MPI_COMM_WORLD), MPI_ERR_TYPE); /* not committed */
    MTEST_MPI(MPI_Type_commit(&type));
    MTEST_FAILS(MPI_Allreduce(c, &c[8], 1, type, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
    MTEST_MPI(MPI_Type_free(&type));
    if (size > 1 && rank < 2) {
        /* Too long a message: the receiver gets to know, and the communicator is of use after. */
        MPI_Comm comm;
        int got;
        MPI_Group world, two;
        MTEST_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
        MTEST_MPI(MPI_Group_incl(world, 2, (int[]) { 0, 1 }, &two));
        MTEST_MPI(MPI_Comm_create_group(MPI_COMM_WORLD, two, 0, &comm));
        got = MPI_Bcast(c, rank == 0 ? 4 : 2, MPI_INT, 0, comm);
        if (rank == 1)
            MTEST_FAILS(got, MPI_ERR_TRUNCATE);
        MTEST_MPI(MPI_Barrier(comm));
        MTEST_MPI(MPI_Comm_free(&comm));
        MTEST_MPI(MPI_Group_free(&two));
        MTEST_MPI(MPI_Group_free(&world));
    }
    MPI_Finalize();
    return MTest_report(rank);
}
