/* How long does it take to get into MPI? Milliseconds on the slowest rank, run through `starter`:
 *
 * start   from the start of the process to the end of MPI_Init
 * init    MPI_Init alone
 * memory  resident memory of a rank after MPI_Init and a barrier, in MB
 */
#include "bench.h"

#include <time.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static double resident_mb(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    if (!f)
        return 0;
    if (fscanf(f, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    fclose(f);
    return (double) resident * 4096 / 1e6;
}

int main(int argc, char **argv)
{
    const char *started = getenv("BENCH_START");
    double before = now();
    bench_start(&argc, &argv);
    double after = now();

    bench_need(started != NULL, "BENCH_START is not set: run me through `starter`");
    MPI_Barrier(MPI_COMM_WORLD);
    double mine[3] = { (after - atof(started)) * 1e3, (after - before) * 1e3, resident_mb() },
           most[3];
    MPI_Reduce(mine, most, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (bench.rank == 0) {
        bench_print("start", 0, most[0]);
        bench_print("init", 0, most[1]);
        bench_print("memory", 0, most[2]);
    }
    MPI_Finalize();
    return 0;
}
