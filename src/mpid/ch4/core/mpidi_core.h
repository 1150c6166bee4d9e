/* ch4/core, on the inside: the device's state, and how its files call each other.
 *
 * The README says what is in which file.
 *
 * Glossary
 *   arrival     a message that has come in, before it is matched
 *   stray       an arrival that no receive was posted for ("unexpected"), kept until one is
 *   pattern     what a receive asks for: context, source, tag, the last two perhaps wild
 *   transfer    the state of a message that takes more than one active message (struct MPIDI_Xfer)
 *   piece       a transfer's unit of moving; the pieces are numbered 0, 1, 2, ...
 *   stream      an eager message that is sent in several active messages, one behind the other
 *   claim       to take a piece as one's own to move (mpidi_transport.h)
 */
#ifndef MPIDI_CORE_H_INCLUDED
#define MPIDI_CORE_H_INCLUDED

#include "mpi.h"
#include "mpid.h"
#include "mpidi_transport.h"
#include "mpir_comm.h"
#include "mpir_datatype.h"
#include "mpir_nodedir.h"
#include "mpir_pmi.h"
#include "mpir_process.h"
#include "mpir_request.h"
#include "mpir_sched.h"
#include "mpl.h"
#include "protocol.h"

typedef struct MPIDI_Peer MPIDI_Peer;
typedef struct MPIDI_Xfer MPIDI_Xfer;
typedef struct MPIDI_Stray MPIDI_Stray;
typedef struct MPIDI_Stream MPIDI_Stream;

/* ---- transports ------------------------------------------------------------------------------ */

#define MPIDI_TRANSPORTS_MAX 8

/* The tables in the order in which they are asked whether they reach a peer: self, one given by
 * MPIR_CVAR_TRANSPORT_PATH, shm, netmods. */
typedef struct MPIDI_Transports {
    int n;
    MPIDI_Transport table[MPIDI_TRANSPORTS_MAX]; /* copies, every slot filled */
    unsigned caps[MPIDI_TRANSPORTS_MAX];
    int n_sleepers; /* transports that can sleep */
    const MPIDI_Transport *sleepers[MPIDI_TRANSPORTS_MAX];
    unsigned sleeps; /* taken so far: they take turns */
    int n_polled; /* transports with a progress function */
    bool (*polled[MPIDI_TRANSPORTS_MAX])(void); /* [0] can always be called */
    MPIDI_Transport_env env;
    int *local_ranks; /* on this machine; owned; NULL: all of the job */
    const MPIDI_Transport *shm; /* reaches this machine, and is asked only for near ranks; or NULL */
    const MPIDI_Transport *adding; /* whose init runs */
    bool card_is_put;
    int card_of; /* index of the transport that put it */
} MPIDI_Transports;

/* Initialise t and put it at the end of the list. */
int MPIDI_Transport_add(const MPIDI_Transport *t);
/* Open the shared object at `path` and add the table it exports. */
int MPIDI_Transport_load(const char *path);
void MPIDI_Transports_env_init(const char *job_name);
int MPIDI_Transports_suspend(void);
int MPIDI_Transports_resume(void);
void MPIDI_Transports_shutdown(void);

/* Can this process exit without losing what it has sent? Starts what is needed for that. */
bool MPIDI_Transports_flushed(void);

/* Open the first network module of MPIR_CVAR_NETMOD that serves. */
int MPIDI_Netmod_load(void);

extern const MPIDI_Transport MPIDI_self_transport;

/* ---- locality -------------------------------------------------------------------------------- */

typedef struct MPIDI_Locality {
    int n_machine; /* ranks of the job on this machine */
    int clique; /* of them, those with the same number as this process are near */
} MPIDI_Locality;

/* Sets MPIR_Process.local_rank, local_size and node_leader. The ranks of this machine are known. */
void MPIDI_Locality_init(int n_machine);
/* Does the rank count as being on this node? */
bool MPIDI_Locality_near(int world_rank);

/* ---- peers ----------------------------------------------------------------------------------- */

/* An active message that waits for room. am.complete is called when it has gone, fail when it
 * cannot go any more. */
typedef struct MPIDI_Out {
    struct MPIDI_Out *next;
    MPIDI_Am am;
    void (*fail)(void *complete_arg, int error); /* or NULL */
    unsigned char ext[MPIDI_AM_EXT_MAX];
} MPIDI_Out;

/* A bootstrap message that waits for its receiver. */
typedef struct MPIDI_Boot {
    struct MPIDI_Boot *next;
    MPIR_Context_id ctx;
    MPID_Boot_key key;
} MPIDI_Boot;

/* Another process. Made at first use, lives with the process. */
struct MPIDI_Peer {
    /* the transport's, at hand */
    bool (*send_short)(MPIDI_Ep *ep, const MPIDI_Am_hdr *hdr, const void *data, size_t n);
    MPIDI_Ep *ep;
    MPIDI_Send_result (*send)(MPIDI_Ep *ep, const MPIDI_Am *am);
    MPIDI_Sizes sizes;
    MPIDI_Out *out_head, *out_tail; /* in order of sending */
    const MPIDI_Transport *transport;
    int world_rank;
    uint32_t piece; /* bytes of a piece that this end proposes */
    uint8_t caps;
    bool pull_refused; /* get() has failed: it will not be tried again */
    bool gone;
    uint32_t asked; /* MPIDI_core.gone_round in which it was found alive */
    bool out_listed; /* in MPIDI_core.out_peers */
    uint64_t card_asked; /* when the launcher was asked for its card last; 0: never */
    MPIDI_Peer *out_next; /* there */
    MPIDI_Boot *boot_head, *boot_tail;
};

/* NULL, with *err set, if it cannot be reached. */
MPIDI_Peer *MPIDI_Peer_get(int world_rank, int *err);
/* Fill comm->dev.peer[rank]. */
MPIDI_Peer *MPIDI_Peer_of_comm(MPIR_Comm *comm, int rank, int *err);
static inline MPIDI_Peer *MPIDI_Peer_of(MPIR_Comm *comm, int rank, int *err)
{
    MPIDI_Peer *peer = comm->dev.peer[rank];
    return MPL_LIKELY(peer != NULL) ? peer : MPIDI_Peer_of_comm(comm, rank, err);
}

/* Has it left for good? Looks anew (not for fast paths); once true, always true. */
bool MPIDI_Peer_is_gone(MPIDI_Peer *peer);
/* The error for work that depends on a process that is gone. */
int MPIDI_Peer_gone_error(const MPIDI_Peer *peer);

/* ---- out: send now or when there is room ----------------------------------------------------- */

/* DONE: gone, nothing more will be called. PENDING: am->complete or fail will be called. GONE:
 * nothing will. Never AGAIN: what finds no room is queued behind what already waits for this peer.
 */
MPIDI_Send_result MPIDI_Out_send(MPIDI_Peer *peer, const MPIDI_Am *am,
                                 void (*fail)(void *arg, int error));
/* Let it wait, behind what waits already. */
void MPIDI_Out_queue(MPIDI_Peer *peer, const MPIDI_Am *am, void (*fail)(void *arg, int error));
bool MPIDI_Out_progress(void);
void MPIDI_Out_fail_peer(MPIDI_Peer *peer, int error);

/* ---- matching -------------------------------------------------------------------------------- */

typedef struct MPIDI_Key {
    uint64_t ctx;
    int32_t src, tag;
} MPIDI_Key;

/* What RTS carries. */
typedef struct MPIDI_Rts {
    uint64_t id; /* of the sender's transfer */
    uint64_t addr; /* of contiguous data; 0: it cannot be pulled */
    uint64_t token; /* for claim(); 0: none */
    uint64_t size; /* bits 47-0 bytes of the message, 63-48 bytes of a piece / MPIDI_PIECE_UNIT */
} MPIDI_Rts;
#define MPIDI_PIECE_UNIT 64u
#define MPIDI_RTS_BYTES_MASK ((UINT64_C(1) << 48) - 1)
_Static_assert(sizeof(MPIDI_Rts) <= MPIDI_AM_EXT_MAX, "travels as protocol data");

/* RTS has as payload the name of the sender's memory, if its transport can expose it. */
typedef struct MPIDI_Handle {
    const void *bytes;
    size_t size; /* 0: none */
} MPIDI_Handle;

/* What CTS carries. A second one for the same message hands a piece back. */
typedef struct MPIDI_Cts {
    uint64_t sender, receiver; /* ids of their transfers */
    uint64_t first; /* without claims: the first piece that the sender has to send */
    uint64_t back; /* 1 + a piece that the receiver has claimed and cannot pull; 0: none */
} MPIDI_Cts;
_Static_assert(sizeof(MPIDI_Cts) <= MPIDI_AM_EXT_MAX, "travels as protocol data");

/* What DATA carries. */
typedef struct MPIDI_Piece {
    uint64_t receiver; /* id of its transfer */
    uint64_t offset;
} MPIDI_Piece;

enum { MPIDI_EXACT, MPIDI_ANY_SRC, MPIDI_ANY_TAG, MPIDI_ANY_BOTH, MPIDI_PATTERNS };

struct MPIDI_Slot;

/* A message that no receive was posted for. It stands in one queue for each sort of pattern that
 * could ask for it. */
struct MPIDI_Stray {
    struct MPIDI_Stray_link {
        MPIDI_Stray *next, *prev;
        struct MPIDI_Slot *slot; /* NULL: not in a queue of this sort */
    } link[MPIDI_PATTERNS];
    MPIDI_Key key;
    int world_rank;
    uint8_t kind; /* MPIDI_AM_EAGER, _EAGER_SYNC, _RTS */
    uint8_t size_class;
    MPI_Count bytes; /* of the whole message */
    MPIDI_Rts rts; /* .id also of EAGER_SYNC */
    MPIDI_Stray *next_free;
    uint16_t handle_size; /* of an RTS, what of `data` names the sender's memory */
    MPIDI_Stream *stream; /* that still brings data; NULL: all is here */
    char data[]; /* of an eager message */
};

/* Everything that has come or been asked for with one key. */
typedef struct MPIDI_Slot {
    MPIDI_Key key;
    struct MPIDI_Slot *next; /* in its bucket, or in the list of free ones */
    struct MPIDI_Slot *after; /* what was looked up after it the last time; NULL, or in the table */
    MPIR_Request *posted_head, *posted_tail;
    MPIDI_Stray *stray_head, *stray_tail;
} MPIDI_Slot;

typedef struct MPIDI_Match {
    MPIDI_Slot **bucket;
    unsigned bits; /* log2 of the number of buckets */
    size_t n_slots; /* in use, empty ones among them */
    MPIDI_Slot *last; /* looked up last */
    MPIDI_Slot *free_slots;
    MPIDI_Slot *batches;    /* what was allocated, linked through the first slot of each */
    size_t n_posted[MPIDI_PATTERNS];
    unsigned indexed; /* bit p: strays are queued for pattern sort p */
    uint64_t order; /* of the last receive posted */
    size_t n_strays;
    MPIDI_Stray *free_strays[2]; /* by size class */
} MPIDI_Match;

int MPIDI_Match_init(void);
/* Take the receive that this arrival belongs to, or NULL. */
MPIR_Request *MPIDI_Match_arrival_slow(const MPIDI_Key *key);
static inline MPIR_Request *MPIDI_Match_arrival(const MPIDI_Key *key);
/* Keep an arrival; the key and kind are set. */
void MPIDI_Match_keep(MPIDI_Stray *stray);
/* The first stray that a receive with this pattern must get, or NULL. It stays. */
MPIDI_Stray *MPIDI_Match_find(const MPIDI_Key *pattern);
void MPIDI_Match_take(MPIDI_Stray *stray);
/* Post a receive (dev.ctx, src, tag are set) for which MPIDI_Match_find() found nothing. */
void MPIDI_Match_post_slow(MPIR_Request *req);
static inline void MPIDI_Match_post(MPIR_Request *req);
void MPIDI_Match_unpost(MPIR_Request *req);
/* Call visit for each posted receive; it may unpost that one. */
void MPIDI_Match_each_posted(void (*visit)(MPIR_Request *req, void *arg), void *arg);
/* First stray of a context, in order of arrival, or NULL. */
MPIDI_Stray *MPIDI_Match_first_of(uint64_t ctx);
bool MPIDI_Match_is_valid(void);
/* A stray with room for n bytes of data (never NULL; the job ends if memory has run out) / give it
 * back. */
MPIDI_Stray *MPIDI_Stray_new(size_t n);
void MPIDI_Stray_free(MPIDI_Stray *stray);
void MPIDI_Match_trim(void);

/* ---- transfers ------------------------------------------------------------------------------- */

typedef enum MPIDI_Xfer_role { MPIDI_XFER_SYNC, MPIDI_XFER_SEND, MPIDI_XFER_RECV } MPIDI_Xfer_role;

/* State of a message that takes more than one active message. Named on the wire by its id, which is
 * never used again, so that a stale one is recognised. */
struct MPIDI_Xfer {
    MPIDI_Xfer *next, *prev; /* of the working ones (those that progress must visit) */
    uint64_t id, remote; /* remote: 0 while unknown */
    MPIDI_Peer *peer;
    MPIR_Request *req; /* NULL: done with, or given up by the user */
    MPIR_Buf buf;
    uint64_t addr, token;
    uint64_t length, moved; /* bytes of the message; of them accounted for at this end */
    uint64_t n_pieces;
    uint64_t next_piece; /* without claims: the next to move */
    uint64_t held; /* send: a piece that found no room; MPIDI_NO_PIECE: none */
    uint64_t returned; /* send: a piece that the receiver could not pull; MPIDI_NO_PIECE: none */
    uint32_t piece; /* bytes */
    int in_flight; /* pieces whose data the transport still reads */
    uint64_t away_since; /* receive: when we began to wait for the sender; 0: it is here */
    MPIDI_Xfer_role role;
    bool working;
    bool clear; /* send: CTS has come; receive: has been sent */
    bool fin; /* send: the receiver has all */
    unsigned idle_polls;
    MPIDI_Region *region; /* send: the memory that is exposed */
    struct MPIDI_Reads *reads; /* receive: the message is read by us; NULL: it is not */
};
#define MPIDI_NO_PIECE UINT64_MAX

typedef struct MPIDI_Xfers {
    MPIDI_Xfer **by_index;
    uint32_t *free_index; /* a stack of n_free places that hold none */
    uint32_t room, n_free;
    uint32_t generation; /* of the last id */
    MPIDI_Xfer *working;
    uint32_t n_sending; /* whose request is not complete */
} MPIDI_Xfers;

/* Start: on success the transfer owns the completion of req. */
int MPIDI_Xfer_start_sync(MPIDI_Peer *peer, MPIDI_Am *am, MPIR_Request *req);
int MPIDI_Xfer_start_rndv(MPIDI_Peer *peer, MPIDI_Am *am, MPIR_Request *req);
/* A receive has met its RTS. */
void MPIDI_Xfer_accept(int world_rank, const MPIDI_Rts *rts, const MPIDI_Handle *handle,
                       MPIR_Request *req);
/* Tell the sender that its message was matched (EAGER_SYNC) or has been dropped (RTS). */
void MPIDI_Xfer_answer(int world_rank, uint8_t kind, uint64_t id);
/* Arrivals for transfers. */
void MPIDI_Xfer_cts(int world_rank, const void *ext);
void MPIDI_Xfer_data(int world_rank, const void *ext, const void *payload, size_t size);
void MPIDI_Xfer_fin(int world_rank, const void *ext);
bool MPIDI_Xfers_progress(void);
void MPIDI_Xfers_fail_peer(MPIDI_Peer *peer, int error);
/* req is about to be freed though it is in flight. */
void MPIDI_Xfer_forget(MPIR_Request *req);

/* ---- streams --------------------------------------------------------------------------------- */

/* A streamed message on its way out. Nothing else is sent to the peer between its pieces. */
typedef struct MPIDI_Stream_out {
    const MPIR_Buf *buf;
    const MPIDI_Am_hdr *hdr; /* of the message */
    uint64_t sent; /* bytes that have gone */
} MPIDI_Stream_out;

/* The active message for the piece that begins at `offset`. */
MPIDI_Am MPIDI_Stream_piece(const MPIDI_Stream_out *out, uint64_t offset);
/* Send pieces until all are gone (DONE), or one is not. The transport never says PENDING to
 * pieces. */
MPIDI_Send_result MPIDI_Stream_send(MPIDI_Peer *peer, MPIDI_Stream_out *out);
void MPIDI_Xfer_start_rest(MPIDI_Peer *peer, const MPIDI_Stream_out *out, MPIR_Request *req);

/* A message that is coming in. At most one from each peer. Its data goes to the receive if there
 * is one, else to the stray, else (both have been given up) nowhere. */
struct MPIDI_Stream {
    MPIDI_Stream *next;
    MPIR_Request *req;
    MPIDI_Stray *stray;
    uint64_t got, bytes;
    int error; /* of the receive */
    int world_rank;
};

/* Arrivals: the first piece; a later one. */
void MPIDI_Stream_first(int world_rank, const MPIDI_Am_hdr *hdr, const void *ext,
                        const void *payload, size_t size);
void MPIDI_Stream_more(int world_rank, const void *payload, size_t size);
/* A receive takes a stray whose data is still coming. The stray is no longer needed. */
void MPIDI_Stream_hand_over(MPIDI_Stream *stream, MPIR_Request *req);
/* Nobody wants it any more: a stray, a receive that is freed. */
void MPIDI_Stream_forget(MPIDI_Stream *stream);
void MPIDI_Stream_forget_request(const MPIR_Request *req);
bool MPIDI_Stream_any_gone(void);
void MPIDI_Streams_fail_gone(void);

/* ---- requests and buffers -------------------------------------------------------------------- */

typedef enum MPIDI_Request_state {
    MPIDI_REQ_IDLE,
    MPIDI_REQ_POSTED, /* in the match table */
    MPIDI_REQ_MOVING, /* matched, or a send on its way */
} MPIDI_Request_state;

void MPIDI_Buf_set_slow(MPIR_Buf *b, const MPID_Msg *msg);
static inline void MPIDI_Buf_set(MPIR_Buf *b, const MPID_Msg *msg)
{
    if (MPL_UNLIKELY(!MPIR_Datatype_is_builtin(msg->datatype))) {
        MPIDI_Buf_set_slow(b, msg);
        return;
    }
    b->base = msg->buf;
    b->count = msg->count;
    b->bytes = msg->count * (MPI_Count) MPIR_Datatype_builtin_size(msg->datatype);
    b->datatype = msg->datatype;
    b->contiguous = true;
}

/* Bytes [offset, offset + n) of the message have come: put what the buffer holds of them where they
 * belong. */
void MPIDI_Buf_put(const MPIR_Buf *b, uint64_t offset, const void *data, size_t n);
/* Bytes [offset, offset + n) of b as what a transport sends. */
MPIDI_Data MPIDI_Buf_data(const MPIR_Buf *b, uint64_t offset, size_t n);

/* Fill the status of a receive that got `bytes` from (src, tag); sets the error for a message that
 * was too long. */
static inline void MPIDI_Status_set(MPI_Status *status, const MPIDI_Key *key, MPI_Count bytes)
{
    status->MPI_SOURCE = key->src;
    status->MPI_TAG = key->tag;
    MPIR_Status_set_count(status, bytes);
}
int MPIDI_Truncate_error(MPI_Count bytes, MPI_Count room, const MPIDI_Key *key);

/* Complete a request of the device's and let the device's reference go. */
static inline void MPIDI_Request_finish(MPIR_Request *req, int error)
{
    if (MPL_UNLIKELY(error) && req->status.MPI_ERROR == MPI_SUCCESS)
        req->status.MPI_ERROR = error;
    if (MPL_UNLIKELY(req->dev.dt_held)) {
        req->dev.dt_held = false;
        MPIR_Datatype_release(req->dev.buf.datatype);
    }
    req->dev.state = MPIDI_REQ_IDLE;
    req->dev.xfer = NULL;
    MPIR_Request_complete(req);
    MPIR_Request_release(req);
}
/* The same, shaped for MPIDI_Out. */
void MPIDI_Request_sent(void *req);
void MPIDI_Request_fail(void *req, int error);

/* ---- arrival (env->deliver), boot, gone ------------------------------------------------------ */

void MPIDI_Deliver(int world_rank, const MPIDI_Am_hdr *hdr, const void *ext, const void *payload,
                   size_t size);
void MPIDI_Boot_arrive(int world_rank, const MPIDI_Am_hdr *hdr, const void *payload, size_t size);

/* A blocking wait for a bootstrap message. */
typedef struct MPIDI_Boot_wait {
    struct MPIDI_Boot_wait *next;
    MPIDI_Peer *peer;
    const MPID_Boot_key *key;
    MPIR_Context_id ctx; /* the result */
    int error;
} MPIDI_Boot_wait;

/* Complete with an error what depends on processes that are gone. */
void MPIDI_Gone_check(void);

/* ---- meeting --------------------------------------------------------------------------------- */

typedef struct MPIDI_Meet_wait MPIDI_Meet_wait;

/* A communicator is freed: this member will not come to its place again. */
void MPIDI_Meet_leave(MPIR_Comm *comm);
/* Does any wait depend on a process that is gone? Fail those that do, when all has been looked
 * at. */
bool MPIDI_Meet_any_gone(void);
void MPIDI_Meet_fail_gone(void);

/* ---- all state of the device ----------------------------------------------------------------- */

/* Lives with the process. Of an epoch are only the posted receives in `match`, the requests that
 * `xfers`, `streams` and `out` point to, the spare ones, `boot_waits` and `meet_waits`;
 * MPID_Suspend() leaves none of them. */
typedef struct MPIDI_Core {
    MPIDI_Peer **peers; /* by world rank; a page costs nothing until a peer in it is used */
    MPIR_Request *spare; /* completion of an eager send that may turn out to need one */
    MPIR_Request *spare_recv; /* for the next blocking receive */
    MPIDI_Peer *out_peers; /* with something waiting, in the order in which they came to wait */
    MPIDI_Match match;
    MPIDI_Xfers xfers;
    MPIDI_Stream *streams, *free_streams; /* coming in; to be used again */
    MPIDI_Transports transports;
    MPIDI_Locality locality;
    MPIDI_Boot_wait *boot_waits;
    MPIDI_Meet_wait *meet_waits;
    uint32_t gone_round; /* looks for processes that are gone, so far */
    int waiters; /* threads in the wait function */
    bool asleep; /* one of them sleeps in the transport, for all of them */
    int beside; /* the others that sleep, beside it, on `moves` */
    _Atomic uint32_t moves; /* counts progress that may have completed what another thread waits for */
    bool started;
    bool crowded; /* more ranks on this node than cores */
    MPIR_Nodedir_ref node;
    bool has_node;
} MPIDI_Core;

extern MPIDI_Core MPIDI_core;

/* ---- matching, the usual case ---------------------------------------------------------------- */

static inline bool MPIDI_Key_same(const MPIDI_Key *a, const MPIDI_Key *b)
{
    return a->ctx == b->ctx && a->src == b->src && a->tag == b->tag;
}

static inline bool MPIDI_Match_any_wild_posted(const MPIDI_Match *m)
{
    return (m->n_posted[MPIDI_ANY_SRC] | m->n_posted[MPIDI_ANY_TAG] | m->n_posted[MPIDI_ANY_BOTH])
        != 0;
}

/* The slot of the key if it was looked up last, or after that one before: programs repeat
 * themselves. NULL: it must be searched for. */
static inline MPIDI_Slot *MPIDI_Match_guess(const MPIDI_Key *key)
{
    MPIDI_Match *m = &MPIDI_core.match;
    MPIDI_Slot *s = m->last;
    if (MPL_UNLIKELY(!s) || MPIDI_Key_same(&s->key, key))
        return s;
    s = s->after;
    if (MPL_UNLIKELY(!s || !MPIDI_Key_same(&s->key, key)))
        return NULL;
    m->last = s;
    return s;
}

/* The key is easily found, and nothing wild competes. */
static inline MPIR_Request *MPIDI_Match_arrival(const MPIDI_Key *key)
{
    MPIDI_Match *m = &MPIDI_core.match;
    MPIDI_Slot *s = MPIDI_Match_guess(key);
    if (MPL_UNLIKELY(!s || MPIDI_Match_any_wild_posted(m)))
        return MPIDI_Match_arrival_slow(key);
    MPIR_Request *req = s->posted_head;
    if (MPL_UNLIKELY(!req))
        return NULL;
    s->posted_head = req->dev.next;
    if (MPL_UNLIKELY(req->dev.next != NULL))
        req->dev.next->dev.prev = NULL;
    else
        s->posted_tail = NULL;
    m->n_posted[MPIDI_EXACT]--;
    req->dev.state = MPIDI_REQ_MOVING;
    return req;
}

/* The pattern names one source and tag and is easily found, and no other receive waits there. */
static inline void MPIDI_Match_post(MPIR_Request *req)
{
    MPIDI_Match *m = &MPIDI_core.match;
    MPIDI_Key key = { .ctx = req->dev.ctx, .src = req->dev.src, .tag = req->dev.tag };
    MPIDI_Slot *s = MPIDI_Match_guess(&key);
    if (MPL_UNLIKELY(!s || (key.src | key.tag) < 0 || s->posted_tail)) {
        MPIDI_Match_post_slow(req);
        return;
    }
    req->dev.order = ++m->order;
    req->dev.state = MPIDI_REQ_POSTED;
    req->dev.next = req->dev.prev = NULL;
    s->posted_head = s->posted_tail = req;
    m->n_posted[MPIDI_EXACT]++;
}

/* ---- progress, the usual case ---------------------------------------------------------------- */

/* Polls what the first transport leaves. */
bool MPIDI_Poll_beside(void);

/* One round: with one transport and nothing that waits this is the transport's progress(). */
static inline bool MPIDI_Poll(void)
{
    const MPIDI_Core *c = &MPIDI_core;
    bool moved = c->transports.polled[0]();
    if (MPL_UNLIKELY(c->transports.n_polled > 1 || c->out_peers || c->xfers.working
                     || MPIR_Sched_started.ready))
        moved |= MPIDI_Poll_beside();
    return moved;
}

/* Something moved: threads that sleep beside the one in the transport look whether it was
 * theirs. */
void MPIDI_Wake_beside(void);

#endif /* MPIDI_CORE_H_INCLUDED */
