/* The one wait function: spins, yields, then sleeps.
 *
 *   spin    while each rank on the node has a core: the fastest, and no system call. But not for
 *           long, for there may be other work, our peers' included if they were moved to our core
 *   yield   then; and at once where ranks share cores: the others must run for anything to come.
 *           There, a yield that returns at once let nobody run: either nobody wants to, or the
 *           kernel hands the core to no other session
 *   sleep   when that has happened a few times in a row, or much time has passed. A sender wakes us
 *
 * When the wait becomes long, the node directory says for what, and peers that have died are looked
 * for.
 */
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "mpidi_core.h"
#include "mpir_cvar.h"

MPIR_CVAR_INT(WAIT_SPIN_US, 200, 0, 1000000000, "us",
              "How long a blocked call spins before it yields, when each rank on the node has a "
              "core. Progress starts the time anew.")
MPIR_CVAR_INT(WAIT_YIELD_US, 2000, 0, 1000000000, "us",
              "How long a blocked call yields before it sleeps. Progress starts the time anew.")
MPIR_CVAR_INT(WAIT_YIELDS, 20, 0, 1000000000, "",
              "How many times in a row a blocked call yields to nobody before it sleeps, when "
              "ranks share cores.")

static MPIDI_Core *const core = &MPIDI_core;

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
enum {
    SPIN_BATCH = 256, /* polls between two looks at the clock */
    CROWDED_POLLS = 8, /* before the first yield: the answer may be on its way */
    POLLS_PER_YIELD = 32, /* when we have a core to ourselves; 1 if not */
};
/* A yield that takes longer has let somebody run. */
#define EMPTY_YIELD_NS (2 * US)
#define FIRST_REPORT_NS (100 * MS)
#define REPORT_NS (1000 * MS)

typedef struct Waiter {
    const MPID_Wait *wait;
    uint64_t start; /* 0: the clock was not read yet */
    uint64_t moved_at; /* when progress was last seen */
    uint64_t next_report;
    int empty_yields;
    bool moved;
    bool reported;
} Waiter;

static inline bool done(const Waiter *w)
{
    return w->wait->done(w->wait->arg);
}

/* Poll up to n times. What we wait for is looked at when something has moved, when other threads
 * have had their turn, and at the end; in each round if others do it behind our back. */
static inline bool poll_some(Waiter *w, int n)
{
    const bool watches = w->wait->watches;
    while (n-- > 0) {
        bool moved = MPIDI_Poll();
        bool look = moved | watches;
        w->moved |= moved;
        if (MPL_UNLIKELY(atomic_load_explicit(&MPIR_Process.threaded, memory_order_relaxed))) {
            if (done(w))
                return true;
            if (moved)
                MPIDI_Wake_beside();
            MPIR_Lock_yield_slow();
            look = true;
        }
        if (look && done(w))
            return true;
    }
    return done(w);
}

static uint64_t look_at_clock(Waiter *w)
{
    uint64_t now = MPL_now_ns();
    if (!w->start) {
        w->start = now;
        w->next_report = now + FIRST_REPORT_NS;
        w->moved = true;
    }
    if (w->moved)
        w->moved_at = now;
    w->moved = false;
    return now;
}

/* ---- a long wait ----------------------------------------------------------------------------- */

static void report(Waiter *w)
{
    char text[sizeof ((MPIR_Nodedir_entry *) 0)->text] = "a call that does not say for what";
    if (w->wait->what)
        w->wait->what(w->wait->arg, text, sizeof text);
    if (core->has_node)
        MPIR_Nodedir_set_wait(&core->node, text);
    w->reported = true;
}

/* Looked for in each phase: where others keep us moving, we may never come to sleep. */
static bool long_wait(Waiter *w, uint64_t now)
{
    if (now < w->next_report)
        return false;
    w->next_report = now + REPORT_NS;
    report(w);
    MPIDI_Gone_check();
    return done(w);
}

/* ---- spin ------------------------------------------------------------------------------------ */

static bool spin(Waiter *w)
{
    uint64_t limit = (uint64_t) MPIR_CVAR_WAIT_SPIN_US * US;
    for (;;) {
        if (poll_some(w, SPIN_BATCH))
            return true;
        uint64_t now = look_at_clock(w);
        if (long_wait(w, now))
            return true;
        if (now - w->moved_at > limit)
            return false;
        MPL_relax();
    }
}

/* ---- yield ----------------------------------------------------------------------------------- */

static bool yield_worthwhile(const Waiter *w, uint64_t now)
{
    if (now - w->moved_at >= (uint64_t) MPIR_CVAR_WAIT_YIELD_US * US)
        return false;
    return !core->crowded || w->empty_yields < MPIR_CVAR_WAIT_YIELDS;
}

static bool yield(Waiter *w)
{
    const int polls = core->crowded ? 1 : POLLS_PER_YIELD;
    uint64_t before = look_at_clock(w);
    while (yield_worthwhile(w, before)) {
        int depth = MPIR_Lock_release();
        sched_yield();
        MPIR_Lock_reacquire(depth);
        if (poll_some(w, polls))
            return true;
        bool moved = w->moved;
        uint64_t now = look_at_clock(w);
        if (long_wait(w, now))
            return true;
        w->empty_yields = moved || now - before > EMPTY_YIELD_NS ? 0 : w->empty_yields + 1;
        before = now;
    }
    return false;
}

/* ---- sleep ----------------------------------------------------------------------------------- */

/* The launcher wakes nobody who waits for a peer's address. */
static bool waits_for_cards(void)
{
    return core->transports.card_is_put && core->out_peers;
}

/* Long when a sender wakes us for all that can come; short when something can happen that wakes
 * nobody: the moment to pull a large message, a second transport, another thread that completes
 * what we wait for. */
static int64_t sleep_limit(void)
{
    if (core->xfers.working)
        return 200 * US;
    if (core->waiters > 1 || core->transports.n_polled > 1 || waits_for_cards()
        || atomic_load_explicit(&MPIR_Process.threaded, memory_order_relaxed))
        return 1 * MS;
    return FIRST_REPORT_NS;
}

static void sleep_without_transport(int64_t limit)
{
    static _Atomic uint32_t never; /* lives with the process; nobody wakes it */
    int depth = MPIR_Lock_release();
    MPL_sleep_on(&never, 0, MPL_MIN(limit, (int64_t) MS));
    MPIR_Lock_reacquire(depth);
}

void MPIDI_Wake_beside(void)
{
    if (core->beside == 0)
        return;
    atomic_fetch_add_explicit(&core->moves, 1, memory_order_relaxed);
    MPL_wake(&core->moves, INT_MAX);
}

/* Another thread sleeps in the transport; it, or whoever makes progress, wakes us. The count is
 * read before the lock is let go, so no progress is missed. */
static void sleep_beside(int64_t limit)
{
    uint32_t seen = atomic_load_explicit(&core->moves, memory_order_relaxed);
    core->beside++;
    int depth = MPIR_Lock_release();
    MPL_sleep_on(&core->moves, seen, limit);
    MPIR_Lock_reacquire(depth);
    core->beside--;
}

/* Where several can sleep, each wakes us at once in its turn, and the limit is short. */
static const MPIDI_Transport *next_sleeper(const Waiter *w)
{
    MPIDI_Transports *ts = &core->transports;
    if (w->wait->watches)
        return ts->shm;
    return ts->n_sleepers ? ts->sleepers[ts->sleeps++ % (unsigned) ts->n_sleepers] : NULL;
}

/* True if it is done: done() may have taken what it found, so a yes must not get lost. */
static bool sleep_once(Waiter *w)
{
    const MPIDI_Transport *t = next_sleeper(w);
    int64_t limit = sleep_limit();
    if (core->asleep || !t) {
        core->asleep ? sleep_beside(limit) : sleep_without_transport(limit);
        return false;
    }
    bool finished = false;
    core->asleep = true;
    if (t->sleep_prepare() && !(finished = done(w))) {
        int depth = MPIR_Lock_release();
        t->sleep(limit);
        MPIR_Lock_reacquire(depth);
        MPIDI_Wake_beside(); /* what one of them watches may be what we were woken for */
    }
    t->sleep_finish();
    core->asleep = false;
    return finished;
}

/* Yield and sleep until it is there. */
static void wait_slowly(Waiter *w)
{
    while (!yield(w)) {
        if (sleep_once(w) || poll_some(w, 1))
            return;
        if (w->moved)
            w->empty_yields = 0;
        if (long_wait(w, look_at_clock(w)))
            return;
    }
}

int MPID_Progress_wait(const MPID_Wait *wait)
{
    Waiter w = { .wait = wait };
    core->waiters++;
    if (core->crowded ? !poll_some(&w, CROWDED_POLLS) : !spin(&w))
        wait_slowly(&w);
    core->waiters--;
    if (MPL_UNLIKELY(core->beside > 0))
        MPIDI_Wake_beside(); /* one of them has to sleep in the transport now */
    if (w.reported && core->has_node)
        MPIR_Nodedir_set_wait(&core->node, NULL);
    return MPI_SUCCESS;
}
