/* What lies in the memory that the processes of a node share, behind the node directory:
 *
 *     [inbox of process 0] ... [inbox of process n-1]   [ring 0<-0] [ring 0<-1] ... [ring n-1<-n-1]
 *     [places of process 0] ... [places of process n-1]
 *
 * The geometry is constant and all-zero memory is the valid initial state. So nobody initialises
 * anything, and a process may write to another that has not called MPI yet. Virtual size is no
 * concern: memory is paid when it is touched, and a ring is touched by its first message.
 *
 * Ring r<-s carries messages from s to r and has one writer and one reader. What each field means,
 * and which line it shares with what, is said beside it; a field is written by one side only unless
 * it says otherwise.
 */
#ifndef POSIX_LAYOUT_H_INCLUDED
#define POSIX_LAYOUT_H_INCLUDED

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "mpidi_transport.h"
#include "mpl.h"

/* Mapped parts start at a multiple of this: the largest page size in use. */
#define MPIDI_POSIX_GRAIN 65536u

/* 64 slots are one page: a pair that only exchanges short messages costs two pages a direction. */
#ifndef MPIDI_POSIX_SLOTS
#define MPIDI_POSIX_SLOTS 64u
#endif
#define MPIDI_POSIX_BULK (1u << 20)
#define MPIDI_POSIX_CLAIMS 32u
#define MPIDI_POSIX_INLINE 40u         /* bytes of ext and payload in the slot */
#define MPIDI_POSIX_IN_BULK UINT16_MAX /* as Slot.size: the payload is in the bulk area */

/* One message; a whole one if it is small. The fields of MPIDI_Am_hdr that peers need, in the
 * same order. */
typedef struct MPIDI_POSIX_Slot {
    uint64_t ctx;
    int32_t src, tag;
    uint8_t kind, ext_size;
    uint16_t size; /* of an inline payload; or MPIDI_POSIX_IN_BULK */
    /* Number of the message that is here, counted from 1; written last. Never anything else is
     * stored at this place, so what a former message left can't be taken for a new one. Wraps to
     * 0 after 2^32 messages, a multiple of the ring. */
    _Atomic uint32_t seq;
    /* inline: ext, payload. In bulk: MPIDI_POSIX_Bulk_ref, ext. */
    unsigned char data[MPIDI_POSIX_INLINE];
} MPIDI_POSIX_Slot;
_Static_assert(sizeof(MPIDI_POSIX_Slot) == 64, "a short message is one cache line");
_Static_assert(offsetof(MPIDI_POSIX_Slot, data) == 24, "payload is aligned for its 8-byte copy");

typedef struct MPIDI_POSIX_Bulk_ref {
    uint32_t offset; /* in the bulk area */
    uint32_t size;
} MPIDI_POSIX_Bulk_ref;
_Static_assert(sizeof(MPIDI_POSIX_Bulk_ref) + MPIDI_AM_EXT_MAX <= MPIDI_POSIX_INLINE,
               "fits beside the largest ext");

/* Counter of one message that both ends move: generation << 32 | next piece. Odd generation: in
 * use. */
typedef struct MPIDI_POSIX_Claim {
    MPL_ALIGNED(64) _Atomic uint64_t word; /* both sides, by compare-and-swap */
} MPIDI_POSIX_Claim;

typedef struct MPIDI_POSIX_Ring {
    /* The reader's line. Number of messages taken, told now and then; the writer looks only when
     * the ring seems full. */
    MPL_ALIGNED(128) _Atomic uint32_t taken;
    /* The writer's line: it found no room and is going to sleep. Set by the writer, cleared by
     * the reader. */
    MPL_ALIGNED(128) _Atomic uint32_t want_room;
    MPL_ALIGNED(128) MPIDI_POSIX_Claim claim[MPIDI_POSIX_CLAIMS];
    MPL_ALIGNED(4096) MPIDI_POSIX_Slot slot[MPIDI_POSIX_SLOTS];
    MPL_ALIGNED(4096) unsigned char bulk[MPIDI_POSIX_BULK];
} MPIDI_POSIX_Ring;
_Static_assert((MPIDI_POSIX_SLOTS & (MPIDI_POSIX_SLOTS - 1)) == 0,
               "slot numbers are cut from message numbers");
_Static_assert(
    offsetof(MPIDI_POSIX_Ring, want_room) - offsetof(MPIDI_POSIX_Ring, taken) >= 128,
    "reader and writer do not share a line, nor a pair that the prefetcher fetches together");
_Static_assert(offsetof(MPIDI_POSIX_Ring, slot) == 4096,
               "all control fields of a ring share one page");

#define MPIDI_POSIX_RING_STRIDE MPL_ROUND_UP(sizeof(MPIDI_POSIX_Ring), (size_t) MPIDI_POSIX_GRAIN)

/* Head of an inbox. This line is written seldom, so that senders can look at it with each
 * message. */
typedef struct MPIDI_POSIX_Inbox {
    /* Futex: the owner sets and clears it, a sender clears it and wakes. */
    MPL_ALIGNED(128) _Atomic uint32_t asleep;
    /* The owner fences heavily before it sleeps: senders need only light fences. */
    _Atomic uint32_t fences;
    _Atomic uint32_t gone;    /* owner has left for good */
    _Atomic uint32_t version; /* counts changes of `used`; by senders */
    /* Bit s: ring <-s has been used. Set once, by s. As long as there are processes. */
    MPL_ALIGNED(64) _Atomic uint64_t used[];
} MPIDI_POSIX_Inbox;

/* Wake the owner if it sleeps. What it waits for was stored before, and a fence passed that pairs
 * with the one in sleep_prepare: either we see it asleep, or it sees what was stored. */
static inline void MPIDI_POSIX_rouse(MPIDI_POSIX_Inbox *inbox)
{
    if (MPL_UNLIKELY(atomic_load_explicit(&inbox->asleep, memory_order_relaxed)) &&
        atomic_exchange(&inbox->asleep, 0))
        MPL_wake(&inbox->asleep, 1);
}

static inline size_t MPIDI_POSIX_inbox_stride(int n_local)
{
    size_t words = ((size_t) n_local + 63) / 64;
    return MPL_ROUND_UP(sizeof(MPIDI_POSIX_Inbox) + words * sizeof(uint64_t), (size_t) 128);
}

static inline size_t MPIDI_POSIX_inboxes_size(int n_local)
{
    return MPL_ROUND_UP((size_t) n_local * MPIDI_POSIX_inbox_stride(n_local),
                        (size_t) MPIDI_POSIX_GRAIN);
}

/* Offset in the arena of the ring from `sender` to `receiver` (local ranks). */
static inline size_t MPIDI_POSIX_ring_offset(int n_local, int receiver, int sender)
{
    return MPIDI_POSIX_inboxes_size(n_local) +
           ((size_t) receiver * (size_t) n_local + (size_t) sender) * MPIDI_POSIX_RING_STRIDE;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Where the members of one communicator meet: barriers and small collectives without messages. A
 * place belongs to the process that gave it (the communicator's rank 0) and is given again when
 * all members have left it. Each operation that is done there has a number, counted from 1 by all
 * members alike. */
#define MPIDI_POSIX_PLACES 64u /* of each process */
#define MPIDI_POSIX_PLACE_MEMBERS 64u
#define MPIDI_POSIX_PLACE_BUFFERS 4u /* of each member: it may be that much ahead of others */
#define MPIDI_POSIX_PLACE_BYTES 2048u /* of a buffer */

/* A member's line; written by it alone. */
typedef struct MPIDI_POSIX_Member {
    MPL_ALIGNED(64) _Atomic uint64_t came; /* to this operation, and brought what it brings */
    _Atomic uint64_t done; /* with this operation: others' buffers of it are not read any more */
} MPIDI_POSIX_Member;

typedef struct MPIDI_POSIX_Place {
    /* Of operations in which all wait for all: counts up by the number of members in each. */
    MPL_ALIGNED(128) _Atomic uint64_t arrivals;
    /* Somebody waits for a buffer that others have not read yet. */
    MPL_ALIGNED(128) _Atomic uint32_t want_buffer;
    _Atomic uint32_t left; /* members that will never look at it again */
    MPL_ALIGNED(128) MPIDI_POSIX_Member member[MPIDI_POSIX_PLACE_MEMBERS];
    MPL_ALIGNED(64) unsigned char data[]; /* all members' first buffers, their second ones ... */
} MPIDI_POSIX_Place;

static inline size_t MPIDI_POSIX_place_size(int n_members)
{
    return sizeof(MPIDI_POSIX_Place) +
           (size_t) n_members * MPIDI_POSIX_PLACE_BUFFERS * MPIDI_POSIX_PLACE_BYTES;
}

static inline size_t MPIDI_POSIX_place_stride(int n_local)
{
    int n = MPL_MIN(n_local, (int) MPIDI_POSIX_PLACE_MEMBERS);
    return MPL_ROUND_UP(MPIDI_POSIX_place_size(n), (size_t) 4096);
}

/* All places of one process. */
static inline size_t MPIDI_POSIX_places_stride(int n_local)
{
    return MPL_ROUND_UP(MPIDI_POSIX_PLACES * MPIDI_POSIX_place_stride(n_local),
                        (size_t) MPIDI_POSIX_GRAIN);
}

static inline size_t MPIDI_POSIX_places_offset(int n_local, int owner)
{
    return MPIDI_POSIX_ring_offset(n_local, n_local, 0) +
           (size_t) owner * MPIDI_POSIX_places_stride(n_local);
}

#endif /* POSIX_LAYOUT_H_INCLUDED */
