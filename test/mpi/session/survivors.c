/* What belongs to no session outlives the epoch: a datatype, an operation, an info, an error handler, an error code. */
#include "ring.h"

static int handler_calls;

static void count_error(MPI_Comm *comm, int *code, ...)
{
    (void) comm;
    (void) code;
    handler_calls++;
}

static void add_pairs(void *in, void *inout, int *n, MPI_Datatype *dt)
{
    (void) dt;
    for (int i = 0; i < 2 * *n; i++)
        ((int *) inout)[i] += ((int *) in)[i];
}

static struct {
    MPI_Datatype pair, strided;
    MPI_Op op;
    MPI_Info info;
    MPI_Errhandler eh;
    int errclass, errcode;
} kept;

static void make(void)
{
    MPI_Session s = MTest_session();
    MTEST_MPI(MPI_Type_contiguous(2, MPI_INT, &kept.pair));
    MTEST_MPI(MPI_Type_commit(&kept.pair));
    MTEST_MPI(MPI_Type_vector(8, 1, 3, kept.pair, &kept.strided));
    MTEST_MPI(MPI_Type_commit(&kept.strided));
    MTEST_MPI(MPI_Op_create(add_pairs, 1, &kept.op));
    MTEST_MPI(MPI_Info_create(&kept.info));
    MTEST_MPI(MPI_Info_set(kept.info, "flower", "peony"));
    MTEST_MPI(MPI_Comm_create_errhandler(count_error, &kept.eh));
    MTEST_MPI(MPI_Add_error_class(&kept.errclass));
    MTEST_MPI(MPI_Add_error_code(kept.errclass, &kept.errcode));
    MTEST_MPI(MPI_Add_error_string(kept.errcode, "the peony wilted"));
    MTEST_MPI(MPI_Session_finalize(&s));
}

static void use_types(MPI_Comm c, int rank, int size)
{
    int mine[2] = { rank, 1 }, sum[2], grid[2 * 24], back[2 * 24];
    MTEST_MPI(MPI_Allreduce(mine, sum, 1, kept.pair, kept.op, c));
    MTEST_INT_EQ(sum[0], size * (size - 1) / 2);
    MTEST_INT_EQ(sum[1], size);
    for (int i = 0; i < 48; i++) {
        grid[i] = 1000 * rank + i;
        back[i] = -1;
    }
    int left = (rank + size - 1) % size;
    MTEST_MPI(MPI_Sendrecv(grid, 1, kept.strided, (rank + 1) % size, 0, back, 1, kept.strided, left,
                           0, c, MPI_STATUS_IGNORE));
    for (int i = 0; i < 48; i++)
        MTEST_INT_EQ(back[i], i % 6 < 2 && i < 44 ? 1000 * left + i : -1);
}

static void use_others(MPI_Comm c)
{
    char value[16], text[MPI_MAX_ERROR_STRING];
    int len = sizeof(value), flag = 0, errclass;
    MTEST_MPI(MPI_Info_get_string(kept.info, "flower", &len, value, &flag));
    MTEST_STR_EQ(value, "peony");
    int before = handler_calls;
    MTEST_MPI(MPI_Comm_set_errhandler(c, kept.eh));
    MTEST_FAILS(MPI_Send(NULL, 0, MPI_INT, 12345, 0, c), MPI_ERR_RANK);
    MTEST_INT_EQ(handler_calls, before + 1);
    MTEST_MPI(MPI_Error_class(kept.errcode, &errclass));
    MTEST_INT_EQ(errclass, kept.errclass);
    MTEST_MPI(MPI_Error_string(kept.errcode, text, &len));
    MTEST_STR_EQ(text, "the peony wilted");
}

int main(void)
{
    int rank = -1, size;
    make();
    for (int epoch = 0; epoch < 4; epoch++) {
        MPI_Session s = MTest_session();
        MPI_Comm c = MTest_session_comm(s, "mpi://WORLD", "survivors");
        MPI_Comm_rank(c, &rank);
        MPI_Comm_size(c, &size);
        use_types(c, rank, size);
        use_others(c);
        MTEST_MPI(MPI_Comm_free(&c));
        MTEST_MPI(MPI_Session_finalize(&s));
    }
    MPI_Session s = MTest_session();
    MTEST_MPI(MPI_Type_free(&kept.strided));
    MTEST_MPI(MPI_Type_free(&kept.pair));
    MTEST_MPI(MPI_Op_free(&kept.op));
    MTEST_MPI(MPI_Session_finalize(&s));
    MTEST_MPI(MPI_Info_free(&kept.info)); /* these two at any time */
    MTEST_MPI(MPI_Errhandler_free(&kept.eh));
    return MTest_report(rank);
}
