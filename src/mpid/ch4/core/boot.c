/* Bootstrap messages: how a context id reaches a process that shares no communicator yet. Kept
 * across epochs, each with its sender, until somebody asks for that sender and key. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "mpidi_core.h"
#include "mpir_err.h"

static MPIDI_Core *const core = &MPIDI_core;

/* Only the used part of the tag travels, with its NUL. */
static size_t key_size(const MPID_Boot_key *key)
{
    return offsetof(MPID_Boot_key, tag) + strlen(key->tag) + 1;
}

static bool same(const MPID_Boot_key *a, const MPID_Boot_key *b)
{
    return a->group_size == b->group_size && a->group_hash[0] == b->group_hash[0]
        && a->group_hash[1] == b->group_hash[1] && strcmp(a->tag, b->tag) == 0;
}

int MPID_Boot_send(int world_rank, const MPID_Boot_key *key, MPIR_Context_id ctx)
{
    int err = MPI_SUCCESS;
    MPIDI_Peer *peer = MPIDI_Peer_get(world_rank, &err);
    if (!peer)
        return err;
    size_t size = key_size(key);
    MPID_Boot_key *copy = malloc(size);
    if (!copy)
        return MPIR_Err("**nomem_ch4", size, "a bootstrap message");
    memcpy(copy, key, size);
    MPIDI_Am am = { .hdr = { .ctx = ctx, .src = MPIR_Process.rank, .kind = MPIDI_AM_BOOT },
                    .data = { .base = copy, .size = size },
                    .complete = free,
                    .complete_arg = copy };
    MPIDI_Send_result r = MPIDI_Out_send(peer, &am, NULL);
    if (r != MPIDI_SEND_PENDING)
        free(copy);
    return r == MPIDI_SEND_GONE ? MPIDI_Peer_gone_error(peer) : MPI_SUCCESS;
}

void MPIDI_Boot_arrive(int world_rank, const MPIDI_Am_hdr *hdr, const void *payload, size_t size)
{
    int err = MPI_SUCCESS;
    const size_t least = offsetof(MPID_Boot_key, tag) + 1;
    MPIDI_Peer *peer = MPIDI_Peer_get(world_rank, &err);
    if (!peer || size < least || size > sizeof(MPID_Boot_key)
        || ((const char *) payload)[size - 1] != '\0') {
        MPIR_Warn("dropped a malformed bootstrap message of rank %d (%zu bytes)", world_rank, size);
        return;
    }
    MPIDI_Boot *b = malloc(sizeof *b);
    if (!b)
        MPIR_Fatal("out of memory: %zu bytes for a bootstrap message", sizeof *b);
    b->next = NULL;
    b->ctx = hdr->ctx;
    memcpy(&b->key, payload, size);
    if (peer->boot_head)
        peer->boot_tail->next = b;
    else
        peer->boot_head = b;
    peer->boot_tail = b;
}

static bool take(MPIDI_Peer *peer, const MPID_Boot_key *key, MPIR_Context_id *ctx)
{
    MPIDI_Boot *before = NULL;
    for (MPIDI_Boot *b = peer->boot_head; b; before = b, b = b->next) {
        if (!same(&b->key, key))
            continue;
        if (before)
            before->next = b->next;
        else
            peer->boot_head = b->next;
        if (peer->boot_tail == b)
            peer->boot_tail = before;
        *ctx = b->ctx;
        free(b);
        return true;
    }
    return false;
}

/* ---- waiting for one ------------------------------------------------------------------------- */

static bool done(void *arg)
{
    MPIDI_Boot_wait *w = arg;
    return w->error || take(w->peer, w->key, &w->ctx);
}

static void what(void *arg, char *text, size_t size)
{
    const MPIDI_Boot_wait *w = arg;
    snprintf(text, size, "communicator creation, \"%.40s\": from rank %d", w->key->tag,
             w->peer->world_rank);
}

static void unlist(MPIDI_Boot_wait *w)
{
    MPIDI_Boot_wait **at = &core->boot_waits;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
}

int MPID_Boot_recv(int world_rank, const MPID_Boot_key *key, MPIR_Context_id *ctx)
{
    int err = MPI_SUCCESS;
    MPIDI_Boot_wait w = { .key = key, .peer = MPIDI_Peer_get(world_rank, &err) };
    if (!w.peer)
        return err;
    if (!done(&w)) {
        MPID_Wait wait = { .done = done, .arg = &w, .what = what };
        w.next = core->boot_waits;
        core->boot_waits = &w;
        err = MPID_Progress_wait(&wait);
        unlist(&w);
    }
    if (!err)
        err = w.error;
    if (!err)
        *ctx = w.ctx;
    return err;
}
