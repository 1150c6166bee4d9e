/* netmod/ucx, on the inside.
 *
 *   ucx_config.c  how UCX is set up, and what it must not do to the user's process
 *   ucx_init.c    the table; beginning and end
 *   ucx_peer.c    cards and peers        ucx_pool.c   messages that are being sent
 *   ucx_send.c ucx_recv.c ucx_rndv.c     messages out, messages in, large messages
 *   ucx_progress.c                       progress, sleeping, the last message of a process
 *
 * One context and one worker. An active message is one of UCP's: its header is head and protocol
 * data, its data the payload. The announcement of a large contiguous message (RTS) carries the
 * message itself by UCP's rendezvous: so UCX announces it, and moves it when the receiver has
 * matched. Called under the library's lock, by one thread at a time (UCS_THREAD_MODE_SERIALIZED).
 */
#ifndef UCX_IMPL_H_INCLUDED
#define UCX_IMPL_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <ucp/api/ucp.h>

#include "../common/netmod_life.h"
#include "mpidi_transport.h"

enum {
    MPIDI_UCX_AM_ID = 0,
    MPIDI_UCX_EAGER_MAX = 32768,
    MPIDI_UCX_PIECE_MAX = 65536,
    MPIDI_UCX_OPS_MAX = 64, /* towards one peer; more finds no room */
    MPIDI_UCX_COPY_MAX = 512, /* a payload up to this is copied, and the core is done with it */
    MPIDI_UCX_TEXT_MAX = 1000, /* of a card: the launchers' 1024 less the name of this module */
};

/* The envelope with what the receiver must know besides, in the bytes that it leaves free. */
typedef union MPIDI_UCX_Head {
    MPIDI_Am_hdr hdr;
    struct {
        char envelope[18];
        uint16_t number; /* counts the messages from one process to another, DATA excluded */
        int32_t from; /* world rank */
    };
} MPIDI_UCX_Head;
_Static_assert(sizeof(MPIDI_UCX_Head) == 24, "nothing is added to the envelope");
_Static_assert(offsetof(MPIDI_Am_hdr, unused) <= 18, "number and rank overwrite nothing");

/* What the sender of a large message calls it; behind the protocol data of its RTS, and in the
 * message by which it is withdrawn. */
typedef uint64_t MPIDI_UCX_Serial;
#define MPIDI_UCX_HEAD_MAX \
    (sizeof(MPIDI_UCX_Head) + MPIDI_AM_EXT_MAX + sizeof(MPIDI_UCX_Serial))

/* A message of ours alone, of kind 0: the large message that its protocol data names will not be
 * asked for any more. */
enum { MPIDI_UCX_WITHDRAW = 0 };

/* What the card says, as bytes; the address is cut to its size. */
typedef struct MPIDI_UCX_Card {
    Netmod_life_address life;
    unsigned char address[MPIDI_UCX_TEXT_MAX * 3 / 4 - sizeof(Netmod_life_address)];
} MPIDI_UCX_Card;

typedef enum MPIDI_UCX_Ep_state {
    MPIDI_UCX_NEW, /* no card yet */
    MPIDI_UCX_READY,
    MPIDI_UCX_BROKEN, /* nothing can be sent any more */
} MPIDI_UCX_Ep_state;

/* Lives with the process. */
struct MPIDI_Ep {
    ucp_ep_h ep; /* NULL: none (any more) */
    MPIDI_UCX_Ep_state state;
    int rank;
    int in_flight; /* messages that UCX has not let go, large ones excluded */
    struct MPIDI_UCX_Op *ops; /* they */
    struct MPIDI_UCX_Reading *readings;
    uint16_t number; /* of the next message */
    bool fails; /* UCX says when the peer cannot be reached any more */
    bool untold; /* broken, and the core does not know */
    bool dirty; /* something was sent since the last flush */
    bool flushing;
    bool listed; /* in MPIDI_UCX.unflushed */
    struct MPIDI_Ep *next_unflushed, *next_broken, *next; /* next: of all */
    uint64_t failed_at, tried_at; /* when connecting failed first, and last; 0: it did not */
    Netmod_life_line life;
};

/* Memory that the receiver of a large message may have moved. Kept until UCX and the core are done
 * with it. */
struct MPIDI_Region {
    const void *base;
    size_t size;
    MPIDI_UCX_Serial serial;
    bool in_flight;
    bool hidden;
};

/* The name of a region that the core keeps, and takes back with the RTS. */
typedef struct MPIDI_UCX_Handle {
    struct MPIDI_Region *region;
} MPIDI_UCX_Handle;

/* A message that is being sent: what UCX may still read, and whom to tell when it is done. */
typedef struct MPIDI_UCX_Op {
    struct MPIDI_UCX_Op *next, *prev; /* in the endpoint; next also: free */
    struct MPIDI_Ep *ep;
    struct MPIDI_Region *region; /* a large message; else NULL */
    void (*complete)(void *arg); /* NULL: nobody waits */
    void *complete_arg;
    void *copy; /* of a payload that is longer than `data`; or NULL */
    char head[MPIDI_UCX_HEAD_MAX];
    char data[MPIDI_UCX_COPY_MAX];
} MPIDI_UCX_Op;

/* A large message that a peer has announced, until it is read or withdrawn. Its memory stays for
 * others, so that a stale handle is recognised by its id. */
typedef struct MPIDI_UCX_Offer {
    struct MPIDI_UCX_Offer *next, *prev;
    uint64_t id; /* counts the offers; 0: free */
    int from;
    MPIDI_UCX_Serial serial;
    void *data; /* UCX's descriptor */
    size_t size;
} MPIDI_UCX_Offer;

/* A read that is under way. */
typedef struct MPIDI_UCX_Reading {
    struct MPIDI_UCX_Reading *next, *prev; /* in the endpoint */
    struct MPIDI_Ep *ep;
    void (*complete)(void *arg, bool ok); /* NULL: has been */
    void *complete_arg;
    void *local, *whole; /* whole: where all of it goes, if local is too short; or NULL */
    size_t n;
} MPIDI_UCX_Reading;

/* A message as it came in. */
typedef struct MPIDI_UCX_Arrival {
    MPIDI_UCX_Head head;
    char ext[MPIDI_AM_EXT_MAX];
    MPIDI_UCX_Serial serial; /* if large */
    bool large;
    void *data; /* payload, or UCX's descriptor of a large message */
    size_t size;
} MPIDI_UCX_Arrival;

/* One that came before its turn. */
typedef struct MPIDI_UCX_Early {
    struct MPIDI_UCX_Early *next;
    MPIDI_UCX_Arrival arrival;
    char data[];
} MPIDI_UCX_Early;

/* Lives with the process. */
typedef struct MPIDI_UCX_State {
    const MPIDI_Transport_env *env;
    ucp_context_h context;
    ucp_worker_h worker;
    int wait_fd;
    int life_fd;
    int life_timeout; /* s */
    uint16_t *expected; /* by world rank: the number of the next message; pages cost when used */
    MPIDI_UCX_Early *early;
    MPIDI_UCX_Offer *offers, *free_offers;
    uint64_t n_offers; /* so far */
    MPIDI_UCX_Op *free_ops;
    MPIDI_UCX_Serial serial; /* of the last region */
    struct MPIDI_Ep *unflushed, *broken, *all;
    uint64_t looked_at; /* when flushed() looked for peers that are gone */
    bool closing; /* what comes in is not for anybody any more */
} MPIDI_UCX_State;

extern MPIDI_UCX_State MPIDI_UCX;

/* ---- ucx_config.c */
/* First of all: take back what UCX has done when it was loaded, and set what is global in it. */
void MPIDI_UCX_behave(void);
/* 0 or an error code. */
int MPIDI_UCX_open_context(void);
/* An address of the network interface that the user has chosen; family 0 if none. */
void MPIDI_UCX_interface(char *name, size_t size, struct sockaddr_storage *address);

/* ---- ucx_peer.c */
int MPIDI_UCX_card_put(void);
int MPIDI_UCX_connect(int world_rank, MPIDI_Ep **ep);
/* Get the peer's address if it can be had: READY, NEW (not yet), BROKEN. */
MPIDI_UCX_Ep_state MPIDI_UCX_resolve(struct MPIDI_Ep *ep);
MPIDI_Peer_state MPIDI_UCX_peer_state(MPIDI_Ep *ep);
const char *MPIDI_UCX_host(MPIDI_Ep *ep);
/* Nothing can be sent to it any more. The core is told, and UCX's endpoint closed, in progress. */
void MPIDI_UCX_break(struct MPIDI_Ep *ep, bool tell);
/* Tell the core at once, if it has to be told. */
void MPIDI_UCX_tell(struct MPIDI_Ep *ep);
bool MPIDI_UCX_close_broken(void);
void MPIDI_UCX_peers_free(void);

/* ---- ucx_pool.c */
MPIDI_UCX_Op *MPIDI_UCX_op_new(struct MPIDI_Ep *ep); /* NULL: there is no memory */
void MPIDI_UCX_op_free(MPIDI_UCX_Op *op);
/* UCX has taken it / lets it go. */
void MPIDI_UCX_op_enter(MPIDI_UCX_Op *op);
void MPIDI_UCX_op_leave(MPIDI_UCX_Op *op);
/* UCX will not let go what is on its way to this peer: say that it has. */
void MPIDI_UCX_ops_give_up(struct MPIDI_Ep *ep);
void MPIDI_UCX_pool_free(void);

/* ---- ucx_send.c */
MPIDI_Send_result MPIDI_UCX_send(MPIDI_Ep *ep, const MPIDI_Am *am);
/* Head and protocol data into op->head; returns how many bytes they are. */
size_t MPIDI_UCX_put_head(MPIDI_UCX_Op *op, const MPIDI_Am *am);
/* Hand it to UCX. DONE: op is free again; PENDING: it will be; GONE: it is. */
MPIDI_Send_result MPIDI_UCX_start(MPIDI_UCX_Op *op, size_t head_size, const void *data,
                                  size_t size);

/* ---- ucx_recv.c */
int MPIDI_UCX_recv_start(void);
void MPIDI_UCX_recv_end(void);

/* ---- ucx_rndv.c */
size_t MPIDI_UCX_expose(MPIDI_Ep *ep, const void *base, size_t size, void *handle,
                        MPIDI_Region **region);
void MPIDI_UCX_hide(MPIDI_Ep *ep, MPIDI_Region *region);
MPIDI_Send_result MPIDI_UCX_send_large(struct MPIDI_Ep *ep, const MPIDI_Am *am);
void MPIDI_UCX_region_sent(struct MPIDI_Region *region);
/* A large message has been announced / is withdrawn. */
void MPIDI_UCX_offer(const MPIDI_UCX_Arrival *a);
void MPIDI_UCX_withdraw(int from, MPIDI_UCX_Serial serial);
MPIDI_Send_result MPIDI_UCX_read(MPIDI_Ep *ep, const MPIDI_Read *read);
void MPIDI_UCX_offers_free(void);
/* As MPIDI_UCX_ops_give_up(), for reads. */
void MPIDI_UCX_readings_give_up(struct MPIDI_Ep *ep);

/* ---- ucx_progress.c */
bool MPIDI_UCX_progress(void);
bool MPIDI_UCX_flushed(void);
bool MPIDI_UCX_sleep_prepare(void);
void MPIDI_UCX_sleep(int64_t timeout_ns);
int MPIDI_UCX_wait_fd(void);
uint64_t MPIDI_UCX_now_ns(void);

#endif /* UCX_IMPL_H_INCLUDED */
