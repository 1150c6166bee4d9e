/* The device's side of requests: how they end, and what they wait for in words. */
#include <stdio.h>

#include "mpidi_core.h"
#include "mpir_err.h"

/* A message can be lost on its way when its receiver goes (env->peer_gone). */
void MPIDI_Request_sent(void *arg)
{
    MPIR_Request *req = arg;
    bool lost = req->dev.peer && req->dev.peer->gone;
    MPIDI_Request_finish(req, lost ? MPIDI_Peer_gone_error(req->dev.peer) : MPI_SUCCESS);
}

void MPIDI_Request_fail(void *req, int error)
{
    MPIDI_Request_finish(req, error);
}

/* The request goes away though it is in flight; nothing may point to it any more. What is queued in
 * `out` or inside a transport with the user's data is not called back: MPID_Flush() came before, so
 * its receiver is gone. */
void MPID_Request_forget(MPIR_Request *req)
{
    if (req == MPIDI_core.spare)
        MPIDI_core.spare = NULL;
    if (req == MPIDI_core.spare_recv)
        MPIDI_core.spare_recv = NULL;
    if (req->dev.state == MPIDI_REQ_POSTED)
        MPIDI_Match_unpost(req);
    if (req->dev.xfer)
        MPIDI_Xfer_forget(req);
    MPIDI_Stream_forget_request(req);
    if (req->dev.dt_held)
        MPIR_Datatype_release(req->dev.buf.datatype);
    req->dev.dt_held = false;
    req->dev.state = MPIDI_REQ_IDLE;
}

static void rank_in_words(int rank, char text[24])
{
    if (rank == MPI_ANY_SOURCE)
        snprintf(text, 24, "any rank");
    else
        snprintf(text, 24, "rank %d", rank);
}

void MPID_Request_describe(void *arg, char *text, size_t size)
{
    const MPIR_Request *req = arg;
    if (req->kind != MPIR_REQUEST_SEND && req->kind != MPIR_REQUEST_RECV) {
        snprintf(text, size, "%s",
                 req->kind == MPIR_REQUEST_COLL ? "a collective operation" : "a request");
        return;
    }
    char who[24], tag[24] = "any tag";
    rank_in_words(req->dev.src, who);
    if (req->dev.tag != MPI_ANY_TAG)
        snprintf(tag, sizeof tag, "tag %d", req->dev.tag);
    const char *traffic = (req->dev.ctx & 3) == MPIR_CTX_COLL ? ", in a collective operation" : "";
    const char *verb = req->kind == MPIR_REQUEST_SEND ? "send to" : "receive from";
    const char *name = req->dev.comm->name;
    snprintf(text, size, "%s %s, %s%s%s%s", verb, who, tag, traffic, name[0] ? ", " : "", name);
}
