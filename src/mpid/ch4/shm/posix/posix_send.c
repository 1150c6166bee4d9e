/* Sending: connecting, writing into the ring, the bulk area. */
#include "posix_impl.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the bulk area --------------------------------------------------------------------------- */

/* Pieces are handed out in a circle, contiguous, and come free in order. As long as the traffic
 * is light, all of it goes through this much of the area, which so stays in the caches; beyond
 * it we look whether the ring is empty and start over. */
#ifndef MPIDI_POSIX_BULK_WARM
#define MPIDI_POSIX_BULK_WARM 65536u
#endif

/* Read how far the reader has come. */
static void look(MPIDI_POSIX_Tx *tx)
{
    /* Pairs with the release store in rx_tell: the reader is done with what it says it has
     * taken. */
    tx->seen = atomic_load_explicit(&tx->ring->taken, memory_order_acquire);
    while (tx->n_pieces > 0 && (int32_t) (tx->seen - tx->piece[tx->first_piece].message) > 0) {
        tx->first_piece = (tx->first_piece + 1) & (MPIDI_POSIX_SLOTS - 1);
        tx->n_pieces--;
    }
    if (tx->n_pieces == 0)
        tx->bulk_next = 0;
}

/* Find `size` contiguous bytes among those known to be free. False: none. */
static bool bulk_find(const MPIDI_POSIX_Tx *tx, uint32_t size, uint32_t *start)
{
    uint32_t next = tx->bulk_next;
    uint32_t oldest = tx->piece[tx->first_piece].start;
    bool wrapped = tx->n_pieces > 0 && next <= oldest;
    if (wrapped ? oldest - next >= size : tx->bulk_size - next >= size) {
        *start = next;
        return true;
    }
    if (wrapped || oldest < size)
        return false;
    *start = 0;
    return true;
}

static bool bulk_take(MPIDI_POSIX_Tx *tx, uint32_t size, uint32_t *start)
{
    size = MPL_ROUND_UP(size, 64u);
    bool warm = tx->bulk_next + size <= MPIDI_POSIX_BULK_WARM;
    if (!warm || !bulk_find(tx, size, start)) {
        look(tx);
        if (!bulk_find(tx, size, start))
            return false;
    }
    uint32_t last = (tx->first_piece + tx->n_pieces) & (MPIDI_POSIX_SLOTS - 1);
    tx->piece[last] = (MPIDI_POSIX_Piece) { .message = tx->sent, .start = *start };
    tx->n_pieces++;
    tx->bulk_next = *start + size;
    return true;
}

/* ---- writing a message ----------------------------------------------------------------------- */

/* Lines that the reader has are fetched for writing some messages before their turn: where messages
 * follow each other closely, waiting for each line would take more time than all the rest. */
enum { AHEAD = 4, AHEAD_BULK = 1024 };

static inline void fetch_slot_ahead(const MPIDI_POSIX_Tx *tx)
{
    MPL_prefetch_write(&tx->ring->slot[(tx->sent + AHEAD) & (MPIDI_POSIX_SLOTS - 1)]);
}

/* The next payload is likely to be as long as this one. The processor sees by itself what is to come
 * of a long one. */
static inline void fetch_bulk_ahead(const MPIDI_POSIX_Tx *tx, uint32_t size)
{
    for (uint32_t i = 0; size <= AHEAD_BULK && i < size; i += MPL_CACHE_LINE)
        MPL_prefetch_write(tx->ring->bulk + ((tx->bulk_next + i) & (MPIDI_POSIX_BULK - 1)));
}

/* Where in its first line a payload begins: as in the line that it comes from, if that makes a
 * difference. Not one of the greatest size: it would need more than is reserved for it. */
static inline uint32_t bulk_skew(const MPIDI_Data *data)
{
    uint32_t skew = (uint32_t) ((uintptr_t) data->base % MPL_CACHE_LINE);
    return data->pack || data->size < MPL_COPY_OVER_LEAST ||
                   data->size + skew > MPIDI_POSIX_PAYLOAD_MAX
               ? 0
               : skew;
}

static bool push_bulk(MPIDI_POSIX_Tx *tx, MPIDI_POSIX_Slot *slot, const MPIDI_Am *am)
{
    MPIDI_POSIX_Bulk_ref ref = { .size = (uint32_t) am->data.size };
    const uint32_t skew = bulk_skew(&am->data);
    assert(am->data.size <= MPIDI_POSIX_PAYLOAD_MAX); /* by eager_max and piece_max */
    if (!bulk_take(tx, skew + ref.size, &ref.offset))
        return false;
    ref.offset += skew;
    fetch_bulk_ahead(tx, ref.size);
    if (am->data.pack)
        am->data.pack(&am->data, 0, tx->ring->bulk + ref.offset, am->data.size);
    else
        MPL_copy_over(tx->ring->bulk + ref.offset, am->data.base, am->data.size);
    memcpy(slot->data, &ref, sizeof(ref));
    MPL_copy_short(slot->data + sizeof(ref), am->ext, am->hdr.ext_size);
    slot->size = MPIDI_POSIX_IN_BULK;
    return true;
}

/* Make the message in the slot visible. */
static inline void publish(MPIDI_POSIX_Tx *tx, MPIDI_POSIX_Slot *slot, const MPIDI_Am_hdr *hdr)
{
    slot->ctx = hdr->ctx;
    slot->src = hdr->src;
    slot->tag = hdr->tag;
    slot->kind = hdr->kind;
    slot->ext_size = hdr->ext_size;
    /* Pairs with the acquire load in rx_ready: payload before sequence. */
    atomic_store_explicit(&slot->seq, ++tx->sent, memory_order_release);
}

static inline bool looks_full(const MPIDI_POSIX_Tx *tx)
{
    return tx->sent - tx->seen >= MPIDI_POSIX_SLOTS;
}

/* The usual case, to be built in: a payload without ext that fits in the slot, and room for it. */
static inline bool push_short(MPIDI_POSIX_Tx *tx, const MPIDI_Am_hdr *hdr, const void *data,
                              size_t n)
{
    if (n > MPIDI_POSIX_INLINE || looks_full(tx))
        return false;
    MPIDI_POSIX_Slot *slot = MPIDI_POSIX_next_slot(tx);
    fetch_slot_ahead(tx);
    MPL_copy_short(slot->data, data, n);
    slot->size = (uint16_t) n;
    publish(tx, slot, hdr);
    return true;
}

bool MPIDI_POSIX_tx_push(MPIDI_POSIX_Tx *tx, const MPIDI_Am *am)
{
    if (looks_full(tx)) {
        look(tx);
        if (looks_full(tx))
            return false;
    }
    MPIDI_POSIX_Slot *slot = MPIDI_POSIX_next_slot(tx);
    fetch_slot_ahead(tx);
    const size_t ext_size = am->hdr.ext_size, size = am->data.size;
    if (ext_size + size <= MPIDI_POSIX_INLINE) {
        MPL_copy_short(slot->data, am->ext, ext_size);
        if (!am->data.pack)
            MPL_copy_short(slot->data + ext_size, am->data.base, size);
        else if (size > 0)
            am->data.pack(&am->data, 0, slot->data + ext_size, size);
        slot->size = (uint16_t) size;
    } else if (!push_bulk(tx, slot, am)) {
        return false;
    }
    publish(tx, slot, &am->hdr);
    return true;
}

/* ---- endpoints ------------------------------------------------------------------------------- */

/* Where memory is not certain to be there, make sure of it before the first touch: at first of
 * the ring and of as much bulk as one message needs, which then never lacks room. */
static int reserve(MPIDI_Ep *ep)
{
    const MPIR_Nodedir_ref *ref = MPIDI_POSIX.ref;
    const size_t least = offsetof(MPIDI_POSIX_Ring, bulk) + MPIDI_POSIX_PAYLOAD_MAX;

    ep->offset = ref->arena_offset +
                 (off_t) MPIDI_POSIX_ring_offset(MPIDI_POSIX.n, ep->local_rank, MPIDI_POSIX.me);
    ep->tx.bulk_size = ref->sparse_ok ? MPIDI_POSIX_BULK : MPIDI_POSIX_PAYLOAD_MAX;
    int err = ref->sparse_ok ? 0 : MPL_shm_reserve(ref->arena_fd, ep->offset, least);
    if (err != 0)
        return MPIDI_POSIX.env->error(
            "no shared memory for messages to rank %d: %zu bytes are needed%s%s: %s",
            ep->world_rank, least, ref->path[0] ? " in " : "", ref->path, strerror(-err));
    return 0;
}

/* No room: reserve more of the bulk area, if there is more to be had. True if that helped. */
static bool reserve_more(MPIDI_Ep *ep)
{
    uint32_t size = ep->tx.bulk_size;
    if (size == MPIDI_POSIX_BULK || ep->bulk_is_final || looks_full(&ep->tx))
        return false;
    if (MPL_shm_reserve(MPIDI_POSIX.ref->arena_fd,
                        ep->offset + (off_t) (offsetof(MPIDI_POSIX_Ring, bulk) + size),
                        size) != 0) {
        ep->bulk_is_final = true; /* slower, but goes on with what there is */
        return false;
    }
    ep->tx.bulk_size = size * 2;
    return true;
}
_Static_assert((MPIDI_POSIX_BULK / MPIDI_POSIX_PAYLOAD_MAX &
                (MPIDI_POSIX_BULK / MPIDI_POSIX_PAYLOAD_MAX - 1)) == 0,
               "doubling ends at the whole area");

int MPIDI_POSIX_connect(int world_rank, MPIDI_Ep **out)
{
    int local_rank = MPIDI_POSIX_local_rank(world_rank);
    if (local_rank < 0)
        return MPIDI_POSIX.env->error("rank %d is not on this node", world_rank);
    if (MPIDI_POSIX.ep[local_rank]) {
        *out = MPIDI_POSIX.ep[local_rank];
        return 0;
    }
    MPIDI_Ep *ep = calloc(1, sizeof(*ep));
    if (!ep)
        return MPIDI_POSIX.env->error("no memory for the connection to rank %d (%zu bytes)",
                                      world_rank, sizeof(*ep));
    ep->world_rank = world_rank;
    ep->local_rank = local_rank;
    ep->inbox = MPIDI_POSIX_inbox_of(local_rank);
    int err = reserve(ep);
    if (err != 0)
        goto err_free;
    ep->tx.ring = MPIDI_POSIX_ring_map(local_rank, MPIDI_POSIX.me);
    if (!ep->tx.ring) {
        err = MPIDI_POSIX.env->error("cannot map the ring to rank %d (%zu bytes): %s", world_rank,
                                     MPIDI_POSIX_RING_STRIDE, strerror(errno));
        goto err_free;
    }
    MPIDI_POSIX.ep[local_rank] = *out = ep;
    if (MPIDI_POSIX.rx_of[local_rank])
        MPIDI_POSIX.rx_of[local_rank]->back = ep;
    return 0;

err_free:
    free(ep);
    return err;
}

MPIDI_Peer_state MPIDI_POSIX_peer_state(MPIDI_Ep *ep)
{
    static const MPIDI_Peer_state state_of[] = {
        [MPIR_PROC_ABSENT] = MPIDI_PEER_ABSENT,
        [MPIR_PROC_ACTIVE] = MPIDI_PEER_ACTIVE,
        [MPIR_PROC_DORMANT] = MPIDI_PEER_DORMANT,
        [MPIR_PROC_GONE] = MPIDI_PEER_GONE,
    };
    const MPIR_Nodedir *dir = MPIDI_POSIX.ref->dir;
    const MPIDI_POSIX_Rx *rx = MPIDI_POSIX.rx_of[ep->local_rank];
    if (MPIR_Nodedir_is_gone(dir, ep->local_rank) || (rx && rx->broken))
        ep->gone = true;
    if (ep->gone) {
        ep->plain = false;
        return MPIDI_PEER_GONE;
    }
    uint32_t state = atomic_load_explicit(&dir->entry[ep->local_rank].state, memory_order_acquire);
    return state < MPL_ARRAY_SIZE(state_of) ? state_of[state] : MPIDI_PEER_ABSENT;
}

/* The first message: say that the ring is in use. Before the message, so that the reader that is
 * woken finds the ring. */
static void announce(MPIDI_Ep *ep)
{
    int me = MPIDI_POSIX.me;
    ep->lasting = MPIR_Nodedir_expect(MPIDI_POSIX.ref, ep->local_rank);
    atomic_fetch_or_explicit(&ep->inbox->used[me / 64], UINT64_C(1) << (me % 64),
                             memory_order_relaxed);
    /* Pairs with the acquire load in progress: bit before version. */
    atomic_fetch_add_explicit(&ep->inbox->version, 1, memory_order_release);
    ep->announced = true;
}

static MPIDI_Send_result no_room(MPIDI_Ep *ep)
{
    const MPIR_Nodedir_entry *peer = &MPIDI_POSIX.ref->dir->entry[ep->local_rank];
    if (atomic_load_explicit(&peer->state, memory_order_relaxed) == MPIR_PROC_GONE) {
        ep->gone = true;
        ep->plain = false;
        return MPIDI_SEND_GONE;
    }
    ep->starved_at = ep->tx.seen;
    if (!ep->starved) {
        ep->starved = true;
        ep->next_starved = MPIDI_POSIX.starved;
        MPIDI_POSIX.starved = ep;
    }
    return MPIDI_SEND_AGAIN;
}

static MPIDI_Send_result send_in_general(MPIDI_Ep *ep, const MPIDI_Am *am)
{
    if (ep->gone || atomic_load_explicit(&ep->inbox->gone, memory_order_relaxed))
        return MPIDI_SEND_GONE;
    if (!ep->announced)
        announce(ep);
    while (!MPIDI_POSIX_tx_push(&ep->tx, am))
        if (!reserve_more(ep))
            return no_room(ep);
    if (!ep->fence_light)
        ep->fence_light = MPIDI_POSIX_may_fence_light(ep->inbox);
    ep->plain = ep->fence_light;
    MPIDI_POSIX_wake(ep->inbox, ep->fence_light);
    return MPIDI_SEND_DONE;
}

bool MPIDI_POSIX_send_short(MPIDI_Ep *ep, const MPIDI_Am_hdr *hdr, const void *data, size_t n)
{
    if (MPL_UNLIKELY(!ep->plain || atomic_load_explicit(&ep->inbox->gone, memory_order_relaxed) ||
                     !push_short(&ep->tx, hdr, data, n)))
        return false;
    MPIDI_POSIX_wake(ep->inbox, true);
    return true;
}

MPIDI_Send_result MPIDI_POSIX_send(MPIDI_Ep *ep, const MPIDI_Am *am)
{
    if (am->hdr.ext_size == 0 && !am->data.pack &&
        MPIDI_POSIX_send_short(ep, &am->hdr, am->data.base, am->data.size))
        return MPIDI_SEND_DONE;
    return send_in_general(ep, am);
}

/* Those that have sent since are dropped from the list when it is next gone through. The
 * reader's count differing from what it was is enough: whether there is room for the very
 * message that waits, its sender will find out. */
bool MPIDI_POSIX_room_appeared(bool arm)
{
    bool appeared = false;
    for (MPIDI_Ep **link = &MPIDI_POSIX.starved, *ep; (ep = *link) != NULL;) {
        if (arm)
            /* Pairs with the acquire in rx_tell: asleep before want_room. */
            atomic_store_explicit(&ep->tx.ring->want_room, 1, memory_order_release);
        if (!arm &&
            atomic_load_explicit(&ep->tx.ring->taken, memory_order_relaxed) != ep->starved_at) {
            appeared = true;
            ep->starved = false;
            *link = ep->next_starved;
        } else {
            link = &ep->next_starved;
        }
    }
    return appeared;
}

/* Will nobody ever read it? Asked now and then, since to find out takes a while. */
static bool is_in_vain(void)
{
    const uint64_t interval = UINT64_C(50000000);
    uint64_t now = MPL_now_ns();
    if (now - MPIDI_POSIX.looked_at < interval)
        return false;
    MPIDI_POSIX.looked_at = now;
    MPIDI_POSIX.nobody_comes = !MPIR_Nodedir_may_come(MPIDI_POSIX.ref);
    return MPIDI_POSIX.nobody_comes;
}

/* What was sent lies in shared memory, and that lasts as long as somebody holds it or it has a name.
 * Where it has none but is held by those only who have attached, who has sent to a process that has
 * not must stay until it has: were it the last to leave, the messages would go with it. It need not
 * stay for a process that has ended without a call of MPI. */
bool MPIDI_POSIX_flushed(void)
{
    const MPIR_Nodedir_ref *ref = MPIDI_POSIX.ref;
    bool all = true;
    for (int i = 0; i < MPIDI_POSIX.n && all && !ref->inherited && !MPIDI_POSIX.nobody_comes; i++) {
        const MPIDI_Ep *ep = MPIDI_POSIX.ep[i];
        all = !ep || !ep->announced || ep->lasting ||
              atomic_load_explicit(&ref->dir->entry[i].pid, memory_order_relaxed) != 0;
    }
    if (!all)
        all = is_in_vain();
    MPIDI_POSIX.flushing = !all;
    return all;
}
