/* The library's biased lock: the halves that are not on a fast path. mpir_process.h tells how it works.
 *
 * Can a thread that waits for the one inside wait in vain?
 *   - The one inside is the waiter itself, in a callback: it makes the lock its own at once.
 *   - It is blocked in a call: then it is in the wait function, which takes the lock before it goes on, and says so
 *     (`inside` 0) before it sleeps.
 *   - It is in a callback of the user's that does not return: the waiter waits, as it would had the lock been there
 *     from the start. Opening and closing sessions takes no lock, so a callback may wait for those.
 *   - It has ended in the middle of a call: excluded by the standard, as for any level (MPI-5.0 11.6).
 *   - It was lost in a fork: the child may not use MPI, which MPII_Enter says before it comes here.
 */
#include <limits.h>
#include <sched.h>

#include "mpir_process.h"
#include "mpir_init.h"

/* How long to sleep before another look at the one inside. It wakes us when it leaves, but not if it was in the last
 * instructions of its call as the lock was raised. */
#define LOOK_AGAIN_NS (1000 * 1000)

_Thread_local char MPII_this_thread MPIR_TLS_DIRECT;

static bool is_mine(void)
{
    return atomic_load_explicit(&MPIR_Process.lock_owner, memory_order_relaxed) == MPIR_Thread_self();
}

/* Calls that are inside without the lock. */
static uint32_t inside(void)
{
    return atomic_load_explicit(&MPIR_Process.inside, memory_order_acquire);
}

static bool inside_is_mine(void)
{
    return inside() > 0
        && atomic_load_explicit(&MPIR_Process.insider, memory_order_relaxed) == MPIR_Thread_self();
}

/* No call is inside without the lock any longer; returns how many there were. By the thread that made them. */
static int come_out(void)
{
    uint32_t n = atomic_exchange_explicit(&MPIR_Process.inside, 0, memory_order_release);
    if (n > 0 && atomic_load_explicit(&MPIR_Process.threaded, memory_order_relaxed))
        MPL_wake(&MPIR_Process.inside, INT_MAX);
    return (int) n;
}

/* Holding the mutex does not do while another thread is inside without it. That thread may want the mutex to come out,
 * so we wait without. */
static void lock_mutex(void)
{
    uint32_t n;
    pthread_mutex_lock(&MPIR_Process.lock);
    while (MPL_UNLIKELY((n = inside()) > 0) && !inside_is_mine()) {
        pthread_mutex_unlock(&MPIR_Process.lock);
        MPL_sleep_on(&MPIR_Process.inside, n, LOOK_AGAIN_NS);
        pthread_mutex_lock(&MPIR_Process.lock);
    }
}

static void lock_to_depth(int depth)
{
    lock_mutex();
    atomic_store_explicit(&MPIR_Process.lock_owner, MPIR_Thread_self(), memory_order_relaxed);
    MPIR_Process.lock_depth = depth;
}

static void unlock(void)
{
    MPIR_Process.lock_depth = 0;
    atomic_store_explicit(&MPIR_Process.lock_owner, 0, memory_order_relaxed);
    pthread_mutex_unlock(&MPIR_Process.lock);
}

/* If a callback calls MPI and the outer call is inside without the lock, the lock is for both: the inner one may wait
 * and let others in. */
void MPIR_Lock_take(void)
{
    if (!is_mine())
        lock_to_depth(0);
    if (inside_is_mine())
        MPIR_Process.lock_depth += come_out();
    MPIR_Process.lock_depth++;
}

void MPIR_Lock_drop(void)
{
    if (--MPIR_Process.lock_depth == 0)
        unlock();
}

/* A call that went in without the lock ends, and `threaded` has been raised meanwhile. */
void MPIR_Lock_leave_unlocked(void)
{
    if (is_mine()) /* it has become ours since */
        MPIR_Lock_drop();
    else if (atomic_fetch_sub_explicit(&MPIR_Process.inside, 1, memory_order_release) == 1)
        MPL_wake(&MPIR_Process.inside, INT_MAX);
}

/* Positive: depth of the lock. Negative or 0: calls that were inside without it. */
int MPIR_Lock_release(void)
{
    if (is_mine()) {
        int depth = MPIR_Process.lock_depth;
        unlock();
        return depth;
    }
    return -come_out();
}

void MPIR_Lock_reacquire(int depth)
{
    if (depth > 0) {
        lock_to_depth(depth);
        return;
    }
    atomic_store_explicit(&MPIR_Process.insider, MPIR_Thread_self(), memory_order_relaxed);
    atomic_store_explicit(&MPIR_Process.inside, (uint32_t) -depth, memory_order_release);
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
}

void MPIR_Lock_lower(void)
{
    if (MPII_life.biased)
        atomic_store_explicit(&MPIR_Process.threaded, false, memory_order_release);
}
