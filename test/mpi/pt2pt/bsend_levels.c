/* Buffers of communicator, session and process: the first there is in this order is used; each is
 * attached and detached by itself. A session and the world at once. */
#include "mpitest.h"

#define BYTES 100000

static char out[BYTES], in[BYTES];
static char buffers[3][BYTES + MPI_BSEND_OVERHEAD];

static void round_trip(MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MTEST_MPI(MPI_Recv(in, BYTES, MPI_BYTE, (rank + size - 1) % size, 1, comm, MPI_STATUS_IGNORE));
}

static int bsend(MPI_Comm comm, int bytes)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    return MPI_Bsend(out, bytes, MPI_BYTE, (rank + 1) % size, 1, comm);
}

/* A full buffer is the one that is used, even where the next one has room. */
static void in_order(MPI_Session session, MPI_Comm comm)
{
    MPI_Comm other;
    MTEST_MPI(MPI_Comm_dup(comm, &other));
    MTEST_MPI(MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN));
    MTEST_FAILS(bsend(comm, BYTES), MPI_ERR_BUFFER);
    MTEST_MPI(MPI_Buffer_attach(buffers[0], sizeof(buffers[0])));
    MTEST_MPI(bsend(comm, BYTES));
    round_trip(comm);
    MTEST_MPI(MPI_Session_attach_buffer(session, buffers[1], 8));
    MTEST_FAILS(bsend(comm, BYTES), MPI_ERR_BUFFER);
    MTEST_FAILS(bsend(other, BYTES), MPI_ERR_BUFFER);
    MTEST_MPI(MPI_Comm_attach_buffer(comm, buffers[2], sizeof(buffers[2])));
    MTEST_MPI(bsend(comm, BYTES));
    MTEST_FAILS(bsend(other, BYTES), MPI_ERR_BUFFER);
    round_trip(comm);
    MTEST_MPI(MPI_Comm_free(&other));
}

static void detach_all(MPI_Session session, MPI_Comm comm)
{
    void *buffer;
    int size;
    MTEST_FAILS(MPI_Comm_attach_buffer(comm, buffers[2], 1), MPI_ERR_BUFFER);
    MTEST_FAILS(MPI_Session_attach_buffer(session, buffers[2], 1), MPI_ERR_BUFFER);
    MTEST_MPI(MPI_Comm_detach_buffer(comm, &buffer, &size));
    MTEST_CHECK(buffer == buffers[2] && size == sizeof(buffers[2]), "%p, %d", buffer, size);
    MTEST_MPI(MPI_Session_detach_buffer(session, &buffer, &size));
    MTEST_CHECK(buffer == buffers[1] && size == 8, "%p, %d", buffer, size);
    MTEST_MPI(MPI_Buffer_detach(&buffer, &size));
    MTEST_CHECK(buffer == buffers[0] && size == sizeof(buffers[0]), "%p, %d", buffer, size);
    MTEST_FAILS(MPI_Comm_detach_buffer(comm, &buffer, &size), MPI_ERR_BUFFER);
    MTEST_FAILS(MPI_Session_detach_buffer(session, &buffer, &size), MPI_ERR_BUFFER);
    MTEST_FAILS(MPI_Comm_flush_buffer(comm), MPI_ERR_BUFFER);
    MTEST_FAILS(MPI_Session_flush_buffer(session), MPI_ERR_BUFFER);
    MTEST_FAILS(MPI_Buffer_flush(), MPI_ERR_BUFFER);
}

/* Freeing a communicator detaches its buffer when the messages have left. */
static void freed_in_use(MPI_Comm comm)
{
    MPI_Comm other;
    MPI_Request request;
    int rank, size;
    MTEST_MPI(MPI_Comm_dup(comm, &other));
    MPI_Comm_rank(other, &rank);
    MPI_Comm_size(other, &size);
    MTEST_MPI(MPI_Comm_attach_buffer(other, buffers[2], sizeof(buffers[2])));
    memset(in, 0, BYTES);
    MTEST_MPI(MPI_Irecv(in, BYTES, MPI_BYTE, (rank + size - 1) % size, 1, other, &request));
    memset(out, 42, BYTES);
    MTEST_MPI(bsend(other, BYTES));
    MTEST_MPI(MPI_Comm_free(&other));
    memset(buffers[2], 0, sizeof(buffers[2]));
    MTEST_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MTEST_CHECK(in[0] == 42 && in[BYTES - 1] == 42, "%d, %d", in[0], in[BYTES - 1]);
}

int main(int argc, char **argv)
{
    int rank, size;
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF,
                            MPI_ERRORS_RETURN); /* gets the errors of the process's buffer */
    MPI_Session session = MTest_session();
    MPI_Comm comm = MTest_session_comm(session, "mpi://WORLD", "bsend_levels");
    in_order(session, comm);
    detach_all(session, comm);
    freed_in_use(comm);
    MTEST_MPI(MPI_Comm_free(&comm));
    MTEST_MPI(MPI_Session_finalize(&session));
    MPI_Finalize();
    return MTest_report(rank);
}
