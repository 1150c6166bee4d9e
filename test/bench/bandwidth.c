/* How fast do bytes go from rank 0 to rank 1, many messages under way at once? In GB/s, by size.
 *
 *     bandwidth         one way
 *     bandwidth both    both ways at once; the sum counts
 */
#include "bench.h"

#define LARGEST (4 << 20)
#define WINDOW_MAX 64
#define WINDOW_MIN 4
#define WINDOW_BYTES (4 << 20) /* so that what is measured stays in the caches of today */

typedef struct {
    char *out,
        *in; /* one message goes out again and again; each one that comes has its own place */
    int size, window, both;
    MPI_Request requests[2 * WINDOW_MAX];
} Stream;

static int receive(Stream *s, int peer, int n)
{
    for (int i = 0; i < s->window; i++)
        MPI_Irecv(s->in + (size_t) i * (size_t) s->size, s->size, MPI_BYTE, peer, 1, MPI_COMM_WORLD,
                  &s->requests[n++]);
    return n;
}

static int send(Stream *s, int peer, int n)
{
    for (int i = 0; i < s->window; i++)
        MPI_Isend(s->out, s->size, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &s->requests[n++]);
    return n;
}

static void stream(long n, void *arg)
{
    Stream *s = arg;
    int peer = 1 - bench.rank;
    char ack = 0;

    for (long i = 0; i < n; i++) {
        int pending = 0;
        if (bench.rank == 1 || s->both)
            pending = receive(s, peer, pending);
        if (bench.rank == 0 || s->both)
            pending = send(s, peer, pending);
        MPI_Waitall(pending, s->requests, MPI_STATUSES_IGNORE);
        if (bench.rank == 1)
            MPI_Send(&ack, 1, MPI_BYTE, peer, 2, MPI_COMM_WORLD);
        else
            MPI_Recv(&ack, 1, MPI_BYTE, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void checked(Stream *s)
{
    size_t bytes = (size_t) s->size * (size_t) s->window;

    memset(s->in, 0, bytes);
    stream(1, s);
    for (int i = 0; i < s->window && (bench.rank == 1 || s->both); i++)
        bench_check(s->in + (size_t) i * (size_t) s->size, (size_t) s->size, 1 - bench.rank);
}

static void measure(Stream *s)
{
    s->window = WINDOW_BYTES / s->size;
    s->window = s->window > WINDOW_MAX   ? WINDOW_MAX
                : s->window < WINDOW_MIN ? WINDOW_MIN
                                         : s->window;
    checked(s);
    double t = bench_time(stream, s);
    checked(s);
    double bytes = (double) s->size * s->window * (s->both ? 2 : 1);
    if (bench.rank == 0)
        bench_print("bandwidth", s->size, bytes / t / 1e9);
}

int main(int argc, char **argv)
{
    bench_start(&argc, &argv);
    bench_need(bench.size == 2, "run me with 2 ranks");
    bench_need(argc == 1 || strcmp(argv[1], "both") == 0, "the argument may be `both`");
    Stream s = { .both = argc > 1 };

    s.out = bench_buffer(LARGEST);
    s.in = bench_buffer((size_t) LARGEST * WINDOW_MIN);
    bench_fill(s.out, LARGEST, bench.rank);
    for (s.size = 64; s.size <= LARGEST; s.size *= 4)
        measure(&s);
    free(s.out);
    free(s.in);
    MPI_Finalize();
    return 0;
}
