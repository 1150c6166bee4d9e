/* Polling, and going to sleep. */
#include "posix_impl.h"

#include <stdlib.h>

/* Most messages taken from one ring before others get their turn. */
#define BATCH 16
/* Rounds in which only the ring that had the last message is looked at, as long as it has more. */
#define STREAK 8

/* A peer has begun to send: poll its ring from now on. False: no memory for it now. */
static bool add(int local_rank)
{
    MPIDI_POSIX_Rx *rx = calloc(1, sizeof(*rx));
    MPIDI_POSIX_Ring *ring = rx ? MPIDI_POSIX_ring_map(MPIDI_POSIX.me, local_rank) : NULL;
    if (!ring) {
        free(rx);
        return false;
    }
    rx->ring = ring;
    rx->sender = MPIDI_POSIX_inbox_of(local_rank);
    rx->window = 1;
    rx->world_rank = MPIDI_POSIX_world_rank(local_rank);
    rx->back = MPIDI_POSIX.ep[local_rank];
    MPIDI_POSIX.rx_of[local_rank] = rx;
    MPIDI_POSIX.rx[MPIDI_POSIX.n_rx++] = rx;
    if (!MPIDI_POSIX.hot)
        MPIDI_POSIX.hot = rx;
    return true;
}

static void find_new_rings(uint32_t version)
{
    MPIDI_POSIX.version = version;
    for (int base = 0; base < MPIDI_POSIX.n; base += 64) {
        uint64_t bits =
            atomic_load_explicit(&MPIDI_POSIX.inbox->used[base / 64], memory_order_relaxed);
        for (; bits != 0; bits &= bits - 1) {
            int local_rank = base + __builtin_ctzll(bits);
            if (local_rank >= MPIDI_POSIX.n || MPIDI_POSIX.rx_of[local_rank] || add(local_rank))
                continue;
            MPIDI_POSIX.version = version - 1; /* tried again in the next round */
            if (!MPIDI_POSIX.warned_memory)
                MPIDI_POSIX.env->warn("no memory to receive from rank %d; trying again and again",
                                      MPIDI_POSIX_world_rank(local_rank));
            MPIDI_POSIX.warned_memory = true;
        }
    }
}

/* Take no more from this ring; its writer counts as gone (peer_state), which the core acts upon. */
static void give_up(MPIDI_POSIX_Rx *rx, const char *what)
{
    rx->broken = true;
    MPIDI_POSIX.env->warn(
        "shared memory is corrupt: rank %d sent %s (message %u); nothing more is taken from it",
        rx->world_rank, what, (unsigned) rx->taken);
}

/* One message, then two, ... as long as each round finds some. Not more at once, since looking
 * for the one after a lone message is a cache miss that the answer to that message would have to
 * wait for: stores leave in order, after older loads. */
static void drain(MPIDI_POSIX_Rx *rx)
{
    MPIDI_POSIX_Deliver *deliver = MPIDI_POSIX.env->deliver;
    const uint32_t end = rx->taken + rx->window;
    /* The writer often waits for an answer, and so holds the line that the answer goes into: it is
     * on its way to us while we handle the message. */
    if (MPL_LIKELY(rx->back != NULL))
        MPL_prefetch_write(MPIDI_POSIX_next_slot(&rx->back->tx));
    rx->window = MPL_MIN(rx->window * 2, BATCH);
    do {
        const char *wrong = MPIDI_POSIX_rx_take(rx, deliver);
        if (MPL_UNLIKELY(wrong != NULL)) {
            give_up(rx, wrong);
            return;
        }
        if (MPL_UNLIKELY(MPIDI_POSIX_rx_owes(rx)))
            MPIDI_POSIX_rx_tell(rx);
    } while (rx->taken != end && MPIDI_POSIX_rx_ready(rx));
}

/* Look at one ring; true if it had something. An idle one is told of, so that its writer never
 * waits for long. */
static inline bool poll_ring(MPIDI_POSIX_Rx *rx)
{
    if (MPIDI_POSIX_rx_ready(rx) && MPL_LIKELY(!rx->broken)) {
        drain(rx);
        return true;
    }
    rx->window = 1;
    if (rx->told != rx->taken)
        MPIDI_POSIX_rx_tell(rx);
    return false;
}

static bool poll_all(void)
{
    bool moved = false;
    for (int i = 0; i < MPIDI_POSIX.n_rx; i++) {
        if (poll_ring(MPIDI_POSIX.rx[i])) {
            MPIDI_POSIX.hot = MPIDI_POSIX.rx[i];
            moved = true;
        }
    }
    MPIDI_POSIX.streak = 0;
    return moved;
}

static __attribute__((noinline)) bool poll(uint32_t version)
{
    if (MPL_UNLIKELY(version != MPIDI_POSIX.version))
        find_new_rings(version);
    if (MPIDI_POSIX.n_rx == 1)
        return poll_ring(MPIDI_POSIX.hot);
    if (MPIDI_POSIX.n_rx == 0)
        return false;
    if (MPIDI_POSIX.streak++ < STREAK && poll_ring(MPIDI_POSIX.hot))
        return true;
    return poll_all();
}

bool MPIDI_POSIX_progress(void)
{
    /* Pairs with the release in announce(): version before bits. */
    uint32_t version = atomic_load_explicit(&MPIDI_POSIX.inbox->version, memory_order_acquire);
    const MPIDI_POSIX_Rx *rx = MPIDI_POSIX.hot;
    /* What a waiting process does most of the time: one ring, no message, nothing to tell. */
    if (MPIDI_POSIX.n_rx == 1 && version == MPIDI_POSIX.version && rx->told == rx->taken &&
        rx->window == 1 && !MPIDI_POSIX_rx_ready(rx))
        return false;
    return poll(version);
}

void MPIDI_POSIX_tell_all(void)
{
    for (int i = 0; i < MPIDI_POSIX.n_rx; i++)
        if (MPIDI_POSIX.rx[i]->told != MPIDI_POSIX.rx[i]->taken)
            MPIDI_POSIX_rx_tell(MPIDI_POSIX.rx[i]);
}

/* ---- sleeping -------------------------------------------------------------------------------- */

/* Is there a message? Here, where time is no matter, a sequence number that is neither the next
 * message's nor what its predecessor in the slot left is found out: polling would wait for the
 * right one for ever. */
static bool has_message(MPIDI_POSIX_Rx *rx)
{
    if (rx->broken)
        return false;
    uint32_t seq = atomic_load_explicit(&MPIDI_POSIX_rx_slot(rx)->seq, memory_order_acquire);
    if (seq == rx->taken + 1)
        return true;
    bool first_lap = rx->taken < MPIDI_POSIX_SLOTS;
    if (seq != rx->taken + 1 - MPIDI_POSIX_SLOTS && !(first_lap && seq == 0))
        give_up(rx, "a message out of order");
    return false;
}

static bool anything_to_do(void)
{
    if (atomic_load_explicit(&MPIDI_POSIX.inbox->version, memory_order_acquire) !=
        MPIDI_POSIX.version)
        return true;
    for (int i = 0; i < MPIDI_POSIX.n_rx; i++)
        if (has_message(MPIDI_POSIX.rx[i]))
            return true;
    if (MPIDI_POSIX.flushing && MPIDI_POSIX_flushed())
        return true;
    return MPIDI_POSIX_room_appeared(false);
}

bool MPIDI_POSIX_sleep_prepare(void)
{
    MPIDI_POSIX_tell_all(); /* or two that wait for room in each other's rings would both sleep */
    atomic_store_explicit(&MPIDI_POSIX.inbox->asleep, 1, memory_order_relaxed);
    MPIDI_POSIX_room_appeared(true);
    /* Pairs with the fences in wake() and rx_tell(): our flags before we look for messages and
     * room. */
    if (MPIDI_POSIX.fence_heavy)
        MPL_fence_heavy();
    else
        atomic_thread_fence(memory_order_seq_cst);
    if (!anything_to_do())
        return true;
    MPIDI_POSIX_sleep_finish();
    return false;
}

void MPIDI_POSIX_sleep(int64_t timeout_ns)
{
    MPL_sleep_on(&MPIDI_POSIX.inbox->asleep, 1, timeout_ns);
}

void MPIDI_POSIX_sleep_finish(void)
{
    atomic_store_explicit(&MPIDI_POSIX.inbox->asleep, 0, memory_order_relaxed);
}
