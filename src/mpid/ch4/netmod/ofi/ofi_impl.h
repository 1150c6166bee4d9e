/* netmod/ofi, on the inside.
 *
 *   ofi_info.c      which provider         ofi_init.c   the table; beginning and end
 *   ofi_settle.c    what is asked of it    ofi_pool.c   operations in flight
 *   ofi_peer.c      cards and peers
 *   ofi_send.c ofi_recv.c ofi_rndv.c       messages out, messages in, reads of a peer's memory
 *   ofi_progress.c  completions, sleeping, the last message of a process
 *
 * One RDM endpoint, one completion queue, one address vector. An active message is one fi_send: head, protocol data, payload.
 * Order per pair is libfabric's (FI_ORDER_SAS). Called under the library's lock, so the domain needs none
 * (FI_THREAD_DOMAIN).
 */
#ifndef OFI_IMPL_H_INCLUDED
#define OFI_IMPL_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "../common/netmod_life.h"
#include "mpidi_transport.h"

#define MPIDI_OFI_VERSION FI_VERSION(1, 17)

enum {
    MPIDI_OFI_INLINE_MAX = 256, /* an injected message is put together on the stack */
    MPIDI_OFI_EAGER = 65536, /* reading pays from here on: over tcp a message takes 12 us, its announcement and a read 35 */
    MPIDI_OFI_EAGER_LAYERED = 16000, /* ofi_rxm does the like by itself from 16 KiB on */
    MPIDI_OFI_RECV_BUFFERS = 4, /* with FI_MULTI_RECV */
    MPIDI_OFI_RECV_SINGLE = 64, /* without */
    MPIDI_OFI_BATCH = 16, /* completions taken at once */
    MPIDI_OFI_OPS_MAX = 256, /* in flight; more finds no room */
    MPIDI_OFI_COPIES_MAX = 32, /* of them with a large buffer */
    MPIDI_OFI_INJECTED_MAX = 256, /* in a row, without a completion; some providers would keep any number */
    MPIDI_OFI_SMALL = 512, /* bytes of a small one */
};

/* The envelope with the sender's world rank in the bytes that it leaves free. */
typedef union MPIDI_OFI_Head {
    MPIDI_Am_hdr hdr;
    struct {
        char envelope[20];
        int32_t from;
    };
} MPIDI_OFI_Head;
_Static_assert(sizeof(MPIDI_OFI_Head) == 24, "messages of 16 bytes fit the 64 that tcp injects");
_Static_assert(offsetof(MPIDI_Am_hdr, unused) <= 20, "the rank overwrites nothing");
#define MPIDI_OFI_HEAD_MAX (sizeof(MPIDI_OFI_Head) + MPIDI_AM_EXT_MAX)

/* What the card says, as bytes; the address is cut to its size. */
typedef struct MPIDI_OFI_Card {
    Netmod_life_address life;
    char provider[32];
    unsigned char name[400];
} MPIDI_OFI_Card;

typedef enum MPIDI_OFI_Ep_state {
    MPIDI_OFI_NEW, /* no card yet */
    MPIDI_OFI_READY,
    MPIDI_OFI_BROKEN, /* nothing can be sent any more */
} MPIDI_OFI_Ep_state;

/* Lives with the process. */
struct MPIDI_Ep {
    fi_addr_t addr;
    MPIDI_OFI_Ep_state state;
    int rank;
    int in_flight; /* operations */
    int injected; /* since an operation was completed */
    bool dirty; /* injected since the last marker; then in MPIDI_OFI.dirty */
    struct MPIDI_Ep *next_dirty;
    struct MPIDI_Ep *next; /* of all */
    Netmod_life_line life;
};

typedef enum MPIDI_OFI_Op_kind { MPIDI_OFI_OP_RECV, MPIDI_OFI_OP_SEND, MPIDI_OFI_OP_READ } MPIDI_OFI_Op_kind;

/* One operation in flight; its address is libfabric's context for it. */
typedef struct MPIDI_OFI_Op {
    struct fi_context2 context; /* first; providers may write to it */
    MPIDI_OFI_Op_kind kind;
    bool big; /* which pool */
    struct MPIDI_OFI_Op *next; /* free */
    struct MPIDI_OFI_Op *made; /* of the pool, before this one */
    struct MPIDI_Ep *ep; /* SEND, READ */
    void (*complete)(void *arg); /* SEND; NULL: nobody waits */
    void (*read_complete)(void *arg, bool ok);
    void *complete_arg;
    size_t size; /* RECV: of buf */
    char *buf;
} MPIDI_OFI_Op;

typedef struct MPIDI_OFI_Pool {
    MPIDI_OFI_Op *free;
    MPIDI_OFI_Op *made; /* all of them */
    size_t buf_size;
    int n, max; /* that are not free */
} MPIDI_OFI_Pool;

/* Lives with the process. */
typedef struct MPIDI_OFI_State {
    const MPIDI_Transport_env *env;
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_ep *ep;
    struct fid_cq *cq;
    struct fid_av *av;
    struct fid *fids[1]; /* the queue, as fi_trywait wants it */
    int wait_fd; /* -1: the provider has none */
    int life_fd;
    int life_timeout; /* s */
    bool multi_recv, rma, mr_virt, mr_prov_key, mr_endpoint;
    int per_peer_max; /* operations in flight to a peer */
    size_t inject_max; /* bytes on the wire */
    size_t zcopy_min; /* payload from which on it is sent from where it is */
    size_t message_max; /* bytes on the wire */
    uint64_t next_key;
    int in_flight; /* operations of peers that are not broken */
    MPIDI_OFI_Pool small, big;
    MPIDI_OFI_Op *recv[MPIDI_OFI_RECV_SINGLE];
    int n_recv;
    int n_idle_recv; /* that could not be posted again */
    MPIDI_OFI_Op *idle_recv[MPIDI_OFI_RECV_SINGLE];
    struct MPIDI_Ep *dirty, *all;
    uint64_t looked_at; /* when flushed() looked for peers that are gone */
} MPIDI_OFI_State;

extern MPIDI_OFI_State MPIDI_OFI;

/* ---- ofi_info.c */
/* Fill MPIDI_OFI.info; 0 or an error code. */
int MPIDI_OFI_choose_provider(void);
/* Does `name` name this provider, or the core of it? */
bool MPIDI_OFI_is_provider(const struct fi_info *info, const char *name);

/* ---- ofi_settle.c: from that, the sizes and ways in MPIDI_OFI and in the table */
void MPIDI_OFI_settle(MPIDI_Transport *table);

/* ---- ofi_peer.c */
int MPIDI_OFI_card_put(void);
int MPIDI_OFI_connect(int world_rank, MPIDI_Ep **ep);
/* Get the peer's address if it can be had: READY, NEW (not yet), BROKEN. */
MPIDI_OFI_Ep_state MPIDI_OFI_resolve(struct MPIDI_Ep *ep);
MPIDI_Peer_state MPIDI_OFI_peer_state(MPIDI_Ep *ep);
const char *MPIDI_OFI_host(MPIDI_Ep *ep);
/* Nothing can be sent to it any more; tells the core if `tell`. */
void MPIDI_OFI_break(struct MPIDI_Ep *ep, bool tell);
void MPIDI_OFI_peers_free(void);

/* ---- ofi_pool.c */
/* NULL: enough are in flight, or there is no memory. */
MPIDI_OFI_Op *MPIDI_OFI_op_new(struct MPIDI_Ep *ep, MPIDI_OFI_Op_kind kind, bool big);
void MPIDI_OFI_op_free(MPIDI_OFI_Op *op);
MPIDI_OFI_Op *MPIDI_OFI_op_make(size_t buf_size);
void MPIDI_OFI_pools_free(void);

/* ---- ofi_send.c */
MPIDI_Send_result MPIDI_OFI_send(MPIDI_Ep *ep, const MPIDI_Am *am);
/* A message of no kind, which the peer drops; when it has gone, all before it have. False: no room. */
bool MPIDI_OFI_send_marker(struct MPIDI_Ep *ep);
/* What an error code of a libfabric call that sends or reads means. */
MPIDI_Send_result MPIDI_OFI_result(struct MPIDI_Ep *ep, ssize_t r);

/* ---- ofi_recv.c */
int MPIDI_OFI_recv_start(void);
void MPIDI_OFI_recv_done(MPIDI_OFI_Op *op, uint64_t flags, const char *data, size_t n);
void MPIDI_OFI_recv_failed(MPIDI_OFI_Op *op);
bool MPIDI_OFI_recv_retry(void);

/* ---- ofi_rndv.c */
size_t MPIDI_OFI_expose(MPIDI_Ep *ep, const void *base, size_t size, void *handle, MPIDI_Region **region);
void MPIDI_OFI_hide(MPIDI_Ep *ep, MPIDI_Region *region);
MPIDI_Send_result MPIDI_OFI_read(MPIDI_Ep *ep, const MPIDI_Read *read);

/* ---- ofi_progress.c */
bool MPIDI_OFI_progress(void);
bool MPIDI_OFI_flushed(void);
bool MPIDI_OFI_sleep_prepare(void);
void MPIDI_OFI_sleep(int64_t timeout_ns);
int MPIDI_OFI_wait_fd(void);

#endif /* OFI_IMPL_H_INCLUDED */
