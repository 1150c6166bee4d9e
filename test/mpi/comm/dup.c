/* MPI_Comm_dup, _dup_with_info, _idup: another context, the same group; messages do not cross. */
#include "mpitest.h"

static void is_copy(MPI_Comm a, MPI_Comm b)
{
    int result, inter = 1;
    MTEST_MPI(MPI_Comm_compare(a, b, &result));
    MTEST_INT_EQ(result, MPI_CONGRUENT);
    MTEST_MPI(MPI_Comm_compare(b, b, &result));
    MTEST_INT_EQ(result, MPI_IDENT);
    MTEST_MPI(MPI_Comm_test_inter(b, &inter));
    MTEST_INT_EQ(inter, 0);
}

/* The same tag on both: each message comes on the communicator it was sent on, whichever order. */
static void messages_do_not_cross(MPI_Comm a, MPI_Comm b)
{
    int rank, size, out[2], in[2] = { -1, -1 };
    MPI_Request req[2];
    MPI_Comm_rank(a, &rank);
    MPI_Comm_size(a, &size);
    out[0] = rank;
    out[1] = rank + 1000;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MTEST_MPI(MPI_Isend(&out[0], 1, MPI_INT, right, 5, a, &req[0]));
    MTEST_MPI(MPI_Isend(&out[1], 1, MPI_INT, right, 5, b, &req[1]));
    MTEST_MPI(MPI_Recv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, b, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Recv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, a, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Waitall(2, req, MPI_STATUSES_IGNORE));
    MTEST_INT_EQ(in[0], left);
    MTEST_INT_EQ(in[1], left + 1000);
}

static void chain(void)
{
    MPI_Comm comm[20];
    for (int i = 0; i < 20; i++)
        MTEST_MPI(MPI_Comm_dup(i == 0 ? MPI_COMM_WORLD : comm[i - 1], &comm[i]));
    for (int i = 0; i < 20; i++) {
        is_copy(MPI_COMM_WORLD, comm[i]);
        messages_do_not_cross(comm[i], comm[19 - i] == comm[i] ? MPI_COMM_WORLD : comm[19 - i]);
    }
    for (int i = 0; i < 20; i++)
        MTEST_MPI(MPI_Comm_free(&comm[i]));
}

static void nonblocking(int size)
{
    enum { N = 10 };
    MPI_Comm comm[N];
    MPI_Request req[N + 1];
    int one = 1, sum[N] = { 0 };
    for (int i = 0; i < N; i++)
        MTEST_MPI(MPI_Comm_idup(MPI_COMM_WORLD, &comm[i], &req[i]));
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD)); /* another collective overtakes them */
    MTEST_MPI(MPI_Waitall(N, req, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++) {
        is_copy(MPI_COMM_WORLD, comm[i]);
        MTEST_MPI(MPI_Iallreduce(&one, &sum[i], 1, MPI_INT, MPI_SUM, comm[i], &req[i]));
    }
    for (int i = 0; i < N; i++)
        MTEST_MPI(MPI_Comm_free(&comm[i])); /* lives on until its request is done */
    MTEST_MPI(MPI_Waitall(N, req, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++)
        MTEST_INT_EQ(sum[i], size);
}

static void handler_is_inherited(void)
{
    MPI_Comm comm;
    MPI_Errhandler eh;
    MTEST_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    MTEST_MPI(MPI_Comm_get_errhandler(comm, &eh));
    MTEST_INT_EQ(eh, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&eh);
    MTEST_MPI(MPI_Comm_free(&comm));
    MTEST_INT_EQ(comm, MPI_COMM_NULL);
}

static void of_self(void)
{
    MPI_Comm comm;
    int size, x = 3, y = 0;
    MTEST_MPI(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    MPI_Comm_size(comm, &size);
    MTEST_INT_EQ(size, 1);
    MTEST_MPI(MPI_Sendrecv(&x, 1, MPI_INT, 0, 0, &y, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE));
    MTEST_INT_EQ(y, 3);
    MTEST_MPI(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    int rank, size;
    MTest_init_world(&argc, &argv, &rank, &size);
    chain();
    nonblocking(size);
    handler_is_inherited();
    of_self();
    MPI_Finalize();
    return MTest_report(rank);
}
