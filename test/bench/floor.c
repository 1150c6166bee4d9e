/* What does MPI add to a message of 8 bytes? Blocks of an MPI ping-pong and of a bare one on a
 * shared cache line, in turn, between the same two pinned processes: so both see the same machine.
 * Half a round trip in microseconds, and the typical difference and ratio of a block to its
 * neighbour.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define ROUND_TRIPS 500
#define BLOCKS_MAX 2000

typedef struct {
    _Alignas(128) _Atomic unsigned long ball;
    char pad[120];
} Line;

static Line *line;

static void bare(void)
{
    for (unsigned long i = 0; i < ROUND_TRIPS; i++) {
        if (bench.rank == 0) {
            atomic_store_explicit(&line->ball, 2 * i + 1, memory_order_release);
            while (atomic_load_explicit(&line->ball, memory_order_acquire) != 2 * i + 2)
                ;
        } else {
            while (atomic_load_explicit(&line->ball, memory_order_acquire) != 2 * i + 1)
                ;
            atomic_store_explicit(&line->ball, 2 * i + 2, memory_order_release);
        }
    }
}

static void message(void)
{
    int peer = 1 - bench.rank;
    long out, in = -1;

    for (long i = 0; i < ROUND_TRIPS; i++) {
        out = i * 2 + bench.rank;
        if (bench.rank == 0)
            MPI_Send(&out, 1, MPI_LONG, peer, 1, MPI_COMM_WORLD);
        MPI_Recv(&in, 1, MPI_LONG, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (bench.rank == 1)
            MPI_Send(&out, 1, MPI_LONG, peer, 1, MPI_COMM_WORLD);
        bench_need(in == i * 2 + peer, "the wrong message arrived");
    }
}

static double block(void (*work)(void))
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    work();
    return (MPI_Wtime() - start) / ROUND_TRIPS / 2;
}

/* A page that both ranks map. The name is gone when this returns. */
static void share_line(void)
{
    char name[64];
    int fd = -1;

    snprintf(name, sizeof(name), "/bench-floor.%ld", (long) getpid());
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
    if (bench.rank == 0) {
        fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        bench_need(fd >= 0 && ftruncate(fd, 4096) == 0, "cannot make shared memory");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (bench.rank == 1)
        fd = shm_open(name, O_RDWR, 0600);
    bench_need(fd >= 0, "cannot open shared memory");
    line = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    bench_need(line != MAP_FAILED, "cannot map shared memory");
    close(fd);
    MPI_Barrier(MPI_COMM_WORLD);
    if (bench.rank == 0)
        shm_unlink(name);
}

static struct {
    double bare[BLOCKS_MAX], message[BLOCKS_MAX], added[BLOCKS_MAX], ratio[BLOCKS_MAX];
} t;

/* Blocks until the time is over; rank 0 decides. */
static int measure(void)
{
    double start = MPI_Wtime();
    int n = 0, more = 1;

    while (more) {
        t.bare[n] = block(bare);
        t.message[n] = block(message);
        t.added[n] = t.message[n] - t.bare[n];
        t.ratio[n] = t.message[n] / t.bare[n];
        n++;
        more = n < BLOCKS_MAX && (n < 10 || MPI_Wtime() - start < bench.budget);
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return n;
}

int main(int argc, char **argv)
{
    bench_start(&argc, &argv);
    bench_need(bench.size == 2, "run me with 2 ranks");
    share_line();
    int n = measure();
    if (bench.rank == 0) {
        bench_print("bare", 8, bench_typical(t.bare, n) * 1e6);
        bench_print("message", 8, bench_typical(t.message, n) * 1e6);
        bench_print("added", 8, bench_middle(t.added, n) * 1e6);
        bench_print("ratio", 8, bench_middle(t.ratio, n));
    }
    MPI_Finalize();
    return 0;
}
