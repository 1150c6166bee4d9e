/* A barrier on a shared counter, without MPI: microseconds for each, with more processes than
 * cores.
 *
 *     bare_barrier yield N       who waits yields (sched_yield)
 *     bare_barrier session N     the same, each process in a session of its own, as under some
 * launchers bare_barrier futex N       who waits sleeps
 */
#include "bare.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>

typedef struct {
    Bare_line arrived;
    _Alignas(128) _Atomic unsigned epoch; /* counts barriers; who waits looks at it */
    _Alignas(
        128) _Atomic unsigned long last; /* the number of the barrier after which children leave */
} Barrier;

static Barrier *b;
static int size, asleep;
static unsigned long passed; /* barriers */

static void await(unsigned epoch)
{
    while (atomic_load_explicit(&b->epoch, memory_order_acquire) == epoch) {
        if (asleep)
            syscall(SYS_futex, &b->epoch, FUTEX_WAIT, epoch, NULL, NULL, 0);
        else
            sched_yield();
    }
}

static void barrier(void)
{
    unsigned epoch = atomic_load_explicit(&b->epoch, memory_order_acquire);

    passed++;
    if (atomic_fetch_add(&b->arrived.value, 1) != (unsigned long) size - 1) {
        await(epoch);
        return;
    }
    atomic_store_explicit(&b->arrived.value, 0, memory_order_relaxed);
    atomic_store_explicit(&b->epoch, epoch + 1, memory_order_release);
    if (asleep)
        syscall(SYS_futex, &b->epoch, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* So many at once that it does not matter whether this process was the last to arrive at the first.
 */
#define AT_ONCE 16

static double run(long n)
{
    double start = bare_now();

    for (long i = 0; i < n * AT_ONCE; i++)
        barrier();
    return bare_now() - start;
}

static void serve(void)
{
    do
        barrier();
    while (passed != atomic_load(&b->last));
}

int main(int argc, char **argv)
{
    const char *mode = argc == 3 ? argv[1] : "";
    int sessions = strcmp(mode, "session") == 0;

    asleep = strcmp(mode, "futex") == 0;
    size = argc == 3 ? atoi(argv[2]) : 0;
    if (size < 2 || (!asleep && !sessions && strcmp(mode, "yield") != 0)) {
        fprintf(stderr, "usage: bare_barrier yield|session|futex N, with N at least 2\n");
        return 2;
    }
    b = bare_share(sizeof(*b));
    int me = bare_fork(size, 0);
    if (me > 0 && sessions && setsid() < 0)
        bare_die("setsid");
    if (me > 0) {
        serve();
        return 0;
    }
    double t = bare_time(run) / AT_ONCE;
    atomic_store(&b->last, passed + 1); /* before the children pass it */
    barrier();
    bare_join();
    bare_print("barrier", 0, t * 1e6);
    return 0;
}
