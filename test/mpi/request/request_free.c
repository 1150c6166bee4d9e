/* Requests given up while they are active: the messages arrive, handles are null, and finalize does
 * not mind. */
#include "mpitest.h"

static int rank, size, dest, source;

static void sends(int n)
{
    char *out = malloc((size_t) n), *in = malloc((size_t) n), done = 0;
    MPI_Request request;
    memset(out, rank + 1, (size_t) n);
    MTEST_MPI(MPI_Isend(out, n, MPI_BYTE, dest, 1, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Request_free(&request));
    MTEST_CHECK(request == MPI_REQUEST_NULL, "%x", request);
    MTEST_MPI(MPI_Recv(in, n, MPI_BYTE, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MTEST_CHECK(in[0] == source + 1 && in[n - 1] == source + 1, "%d bytes", n);
    /* the receiver says that it has it, so the buffer may go */
    MTEST_MPI(MPI_Sendrecv(&done, 1, MPI_BYTE, source, 2, &done, 1, MPI_BYTE, dest, 2,
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    free(out);
    free(in);
}

static void receives(int n)
{
    volatile char *in = calloc((size_t) n, 1);
    char *out = malloc((size_t) n);
    MPI_Request request, send;
    memset(out, rank + 1, (size_t) n);
    MTEST_MPI(MPI_Irecv((void *) in, n, MPI_BYTE, source, 3, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Request_free(&request));
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    MTEST_MPI(MPI_Isend(out, n, MPI_BYTE, dest, 3, MPI_COMM_WORLD, &send));
    while (in[n - 1] != source + 1) /* only the data tells, as the request is gone */
        MTEST_MPI(MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &(int) { 0 }, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Wait(&send, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    free((void *) in);
    free(out);
}

int main(int argc, char **argv)
{
    static int left_behind;
    MPI_Request request;
    MTest_init_world(&argc, &argv, &rank, &size);
    dest = (rank + 1) % size;
    source = (rank + size - 1) % size;
    const int sizes[] = { 1, 5000, 500000 };
    for (int i = 0; i < 3; i++) {
        sends(sizes[i]);
        receives(sizes[i]);
    }
    /* neither matched nor waited for before the end */
    MTEST_MPI(MPI_Irecv(&left_behind, 1, MPI_INT, source, 11, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Request_free(&request));
    MPI_Finalize();
    return MTest_report(rank);
}
