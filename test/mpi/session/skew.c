/* P3: rank B ends epoch 1, starts epoch 2 and sends, while rank A is still in epoch 1; then between epochs; then joins. The
 * communicator of epoch 2 does not exist at A when the messages come in. Every size takes another path. A and B are ranks 0 and
 * 1 by turns: rank 0 leads the making of the communicator, so its messages can be there long before A knows of it, while B as
 * rank 1 waits for it. */
#include <unistd.h>

#include "ring.h"

static const int sizes[] = { 0, 8, 2048, 1 << 20 };
enum { N = 4 };

static void fill(char *buf, int n, int seed)
{
    for (int i = 0; i < n; i++)
        buf[i] = (char) (seed + i * 7);
}

/* The sender: a whole epoch on `tag`, its messages sent without waiting for the receiver to be there. */
static void send_epoch(const char *tag, int to, int seed)
{
    MPI_Session s = MTest_session();
    MPI_Comm c = MTest_session_comm(s, "mpi://WORLD", tag);
    MPI_Request req[N];
    char *buf[N];
    for (int i = 0; i < N; i++) {
        buf[i] = malloc((size_t) sizes[i] + 1);
        fill(buf[i], sizes[i], seed + i);
        MTEST_MPI(MPI_Isend(buf[i], sizes[i], MPI_CHAR, to, i, c, &req[i]));
    }
    MTEST_MPI(MPI_Waitall(N, req, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++)
        free(buf[i]);
    MTEST_MPI(MPI_Comm_free(&c));
    MTEST_MPI(MPI_Session_finalize(&s));
}

static void recv_epoch(const char *tag, int from, int seed)
{
    MPI_Session s = MTest_session();
    MPI_Comm c = MTest_session_comm(s, "mpi://WORLD", tag);
    char *buf = malloc((1 << 20) + 1), *want = malloc((1 << 20) + 1);
    for (int i = N - 1; i >= 0; i--) {
        MPI_Status st;
        int n;
        MTEST_MPI(MPI_Recv(buf, 1 << 20, MPI_CHAR, from, i, c, &st));
        MPI_Get_count(&st, MPI_CHAR, &n);
        MTEST_INT_EQ(n, sizes[i]);
        fill(want, sizes[i], seed + i);
        MTEST_CHECK(memcmp(buf, want, (size_t) sizes[i]) == 0, "data of %d bytes differ", sizes[i]);
    }
    free(buf);
    free(want);
    MTEST_MPI(MPI_Comm_free(&c));
    MTEST_MPI(MPI_Session_finalize(&s));
}

/* The others only help to make the communicator. */
static void member_epoch(const char *tag)
{
    MPI_Session s = MTest_session();
    MPI_Comm c = MTest_session_comm(s, "mpi://WORLD", tag);
    MTEST_MPI(MPI_Comm_free(&c));
    MTEST_MPI(MPI_Session_finalize(&s));
}

int main(int argc, char **argv)
{
    int rank, size;
    int rounds = argc > 1 ? atoi(argv[1]) : 10;
    for (int round = 0; round < rounds; round++) {
        MPI_Session s = MTest_session();
        MPI_Comm c = MTest_session_comm(s, "mpi://WORLD", "epoch 1");
        MPI_Comm_rank(c, &rank);
        MPI_Comm_size(c, &size);
        ring_check(c, round);
        int a = round % 2, b = 1 - a;
        if (rank == a) { /* A lingers in epoch 1, then is in none for a while */
            usleep(20 * 1000);
            for (int i = 0; i < 10; i++) { /* and lets the early messages in */
                int flag;
                MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c, &flag, MPI_STATUS_IGNORE);
                MTEST_INT_EQ(flag, 0);
            }
        }
        MTEST_MPI(MPI_Comm_free(&c));
        MTEST_MPI(MPI_Session_finalize(&s));
        if (rank == a)
            usleep(20 * 1000);
        if (rank == a && size > 1)
            recv_epoch("epoch 2", b, round);
        else if (rank == b && size > 1)
            send_epoch("epoch 2", a, round);
        else if (size > 1)
            member_epoch("epoch 2");
    }
    return MTest_report(rank);
}
