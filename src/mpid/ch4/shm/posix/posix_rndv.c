/* Large messages: pulling from the peer's memory, and the counters by which both ends share the
 * work. */
#include "posix_impl.h"

#include <errno.h>

/* ---- pulling --------------------------------------------------------------------------------- */

/* The peer's pid, once it is sure that it means the peer: not entered yet, another namespace,
 * and a process that inherited the number are told apart. 0 or -errno. */
static int find_pid(MPIDI_Ep *ep)
{
    const MPIR_Nodedir *dir = MPIDI_POSIX.ref->dir;
    const MPIR_Nodedir_entry *peer = &dir->entry[ep->local_rank];
    pid_t pid = atomic_load_explicit(&peer->pid, memory_order_relaxed);
    uint64_t birth = atomic_load_explicit(&peer->birth, memory_order_acquire);
    if (pid <= 0 || birth == 0)
        return pid > 0 ? -ENOSYS : -EAGAIN;
    if (!MPIR_Nodedir_same_pid_space(dir, ep->local_rank, MPIDI_POSIX.pid_space))
        return -EPERM;
    if (MPL_pid_birth(pid) != birth)
        return -ESRCH;
    ep->pid = pid;
    return 0;
}

int MPIDI_POSIX_get(MPIDI_Ep *ep, void *local, uint64_t addr, size_t n)
{
    int err = ep->get_error;
    if (err == 0 && ep->pid == 0)
        err = find_pid(ep);
    if (err == 0)
        err = MPL_cma_read(ep->pid, local, addr, n);
    if (err == -EPERM || err == -ENOSYS)
        ep->get_error = err; /* a policy, which does not change from call to call */
    return err;
}

/* ---- claims ---------------------------------------------------------------------------------- */

/* token = generation << 32 | index + 1. The generation is odd while the counter is in use, and
 * each use has its own, so a token that outlived its message (or never was one) claims nothing. */
#define GENERATION(word) ((uint32_t) ((word) >> 32))
#define WORD(generation, next) ((uint64_t) (generation) << 32 | (next))
#define NO_PIECE UINT64_MAX

static MPIDI_POSIX_Claim *claim_at(MPIDI_POSIX_Ring *ring, uint64_t token)
{
    uint32_t number = (uint32_t) token;
    if (number < 1 || number > MPIDI_POSIX_CLAIMS || GENERATION(token) % 2 == 0)
        return NULL;
    return &ring->claim[number - 1];
}

uint64_t MPIDI_POSIX_claim_open(MPIDI_Ep *ep)
{
    if (ep->claims_used == UINT32_MAX)
        return 0;
    int i = __builtin_ctz(~ep->claims_used);
    MPIDI_POSIX_Claim *claim = &ep->tx.ring->claim[i];
    /* Relaxed: the token reaches the peer in a message, whose release store comes after this. */
    uint32_t generation = GENERATION(atomic_load_explicit(&claim->word, memory_order_relaxed)) | 1;
    atomic_store_explicit(&claim->word, WORD(generation, 0), memory_order_relaxed);
    ep->claims_used |= UINT32_C(1) << i;
    return WORD(generation, (uint32_t) i + 1);
}
_Static_assert(MPIDI_POSIX_CLAIMS == 32, "claims_used has a bit for each");

uint64_t MPIDI_POSIX_claim(MPIDI_Ep *ep, uint64_t token, bool mine)
{
    /* Who opened it is the writer of the ring that it lies in. */
    MPIDI_POSIX_Rx *rx = MPIDI_POSIX.rx_of[ep->local_rank];
    MPIDI_POSIX_Ring *ring = mine ? ep->tx.ring : rx ? rx->ring : NULL;
    MPIDI_POSIX_Claim *claim = ring ? claim_at(ring, token) : NULL;
    if (!claim)
        return NO_PIECE;
    /* Not a fetch-and-add: with a stale token that would take a piece of somebody else's
     * message. */
    uint64_t word = atomic_load_explicit(&claim->word, memory_order_relaxed);
    do {
        if (GENERATION(word) != GENERATION(token) || (uint32_t) word == UINT32_MAX)
            return NO_PIECE;
    } while (!atomic_compare_exchange_weak_explicit(&claim->word, &word, word + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    return (uint32_t) word;
}

void MPIDI_POSIX_claim_close(MPIDI_Ep *ep, uint64_t token)
{
    MPIDI_POSIX_Claim *claim = claim_at(ep->tx.ring, token);
    if (!claim ||
        GENERATION(atomic_load_explicit(&claim->word, memory_order_relaxed)) != GENERATION(token))
        return;
    atomic_store_explicit(&claim->word, WORD(GENERATION(token) + 1, 0), memory_order_relaxed);
    ep->claims_used &= ~(UINT32_C(1) << ((uint32_t) token - 1));
}
