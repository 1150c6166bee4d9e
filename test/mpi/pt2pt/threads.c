/* MPI_THREAD_MULTIPLE: threads send, receive, probe, test and wait at the same time on one communicator, kept apart by
 * their tags, and call collectives on communicators of their own. */
#include <pthread.h>

#include "mpitest.h"

enum { THREADS = 4, ROUNDS = 12, LONG = 60000 };

static int rank, size;

typedef struct Buffers {
    int out[LONG], in[LONG];
} Buffers;

/* What the thread of this tag sends from a rank in a round. */
static int value(int from, int tag, int round)
{
    return from * 10007 + tag * 101 + round;
}

static void check(const int *in, int n, int expected)
{
    MTEST_CHECK(in[0] == expected && in[n - 1] == expected, "got %d and %d, expected %d", in[0], in[n - 1], expected);
}

static void exchange(Buffers *b, int n, int tag, int round)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, done = 0;
    MPI_Request request[2];
    MPI_Status status;
    for (int i = 0; i < n; i++)
        b->out[i] = value(rank, tag, round);
    MTEST_MPI(MPI_Irecv(b->in, n, MPI_INT, left, tag, MPI_COMM_WORLD, &request[0]));
    MTEST_MPI(MPI_Isend(b->out, n, MPI_INT, right, tag, MPI_COMM_WORLD, &request[1]));
    if (round % 2)
        MTEST_MPI(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
    while (round % 2 == 0 && !done)
        MTEST_MPI(MPI_Testall(2, request, &done, MPI_STATUSES_IGNORE));
    check(b->in, n, value(left, tag, round));
    MTEST_MPI(MPI_Issend(b->out, n, MPI_INT, right, tag, MPI_COMM_WORLD, &request[1]));
    MTEST_MPI(MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status));
    MTEST_INT_EQ(status.MPI_SOURCE, left);
    MTEST_MPI(MPI_Recv(b->in, n, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check(b->in, n, value(left, tag, round));
    MTEST_MPI(MPI_Wait(&request[1], MPI_STATUS_IGNORE));
}

typedef struct Worker {
    pthread_t thread;
    int id;
    MPI_Comm comm;
} Worker;

static void *work(void *arg)
{
    static const int count[] = { 1, 700, LONG };
    Worker *w = arg;
    Buffers *b = malloc(sizeof(*b));
    for (int round = 0; round < ROUNDS; round++) {
        int sum = 0;
        exchange(b, count[(round + w->id) % 3], w->id, round);
        MTEST_MPI(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, w->comm));
        MTEST_INT_EQ(sum, size * (size - 1) / 2);
    }
    free(b);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    Worker w[THREADS];
    MTEST_MPI(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    MTEST_INT_EQ(provided, MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; i++) {
        w[i].id = i;
        MTEST_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &w[i].comm));
        pthread_create(&w[i].thread, NULL, work, &w[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(w[i].thread, NULL);
        MTEST_MPI(MPI_Comm_free(&w[i].comm));
    }
    MPI_Finalize();
    return MTest_report(rank);
}
