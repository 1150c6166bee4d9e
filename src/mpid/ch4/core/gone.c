/* Work that depends on a process that is gone: completed with an error, so that nobody waits for
 * ever.
 *
 * Called only when a wait has become long. A peer counts as gone when its transport says so and
 * everything that it sent before has been read.
 */
#include "mpidi_core.h"
#include "mpir_err.h"

static MPIDI_Core *const core = &MPIDI_core;

enum { DRAIN_POLLS = 10000 };

static MPIDI_Peer *member(const MPIR_Comm *comm, int rank)
{
    int err = MPI_SUCCESS;
    return MPIDI_Peer_get(MPIR_Group_world_rank(comm->group, rank), &err);
}

/* Asks each peer once a round: a look costs system calls, and thousands of receives may wait for
 * one peer. */
static bool member_is_gone(const MPIR_Comm *comm, int rank)
{
    MPIDI_Peer *peer = member(comm, rank);
    if (!peer)
        return false;
    if (peer->asked != core->gone_round) {
        peer->asked = core->gone_round;
        MPIDI_Peer_is_gone(peer);
    }
    return peer->gone;
}

/* Is everybody gone who could send what this receive asks for? Nobody is asked behind the first
 * that lives. This process itself does not count while it waits. */
static bool is_orphan(const MPIR_Request *req, MPIDI_Peer **culprit)
{
    const MPIR_Comm *comm = req->dev.comm;
    if (req->dev.src != MPI_ANY_SOURCE) {
        *culprit = member(comm, req->dev.src);
        return member_is_gone(comm, req->dev.src);
    }
    for (int i = 0; i < comm->size; i++) {
        if (i == comm->rank)
            continue;
        if (!member_is_gone(comm, i))
            return false;
        *culprit = member(comm, i);
    }
    return comm->size > 1;
}

static void fail_orphan(MPIR_Request *req, void *arg)
{
    (void) arg;
    MPIDI_Peer *culprit = NULL;
    if (req->dev.state != MPIDI_REQ_POSTED || !is_orphan(req, &culprit))
        return;
    MPIDI_Match_unpost(req);
    MPIDI_Request_finish(req, MPIDI_Peer_gone_error(culprit));
}

static void look_for_orphan(MPIR_Request *req, void *arg)
{
    MPIDI_Peer *culprit;
    if (!*(bool *) arg && is_orphan(req, &culprit))
        *(bool *) arg = true;
}

/* Is any peer gone that we owe or that owes us? */
static bool anyone_gone(void)
{
    bool found = false;
    for (MPIDI_Peer *p = core->out_peers; p; p = p->out_next)
        found |= MPIDI_Peer_is_gone(p);
    for (uint32_t i = 0; i < core->xfers.room; i++)
        if (core->xfers.by_index[i])
            found |= MPIDI_Peer_is_gone(core->xfers.by_index[i]->peer);
    for (MPIDI_Boot_wait *w = core->boot_waits; w; w = w->next)
        found |= MPIDI_Peer_is_gone(w->peer);
    found |= MPIDI_Stream_any_gone();
    found |= MPIDI_Meet_any_gone();
    if (!found)
        MPIDI_Match_each_posted(look_for_orphan, &found);
    return found;
}

/* Read what the gone ones had sent. */
static void drain(void)
{
    for (int i = 0; i < DRAIN_POLLS && MPID_Progress_poll(); i++)
        continue;
}

static void fail_transfers(void)
{
    for (uint32_t i = 0; i < core->xfers.room; i++) {
        MPIDI_Peer *peer = core->xfers.by_index[i] ? core->xfers.by_index[i]->peer : NULL;
        if (peer && peer->gone)
            MPIDI_Xfers_fail_peer(peer, MPIDI_Peer_gone_error(peer));
    }
}

void MPIDI_Gone_check(void)
{
    core->gone_round++;
    if (!anyone_gone())
        return;
    drain();
    for (MPIDI_Peer *p = core->out_peers; p; p = p->out_next)
        if (p->gone)
            MPIDI_Out_fail_peer(p, MPIDI_Peer_gone_error(p));
    fail_transfers();
    MPIDI_Streams_fail_gone();
    for (MPIDI_Boot_wait *w = core->boot_waits; w; w = w->next)
        if (w->peer->gone)
            w->error = MPIDI_Peer_gone_error(w->peer);
    MPIDI_Meet_fail_gone();
    MPIDI_Match_each_posted(fail_orphan, NULL);
}
