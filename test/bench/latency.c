/* Half a ping-pong between two ranks, in microseconds, by size.
 *
 *     latency [LARGEST]      default 4194304 bytes
 */
#include "bench.h"

typedef struct {
    char *out, *in;
    int size;
} Message;

static void pingpong(long n, void *arg)
{
    Message *m = arg;
    int peer = 1 - bench.rank;

    for (long i = 0; i < n; i++) {
        if (bench.rank == 0)
            MPI_Send(m->out, m->size, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
        MPI_Recv(m->in, m->size, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (bench.rank == 1)
            MPI_Send(m->out, m->size, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    }
}

static void checked(Message *m)
{
    memset(m->in, 0, (size_t) m->size);
    pingpong(1, m);
    bench_check(m->in, (size_t) m->size, 1 - bench.rank);
}

static void measure(Message *m)
{
    checked(m);
    double t = bench_time(pingpong, m);
    checked(m);
    if (bench.rank == 0)
        bench_print("latency", m->size, t / 2 * 1e6);
}

int main(int argc, char **argv)
{
    bench_start(&argc, &argv);
    int largest = argc > 1 ? atoi(argv[1]) : 4 << 20;
    bench_need(bench.size == 2, "run me with 2 ranks");
    bench_need(largest >= 8, "the largest size must be 8 or more");
    Message m = { .out = bench_buffer((size_t) largest), .in = bench_buffer((size_t) largest) };

    bench_fill(m.out, (size_t) largest, bench.rank);
    for (m.size = 8; m.size <= largest;
         m.size *= m.size < 1024 || m.size >= 65536 ? m.size < 64 ? 8 : 4 : 2)
        measure(&m);
    free(m.out);
    free(m.in);
    MPI_Finalize();
    return 0;
}
