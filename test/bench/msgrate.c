/* How many small messages a second go from rank 0 to rank 1? Each of a window of 64 has its own
 * tag, and receives are posted first. In millions a second.
 */
#include "bench.h"

#define WINDOW 64
#define LARGEST 512

typedef struct {
    char out[WINDOW][LARGEST], in[WINDOW][LARGEST];
    int size;
    MPI_Request requests[WINDOW];
} Stream;

static void stream(long n, void *arg)
{
    Stream *s = arg;
    char ready = 0;

    for (long i = 0; i < n; i++) {
        for (int tag = 0; tag < WINDOW && bench.rank == 1; tag++)
            MPI_Irecv(s->in[tag], s->size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &s->requests[tag]);
        for (int tag = 0; tag < WINDOW && bench.rank == 0; tag++)
            MPI_Isend(s->out[tag], s->size, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &s->requests[tag]);
        MPI_Waitall(WINDOW, s->requests, MPI_STATUSES_IGNORE);
    }
    if (bench.rank == 1)
        MPI_Send(&ready, 1, MPI_BYTE, 0, WINDOW, MPI_COMM_WORLD);
    else
        MPI_Recv(&ready, 1, MPI_BYTE, 1, WINDOW, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void checked(Stream *s)
{
    memset(s->in, 0, sizeof(s->in));
    stream(1, s);
    for (int tag = 0; tag < WINDOW && bench.rank == 1; tag++)
        bench_check(s->in[tag], (size_t) s->size, tag);
}

int main(int argc, char **argv)
{
    static Stream s;

    bench_start(&argc, &argv);
    bench_need(bench.size == 2, "run me with 2 ranks");
    for (int tag = 0; tag < WINDOW; tag++)
        bench_fill(s.out[tag], LARGEST, tag);
    for (s.size = 8; s.size <= LARGEST; s.size *= 8) {
        checked(&s);
        double t = bench_time(stream, &s);
        checked(&s);
        if (bench.rank == 0)
            bench_print("msgrate", s.size, WINDOW / t / 1e6);
    }
    MPI_Finalize();
    return 0;
}
