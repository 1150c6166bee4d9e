/* The floor of any ping-pong: two pinned processes that write one cache line in turn. No MPI. Half
 * a round trip, in microseconds.
 */
#include "bare.h"

static Bare_line *line;

static void serve(void)
{
    for (unsigned long seen = 0;;) {
        unsigned long now = atomic_load_explicit(&line->value, memory_order_acquire);
        if (now == BARE_END)
            return;
        if (now == seen || now % 2 == 0)
            continue;
        seen = now + 1;
        atomic_store_explicit(&line->value, seen, memory_order_release);
    }
}

static double play(long n)
{
    double start = bare_now();

    for (long i = 0; i < n; i++) {
        unsigned long ball = atomic_load_explicit(&line->value, memory_order_relaxed) + 1;
        atomic_store_explicit(&line->value, ball, memory_order_release);
        while (atomic_load_explicit(&line->value, memory_order_acquire) != ball + 1)
            ;
    }
    return bare_now() - start;
}

int main(void)
{
    line = bare_share(sizeof(*line));
    if (bare_fork(2, 1) == 1) {
        serve();
        return 0;
    }
    double t = bare_time(play);
    atomic_store(&line->value, BARE_END);
    bare_join();
    bare_print("latency", 8, t / 2 * 1e6);
    return 0;
}
