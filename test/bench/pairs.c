/* Ping-pong of all pairs of neighbours at once (ranks 0 and 1, 2 and 3, ...): half a round trip in
 * microseconds, slowest pair.
 */
#include "bench.h"

#define LARGEST 65536

typedef struct {
    char *out, *in;
    int size;
} Message;

static void pingpong(long n, void *arg)
{
    Message *m = arg;
    int peer = bench.rank ^ 1, first = bench.rank % 2 == 0;

    for (long i = 0; i < n; i++) {
        if (first)
            MPI_Send(m->out, m->size, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
        MPI_Recv(m->in, m->size, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!first)
            MPI_Send(m->out, m->size, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    }
}

static void checked(Message *m)
{
    memset(m->in, 0, (size_t) m->size);
    pingpong(1, m);
    bench_check(m->in, (size_t) m->size, bench.rank ^ 1);
}

int main(int argc, char **argv)
{
    bench_start(&argc, &argv);
    bench_need(bench.size % 2 == 0, "run me with an even number of ranks");
    Message m = { .out = bench_buffer(LARGEST), .in = bench_buffer(LARGEST) };

    bench_fill(m.out, LARGEST, bench.rank);
    static const int sizes[] = { 8, 1024, LARGEST };
    for (int i = 0; i < 3; i++) {
        m.size = sizes[i];
        checked(&m);
        double t = bench_time(pingpong, &m);
        checked(&m);
        if (bench.rank == 0)
            bench_print("pairs", m.size, t / 2 * 1e6);
    }
    free(m.out);
    free(m.in);
    MPI_Finalize();
    return 0;
}
