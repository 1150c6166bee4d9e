/* Streams: eager messages of several pieces. The receiver copies one piece while the sender still
 * copies the next, which takes half the time; and unlike a rendezvous nobody waits for an answer.
 *
 *   STREAM ->  MORE ->  MORE ...
 *
 * The pieces of one message follow each other without anything between them, so they need no name.
 */
#include <stdlib.h>
#include <string.h>

#include "mpidi_core.h"
#include "mpir_err.h"

static MPIDI_Core *const core = &MPIDI_core;

/* A message has this many pieces, unless they would be too short to be worth while. */
enum { PIECES = 4, PIECE_LEAST = 4096 };

/* Against nonsense: no transport's eager_max is larger. */
#define BYTES_MAX (UINT64_C(16) << 20)

/* ---- sending --------------------------------------------------------------------------------- */

static size_t piece_for(uint64_t bytes)
{
    return MPL_MAX(MPL_ROUND_UP((size_t) bytes / PIECES, (size_t) 64), (size_t) PIECE_LEAST);
}

MPIDI_Am MPIDI_Stream_piece(const MPIDI_Stream_out *out, uint64_t offset)
{
    const uint64_t *bytes = (const uint64_t *) &out->buf->bytes;
    size_t n = MPL_MIN(piece_for(*bytes), (size_t) (*bytes - offset));
    MPIDI_Am am = { .hdr = { .kind = MPIDI_AM_MORE },
                    .data = MPIDI_Buf_data(out->buf, offset, n) };
    if (offset == 0) {
        am.hdr = *out->hdr;
        am.hdr.kind = MPIDI_AM_STREAM;
        am.hdr.ext_size = sizeof *bytes;
        am.ext = bytes;
    }
    return am;
}

MPIDI_Send_result MPIDI_Stream_send(MPIDI_Peer *peer, MPIDI_Stream_out *out)
{
    while (out->sent < (uint64_t) out->buf->bytes) {
        MPIDI_Am am = MPIDI_Stream_piece(out, out->sent);
        MPIDI_Send_result r = peer->gone ? MPIDI_SEND_GONE
            : peer->out_head             ? MPIDI_SEND_AGAIN
                                         : peer->send(peer->ep, &am);
        if (r != MPIDI_SEND_DONE)
            return r;
        out->sent += am.data.size;
    }
    return MPIDI_SEND_DONE;
}

/* ---- receiving ------------------------------------------------------------------------------- */

static MPIDI_Stream *open_stream(int world_rank, uint64_t bytes)
{
    MPIDI_Stream *s = core->free_streams;
    if (s)
        core->free_streams = s->next;
    else if (!(s = malloc(sizeof *s)))
        MPIR_Fatal("out of memory: %zu bytes for a message of rank %d", sizeof *s, world_rank);
    *s = (MPIDI_Stream) { .next = core->streams, .bytes = bytes, .world_rank = world_rank };
    core->streams = s;
    return s;
}

static void close_stream(MPIDI_Stream *s)
{
    MPIDI_Stream **at = &core->streams;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    s->next = core->free_streams;
    core->free_streams = s;
}

static MPIDI_Stream *stream_of(int world_rank)
{
    MPIDI_Stream *s = core->streams;
    while (s && s->world_rank != world_rank)
        s = s->next;
    return s;
}

/* The last piece may complete the receive, whose owner then goes on: so the stream is closed
 * before. */
static void put(MPIDI_Stream *s, const void *payload, size_t size)
{
    uint64_t at = s->got;
    s->got += size;
    if (s->req)
        MPIDI_Buf_put(&s->req->dev.buf, at, payload, size);
    else if (s->stray)
        MPL_copy(s->stray->data + at, payload, size);
    if (s->got < s->bytes)
        return;
    MPIR_Request *req = s->req;
    int error = s->error;
    if (s->stray)
        s->stray->stream = NULL;
    close_stream(s);
    if (req)
        MPIDI_Request_finish(req, error);
}

static void attach(MPIDI_Stream *s, MPIR_Request *req, const MPIDI_Key *key)
{
    MPI_Count room = req->dev.buf.bytes;
    MPI_Count bytes = (MPI_Count) s->bytes;
    s->req = req;
    if (bytes > room)
        s->error = MPIDI_Truncate_error(bytes, room, key);
    MPIDI_Status_set(&req->status, key, MPL_MIN(bytes, room));
}

void MPIDI_Stream_first(int world_rank, const MPIDI_Am_hdr *hdr, const void *ext,
                        const void *payload, size_t size)
{
    uint64_t bytes;
    memcpy(&bytes, ext, sizeof bytes);
    if (size > bytes || bytes > BYTES_MAX || stream_of(world_rank)) {
        MPIR_Warn("dropped the beginning of a message of rank %d: %zu of %llu bytes", world_rank,
                  size, (unsigned long long) bytes);
        return;
    }
    MPIDI_Key key = { .ctx = hdr->ctx, .src = hdr->src, .tag = hdr->tag };
    MPIR_Request *req = MPIDI_Match_arrival(&key);
    MPIDI_Stream *s = open_stream(world_rank, bytes);
    if (req) {
        attach(s, req, &key);
    } else {
        MPIDI_Stray *u = s->stray = MPIDI_Stray_new((size_t) bytes);
        u->key = key;
        u->kind = MPIDI_AM_EAGER;
        u->world_rank = world_rank;
        u->bytes = (MPI_Count) bytes;
        u->stream = s;
        MPIDI_Match_keep(u);
    }
    put(s, payload, size);
}

void MPIDI_Stream_more(int world_rank, const void *payload, size_t size)
{
    MPIDI_Stream *s = stream_of(world_rank);
    if (!s || size > s->bytes - s->got) {
        MPIR_Warn("dropped a part of a message of rank %d: %zu bytes after %llu of %llu",
                  world_rank, size, s ? (unsigned long long) s->got : 0, s ? (unsigned long long) s->bytes : 0);
        return;
    }
    put(s, payload, size);
}

void MPIDI_Stream_hand_over(MPIDI_Stream *s, MPIR_Request *req)
{
    MPIDI_Stray *u = s->stray;
    s->stray = NULL;
    attach(s, req, &u->key);
    MPIDI_Buf_put(&req->dev.buf, 0, u->data, (size_t) s->got);
}

/* ---- giving up ------------------------------------------------------------------------------- */

void MPIDI_Stream_forget(MPIDI_Stream *s)
{
    s->req = NULL;
    s->stray = NULL;
}

void MPIDI_Stream_forget_request(const MPIR_Request *req)
{
    for (MPIDI_Stream *s = core->streams; s; s = s->next)
        if (s->req == req)
            s->req = NULL;
}

static MPIDI_Peer *sender(const MPIDI_Stream *s)
{
    int err = MPI_SUCCESS;
    return MPIDI_Peer_get(s->world_rank, &err);
}

bool MPIDI_Stream_any_gone(void)
{
    bool found = false;
    for (MPIDI_Stream *s = core->streams; s; s = s->next)
        if (s->req && sender(s))
            found |= MPIDI_Peer_is_gone(sender(s));
    return found;
}

/* All that the peers had sent has been read: the rest will not come. */
void MPIDI_Streams_fail_gone(void)
{
    for (MPIDI_Stream *s = core->streams; s; s = s->next) {
        MPIR_Request *req = s->req;
        if (!req || !sender(s) || !sender(s)->gone)
            continue;
        s->req = NULL; /* the stream stays: pieces that still come are dropped */
        MPIDI_Request_finish(req, MPIDI_Peer_gone_error(sender(s)));
    }
}
