/* Flush and iflush: complete when the messages that were in the buffer have left, and not before.
 */
#include "mpitest.h"

#define BYTES 100000
#define N 4

static int rank, size, dest, source;
static char out[BYTES], in[BYTES];

static void send_all(void)
{
    for (int i = 0; i < N; i++)
        MTEST_MPI(MPI_Bsend(out, BYTES, MPI_BYTE, dest, i, MPI_COMM_WORLD));
}

static void receive(int i)
{
    MTEST_MPI(MPI_Recv(in, BYTES, MPI_BYTE, source, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void iflush(void)
{
    MPI_Request request[3];
    int flag;
    MTEST_MPI(MPI_Buffer_iflush(&request[0])); /* nothing there */
    MTEST_MPI(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
    send_all();
    MTEST_MPI(MPI_Buffer_iflush(&request[0]));
    MTEST_MPI(MPI_Bsend(out, BYTES, MPI_BYTE, dest, 77, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Buffer_iflush(&request[1]));
    MTEST_MPI(MPI_Buffer_iflush(&request[2]));
    MTEST_MPI(MPI_Testany(2, request, &(int) { 0 }, &flag, MPI_STATUS_IGNORE));
    MTEST_INT_EQ(flag, 0);
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = N - 1; i >= 0; i--)
        receive(i);
    MTEST_MPI(MPI_Wait(&request[0], MPI_STATUS_IGNORE)); /* does not wait for number 77 */
    MTEST_MPI(MPI_Test(&request[1], &flag, MPI_STATUS_IGNORE));
    MTEST_INT_EQ(flag, 0);
    MTEST_MPI(MPI_Request_free(&request[2])); /* given up */
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    MTEST_MPI(MPI_Recv(in, BYTES, MPI_BYTE, source, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
}

static void flush(void)
{
    MPI_Request request[N];
    for (int i = 0; i < N; i++)
        MTEST_MPI(MPI_Irecv(in, BYTES, MPI_BYTE, source, i, MPI_COMM_WORLD, &request[i]));
    send_all();
    MTEST_MPI(MPI_Buffer_flush());
    MTEST_MPI(MPI_Waitall(N, request, MPI_STATUSES_IGNORE));
    MTEST_MPI(MPI_Buffer_flush());
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF,
                            MPI_ERRORS_RETURN); /* gets the errors of the process's buffer */
    dest = (rank + 1) % size;
    source = (rank + size - 1) % size;
    MTEST_MPI(MPI_Buffer_attach_c(MPI_BUFFER_AUTOMATIC, 0));
    iflush();
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    flush();
    MPI_Finalize(); /* detaches */
    return MTest_report(rank);
}
