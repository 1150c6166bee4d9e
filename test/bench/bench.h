/* What the benchmark programs share: buffers, checking, timing and the lines that the driver reads.
 * Portable MPI-3.
 *
 * A result is a line `= SERIES X VALUE`, printed by one process. A wrong byte, or anything else
 * that is not as it should be, ends the job with a message and a non-zero code.
 *
 * Each point is measured for BENCH_MS milliseconds (default 100), in 40 blocks of which the median
 * counts: what else goes on in the machine disturbs single blocks. BENCH_QUANTILE takes another one
 * than the median, for a machine that is busy with other work.
 */
#ifndef BENCH_H_INCLUDED
#define BENCH_H_INCLUDED

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BENCH_BLOCKS 40
#define BENCH_FEWEST 3

typedef struct {
    int rank, size;
    double budget; /* seconds for each point */
} Bench;

static Bench bench; /* lives with the process */

/* Carries out the work `n` times. All ranks are called with the same n. */
typedef void (*Bench_body)(long n, void *arg);

static inline double bench_budget(void)
{
    const char *text = getenv("BENCH_MS");
    double ms = text ? atof(text) : 100;

    return ms > 0 ? ms / 1e3 : 0.1;
}

static inline void bench_start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.size);
    bench.budget = bench_budget();
}

static inline void bench_need(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "rank %d of %d: %s\n", bench.rank, bench.size, what);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static inline void bench_print(const char *series, double x, double value)
{
    printf("= %s %.0f %.6g\n", series, x, value);
    fflush(stdout);
}

static inline void *bench_buffer(size_t bytes)
{
    void *p = NULL;

    bench_need(posix_memalign(&p, 4096, bytes ? bytes : 1) == 0, "no memory for a buffer");
    memset(p, 0, bytes);
    return p;
}

/* ---- data --------------------------------------------------------------------------------------
 */

/* Differs for each rank and place, and from page to page. */
static inline unsigned char bench_byte(int rank, size_t at)
{
    return (unsigned char) (at * 7 + (at >> 8) * 13 + (size_t) rank * 101 + 1);
}

static inline void bench_fill(void *buffer, size_t bytes, int rank)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *) buffer)[i] = bench_byte(rank, i);
}

static inline void bench_check(const void *buffer, size_t bytes, int rank)
{
    for (size_t i = 0; i < bytes; i++) {
        unsigned char got = ((const unsigned char *) buffer)[i], want = bench_byte(rank, i);
        if (got == want)
            continue;
        fprintf(stderr, "rank %d: byte %zu of %zu from rank %d is 0x%02x, expected 0x%02x\n",
                bench.rank, i, bytes, rank, got, want);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

/* ---- time --------------------------------------------------------------------------------------
 */

static inline int bench_by_value(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

static inline double bench_quantile(double *t, int n, double q)
{
    int at = (int) (q * n);

    qsort(t, (size_t) n, sizeof(double), bench_by_value);
    return t[at < 0 ? 0 : at >= n ? n - 1 : at];
}

static inline double bench_middle(double *t, int n)
{
    return bench_quantile(t, n, 0.5);
}

/* The median, or the quantile that was asked for. */
static inline double bench_typical(double *t, int n)
{
    const char *text = getenv("BENCH_QUANTILE");

    return bench_quantile(t, n, text ? atof(text) : 0.5);
}

static inline double bench_block(Bench_body body, void *arg, long n)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    body(n, arg);
    return MPI_Wtime() - start;
}

/* The shortest of three, as rank 0 sees it: one disturbed try must not decide. */
static inline double bench_try(Bench_body body, void *arg, long n, double enough)
{
    double best = 0;

    for (int i = 0; i < 3; i++) {
        double t = bench_block(body, arg, n);
        MPI_Bcast(&t, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (i == 0 || t < best)
            best = t;
        if (best < enough)
            break;
    }
    return best;
}

/* How many times make a block of the right length? Serves as warm-up as well. */
static inline long bench_calibrate(Bench_body body, void *arg, double *block)
{
    double goal = bench.budget / BENCH_BLOCKS, enough = 0.7 * goal;
    long n = 1;

    while ((*block = bench_try(body, arg, n, enough)) < enough) {
        double factor = *block > 0 ? goal / *block : 10;
        n = (long) ((double) n * (factor > 10 ? 10 : factor < 1.3 ? 1.3 : factor)) + 1;
    }
    return n;
}

/* Seconds for carrying out `body` once, on the slowest rank; the value is valid on rank 0.
 * Collective. */
static inline double bench_time(Bench_body body, void *arg)
{
    double mine[BENCH_BLOCKS], slowest[BENCH_BLOCKS], block;
    long n = bench_calibrate(body, arg, &block);
    int blocks = BENCH_BLOCKS;

    if (block * blocks > 1.5 * bench.budget) /* work that is slower than a block should be */
        blocks = (int) (bench.budget / block);
    if (blocks < BENCH_FEWEST)
        blocks = BENCH_FEWEST;
    for (int i = 0; i < blocks; i++)
        mine[i] = bench_block(body, arg, n);
    MPI_Reduce(mine, slowest, blocks, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return bench.rank == 0 ? bench_typical(slowest, blocks) / (double) n : 0;
}

#endif
