/* The transport to oneself: a message is delivered before send() returns. */
#include <stdlib.h>

#include "mpidi_core.h"

static int init(const MPIDI_Transport_env *env, unsigned *caps)
{
    (void) env;
    *caps = 0; /* large messages are copied by the core itself: no pulling, no pieces */
    return MPI_SUCCESS;
}

static bool reaches(int world_rank)
{
    return world_rank == MPIR_Process.rank;
}

static int connect_self(int world_rank, MPIDI_Ep **ep)
{
    (void) world_rank;
    *ep = NULL;
    return MPI_SUCCESS;
}

static MPIDI_Send_result send_self(MPIDI_Ep *ep, const MPIDI_Am *am)
{
    (void) ep;
    const void *payload = am->data.base;
    void *packed = NULL;
    if (am->data.pack && am->data.size) {
        packed = malloc(am->data.size);
        if (!packed)
            return MPIDI_SEND_AGAIN;
        MPIDI_data_copy(&am->data, 0, packed, am->data.size);
        payload = packed;
    }
    MPIDI_Deliver(MPIR_Process.rank, &am->hdr, am->ext, payload, am->data.size);
    MPIDI_Wake_beside(); /* another thread of this process may wait for it */
    free(packed);
    return MPIDI_SEND_DONE;
}

static MPIDI_Peer_state peer_state(MPIDI_Ep *ep)
{
    (void) ep;
    return MPIDI_PEER_ACTIVE;
}

const MPIDI_Transport MPIDI_self_transport = {
    .name = "self",
    .version = MPIDI_TRANSPORT_VERSION,
    .eager_max = 64 * 1024,
    .piece_max = 64 * 1024,
    .init = init,
    .reaches = reaches,
    .connect = connect_self,
    .send = send_self,
    .peer_state = peer_state,
};
