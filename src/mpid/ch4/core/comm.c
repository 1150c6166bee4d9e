/* What the device keeps with a communicator. */
#include "mpidi_core.h"
#include "mpir_err.h"

static MPIDI_Core *const core = &MPIDI_core;

/* A run of world ranks in order shares the table of all peers, so that it costs nothing. */
static bool is_run(const MPIR_Group *g)
{
    return !g->list && (g->stride == 1 || g->size == 1);
}

static size_t table_size(const MPIR_Comm *comm)
{
    return (size_t) comm->size * sizeof *comm->dev.peer;
}

int MPID_Comm_init(MPIR_Comm *comm)
{
    comm->dev.meet = NULL;
    if (is_run(comm->group)) {
        comm->dev.peer = core->peers + comm->group->first;
        return MPI_SUCCESS;
    }
    comm->dev.peer = MPL_sparse_alloc(table_size(comm));
    return comm->dev.peer
        ? MPI_SUCCESS
        : MPIR_Err("**nomem_ch4", table_size(comm), "a communicator's peers");
}

/* Nobody can receive these any more. Whoever waits for the receive of one is let go. */
static void drop_strays(uint64_t ctx)
{
    MPIDI_Stray *u;
    while ((u = MPIDI_Match_first_of(ctx))) {
        MPIDI_Match_take(u);
        if (u->stream)
            MPIDI_Stream_forget(u->stream);
        if (u->kind != MPIDI_AM_EAGER)
            MPIDI_Xfer_answer(u->world_rank, u->kind, u->rts.id);
        MPIDI_Stray_free(u);
    }
}

void MPID_Comm_free(MPIR_Comm *comm)
{
    drop_strays(comm->ctx | MPIR_CTX_PT2PT);
    drop_strays(comm->ctx | MPIR_CTX_COLL);
    drop_strays(comm->ctx | MPIR_CTX_PART);
    MPIDI_Meet_leave(comm);
    if (!is_run(comm->group))
        MPL_sparse_free(comm->dev.peer, table_size(comm));
    comm->dev.peer = NULL;
}
