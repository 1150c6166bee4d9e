/* Messages of all sizes, from 8 bytes to 4 MiB, between all neighbours: with both ends at work, with the sender away, with the
 * receiver late, and to oneself. Every byte is looked at. */
#include <unistd.h>

#include "mpitest.h"

enum { LARGEST = 4 << 20 };

static int rank, size;
static unsigned char *out, *in;

static void fill(unsigned char *buf, int n, int from, int seed)
{
    for (int i = 0; i < n; i++)
        buf[i] = (unsigned char) (i * 13 + i / 4096 + from * 31 + seed);
}

static void look(int n, int from, int seed)
{
    for (int i = 0; i < n; i++)
        if (in[i] != (unsigned char) (i * 13 + i / 4096 + from * 31 + seed)) {
            MTEST_ERROR("byte %d of %d from rank %d differs", i, n, from);
            return;
        }
}

/* `nap_sender`, `nap_receiver`: microseconds between starting and finishing. */
static void exchange(int n, int seed, useconds_t nap_sender, useconds_t nap_receiver)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request req;
    MPI_Status status;
    fill(out, n, rank, seed);
    memset(in, 0xee, (size_t) n);
    MTEST_MPI(MPI_Isend(out, n, MPI_BYTE, right, n % 1000, MPI_COMM_WORLD, &req));
    if (rank % 2 == 0 && nap_sender)
        usleep(nap_sender);
    if (rank % 2 == 1 && nap_receiver)
        usleep(nap_receiver);
    MTEST_MPI(MPI_Recv(in, LARGEST, MPI_BYTE, left, n % 1000, MPI_COMM_WORLD, &status));
    MTEST_MPI(MPI_Wait(&req, MPI_STATUS_IGNORE));
    int got = -1;
    MPI_Get_count(&status, MPI_BYTE, &got);
    MTEST_INT_EQ(got, n);
    look(n, left, seed);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL); /* the others wait for what is not sent */
    out = malloc(LARGEST);
    in = malloc(LARGEST);
    for (int n = 8; n <= LARGEST; n *= 2) {
        for (int off = -1; off <= 1; off++)
            exchange(off > 0 && n == LARGEST ? n : n + off, n + off, 0, 0);
        exchange(n, 3, 2000, 0);
        exchange(n, 5, 0, 2000);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return MTest_report(rank);
}
