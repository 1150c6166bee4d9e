/* Peers: other processes, looked up when first needed. */
#include <stdlib.h>

#include "mpidi_core.h"
#include "mpir_err.h"

static bool serves(const MPIDI_Transport *t, int world_rank)
{
    if (t == MPIDI_core.transports.shm && !MPIDI_Locality_near(world_rank))
        return false;
    return t->reaches(world_rank);
}

static int choose_transport(int world_rank)
{
    const MPIDI_Transports *ts = &MPIDI_core.transports;
    for (int i = 0; i < ts->n; i++)
        if (serves(&ts->table[i], world_rank))
            return i;
    return -1;
}

/* The largest piece that fits what RTS can say. */
static uint32_t piece_of(const MPIDI_Transport *t)
{
    size_t units = MPL_MIN(t->piece_max / MPIDI_PIECE_UNIT, UINT16_MAX);
    return (uint32_t) (units * MPIDI_PIECE_UNIT);
}

static int make(int world_rank, MPIDI_Peer **peer)
{
    int i = choose_transport(world_rank);
    if (i < 0)
        return MPIR_Err("**no_transport", world_rank);
    MPIDI_Peer *p = calloc(1, sizeof *p);
    if (!p)
        return MPIR_Err("**nomem_ch4", sizeof *p, "a peer");
    const MPIDI_Transport *t = &MPIDI_core.transports.table[i];
    int err = t->connect(world_rank, &p->ep);
    if (err) {
        free(p);
        return err;
    }
    p->world_rank = world_rank;
    p->transport = t;
    p->send = t->send;
    p->send_short = t->send_short;
    p->sizes = (MPIDI_Sizes) { .eager_max = t->eager_max,
                               .stream_min = t->stream_min ? t->stream_min : SIZE_MAX };
    p->piece = piece_of(t);
    p->caps = (uint8_t) MPIDI_core.transports.caps[i];
    *peer = p;
    return MPI_SUCCESS;
}

MPIDI_Peer *MPIDI_Peer_get(int world_rank, int *err)
{
    if (world_rank < 0 || world_rank >= MPIR_Process.size) {
        *err = MPIR_Err("**peer_rank", world_rank, MPIR_Process.size);
        return NULL;
    }
    MPIDI_Peer **at = &MPIDI_core.peers[world_rank];
    if (!*at)
        *err = make(world_rank, at);
    return *at;
}

MPIDI_Peer *MPIDI_Peer_of_comm(MPIR_Comm *comm, int rank, int *err)
{
    MPIDI_Peer *peer = MPIDI_Peer_get(MPIR_Group_world_rank(comm->group, rank), err);
    if (peer)
        comm->dev.peer[rank] = peer;
    return peer;
}

bool MPIDI_Peer_is_gone(MPIDI_Peer *peer)
{
    if (!peer->gone && peer->transport->peer_state(peer->ep) == MPIDI_PEER_GONE)
        peer->gone = true;
    return peer->gone;
}

int MPIDI_Peer_gone_error(const MPIDI_Peer *peer)
{
    const char *host = peer->transport->host(peer->ep);
    return host ? MPIR_Err("**peer_gone_on", peer->world_rank, host)
                : MPIR_Err("**peer_gone", peer->world_rank);
}
