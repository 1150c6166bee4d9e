/* MPI_Pack, MPI_Unpack, MPI_Pack_size: several items in a row, positions, too little room. */
#include "mpitest.h"

static void there_and_back(void)
{
    struct {
        int a;
        double b[3];
        char c;
    } in = { 42, { 1, 2, 3 }, 'x' }, out = { 0 };
    int matrix[5][7], copy[5][7], position = 0, room = 0, part;
    char packed[1000];
    MPI_Datatype column;
    for (int i = 0; i < 35; i++)
        matrix[i / 7][i % 7] = i;
    memset(copy, 0, sizeof(copy));
    MTEST_MPI(MPI_Type_vector(5, 2, 7, MPI_INT, &column));
    MTEST_MPI(MPI_Type_commit(&column));
    MTEST_MPI(MPI_Pack(&in.a, 1, MPI_INT, packed, 1000, &position, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Pack(in.b, 3, MPI_DOUBLE, packed, 1000, &position, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Pack(&matrix[0][2], 1, column, packed, 1000, &position, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Pack(&in.c, 1, MPI_CHAR, packed, 1000, &position, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &part));
    room += part;
    MTEST_MPI(MPI_Pack_size(3, MPI_DOUBLE, MPI_COMM_WORLD, &part));
    room += part;
    MTEST_MPI(MPI_Pack_size(1, column, MPI_COMM_WORLD, &part));
    room += part + 1;
    MTEST_CHECK(position <= room, "%d bytes, MPI_Pack_size says %d", position, room);

    int end = position;
    position = 0;
    MTEST_MPI(MPI_Unpack(packed, end, &position, &out.a, 1, MPI_INT, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Unpack(packed, end, &position, out.b, 3, MPI_DOUBLE, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Unpack(packed, end, &position, &copy[0][2], 1, column, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Unpack(packed, end, &position, &out.c, 1, MPI_CHAR, MPI_COMM_WORLD));
    MTEST_INT_EQ(position, end);
    MTEST_CHECK(out.a == 42 && out.b[2] == 3 && out.c == 'x', "%d %g %c", out.a, out.b[2], out.c);
    for (int i = 0; i < 35; i++) {
        int column_no = i % 7;
        MTEST_INT_EQ(copy[i / 7][column_no], column_no == 2 || column_no == 3 ? i : 0);
    }
    MTEST_MPI(MPI_Type_free(&column));
}

static void too_little_room(void)
{
    int x[4] = { 0 }, position = 10;
    char packed[20] = { 0 };
    MTEST_FAILS(MPI_Pack(x, 4, MPI_INT, packed, 20, &position, MPI_COMM_WORLD), MPI_ERR_ARG);
    MTEST_INT_EQ(position, 10);
    MTEST_FAILS(MPI_Unpack(packed, 20, &position, x, 4, MPI_INT, MPI_COMM_WORLD), MPI_ERR_ARG);
    position = -1;
    MTEST_FAILS(MPI_Pack(x, 1, MPI_INT, packed, 20, &position, MPI_COMM_WORLD), MPI_ERR_COUNT);
    position = 21;
    MTEST_FAILS(MPI_Pack(x, 0, MPI_INT, packed, 20, &position, MPI_COMM_WORLD), MPI_ERR_ARG);
    position = 20;
    MTEST_MPI(MPI_Pack(x, 0, MPI_INT, packed, 20, &position, MPI_COMM_WORLD));
}

/* What was packed in pieces is a message, to be received as its parts. */
static void as_message(int rank)
{
    int x[2] = { 7, 8 }, position = 0;
    double y = 2.5;
    char packed[64], in[64];
    MPI_Request request;
    MPI_Status status;
    int lengths[2] = { 2, 1 };
    struct {
        int x[2];
        double y;
    } got = { { 0 }, 0 };
    MPI_Aint disps[2] = { 0, 8 };
    MPI_Datatype types[2] = { MPI_INT, MPI_DOUBLE }, t;
    MTEST_MPI(MPI_Pack(x, 2, MPI_INT, packed, 64, &position, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Pack(&y, 1, MPI_DOUBLE, packed, 64, &position, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Type_create_struct(2, lengths, disps, types, &t));
    MTEST_MPI(MPI_Type_commit(&t));
    MTEST_MPI(MPI_Isend(packed, position, MPI_PACKED, rank, 0, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Recv(&got, 1, t, rank, 0, MPI_COMM_WORLD, &status));
    MTEST_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MTEST_CHECK(got.x[1] == 8 && got.y == 2.5, "%d %g", got.x[1], got.y);
    MTEST_MPI(MPI_Isend(&got, 1, t, rank, 0, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Recv(in, 64, MPI_PACKED, rank, 0, MPI_COMM_WORLD, &status));
    MTEST_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MTEST_CHECK(memcmp(in, packed, (size_t) position) == 0, "the packed forms differ");
    MTEST_MPI(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
    int rank, size;
    MTest_init_world(&argc, &argv, &rank, &size);
    there_and_back();
    too_little_room();
    as_message(rank);
    MPI_Finalize();
    return MTest_report(rank);
}
