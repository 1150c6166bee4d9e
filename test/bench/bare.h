/* What the programs without MPI share, which show what the machine itself can do. Linux. */
#ifndef BARE_H_INCLUDED
#define BARE_H_INCLUDED

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BARE_BLOCKS 40
#define BARE_END (~0ul)

/* Alone in two cache lines: the prefetcher fetches lines in pairs. */
typedef struct {
    _Alignas(128) _Atomic unsigned long value;
    char pad[120];
} Bare_line;

static inline void bare_die(const char *what)
{
    perror(what);
    exit(1);
}

static inline double bare_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* Zero-filled memory that children share; every page is touched. */
static inline void *bare_share(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        bare_die("mmap");
    memset(p, 0, bytes);
    return p;
}

/* The n-th core of those that this process may use; with fewer cores, round about. */
static inline void bare_pin(int n)
{
    cpu_set_t all, one;

    if (sched_getaffinity(0, sizeof(all), &all) != 0)
        bare_die("sched_getaffinity");
    n %= CPU_COUNT(&all);
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &all) && n-- == 0)
            CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof(one), &one) != 0)
        bare_die("sched_setaffinity");
}

/* Makes `n` processes of this one; returns each one's number. The parent is 0. */
static inline int bare_fork(int n, int pinned)
{
    int me = 0;

    fflush(stdout);
    for (int i = 1; i < n && me == 0; i++) {
        pid_t child = fork();
        if (child < 0)
            bare_die("fork");
        if (child == 0)
            me = i;
    }
    if (me > 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (pinned)
        bare_pin(me);
    return me;
}

/* Waits for all children. */
static inline void bare_join(void)
{
    int status;

    while (wait(&status) > 0)
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fprintf(stderr, "a child ended with wait status 0x%x\n", (unsigned) status);
            exit(1);
        }
}

static inline int bare_by_value(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return (x > y) - (x < y);
}

static inline double bare_budget(void)
{
    const char *text = getenv("BENCH_MS");
    double ms = text ? atof(text) : 100;

    return ms > 0 ? ms / 1e3 : 0.1;
}

/* The median, or the quantile that BENCH_QUANTILE asks for. */
static inline double bare_typical(double *t, int n)
{
    const char *text = getenv("BENCH_QUANTILE");
    int at = (int) ((text ? atof(text) : 0.5) * n);

    qsort(t, (size_t) n, sizeof(double), bare_by_value);
    return t[at < 0 ? 0 : at >= n ? n - 1 : at];
}

/* The shortest of three: one disturbed try must not decide. */
static inline double bare_try(double (*work)(long n), long n)
{
    double best = work(n);

    for (int i = 1; i < 3; i++) {
        double t = work(n);
        if (t < best)
            best = t;
    }
    return best;
}

/* Seconds for one of the n pieces of work that `work` carries out and times: the median of blocks.
 */
static inline double bare_time(double (*work)(long n))
{
    double budget = bare_budget(), goal = budget / BARE_BLOCKS, t[BARE_BLOCKS], block;
    int blocks = BARE_BLOCKS;
    long n = 1;

    while ((block = bare_try(work, n)) < 0.7 * goal) {
        double factor = block > 0 ? goal / block : 10;
        n = (long) ((double) n * (factor > 10 ? 10 : factor < 1.3 ? 1.3 : factor)) + 1;
    }
    if (block * blocks > 1.5 * budget)
        blocks = (int) (budget / block);
    if (blocks < 3)
        blocks = 3;
    for (int i = 0; i < blocks; i++)
        t[i] = work(n);
    return bare_typical(t, blocks) / (double) n;
}

static inline void bare_print(const char *series, double x, double value)
{
    printf("= %s %.0f %.6g\n", series, x, value);
    fflush(stdout);
}

#endif
