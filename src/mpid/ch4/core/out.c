/* Active messages that find no room wait here, in order, one queue a peer. */
#include <stdlib.h>
#include <string.h>

#include "mpidi_core.h"
#include "mpir_err.h"

static MPIDI_Core *const core = &MPIDI_core;

static void append(MPIDI_Peer *peer, MPIDI_Out *out)
{
    if (peer->out_head)
        peer->out_tail->next = out;
    else
        peer->out_head = out;
    peer->out_tail = out;
    if (peer->out_listed)
        return;
    peer->out_listed = true;
    peer->out_next = NULL;
    MPIDI_Peer **at = &core->out_peers;
    while (*at)
        at = &(*at)->out_next;
    *at = peer;
}

void MPIDI_Out_queue(MPIDI_Peer *peer, const MPIDI_Am *am, void (*fail)(void *arg, int error))
{
    MPIDI_Out *out = malloc(sizeof *out);
    if (!out)
        MPIR_Fatal("out of memory: %zu bytes for a message to rank %d that finds no room",
                   sizeof *out, peer->world_rank);
    out->next = NULL;
    out->am = *am;
    out->fail = fail;
    if (am->hdr.ext_size)
        memcpy(out->ext, am->ext, am->hdr.ext_size);
    out->am.ext = out->ext;
    append(peer, out);
}

MPIDI_Send_result MPIDI_Out_send(MPIDI_Peer *peer, const MPIDI_Am *am,
                                 void (*fail)(void *arg, int error))
{
    if (peer->gone)
        return MPIDI_SEND_GONE;
    MPIDI_Send_result r = peer->out_head ? MPIDI_SEND_AGAIN : peer->send(peer->ep, am);
    if (r != MPIDI_SEND_AGAIN)
        return r;
    MPIDI_Out_queue(peer, am, fail);
    return MPIDI_SEND_PENDING;
}

/* Fail everything that waits for this peer, which is marked gone. */
void MPIDI_Out_fail_peer(MPIDI_Peer *peer, int error)
{
    MPIDI_Out *out = peer->out_head;
    peer->out_head = peer->out_tail = NULL;
    while (out) {
        MPIDI_Out *next = out->next;
        if (out->fail)
            out->fail(out->am.complete_arg, error);
        free(out);
        out = next;
    }
}

/* Send what there is room for now. The entry leaves the queue before its callback, which may send
 * again. */
static bool push(MPIDI_Peer *peer)
{
    bool moved = false;
    while (peer->out_head) {
        MPIDI_Out *out = peer->out_head;
        MPIDI_Send_result r = peer->send(peer->ep, &out->am);
        if (r == MPIDI_SEND_AGAIN)
            break;
        moved = true;
        if (r == MPIDI_SEND_GONE) {
            peer->gone = true;
            break;
        }
        peer->out_head = out->next;
        if (r == MPIDI_SEND_DONE && out->am.complete)
            out->am.complete(out->am.complete_arg);
        free(out);
    }
    return moved;
}

bool MPIDI_Out_progress(void)
{
    bool moved = false;
    MPIDI_Peer **at = &core->out_peers;
    while (*at) {
        MPIDI_Peer *peer = *at;
        moved |= push(peer);
        if (peer->gone && peer->out_head)
            MPIDI_Out_fail_peer(peer, MPIDI_Peer_gone_error(peer));
        if (peer->out_head) {
            at = &peer->out_next;
            continue;
        }
        *at = peer->out_next;
        peer->out_listed = false;
    }
    return moved;
}
