/* Steady traffic, in the midst of which a rank is killed or stopped from outside. Each rank says its pid when all are there. Argument:
 *   send     rank 0 sends large messages to all, without end     recv      all send large messages to rank 0
 *   sleep    all wait for a message of rank 0 that never comes   any       the same with MPI_ANY_SOURCE
 *   barrier  all but rank 0 are in a barrier                     ssend     all have a large send to rank 0 that it never receives
 *   rounds   some exchanges of all sizes, checked, to an end */
#include <unistd.h>

#include "mpitest.h"

enum { LARGE = 16 << 20, ROUNDS = 60, LARGEST = 1 << 20 };

static int rank, size;
static unsigned char *out, *in;

static void send_for_ever(void)
{
    for (int i = 0;; i++)
        for (int r = 1; r < size; r++) {
            if (rank == 0)
                MPI_Send(out, LARGE, MPI_BYTE, r, i % 100, MPI_COMM_WORLD);
            else if (rank == r)
                MPI_Recv(in, LARGE, MPI_BYTE, 0, i % 100, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
}

static void recv_for_ever(void)
{
    for (int i = 0;; i++) {
        if (rank == 0)
            for (int r = 1; r < size; r++)
                MPI_Recv(in, LARGE, MPI_BYTE, MPI_ANY_SOURCE, i % 100, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(out, LARGE, MPI_BYTE, 0, i % 100, MPI_COMM_WORLD);
    }
}

static void wait_for_ever(int source)
{
    if (rank == 0)
        pause();
    /* with ANY_SOURCE somebody else may always send, so rank 0 must be the only other */
    MPI_Comm comm = MPI_COMM_WORLD;
    if (source == MPI_ANY_SOURCE && rank > 1)
        source = 0;
    MPI_Recv(in, LARGE, MPI_BYTE, source, 1, comm, MPI_STATUS_IGNORE);
}

static void exchange(int n, int seed)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int i = 0; i < n; i++)
        out[i] = (unsigned char) (i * 7 + i / 4096 + rank + seed);
    MTEST_MPI(MPI_Sendrecv(out, n, MPI_BYTE, right, 3, in, n, MPI_BYTE, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < n; i++)
        if (in[i] != (unsigned char) (i * 7 + i / 4096 + left + seed)) {
            MTEST_ERROR("byte %d of %d differs", i, n);
            break;
        }
}

static void rounds(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        for (int n = 1; n <= LARGEST; n *= 8)
            exchange(n, i);
        exchange(LARGEST, i);
        usleep(10 * 1000);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out = calloc(1, LARGE);
    in = calloc(1, LARGE);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d pid %d\n", rank, (int) getpid());
    fflush(stdout);
    if (strcmp(mode, "send") == 0)
        send_for_ever();
    else if (strcmp(mode, "recv") == 0)
        recv_for_ever();
    else if (strcmp(mode, "sleep") == 0)
        wait_for_ever(0);
    else if (strcmp(mode, "any") == 0)
        wait_for_ever(MPI_ANY_SOURCE);
    else if (strcmp(mode, "barrier") == 0)
        rank == 0 ? (void) pause() : (void) MPI_Barrier(MPI_COMM_WORLD);
    else if (strcmp(mode, "ssend") == 0)
        rank == 0 ? (void) pause() : (void) MPI_Send(out, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    else
        rounds();
    free(out);
    free(in);
    MPI_Finalize();
    return MTest_report(rank);
}
