/* The transport interface: how active messages move between two processes. shm/posix and each netmod fill one table of
 * functions. This is the only header of the library that a netmod sees, so that one can be built outside the tree.
 *
 * The core (ch4/core) owns matching, requests, protocols and waiting; a transport owns connections and bytes. It carries
 * active messages reliably and in order per pair, knows nothing of datatypes, communicators or epochs, and keeps its
 * connections when the core suspends it.
 */
#ifndef MPIDI_TRANSPORT_H_INCLUDED
#define MPIDI_TRANSPORT_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define MPIDI_TRANSPORT_VERSION 1

/* Kinds of active messages; the transport passes them through (0 is never used). */
enum {
    MPIDI_AM_EAGER = 1, /* a whole message */
    MPIDI_AM_EAGER_SYNC, /* the same, and the sender waits for MPIDI_AM_ACK */
    MPIDI_AM_RTS, /* large message: ready to send */
    MPIDI_AM_CTS, /* matched: clear to send */
    MPIDI_AM_DATA, /* a piece of a large message */
    MPIDI_AM_FIN, /* receiver has all of a large message */
    MPIDI_AM_ACK, /* a synchronous message was matched */
    MPIDI_AM_BOOT, /* bootstrap of a communicator */
    MPIDI_AM_STREAM, /* the beginning of a message */
    MPIDI_AM_MORE, /* its continuation */
};

/* Envelope: 24 bytes that every active message carries. For kinds other than EAGER* and RTS the core uses ctx, src and
 * tag for what the protocol needs. */
typedef struct MPIDI_Am_hdr {
    uint64_t ctx;
    int32_t src; /* rank in the communicator */
    int32_t tag;
    uint8_t kind;
    uint8_t ext_size; /* bytes of protocol data, at most MPIDI_AM_EXT_MAX */
    uint8_t unused[6];
} MPIDI_Am_hdr;
_Static_assert(sizeof(MPIDI_Am_hdr) == 24, "with 8 bytes of sequence and length it leaves 32 of a cache line");
#define MPIDI_AM_EXT_MAX 32

/* The payload, as a source to copy from. Contiguous: base + 0 .. size. Otherwise pack() copies [offset, offset + n). */
typedef struct MPIDI_Data {
    const void *base;
    size_t size;
    void (*pack)(const struct MPIDI_Data *data, size_t offset, void *dst, size_t n); /* NULL: contiguous */
    int64_t count; /* for pack() */
    int datatype;
    int64_t offset; /* of the message, where this payload starts; for pack() */
} MPIDI_Data;

/* An active message to send. Lives until send() returns; base of the data until it is complete. */
typedef struct MPIDI_Am {
    MPIDI_Am_hdr hdr;
    const void *ext; /* hdr.ext_size bytes */
    MPIDI_Data data;
    void (*complete)(void *arg); /* called when data may be reused, if send() returned MPIDI_SEND_PENDING */
    void *complete_arg;
} MPIDI_Am;

typedef enum MPIDI_Send_result {
    MPIDI_SEND_DONE, /* taken; data may be reused */
    MPIDI_SEND_PENDING, /* taken; complete() will be called from progress() */
    MPIDI_SEND_AGAIN, /* no room now; nothing was taken */
    MPIDI_SEND_GONE, /* the peer has left or died; nothing was taken */
} MPIDI_Send_result;

typedef enum MPIDI_Peer_state {
    MPIDI_PEER_ABSENT, /* not in MPI yet, or not known */
    MPIDI_PEER_ACTIVE,
    MPIDI_PEER_DORMANT,
    MPIDI_PEER_GONE,
} MPIDI_Peer_state;

/* A transport's connection to one peer: opaque to the core, made by connect(). */
typedef struct MPIDI_Ep MPIDI_Ep;

/* Memory that a peer may read: opaque to the core, made by expose(). The handle that names it to the peer has at most
 * MPIDI_HANDLE_MAX bytes. */
typedef struct MPIDI_Region MPIDI_Region;
#define MPIDI_HANDLE_MAX 256

/* Read n bytes of a peer's exposed memory, from offset on. Lives until read() returns; local until it is complete. */
typedef struct MPIDI_Read {
    const void *handle;
    size_t handle_size;
    uint64_t offset;
    void *local;
    size_t n;
    void (*complete)(void *arg, bool ok); /* called from progress() if read() returned MPIDI_SEND_PENDING */
    void *complete_arg;
} MPIDI_Read;

/* What the core gives a transport. Lives with the process. */
typedef struct MPIDI_Transport_env {
    int version; /* MPIDI_TRANSPORT_VERSION */
    int rank, size; /* of this process in the job */
    int local_rank, local_size;
    const int *local_ranks; /* world ranks on this node, ascending; NULL: all of 0 .. size-1 */
    const char *job_name;
    /* An active message has come in. hdr, ext and payload are valid until it returns. The payload is contiguous. */
    void (*deliver)(int world_rank, const MPIDI_Am_hdr *hdr, const void *ext, const void *payload,
                    size_t size);
    /* Exchange of addresses, lazily: put once, get when a peer is first needed (waits for the launcher). */
    int (*card_put)(const char *value);
    int (*card_get)(int world_rank, char *value, size_t size);
    /* The same without waiting for other processes: *there stays false as long as some have not put
     * their card. For a send() that says MPIDI_SEND_AGAIN until it can. */
    int (*card_try)(int world_rank, char *value, size_t size, bool *there);
    /* progress() has found out that nothing can be sent to the process any more: what waits for it
     * fails. To be called before complete() of a message that was lost. */
    void (*peer_gone)(int world_rank);
    /* Make an error code / say something to the user. printf-like. */
    int (*error)(const char *format, ...) __attribute__((format(printf, 1, 2)));
    void (*warn)(const char *format, ...) __attribute__((format(printf, 1, 2)));
    /* Value of a control variable that the core declared for this transport, as text; NULL if there is none. */
    const char *(*cvar)(const char *name);
    void *shared; /* shm/posix only: the node directory (MPIR_Nodedir_ref) */
} MPIDI_Transport_env;

enum {
    MPIDI_CAP_PULL = 1 << 0, /* get() works */
    MPIDI_CAP_CLAIM = 1 << 1, /* claim() works: both ends can share a large message */
    MPIDI_CAP_READ = 1 << 2, /* expose(), hide() and read() work: the receiver reads a large message by itself */
};

/* All functions are local and wait for no peer unless said otherwise; int results are MPI_SUCCESS or an error code. A
 * slot that a transport does not serve is NULL: the core copies the table and fills in "not supported". */
typedef struct MPIDI_Transport {
    const char *name; /* "posix", "ofi", "ucx" */
    int version; /* MPIDI_TRANSPORT_VERSION that it was built for */
    size_t eager_max; /* largest payload that send() takes at once with kind EAGER; more goes by rendezvous */
    size_t piece_max; /* largest payload of one MPIDI_AM_DATA */
    /* Eager payloads from this size on come in pieces, since both ends copy at the same time; 0: none do. send() must not say
     * MPIDI_SEND_PENDING then. */
    size_t stream_min;

    /* Once in the process's life. *caps gets MPIDI_CAP_ bits that work here. */
    int (*init)(const MPIDI_Transport_env *env, unsigned *caps);
    /* An epoch ends / a new one begins. Connections stay; what is in flight towards us is kept. */
    int (*suspend)(void);
    int (*resume)(void);
    /* At exit; bounded, waits for nobody. */
    void (*shutdown)(void);

    /* Can this transport reach the process, and is it the right one for it? */
    bool (*reaches)(int world_rank);
    /* Get ready to send; may look the peer's address up (env->card_get). The endpoint lives until shutdown. */
    int (*connect)(int world_rank, MPIDI_Ep **ep);
    MPIDI_Send_result (*send)(MPIDI_Ep *ep, const MPIDI_Am *am);
    /* A shortcut for short messages: n contiguous bytes, no ext. True: as send() with DONE; false: nothing was taken, send()
     * must be asked. */
    bool (*send_short)(MPIDI_Ep *ep, const MPIDI_Am_hdr *hdr, const void *data, size_t n);
    MPIDI_Peer_state (*peer_state)(MPIDI_Ep *ep); /* not for fast paths */

    /* Pull n bytes of the peer's memory at address addr into local memory, now. 0 or -errno; -EPERM and -ENOSYS mean that
     * it will never work with this peer. */
    int (*get)(MPIDI_Ep *ep, void *local, uint64_t addr, size_t n);
    /* Shared work on one large message. claim_open: the sender gets a token (0: none free, then it works alone).
     * claim: the next piece not yet taken by either end, 0, 1, 2, ...; claims from both ends never overlap. `mine` says
     * whether the caller opened it. claim_close: by the sender, when the message is through. */
    uint64_t (*claim_open)(MPIDI_Ep *ep);
    uint64_t (*claim)(MPIDI_Ep *ep, uint64_t token, bool mine);
    void (*claim_close)(MPIDI_Ep *ep, uint64_t token);

    /* Handle what has come in and what waits for room; calls env->deliver. Returns true if anything moved. */
    bool (*progress)(void);

    /* Sleeping (core's wait function only). prepare: from now on senders wake us; true if there is nothing to do yet, so that
     * sleeping is right. sleep: at most timeout_ns. finish: senders need not wake us any more. wait_fd: a descriptor that becomes
     * readable when there is work, for transports that sleep in the kernel that way; -1: none. */
    bool (*sleep_prepare)(void);
    void (*sleep)(int64_t timeout_ns);
    void (*sleep_finish)(void);
    int (*wait_fd)(void);

    /* Large messages in contiguous memory, if caps has MPIDI_CAP_READ. expose: the sender lets the peer read its memory;
     * returns the size of the handle, or 0 if that cannot be done now (then the data is pushed). hide: nobody reads any
     * more. read: by the receiver; returns as send() does. If a read fails (ok false, or GONE) the data is pushed. */
    size_t (*expose)(MPIDI_Ep *ep, const void *base, size_t size, void *handle, MPIDI_Region **region);
    void (*hide)(MPIDI_Ep *ep, MPIDI_Region *region);
    MPIDI_Send_result (*read)(MPIDI_Ep *ep, const MPIDI_Read *read);

    /* At the end of an epoch, again and again with progress() between: is all that was sent out of this process's hands,
     * so that it may exit at once and nothing is lost? Starts what it takes. What was sent to peers that are gone does not
     * count. NULL: it always is. */
    bool (*flushed)(void);
    /* The host that the peer is on, for error messages; NULL: not known, or this one. */
    const char *(*host)(MPIDI_Ep *ep);
    /* Largest n of read(); 0: the core's choice. SIZE_MAX: a message is read at once, or not at all. */
    size_t read_max;
} MPIDI_Transport;

/* Copy n bytes of the payload from offset on. */
static inline void MPIDI_data_copy(const MPIDI_Data *data, size_t offset, void *dst, size_t n)
{
    if (data->pack)
        data->pack(data, offset, dst, n);
    else
        __builtin_memcpy(dst, (const char *) data->base + offset, n);
}

/* The symbol that a loadable netmod exports: its table. */
#define MPIDI_TRANSPORT_SYMBOL "MPIDI_transport"

#endif /* MPIDI_TRANSPORT_H_INCLUDED */
