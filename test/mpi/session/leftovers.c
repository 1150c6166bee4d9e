/* Objects that the user leaves: finalize frees none with callbacks, waits for nobody without need, and the next epoch works. */
#include "ring.h"

static int deletes;

static int on_delete(MPI_Comm c, int keyval, void *value, void *extra)
{
    (void) c;
    (void) keyval;
    (void) value;
    (void) extra;
    deletes++;
    return MPI_SUCCESS;
}

enum { SHORT = 100, LONG = 300000 };

/* A buffer of the user's or of ours, with messages short and long, and a flush that nobody waits for. Everything arrives. */
static void leave_buffer(MPI_Comm comm, int automatic)
{
    static char buffer[2 * (LONG + MPI_BSEND_OVERHEAD)], out[LONG], in[LONG];
    int rank, size;
    MPI_Request request, flush;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MTEST_MPI(MPI_Comm_attach_buffer(comm, automatic ? MPI_BUFFER_AUTOMATIC : buffer, sizeof(buffer)));
    for (int n = SHORT; n <= LONG; n += LONG - SHORT) {
        MTEST_MPI(MPI_Irecv(in, n, MPI_CHAR, (rank + size - 1) % size, 1, comm, &request));
        MTEST_MPI(MPI_Bsend(out, n, MPI_CHAR, (rank + 1) % size, 1, comm));
        MTEST_MPI(MPI_Comm_iflush_buffer(comm, &flush));
        MTEST_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
}

int main(void)
{
    int rank = -1;
    for (int epoch = 0; epoch < 20; epoch++) {
        MPI_Session s = MTest_session();
        MPI_Comm c = MTest_session_comm(s, "mpi://WORLD", "leftovers"), d;
        MPI_Group g;
        MPI_Request req;
        MPI_Datatype dt;
        static int never;
        int key;
        MPI_Comm_rank(c, &rank);
        MTEST_MPI(MPI_Comm_dup(c, &d));
        MTEST_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL));
        MTEST_MPI(MPI_Comm_set_attr(d, key, NULL));
        MTEST_MPI(MPI_Comm_group(d, &g));
        MTEST_MPI(MPI_Type_contiguous(3, MPI_INT, &dt));
        MTEST_MPI(MPI_Type_commit(&dt));
        MTEST_MPI(MPI_Irecv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 77, d, &req));
        ring_check(d, epoch);
        leave_buffer(c, 1);
        leave_buffer(d, 0);
        MTEST_MPI(MPI_Session_finalize(&s)); /* c, d, g, req, dt and the attribute are left */
    }
    MTEST_INT_EQ(deletes, 0);
    return MTest_report(rank);
}
