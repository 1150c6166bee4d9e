/* MPI_Get_count and MPI_Get_elements of messages that end within an item; MPI_Status_set_elements.
 */
#include "mpitest.h"

static int rank;
static MPI_Datatype mixed; /* int, 3 short, double: 18 bytes, 5 elements */

static void make(void)
{
    MPI_Datatype types[3] = { MPI_INT, MPI_SHORT, MPI_DOUBLE };
    int lengths[3] = { 1, 3, 1 };
    MPI_Aint disps[3] = { 0, 4, 16 };
    MTEST_MPI(MPI_Type_create_struct(3, lengths, disps, types, &mixed));
    MTEST_MPI(MPI_Type_commit(&mixed));
}

/* Receive `bytes` bytes as items of a type and ask. */
static void ask(MPI_Datatype type, int bytes, int count, int elements)
{
    static char out[2000], in[20000];
    int got;
    MPI_Count got_x;
    MPI_Request request;
    MPI_Status status;
    MTEST_MPI(MPI_Isend(out, bytes, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Recv(in, 100, type, rank, 0, MPI_COMM_WORLD, &status));
    MTEST_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Get_count(&status, type, &got));
    MTEST_INT_EQ(got, count);
    MTEST_MPI(MPI_Get_elements(&status, type, &got));
    MTEST_INT_EQ(got, elements);
    MTEST_MPI(MPI_Get_elements_x(&status, type, &got_x));
    MTEST_INT_EQ(got_x, elements);
}

static void partial(void)
{
    MPI_Datatype outer;
    const int bytes[] = { 0, 4, 6, 8, 10, 18, 22, 36, 5 };
    const int counts[] = {
        0, MPI_UNDEFINED, MPI_UNDEFINED, MPI_UNDEFINED, MPI_UNDEFINED, 1, MPI_UNDEFINED,
        2, MPI_UNDEFINED
    };
    const int elements[] = { 0, 1, 2, 3, 4, 5, 6, 10, MPI_UNDEFINED };
    for (int i = 0; i < 9; i++)
        ask(mixed, bytes[i], counts[i], elements[i]);
    MTEST_MPI(MPI_Type_vector(2, 2, 3, mixed, &outer)); /* 72 bytes, 20 elements */
    MTEST_MPI(MPI_Type_commit(&outer));
    ask(outer, 72, 1, 20);
    ask(outer, 72 + 36 + 6, MPI_UNDEFINED, 32);
    MTEST_MPI(MPI_Type_free(&outer));
    ask(MPI_INT, 12, 3, 3);
    ask(MPI_INT, 10, MPI_UNDEFINED, MPI_UNDEFINED);
    ask(MPI_SHORT_INT, 8, MPI_UNDEFINED, 3);
    ask(MPI_DOUBLE_INT, 20, MPI_UNDEFINED, 3);
    ask(MPI_2INT, 12, MPI_UNDEFINED, 3);
}

static void set(void)
{
    MPI_Status status;
    int got, cancelled;
    MPI_Count got_x;
    memset(&status, 0, sizeof(status));
    MTEST_MPI(MPI_Status_set_elements(&status, mixed, 7)); /* one and a half items */
    MTEST_MPI(MPI_Get_elements(&status, mixed, &got));
    MTEST_INT_EQ(got, 7);
    MTEST_MPI(MPI_Get_count(&status, mixed, &got));
    MTEST_INT_EQ(got, MPI_UNDEFINED);
    MTEST_MPI(MPI_Get_count(&status, MPI_BYTE, &got));
    MTEST_INT_EQ(got, 18 + 6);
    MTEST_MPI(MPI_Status_set_elements_x(&status, MPI_INT, (MPI_Count) 1 << 40));
    MTEST_MPI(MPI_Get_elements_x(&status, MPI_INT, &got_x));
    MTEST_INT_EQ(got_x, (MPI_Count) 1 << 40);
    MTEST_MPI(MPI_Get_count(&status, MPI_INT, &got));
    MTEST_INT_EQ(got, MPI_UNDEFINED);
    MTEST_MPI(MPI_Get_count_c(&status, MPI_INT, &got_x));
    MTEST_INT_EQ(got_x, (MPI_Count) 1 << 40);
    MTEST_MPI(MPI_Status_set_cancelled(&status, 1));
    MTEST_MPI(MPI_Test_cancelled(&status, &cancelled));
    MTEST_INT_EQ(cancelled, 1);
    MTEST_MPI(MPI_Get_count_c(&status, MPI_INT, &got_x));
    MTEST_INT_EQ(got_x, (MPI_Count) 1 << 40);
    MTEST_FAILS(MPI_Status_set_elements(&status, MPI_INT, -1), MPI_ERR_COUNT);
    MTEST_FAILS(MPI_Status_set_elements_x(&status, MPI_DOUBLE, (MPI_Count) 1 << 62), MPI_ERR_COUNT);
}

int main(int argc, char **argv)
{
    int size;
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    make();
    partial();
    set();
    MTEST_MPI(MPI_Type_free(&mixed));
    MPI_Finalize();
    return MTest_report(rank);
}
