/* The library's biased lock: the halves that are not on a fast path. mpir_process.h tells how it works. */
#include <sched.h>

#include "mpir_process.h"
#include "mpir_init.h"

/* How long a raise waits for a call that went in without the lock. Such calls leave or reach the wait function
 * within microseconds; only a callback of the user's that opens a session meets its own outer call here. */
#define RAISE_LIMIT_NS (200 * 1000 * 1000)

static uintptr_t self(void)
{
    return (uintptr_t) pthread_self();
}

static bool is_mine(void)
{
    return atomic_load_explicit(&MPIR_Process.lock_owner, memory_order_relaxed) == self();
}

static void lock_to_depth(int depth)
{
    pthread_mutex_lock(&MPIR_Process.lock);
    atomic_store_explicit(&MPIR_Process.lock_owner, self(), memory_order_relaxed);
    MPIR_Process.lock_depth = depth;
}

static void unlock(void)
{
    MPIR_Process.lock_depth = 0;
    atomic_store_explicit(&MPIR_Process.lock_owner, 0, memory_order_relaxed);
    pthread_mutex_unlock(&MPIR_Process.lock);
}

void MPIR_Lock_take(void)
{
    if (is_mine())
        MPIR_Process.lock_depth++;
    else
        lock_to_depth(1);
}

void MPIR_Lock_drop(void)
{
    if (--MPIR_Process.lock_depth == 0)
        unlock();
}

/* A call that went in without the lock ends, and `threaded` has been raised meanwhile. */
void MPIR_Lock_leave_unlocked(void)
{
    if (is_mine()) /* adopted in the wait function */
        MPIR_Lock_drop();
    else
        atomic_fetch_sub_explicit(&MPIR_Process.inside, 1, memory_order_release);
}

/* Positive: depth of the lock. Negative or 0: calls that were inside without it. */
int MPIR_Lock_release(void)
{
    if (is_mine()) {
        int depth = MPIR_Process.lock_depth;
        unlock();
        return depth;
    }
    return -atomic_exchange_explicit(&MPIR_Process.inside, 0, memory_order_release);
}

void MPIR_Lock_reacquire(int depth)
{
    if (depth > 0) {
        lock_to_depth(depth);
        return;
    }
    atomic_store_explicit(&MPIR_Process.inside, -depth, memory_order_relaxed);
    MPL_fence_light(); /* pairs with MPL_fence_heavy in MPIR_Lock_raise, as in MPIR_Lock */
    MPIR_Lock_yield();
}

/* In the wait function with `threaded` true. A thread that holds the lock lets others pass; one that came in without
 * takes it now, for all its calls that are inside. */
void MPIR_Lock_yield_slow(void)
{
    int depth = MPIR_Lock_release();
    if (depth > 0)
        sched_yield(); /* a mutex gives no turn to others by itself */
    lock_to_depth(depth > 0 ? depth : -depth);
}

void MPIR_Lock_raise(void)
{
    if (atomic_exchange_explicit(&MPIR_Process.threaded, true, memory_order_seq_cst))
        return;
    if (MPII_life.biased)
        MPL_fence_heavy(); /* pairs with MPL_fence_light in MPIR_Lock: `threaded` before `inside` */
    uint64_t end = MPL_now_ns() + RAISE_LIMIT_NS;
    while (atomic_load_explicit(&MPIR_Process.inside, memory_order_acquire) > 0 && MPL_now_ns() < end)
        sched_yield();
}

void MPIR_Lock_lower(void)
{
    if (MPII_life.biased)
        atomic_store_explicit(&MPIR_Process.threaded, false, memory_order_release);
}
