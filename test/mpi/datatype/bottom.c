/* Absolute addresses: types whose displacements are addresses, with MPI_BOTTOM, in every kind of
 * call. */
#include "mpitest.h"

static int rank, size, dest, source;
static int a[4], b[3000];
static double c;

static MPI_Datatype everything(void)
{
    MPI_Datatype types[3] = { MPI_INT, MPI_INT, MPI_DOUBLE }, t;
    int lengths[3] = { 4, 3000, 1 };
    MPI_Aint disps[3];
    MTEST_MPI(MPI_Get_address(a, &disps[0]));
    MTEST_MPI(MPI_Get_address(b, &disps[1]));
    MTEST_MPI(MPI_Get_address(&c, &disps[2]));
    MTEST_MPI(MPI_Type_create_struct(3, lengths, disps, types, &t));
    MTEST_MPI(MPI_Type_commit(&t));
    return t;
}

static void fill(int who)
{
    for (int i = 0; i < 3000; i++)
        a[i % 4] = b[i] = who * 10 + i;
    c = who;
}

static void check(int who)
{
    for (int i = 0; i < 3000; i++) {
        if (b[i] != who * 10 + i) {
            MTEST_ERROR("b[%d] is %d", i, b[i]);
            return;
        }
    }
    MTEST_CHECK(a[3] == who * 10 + 2999 && c == who, "%d %g", a[3], c);
}

int main(int argc, char **argv)
{
    char packed[20000], in[20000];
    int position = 0, n;
    MPI_Request request;
    MPI_Status status;
    MTest_init_world(&argc, &argv, &rank, &size);
    dest = (rank + 1) % size;
    source = (rank + size - 1) % size;
    MPI_Datatype t = everything();
    fill(rank);
    MTEST_MPI(MPI_Pack(MPI_BOTTOM, 1, t, packed, sizeof(packed), &position, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Sendrecv(MPI_BOTTOM, 1, t, dest, 1, in, sizeof(in), MPI_BYTE, source, 1,
                           MPI_COMM_WORLD, &status));
    MTEST_MPI(MPI_Get_count(&status, MPI_BYTE, &n));
    MTEST_INT_EQ(n, position);
    fill(-1);
    position = 0;
    MTEST_MPI(MPI_Unpack(in, n, &position, MPI_BOTTOM, 1, t, MPI_COMM_WORLD));
    check(source);
    MTEST_MPI(MPI_Isend(packed, n, MPI_PACKED, dest, 2, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Recv(MPI_BOTTOM, 1, t, source, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check(source);
    fill(rank);
    MTEST_MPI(MPI_Sendrecv_replace(MPI_BOTTOM, 1, t, dest, 3, source, 3, MPI_COMM_WORLD, &status));
    check(source);
    fill(rank);
    MTEST_MPI(MPI_Bcast(MPI_BOTTOM, 1, t, 0, MPI_COMM_WORLD));
    check(0);
    MTEST_MPI(MPI_Type_free(&t));
    MPI_Finalize();
    return MTest_report(rank);
}
