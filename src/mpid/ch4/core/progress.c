/* One round of progress. */
#include "mpidi_core.h"
#include "mpir_sched.h"

static MPIDI_Core *const core = &MPIDI_core;

bool MPIDI_Poll_beside(void)
{
    bool moved = false;
    for (int i = 1; i < core->transports.n_polled; i++)
        moved |= core->transports.polled[i]();
    if (MPL_UNLIKELY(core->out_peers != NULL))
        moved |= MPIDI_Out_progress();
    if (MPL_UNLIKELY(core->xfers.working != NULL))
        moved |= MPIDI_Xfers_progress();
    if (MPL_UNLIKELY(MPIR_Sched_started.ready != NULL))
        moved |= MPIR_Sched_progress();
    return moved;
}

bool MPID_Progress_poll(void)
{
    bool moved = MPIDI_Poll();
    if (MPL_UNLIKELY(core->beside > 0) && moved)
        MPIDI_Wake_beside();
    return moved;
}
