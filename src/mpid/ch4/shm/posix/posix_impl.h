/* Private to shm/posix: the transport's state and how its files call each other. */
#ifndef POSIX_IMPL_H_INCLUDED
#define POSIX_IMPL_H_INCLUDED

#include <stdbool.h>

#include "mpir_nodedir.h"
#include "posix.h"
#include "posix_layout.h"

/* Largest payload of one message. The bulk area holds several, so that both sides copy at the
 * same time. */
#define MPIDI_POSIX_PAYLOAD_MAX 65536u

/* ---- one direction, the writer's side -------------------------------------------------------- */

/* A piece of the bulk area that the reader may still be using. */
typedef struct MPIDI_POSIX_Piece {
    uint32_t message; /* its number; the piece is free when the reader has taken it */
    uint32_t start;   /* in the bulk area */
} MPIDI_POSIX_Piece;

typedef struct MPIDI_POSIX_Tx {
    MPIDI_POSIX_Ring *ring;
    uint32_t sent;      /* messages written so far */
    uint32_t seen;      /* ring->taken when last looked at */
    uint32_t bulk_next; /* where the next piece goes */
    /* What may be used of the bulk area; less than all where memory had to be reserved. */
    uint32_t bulk_size;
    uint32_t first_piece, n_pieces; /* queue of outstanding pieces, in order */
    MPIDI_POSIX_Piece piece[MPIDI_POSIX_SLOTS];
} MPIDI_POSIX_Tx;

static inline MPIDI_POSIX_Slot *MPIDI_POSIX_next_slot(const MPIDI_POSIX_Tx *tx)
{
    return &tx->ring->slot[tx->sent & (MPIDI_POSIX_SLOTS - 1)];
}

/* Write a message; false: no room now. The payload is at most MPIDI_POSIX_PAYLOAD_MAX. */
bool MPIDI_POSIX_tx_push(MPIDI_POSIX_Tx *tx, const MPIDI_Am *am);

/* ---- one direction, the reader's side -------------------------------------------------------- */

typedef struct MPIDI_POSIX_Rx {
    MPIDI_POSIX_Ring *ring;
    MPIDI_POSIX_Inbox *sender; /* of the writer, to wake it when there is room again */
    uint32_t taken;            /* messages handled */
    uint32_t told;             /* ring->taken as last written */
    uint32_t bulk_untold;      /* bytes of bulk handled since then */
    uint32_t window;           /* messages to take in the next round */
    MPIDI_Ep *back; /* to the writer; NULL: nothing was sent to it yet */
    int world_rank;
    bool fence_light; /* the writer fences heavily before it sleeps, and this process takes part */
    bool broken;      /* the memory holds nonsense: not polled any more */
} MPIDI_POSIX_Rx;

static inline MPIDI_POSIX_Slot *MPIDI_POSIX_rx_slot(const MPIDI_POSIX_Rx *rx)
{
    return &rx->ring->slot[rx->taken & (MPIDI_POSIX_SLOTS - 1)];
}

/* Is there a message? */
static inline bool MPIDI_POSIX_rx_ready(const MPIDI_POSIX_Rx *rx)
{
    /* Pairs with the release store in tx_push: payload before sequence. */
    return atomic_load_explicit(&MPIDI_POSIX_rx_slot(rx)->seq, memory_order_acquire) ==
           rx->taken + 1;
}

typedef void MPIDI_POSIX_Deliver(int world_rank, const MPIDI_Am_hdr *hdr, const void *ext,
                                 const void *payload, size_t size);

/* Hand the waiting message on and take it off the ring; one must be ready. NULL, or what is
 * wrong with it. */
const char *MPIDI_POSIX_rx_take(MPIDI_POSIX_Rx *rx, MPIDI_POSIX_Deliver *deliver);

/* Is it time to tell the writer, though more may follow at once? */
static inline bool MPIDI_POSIX_rx_owes(const MPIDI_POSIX_Rx *rx)
{
    return rx->taken - rx->told >= MPIDI_POSIX_SLOTS / 4 ||
           rx->bulk_untold >= MPIDI_POSIX_BULK / 16;
}

/* Tell the writer how far we are, and wake it if it waits for that. */
void MPIDI_POSIX_rx_tell(MPIDI_POSIX_Rx *rx);

/* ---- the transport --------------------------------------------------------------------------- */

/* Connection to one peer (or to oneself). Lives with the process. What a short message needs
 * stands in front. */
struct MPIDI_Ep {
    MPIDI_POSIX_Inbox *inbox; /* the peer's */
    bool plain;       /* announced, fence_light and not gone: nothing special to do for a message */
    bool fence_light; /* as in Rx */
    bool announced;   /* our bit is set in the peer's inbox */
    bool lasting;     /* what we send outlives us, though the peer may not have come yet */
    bool gone;
    bool starved;       /* found no room, and is on the list of such */
    bool bulk_is_final; /* no more of the bulk area can be reserved */
    MPIDI_POSIX_Tx tx;
    MPIDI_Ep *next_starved;
    uint32_t starved_at; /* tx.seen when it found no room */
    int world_rank, local_rank;
    off_t offset;         /* of the ring in ref->arena_fd */
    pid_t pid;            /* checked to be the peer's, 0: not yet */
    int get_error;        /* why get() will never work; 0 */
    uint32_t claims_used; /* bit map, of the ring to the peer */
};

/* Lives with the process. */
typedef struct MPIDI_POSIX_State {
    const MPIDI_Transport_env *env;
    MPIR_Nodedir_ref *ref;
    int n, me; /* processes on this node, and which one this is */
    pid_t pid; /* of the process that called init: a forked child is another */
    uint32_t pid_space;
    bool fence_heavy; /* MPL_fence_heavy() works here */
    char *inboxes;
    MPIDI_POSIX_Inbox *inbox; /* mine */
    MPIDI_Ep **ep;            /* by local rank, NULL until connected */
    MPIDI_Ep *starved;
    /* Rings that have been used, in the order in which they were found. */
    MPIDI_POSIX_Rx **rx;
    MPIDI_POSIX_Rx **rx_of; /* the same by local rank */
    int n_rx;
    MPIDI_POSIX_Rx *hot; /* where the last message came from */
    int streak;          /* rounds in which only `hot` was looked at */
    uint32_t version;    /* inbox->version that rx[] is up to date with */
    char **places;           /* of each local rank, mapped when needed; NULL: none yet */
    uint8_t *place_members;  /* of each place of mine, how many it was given to; 0: never given */
    bool warned_memory;
    bool flushing;      /* flushed() has found a receiver that holds no memory yet */
    uint64_t looked_at; /* when it last asked whether that one may still come */
    bool nobody_comes;  /* no: who has not attached has ended */
} MPIDI_POSIX_State;

extern MPIDI_POSIX_State MPIDI_POSIX;

static inline MPIDI_POSIX_Inbox *MPIDI_POSIX_inbox_of(int local_rank)
{
    return (MPIDI_POSIX_Inbox *) (MPIDI_POSIX.inboxes +
                                  (size_t) local_rank * MPIDI_POSIX_inbox_stride(MPIDI_POSIX.n));
}

/* Map a part of the arena; NULL with errno set. */
void *MPIDI_POSIX_map(off_t offset, size_t size);

int MPIDI_POSIX_world_rank(int local_rank);
int MPIDI_POSIX_local_rank(int world_rank); /* -1: not on this node */

/* Map the ring from one local rank to another; NULL with errno set. */
MPIDI_POSIX_Ring *MPIDI_POSIX_ring_map(int receiver, int sender);

/* May this process and the owner of `inbox` use light fences with each other? Once true, always
 * true. */
static inline bool MPIDI_POSIX_may_fence_light(MPIDI_POSIX_Inbox *inbox)
{
    return MPIDI_POSIX.fence_heavy && atomic_load_explicit(&inbox->fences, memory_order_relaxed);
}

/* Wake the owner of the inbox if it sleeps, after something that it waits for was stored. */
static inline void MPIDI_POSIX_wake(MPIDI_POSIX_Inbox *inbox, bool fence_light)
{
    if (fence_light)
        MPL_fence_light();
    else
        atomic_thread_fence(memory_order_seq_cst);
    MPIDI_POSIX_rouse(inbox);
}

int MPIDI_POSIX_connect(int world_rank, MPIDI_Ep **ep);
bool MPIDI_POSIX_send_short(MPIDI_Ep *ep, const MPIDI_Am_hdr *hdr, const void *data, size_t n);
MPIDI_Send_result MPIDI_POSIX_send(MPIDI_Ep *ep, const MPIDI_Am *am);
MPIDI_Peer_state MPIDI_POSIX_peer_state(MPIDI_Ep *ep);
/* Has an endpoint that found no room got some? Asks each writer's reader to wake us when it
 * makes room if `arm`. */
bool MPIDI_POSIX_room_appeared(bool arm);
bool MPIDI_POSIX_flushed(void);

int MPIDI_POSIX_get(MPIDI_Ep *ep, void *local, uint64_t addr, size_t n);
uint64_t MPIDI_POSIX_claim_open(MPIDI_Ep *ep);
uint64_t MPIDI_POSIX_claim(MPIDI_Ep *ep, uint64_t token, bool mine);
void MPIDI_POSIX_claim_close(MPIDI_Ep *ep, uint64_t token);

void MPIDI_POSIX_places_release(void);

bool MPIDI_POSIX_progress(void);
void MPIDI_POSIX_tell_all(void);
bool MPIDI_POSIX_sleep_prepare(void);
void MPIDI_POSIX_sleep(int64_t timeout_ns);
void MPIDI_POSIX_sleep_finish(void);

#endif /* POSIX_IMPL_H_INCLUDED */
