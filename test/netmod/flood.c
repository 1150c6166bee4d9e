/* More than a network takes at once: long messages from all ranks to one, as many rounds as the argument says, and very many
 * short ones. */
#include "mpitest.h"

enum { WINDOW = 16, LONGEST = 60000, SHORT = 20000 };

static int rank, size, rounds;

/* The bytes of message `number`, which tell from where it is and where in it they stand. */
static unsigned char byte_of(int from, int number, int i)
{
    return (unsigned char) (from * 31 + number * 7 + i * 3);
}

static int length_of(int number)
{
    return number % 4 ? LONGEST - number % 100 : number * 7919 % LONGEST;
}

static void send_long_ones(void)
{
    static unsigned char out[WINDOW][LONGEST];
    MPI_Request request[WINDOW];
    for (int number = 0; number < rounds * WINDOW; number++) {
        int slot = number % WINDOW, n = length_of(number);
        for (int i = 0; i < n; i++)
            out[slot][i] = byte_of(rank, number, i);
        MTEST_MPI(MPI_Isend(out[slot], n, MPI_BYTE, 0, number, MPI_COMM_WORLD, &request[slot]));
        if (slot == WINDOW - 1)
            MTEST_MPI(MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE));
    }
}

static void check(const unsigned char *in, const MPI_Status *status)
{
    int n, from = status->MPI_SOURCE, number = status->MPI_TAG;
    MPI_Get_count(status, MPI_BYTE, &n);
    MTEST_INT_EQ(n, length_of(number));
    for (int i = 0; i < n; i++) {
        if (in[i] != byte_of(from, number, i)) {
            MTEST_ERROR("byte %d of %d of message %d from rank %d is %d, expected %d", i, n, number, from, in[i],
                        byte_of(from, number, i));
            return;
        }
    }
}

/* So several arrive at the same time, and end in another order than they began. */
static void long_ones_to_one(void)
{
    static unsigned char in[LONGEST];
    MPI_Status status;
    if (rank != 0)
        send_long_ones();
    else
        for (int i = 0; i < rounds * WINDOW * (size - 1); i++) {
            MTEST_MPI(MPI_Recv(in, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            check(in, &status);
        }
}

/* All posted and sent before the first is waited for, so that whatever has a limit comes to it. */
static void short_ones_around(void)
{
    static int in[SHORT], out[SHORT];
    static MPI_Request request[2 * SHORT];
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int i = 0; i < SHORT; i++)
        MTEST_MPI(MPI_Irecv(&in[i], 1, MPI_INT, from, 0, MPI_COMM_WORLD, &request[i]));
    for (int i = 0; i < SHORT; i++) {
        out[i] = rank + i;
        MTEST_MPI(MPI_Isend(&out[i], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &request[SHORT + i]));
    }
    MTEST_MPI(MPI_Waitall(2 * SHORT, request, MPI_STATUSES_IGNORE));
    for (int i = 0; i < SHORT; i++)
        MTEST_INT_EQ(in[i], from + i);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    rounds = argc > 1 ? atoi(argv[1]) : 20;
    long_ones_to_one();
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    short_ones_around();
    MPI_Finalize();
    return MTest_report(rank);
}
