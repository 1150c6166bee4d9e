/* Transfers: messages that take more than one active message.
 *
 * Synchronous, small:  EAGER_SYNC ->            <- ACK Large:               RTS ->       <- CTS
 * DATA, DATA ... ->      <- FIN
 *
 * The data of a large message is cut into pieces. The sender pushes pieces as DATA once it is clear
 * to send. A receiver whose transport can pull takes pieces by get():
 *   - with a claim token both ends take pieces from one counter. The receiver says CTS at once and
 *     pulls only while the sender seems away; where ranks share cores it pulls at once;
 *   - without a token the receiver pulls all by itself and never says CTS.
 * If get() fails, the receiver stops pulling from that peer, and CTS tells the sender which piece
 * must be pushed after all: `back` with claims, `first` (and all after it) without. So every piece
 * is moved once, by exactly one end.
 *
 * A transport that reads by itself (MPIDI_CAP_READ) gets the whole message read by the receiver, without
 * CTS, from memory that the sender has exposed; RTS carries its name. If that fails, CTS asks for all
 * of it to be pushed.
 *
 * FIN ends a message if the receiver pulled all of it or a token is out: the token must not be
 * closed, and so come to name another message, while the receiver might still claim with it.
 */
#include <stdlib.h>
#include <string.h>

#include "mpidi_core.h"
#include "mpir_cvar.h"
#include "mpir_err.h"

MPIR_CVAR_INT(RNDV_PULL_US, 20, 0, 1000000, "us",
              "How long the receiver of a large message waits for the sender to push data before "
              "it pulls the data itself, when each rank has a core.")

static MPIDI_Core *const core = &MPIDI_core;
static MPIDI_Xfers *const xfers = &MPIDI_core.xfers;

enum { PUSH_BATCH = 16, IDLE_POLLS = 64 };

/* Bytes of one read, if the transport does not say. Several are under way at once. */
#define READ_SIZE (UINT64_C(4) << 20)

/* The receiver's reads of one message; at the sender only the handle is used. */
struct MPIDI_Reads {
    uint64_t next; /* offset of the next read */
    bool failed;
    size_t handle_size;
    unsigned char handle[MPIDI_HANDLE_MAX];
};

/* ---- ids ------------------------------------------------------------------------------------- */

static bool grow(void)
{
    uint32_t room = xfers->room ? 2 * xfers->room : 64;
    MPIDI_Xfer **by_index = realloc(xfers->by_index, room * sizeof(MPIDI_Xfer *));
    if (!by_index)
        return false;
    xfers->by_index = by_index;
    uint32_t *free_index = realloc(xfers->free_index, room * sizeof(uint32_t));
    if (!free_index)
        return false;
    xfers->free_index = free_index;
    for (uint32_t i = room; i-- > xfers->room;) {
        by_index[i] = NULL;
        free_index[xfers->n_free++] = i;
    }
    xfers->room = room;
    return true;
}

static MPIDI_Xfer *new_xfer(MPIDI_Xfer_role role, MPIDI_Peer *peer, MPIR_Request *req)
{
    if (xfers->n_free == 0 && !grow())
        return NULL;
    MPIDI_Xfer *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    uint32_t index = xfers->free_index[--xfers->n_free];
    if (++xfers->generation == 0)
        ++xfers->generation; /* an id is never 0 */
    x->id = (uint64_t) xfers->generation << 32 | index;
    x->role = role;
    x->peer = peer;
    x->req = req;
    x->buf = req->dev.buf;
    x->held = x->returned = MPIDI_NO_PIECE;
    xfers->by_index[index] = x;
    req->dev.xfer = x;
    return x;
}

/* The transfer that another process names, or NULL if there is none (any more). */
static MPIDI_Xfer *lookup(uint64_t id, int world_rank)
{
    uint32_t index = (uint32_t) id;
    MPIDI_Xfer *x = index < xfers->room ? xfers->by_index[index] : NULL;
    return x && x->id == id && x->peer->world_rank == world_rank ? x : NULL;
}

static void work(MPIDI_Xfer *x)
{
    if (x->working)
        return;
    x->working = true;
    x->prev = NULL;
    x->next = xfers->working;
    if (x->next)
        x->next->prev = x;
    xfers->working = x;
}

static void rest(MPIDI_Xfer *x)
{
    if (!x->working)
        return;
    x->working = false;
    if (x->prev)
        x->prev->next = x->next;
    else
        xfers->working = x->next;
    if (x->next)
        x->next->prev = x->prev;
}

static void free_xfer(MPIDI_Xfer *x)
{
    rest(x);
    if (x->role == MPIDI_XFER_SEND && x->token)
        x->peer->transport->claim_close(x->peer->ep, x->token);
    if (x->region)
        x->peer->transport->hide(x->peer->ep, x->region);
    free(x->reads);
    if (x->req)
        x->req->dev.xfer = NULL;
    uint32_t index = (uint32_t) x->id;
    xfers->by_index[index] = NULL;
    xfers->free_index[xfers->n_free++] = index;
    free(x);
}

/* Complete the request; the transfer may have to live on. */
static void finish_request(MPIDI_Xfer *x, int error)
{
    MPIR_Request *req = x->req;
    x->req = NULL;
    if (!req)
        return;
    if (x->role != MPIDI_XFER_RECV)
        xfers->n_sending--;
    MPIDI_Request_finish(req, error);
}

static inline size_t piece_size(const MPIDI_Xfer *x, uint64_t p)
{
    return MPL_MIN((uint64_t) x->piece, x->length - p * x->piece);
}

/* ---- control messages: protocol data, no payload --------------------------------------------- */

static void send_control(MPIDI_Peer *peer, uint8_t kind, const void *ext, size_t size)
{
    MPIDI_Am am = { .hdr = { .kind = kind, .ext_size = (uint8_t) size }, .ext = ext };
    MPIDI_Out_send(peer, &am, NULL); /* a peer that is gone needs none */
}

void MPIDI_Xfer_answer(int world_rank, uint8_t kind, uint64_t id)
{
    int err = MPI_SUCCESS;
    MPIDI_Peer *peer = MPIDI_Peer_get(world_rank, &err);
    if (!peer) {
        char text[MPI_MAX_ERROR_STRING];
        MPIR_Err_text(err, text, sizeof text);
        MPIR_Warn("no answer to a message of rank %d: %s", world_rank, text);
        return;
    }
    send_control(peer, kind == MPIDI_AM_RTS ? MPIDI_AM_FIN : MPIDI_AM_ACK, &id, sizeof id);
}

static void send_cts(MPIDI_Xfer *x, uint64_t first, uint64_t back)
{
    MPIDI_Cts cts = { .sender = x->remote, .receiver = x->id, .first = first, .back = back };
    x->clear = true;
    send_control(x->peer, MPIDI_AM_CTS, &cts, sizeof cts);
}

/* ---- the sender's end ------------------------------------------------------------------------ */

/* Do what can be done now that something has changed: complete the request, end the transfer. */
static void settle_send(MPIDI_Xfer *x)
{
    bool pushed_all = x->role == MPIDI_XFER_SEND && x->clear && x->moved == x->length;
    if (x->in_flight > 0 || !(pushed_all || x->fin))
        return;
    rest(x);
    bool over = x->fin || !x->token;
    finish_request(x, MPI_SUCCESS);
    if (over)
        free_xfer(x);
}

static void part_left(void *arg)
{
    MPIDI_Xfer *x = arg;
    x->in_flight--;
    settle_send(x);
}

static void part_failed(void *arg, int error)
{
    MPIDI_Xfer *x = arg;
    x->in_flight--;
    finish_request(x, error);
    if (x->in_flight == 0)
        free_xfer(x);
}

/* Send the first message of a transfer. in_flight counts it before, since on oneself the answer
 * comes before the send returns. */
static int launch(MPIDI_Xfer *x, MPIDI_Am *am)
{
    am->complete = part_left;
    am->complete_arg = x;
    x->in_flight = 1;
    xfers->n_sending++;
    MPIDI_Peer *peer = x->peer;
    MPIDI_Send_result r = MPIDI_Out_send(peer, am, part_failed);
    if (r == MPIDI_SEND_DONE)
        part_left(x);
    if (r != MPIDI_SEND_GONE)
        return MPI_SUCCESS;
    xfers->n_sending--;
    free_xfer(x);
    return MPIDI_Peer_gone_error(peer);
}

int MPIDI_Xfer_start_sync(MPIDI_Peer *peer, MPIDI_Am *am, MPIR_Request *req)
{
    MPIDI_Xfer *x = new_xfer(MPIDI_XFER_SYNC, peer, req);
    if (!x)
        return MPIR_Err("**nomem_ch4", sizeof *x, "a synchronous send");
    uint64_t id = x->id;
    am->hdr.ext_size = sizeof id;
    am->ext = &id;
    return launch(x, am);
}

/* The rest of a streamed message, from `offset` on, waits for room piece by piece. */
void MPIDI_Xfer_start_rest(MPIDI_Peer *peer, const MPIDI_Stream_out *out, MPIR_Request *req)
{
    MPIDI_Xfer *x = new_xfer(MPIDI_XFER_SYNC, peer, req);
    if (!x)
        MPIR_Fatal("out of memory: %zu bytes for a message to rank %d that has begun", sizeof *x,
                   peer->world_rank);
    x->fin = true; /* nobody answers: over when all has left */
    xfers->n_sending++;
    for (uint64_t at = out->sent; at < (uint64_t) x->buf.bytes;) {
        MPIDI_Am am = MPIDI_Stream_piece(out, at);
        am.complete = part_left;
        am.complete_arg = x;
        x->in_flight++;
        MPIDI_Out_queue(peer, &am, part_failed);
        at += am.data.size;
    }
}

static uint64_t pull_address(const MPIDI_Peer *peer, const MPIR_Buf *buf)
{
    return buf->contiguous && (peer->caps & MPIDI_CAP_PULL) ? (uint64_t) (uintptr_t) buf->base : 0;
}

/* Name the data in the RTS. The name must outlive the call, for the RTS may have to wait. */
static void expose(MPIDI_Xfer *x, MPIDI_Am *am)
{
    struct MPIDI_Reads *r = x->reads = malloc(sizeof *r);
    if (!r)
        return; /* pushed, then */
    MPIDI_Ep *ep = x->peer->ep;
    size_t n = x->peer->transport->expose(ep, x->buf.base, x->length, r->handle, &x->region);
    am->data = (MPIDI_Data) { .base = r->handle, .size = n };
}

/* Both ends copy at the same time, apart by one piece: so the shorter the message the smaller
 * the pieces. */
static uint32_t piece_for(const MPIDI_Peer *peer, uint64_t length)
{
    enum { PIECES = 16, LEAST = 8192, MOST = 32768 };
    uint64_t part = MPL_ROUND_UP(length / PIECES, (uint64_t) LEAST);
    part = part < LEAST ? LEAST : part > MOST ? MOST : part;
    return (uint32_t) MPL_MIN(part, peer->piece);
}

int MPIDI_Xfer_start_rndv(MPIDI_Peer *peer, MPIDI_Am *am, MPIR_Request *req)
{
    MPIDI_Xfer *x = new_xfer(MPIDI_XFER_SEND, peer, req);
    if (!x)
        return MPIR_Err("**nomem_ch4", sizeof *x, "a large send");
    x->length = (uint64_t) x->buf.bytes;
    x->piece = piece_for(peer, x->length);
    x->n_pieces = (x->length + x->piece - 1) / x->piece;
    x->addr = pull_address(peer, &x->buf);
    if (x->addr && (peer->caps & MPIDI_CAP_CLAIM))
        x->token = peer->transport->claim_open(peer->ep);
    MPIDI_Rts rts = { .id = x->id,
                      .addr = x->addr,
                      .token = x->token,
                      .size = x->length | (uint64_t) (x->piece / MPIDI_PIECE_UNIT) << 48 };
    am->hdr.ext_size = sizeof rts;
    am->ext = &rts;
    am->data = (MPIDI_Data) { 0 };
    if (x->buf.contiguous && (peer->caps & MPIDI_CAP_READ))
        expose(x, am);
    return launch(x, am);
}

void MPIDI_Xfer_cts(int world_rank, const void *ext)
{
    MPIDI_Cts cts;
    memcpy(&cts, ext, sizeof cts);
    MPIDI_Xfer *x = lookup(cts.sender, world_rank);
    if (!x || x->role != MPIDI_XFER_SEND || !x->req)
        return; /* stale */
    if (!x->clear) {
        x->clear = true;
        x->remote = cts.receiver;
        x->next_piece = MPL_MIN(cts.first, x->n_pieces);
        x->moved = MPL_MIN(x->next_piece * x->piece, x->length);
    }
    if (cts.back > 0 && cts.back <= x->n_pieces)
        x->returned = cts.back - 1;
    work(x);
}

void MPIDI_Xfer_fin(int world_rank, const void *ext)
{
    uint64_t id;
    memcpy(&id, ext, sizeof id);
    MPIDI_Xfer *x = lookup(id, world_rank);
    if (!x || x->role == MPIDI_XFER_RECV)
        return; /* stale */
    x->fin = true;
    settle_send(x);
}

static uint64_t next_to_push(MPIDI_Xfer *x)
{
    uint64_t p = x->held != MPIDI_NO_PIECE ? x->held : x->returned;
    if (p != MPIDI_NO_PIECE) {
        if (x->held != MPIDI_NO_PIECE)
            x->held = MPIDI_NO_PIECE;
        else
            x->returned = MPIDI_NO_PIECE;
        return p;
    }
    return x->token ? x->peer->transport->claim(x->peer->ep, x->token, true) : x->next_piece++;
}

static MPIDI_Send_result push_piece(MPIDI_Xfer *x, uint64_t p)
{
    size_t n = piece_size(x, p);
    MPIDI_Piece piece = { .receiver = x->remote, .offset = p * x->piece };
    MPIDI_Am am = { .hdr = { .kind = MPIDI_AM_DATA, .ext_size = sizeof piece },
                    .ext = &piece,
                    .data = MPIDI_Buf_data(&x->buf, piece.offset, n),
                    .complete = part_left,
                    .complete_arg = x };
    MPIDI_Send_result r = x->peer->send(x->peer->ep, &am);
    if (r == MPIDI_SEND_AGAIN)
        x->held = p;
    if (r == MPIDI_SEND_DONE || r == MPIDI_SEND_PENDING)
        x->moved += n;
    if (r == MPIDI_SEND_PENDING)
        x->in_flight++;
    return r;
}

/* Push until there is no room; not past messages that already wait for room. */
static bool push(MPIDI_Xfer *x)
{
    bool moved = false;
    for (int i = 0; i < PUSH_BATCH && !x->peer->out_head; i++) {
        uint64_t p = next_to_push(x);
        if (p >= x->n_pieces) {
            rest(x); /* the receiver has taken the others */
            break;
        }
        MPIDI_Send_result r = push_piece(x, p);
        if (r == MPIDI_SEND_GONE) {
            x->peer->gone = true;
            MPIDI_Xfers_fail_peer(x->peer, MPIDI_Peer_gone_error(x->peer));
            return true;
        }
        if (r == MPIDI_SEND_AGAIN)
            break;
        moved = true;
        if (x->moved == x->length)
            break;
    }
    settle_send(x);
    return moved;
}

/* ---- the receiver's end ---------------------------------------------------------------------- */

static inline bool may_pull(const MPIDI_Xfer *x)
{
    return x->addr && (x->peer->caps & MPIDI_CAP_PULL) && !x->peer->pull_refused;
}

static void account(MPIDI_Xfer *x, size_t n)
{
    x->moved += n;
    if (x->moved < x->length)
        return;
    if (x->token || !x->clear)
        send_control(x->peer, MPIDI_AM_FIN, &x->remote, sizeof x->remote);
    MPIR_Request *req = x->req;
    free_xfer(x);
    if (req)
        MPIDI_Request_finish(req, MPI_SUCCESS);
}

/* Bytes [offset, offset + n) of the sender's data, by get(). */
static int fetch(MPIDI_Xfer *x, uint64_t offset, size_t n)
{
    uint64_t room = (uint64_t) x->buf.bytes;
    n = offset < room ? MPL_MIN(n, room - offset) : 0;
    if (n == 0)
        return 0; /* past the end of the receive buffer */
    const MPIDI_Transport *t = x->peer->transport;
    if (x->buf.contiguous)
        return t->get(x->peer->ep, x->buf.base + offset, x->addr + offset, n);
    void *tmp = malloc(n);
    if (!tmp)
        return -1;
    int r = t->get(x->peer->ep, tmp, x->addr + offset, n);
    if (r == 0)
        MPIDI_Buf_put(&x->buf, offset, tmp, n);
    free(tmp);
    return r;
}

static bool pull(MPIDI_Xfer *x)
{
    const MPIDI_Transport *t = x->peer->transport;
    uint64_t p = x->token ? t->claim(x->peer->ep, x->token, false) : x->next_piece++;
    if (p >= x->n_pieces) { /* the sender has claimed the others and is pushing them */
        rest(x);
        return false;
    }
    size_t n = piece_size(x, p);
    if (fetch(x, p * x->piece, n) == 0) {
        account(x, n);
        return true;
    }
    x->peer->pull_refused = true;
    rest(x);
    send_cts(x, x->token ? 0 : p, x->token ? p + 1 : 0);
    return true;
}

/* With a claim token the receiver pulls only if the sender does nothing, for two copies that
 * overlap through shared memory are faster than the kernel's one. Where ranks share cores the
 * sender is not running while we are. */
static bool sender_is_away(MPIDI_Xfer *x)
{
    if (!x->token || !x->clear || core->crowded)
        return true;
    if (++x->idle_polls < IDLE_POLLS)
        return false;
    uint64_t now = MPL_now_ns();
    if (!x->away_since)
        x->away_since = now;
    return now - x->away_since >= (uint64_t) MPIR_CVAR_RNDV_PULL_US * 1000;
}

static void read_done(void *arg, bool ok);

static MPIDI_Send_result read_part(MPIDI_Xfer *x, size_t n)
{
    struct MPIDI_Reads *r = x->reads;
    MPIDI_Read part = { .handle = r->handle,
                        .handle_size = r->handle_size,
                        .offset = r->next,
                        .local = x->buf.base + r->next,
                        .n = n,
                        .complete = read_done,
                        .complete_arg = x };
    x->in_flight++;
    MPIDI_Send_result result = x->peer->transport->read(x->peer->ep, &part);
    if (result != MPIDI_SEND_PENDING)
        x->in_flight--;
    return result;
}

/* No read is under way: the message is there, or must be pushed after all. */
static void end_reads(MPIDI_Xfer *x)
{
    if (x->reads->failed) {
        free(x->reads);
        x->reads = NULL;
        x->peer->pull_refused = true;
        send_cts(x, 0, 0);
        return;
    }
    account(x, x->length);
}

static void read_done(void *arg, bool ok)
{
    MPIDI_Xfer *x = arg;
    x->in_flight--;
    x->reads->failed |= !ok;
    if (x->in_flight > 0 || x->working)
        return;
    if (x->fin) /* abandoned meanwhile */
        free_xfer(x);
    else
        end_reads(x);
}

/* Start reads as long as there is room. What the receive buffer does not hold is not read. */
static bool read_message(MPIDI_Xfer *x)
{
    struct MPIDI_Reads *r = x->reads;
    const uint64_t end = MPL_MIN(x->length, (uint64_t) x->buf.bytes);
    const uint64_t most = x->peer->transport->read_max ? x->peer->transport->read_max : READ_SIZE;
    bool moved = false;
    while (r->next < end && !r->failed) {
        size_t n = (size_t) MPL_MIN(most, end - r->next);
        MPIDI_Send_result result = read_part(x, n);
        if (result == MPIDI_SEND_AGAIN)
            return moved;
        r->failed |= result == MPIDI_SEND_GONE;
        r->next += n;
        moved = true;
    }
    rest(x);
    if (x->in_flight == 0)
        end_reads(x);
    return true;
}

static bool may_read(const MPIDI_Xfer *x, const MPIDI_Handle *handle)
{
    return handle->size > 0 && (x->peer->caps & MPIDI_CAP_READ) && x->buf.contiguous
        && !x->peer->pull_refused;
}

/* False: no memory; let it be pushed. */
static bool begin_reads(MPIDI_Xfer *x, const MPIDI_Handle *handle)
{
    x->reads = malloc(sizeof *x->reads);
    if (!x->reads)
        return false;
    x->reads->next = 0;
    x->reads->failed = false;
    x->reads->handle_size = handle->size;
    memcpy(x->reads->handle, handle->bytes, handle->size);
    work(x);
    read_message(x);
    return true;
}

static bool receive(MPIDI_Xfer *x)
{
    if (x->reads)
        return read_message(x);
    if (may_pull(x))
        return sender_is_away(x) && pull(x);
    rest(x); /* refused on behalf of another message of this peer */
    if (!x->clear)
        send_cts(x, x->token ? 0 : x->next_piece, 0);
    return true;
}

/* Both ends are here: one copy, no protocol. */
static void copy_to_self(MPIDI_Xfer *from, const MPIR_Buf *to)
{
    size_t n = (size_t) MPL_MIN(from->buf.bytes, to->bytes);
    if (from->buf.contiguous)
        MPIDI_Buf_put(to, 0, from->buf.base, n);
    else if (to->contiguous)
        MPIR_Datatype_pack(from->buf.base, from->buf.count, from->buf.datatype, 0, to->base, n);
    else
        MPIR_Datatype_copy(from->buf.base, from->buf.count, from->buf.datatype, to->base, to->count,
                           to->datatype);
}

static void accept_from_self(const MPIDI_Rts *rts, MPIR_Request *req, int error)
{
    MPIDI_Xfer *from = lookup(rts->id, MPIR_Process.rank);
    if (from) {
        copy_to_self(from, &req->dev.buf);
        from->fin = true;
        settle_send(from);
    }
    MPIDI_Request_finish(req, from ? error : MPIR_Err("**stale_rts", MPIR_Process.rank));
}

/* A receive's transfer from what RTS said, or NULL with *error set. */
static MPIDI_Xfer *open_receive(int world_rank, const MPIDI_Rts *rts, MPIR_Request *req, int *error)
{
    MPIDI_Peer *peer = MPIDI_Peer_get(world_rank, error);
    uint32_t piece = (uint32_t) (rts->size >> 48) * MPIDI_PIECE_UNIT;
    if (!peer)
        return NULL;
    if (piece == 0) {
        *error = MPIR_Err("**bad_rts", world_rank);
        return NULL;
    }
    MPIDI_Xfer *x = new_xfer(MPIDI_XFER_RECV, peer, req);
    if (!x) {
        *error = MPIR_Err("**nomem_ch4", sizeof *x, "a large receive");
        return NULL;
    }
    x->remote = rts->id;
    x->addr = rts->addr;
    x->token = rts->token;
    x->length = rts->size & MPIDI_RTS_BYTES_MASK;
    x->piece = piece;
    x->n_pieces = (x->length + piece - 1) / piece;
    return x;
}

void MPIDI_Xfer_accept(int world_rank, const MPIDI_Rts *rts, const MPIDI_Handle *handle,
                       MPIR_Request *req)
{
    int error = MPI_SUCCESS;
    MPIDI_Key key = { .src = req->status.MPI_SOURCE, .tag = req->status.MPI_TAG };
    MPI_Count bytes = (MPI_Count) (rts->size & MPIDI_RTS_BYTES_MASK), room = req->dev.buf.bytes;
    if (bytes > room) {
        MPIDI_Status_set(&req->status, &key, room);
        error = req->status.MPI_ERROR = MPIDI_Truncate_error(bytes, room, &key);
    }
    if (world_rank == MPIR_Process.rank) {
        accept_from_self(rts, req, error);
        return;
    }
    MPIDI_Xfer *x = open_receive(world_rank, rts, req, &error);
    if (!x) {
        MPIDI_Request_finish(req, error);
        return;
    }
    if (may_read(x, handle) && begin_reads(x, handle))
        return;
    if (!may_pull(x) || (x->token && !core->crowded))
        send_cts(x, 0, 0);
    if (may_pull(x))
        work(x);
    if (x->length == 0)
        account(x, 0);
}

void MPIDI_Xfer_data(int world_rank, const void *ext, const void *payload, size_t size)
{
    MPIDI_Piece piece;
    memcpy(&piece, ext, sizeof piece);
    MPIDI_Xfer *x = lookup(piece.receiver, world_rank);
    if (!x || x->role != MPIDI_XFER_RECV)
        return; /* stale */
    if (piece.offset > x->length || size > x->length - piece.offset) {
        MPIR_Warn("dropped a piece of a message of rank %d: bytes %llu to %llu of %llu", world_rank,
                  (unsigned long long) piece.offset, (unsigned long long) (piece.offset + size),
                  (unsigned long long) x->length);
        return;
    }
    x->idle_polls = 0;
    x->away_since = 0;
    MPIDI_Buf_put(&x->buf, piece.offset, payload, size);
    account(x, size);
}

/* ---- all of them ----------------------------------------------------------------------------- */

bool MPIDI_Xfers_progress(void)
{
    bool moved = false;
    for (MPIDI_Xfer *x = xfers->working, *next; x; x = next) {
        MPIDI_Peer *peer = x->peer;
        next = x->next;
        moved |= x->role == MPIDI_XFER_RECV ? receive(x) : push(x);
        if (peer->gone)
            break; /* more than x may have ended */
    }
    return moved;
}

/* The transfer's peer is gone, or its request is. What a transport still reads is let go when it is
 * done with it. */
static void abandon(MPIDI_Xfer *x, int error)
{
    rest(x);
    finish_request(x, error);
    x->fin = true;
    if (x->in_flight == 0)
        free_xfer(x);
}

void MPIDI_Xfers_fail_peer(MPIDI_Peer *peer, int error)
{
    for (uint32_t i = 0; i < xfers->room; i++)
        if (xfers->by_index[i] && xfers->by_index[i]->peer == peer)
            abandon(xfers->by_index[i], error);
}

void MPIDI_Xfer_forget(MPIR_Request *req)
{
    MPIDI_Xfer *x = req->dev.xfer;
    req->dev.xfer = NULL;
    x->req = NULL;
    if (x->role == MPIDI_XFER_RECV) {
        /* The sender is served to the end, its data dropped. */
        x->buf = (MPIR_Buf) { .contiguous = true };
        return;
    }
    xfers->n_sending--;
    abandon(x, MPI_SUCCESS);
}
