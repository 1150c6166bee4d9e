/* All other ranks send to rank 0, which receives from anybody: microseconds for each message at
 * rank 0, by size. */
#include "bench.h"

#define LARGEST 65536
#define WINDOW 32

typedef struct {
    char *out, *in;
    int size;
} Message;

static void sender(Message *m)
{
    char go;

    for (int i = 0; i < WINDOW; i++)
        MPI_Send(m->out, m->size, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    MPI_Recv(&go, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receiver(Message *m, int check)
{
    MPI_Status status;
    char go = 1;

    for (int i = 0; i < WINDOW * (bench.size - 1); i++) {
        if (check)
            memset(m->in, 0, (size_t) m->size);
        MPI_Recv(m->in, m->size, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        if (check)
            bench_check(m->in, (size_t) m->size, status.MPI_SOURCE);
    }
    for (int rank = 1; rank < bench.size; rank++)
        MPI_Send(&go, 1, MPI_BYTE, rank, 2, MPI_COMM_WORLD);
}

static void many_to_one(long n, void *arg)
{
    for (long i = 0; i < n; i++) {
        if (bench.rank == 0)
            receiver(arg, 0);
        else
            sender(arg);
    }
}

int main(int argc, char **argv)
{
    bench_start(&argc, &argv);
    bench_need(bench.size > 1, "run me with 2 ranks or more");
    Message m = { .out = bench_buffer(LARGEST), .in = bench_buffer(LARGEST) };

    bench_fill(m.out, LARGEST, bench.rank);
    static const int sizes[] = { 8, 1024, LARGEST };
    for (int i = 0; i < 3; i++) {
        m.size = sizes[i];
        if (bench.rank == 0)
            receiver(&m, 1);
        else
            sender(&m);
        double t = bench_time(many_to_one, &m);
        if (bench.rank == 0)
            bench_print("many_to_one", m.size, t / WINDOW / (bench.size - 1) * 1e6);
    }
    free(m.out);
    free(m.in);
    MPI_Finalize();
    return 0;
}
