/* Receiving: taking messages off a ring.
 *
 * What a peer has written is not trusted: a process that went wild may have written anything,
 * and then this one says so instead of crashing in its turn. So each value is read once,
 * checked, and only then used. */
#include "posix_impl.h"

#include <string.h>

/* Where the payload is; NULL if the slot makes no sense. */
static const unsigned char *find_payload(const MPIDI_POSIX_Rx *rx, const MPIDI_POSIX_Slot *slot,
                                         const MPIDI_Am_hdr *hdr, size_t *size)
{
    MPIDI_POSIX_Bulk_ref ref;
    memcpy(&ref, slot->data, sizeof(ref));
    if (ref.size > MPIDI_POSIX_BULK || ref.offset > MPIDI_POSIX_BULK - ref.size ||
        hdr->ext_size > MPIDI_AM_EXT_MAX)
        return NULL;
    *size = ref.size;
    return rx->ring->bulk + ref.offset;
}

const char *MPIDI_POSIX_rx_take(MPIDI_POSIX_Rx *rx, MPIDI_POSIX_Deliver *deliver)
{
    const MPIDI_POSIX_Slot *slot = MPIDI_POSIX_rx_slot(rx);
    const MPIDI_Am_hdr hdr = { .ctx = slot->ctx,
                               .src = slot->src,
                               .tag = slot->tag,
                               .kind = slot->kind,
                               .ext_size = slot->ext_size };
    const unsigned char *ext = slot->data, *payload;
    size_t size = slot->size;

    if (MPL_UNLIKELY(hdr.kind == 0))
        return "a message of no kind";
    if (MPL_LIKELY(size + hdr.ext_size <= MPIDI_POSIX_INLINE)) {
        payload = ext + hdr.ext_size;
    } else if (size == MPIDI_POSIX_IN_BULK) {
        payload = find_payload(rx, slot, &hdr, &size);
        if (!payload)
            return "a payload outside of the ring";
        ext += sizeof(MPIDI_POSIX_Bulk_ref);
        rx->bulk_untold += (uint32_t) size;
    } else {
        return "a message that is too long for its slot";
    }
    deliver(rx->world_rank, &hdr, ext, payload, size);
    rx->taken++;
    return NULL;
}

void MPIDI_POSIX_rx_tell(MPIDI_POSIX_Rx *rx)
{
    MPIDI_POSIX_Ring *ring = rx->ring;
    rx->told = rx->taken;
    rx->bulk_untold = 0;
    /* Pairs with the acquire load in look(): done with slots and payloads before they are given
     * back. */
    atomic_store_explicit(&ring->taken, rx->taken, memory_order_release);
    if (MPL_UNLIKELY(!rx->fence_light))
        rx->fence_light = MPIDI_POSIX_may_fence_light(rx->sender);
    if (rx->fence_light)
        MPL_fence_light();
    else
        atomic_thread_fence(memory_order_seq_cst);
    /* The fence pairs with the one in sleep_prepare: either we see that the writer wants room,
     * or it sees the room. */
    if (MPL_UNLIKELY(atomic_load_explicit(&ring->want_room, memory_order_relaxed))) {
        atomic_exchange_explicit(&ring->want_room, 0, memory_order_acquire);
        MPIDI_POSIX_wake(rx->sender, rx->fence_light);
    }
}
