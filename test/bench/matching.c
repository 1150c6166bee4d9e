/* Does a message cost more the more others wait to be matched? Half a ping-pong of 8 bytes in
 * microseconds, by the number of
 *
 * posted       receives that were posted earlier, for other tags, from a known rank
 * posted_any   the same, from any rank
 * early        messages that came earlier and are not received yet; the receive names the rank
 * early_any    the same; the receive takes any rank
 *
 *     matching [DEEPEST]      default 10000
 */
#include "bench.h"

#define TAG 1
#define OTHER 10 /* the first of the tags that wait */

typedef struct {
    int depth, source;
    MPI_Request *requests;
    long *in;
} Queue;

static void pingpong(long n, void *arg)
{
    Queue *q = arg;
    int peer = 1 - bench.rank;
    long out = bench.rank, in = -1;

    for (long i = 0; i < n; i++) {
        if (bench.rank == 0)
            MPI_Send(&out, 1, MPI_LONG, peer, TAG, MPI_COMM_WORLD);
        MPI_Recv(&in, 1, MPI_LONG, q->source, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (bench.rank == 1)
            MPI_Send(&out, 1, MPI_LONG, peer, TAG, MPI_COMM_WORLD);
    }
    bench_need(in == peer, "the wrong message was matched");
}

static void post(Queue *q)
{
    for (int i = 0; i < q->depth; i++)
        MPI_Irecv(&q->in[i], 1, MPI_LONG, q->source, OTHER + i, MPI_COMM_WORLD, &q->requests[i]);
}

static void send_others(Queue *q)
{
    for (long i = 0; i < q->depth; i++)
        MPI_Send(&i, 1, MPI_LONG, 1 - bench.rank, OTHER + (int) i, MPI_COMM_WORLD);
}

/* One way at a time: the other rank must be receiving, or else nobody takes what comes. */
static void let_come(Queue *q)
{
    for (int turn = 0; turn < 2; turn++) {
        if (bench.rank == turn)
            send_others(q);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void check(Queue *q)
{
    MPI_Waitall(q->depth, q->requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < q->depth; i++)
        bench_need(q->in[i] == i, "a message that waited arrived at the wrong place");
}

static void measure(Queue *q, const char *series, int early)
{
    if (early)
        let_come(q);
    else
        post(q);
    double t = bench_time(pingpong, q);
    if (early)
        post(q);
    else
        let_come(q);
    check(q);
    if (bench.rank == 0)
        bench_print(series, q->depth, t / 2 * 1e6);
}

int main(int argc, char **argv)
{
    bench_start(&argc, &argv);
    int deepest = argc > 1 ? atoi(argv[1]) : 10000;
    bench_need(bench.size == 2, "run me with 2 ranks");
    bench_need(deepest >= 1, "the depth must be 1 or more");
    Queue q = { .requests = bench_buffer((size_t) deepest * sizeof(MPI_Request)),
                .in = bench_buffer((size_t) deepest * sizeof(long)) };

    for (q.depth = 1; q.depth <= deepest; q.depth *= 10) {
        q.source = 1 - bench.rank;
        measure(&q, "posted", 0);
        measure(&q, "early", 1);
        q.source = MPI_ANY_SOURCE;
        measure(&q, "posted_any", 0);
        measure(&q, "early_any", 1);
    }
    free(q.requests);
    free(q.in);
    MPI_Finalize();
    return 0;
}
