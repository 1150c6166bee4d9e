/* Which ranks count as being on this node. By default those that are; control variables make one
 * machine look like several, so that everything can be tried over a network without one.
 *
 * Only who counts is changed. The node directory, and with it the inboxes, is still that of the
 * machine: shared memory is just not asked about ranks of another clique.
 */
#include <stdlib.h>

#include "mpidi_core.h"
#include "mpir_cvar.h"
#include "mpir_err.h"

MPIR_CVAR_BOOL(NOLOCAL, 0,
               "Take every other rank for one on another node. Must have the same value on all "
               "ranks, as NUM_CLIQUES and ODD_EVEN_CLIQUES, of which the first that is set serves.")
MPIR_CVAR_INT(NUM_CLIQUES, 1, 1, 65536, "",
              "Split the ranks of each node into this many blocks of ranks in order, which take "
              "each other for ranks on other nodes.")
MPIR_CVAR_BOOL(ODD_EVEN_CLIQUES, 0,
               "Split the ranks of each node into two groups, the 1st, 3rd, ... and the 2nd, 4th, "
               "..., which take each other for ranks on another node.")

static MPIDI_Core *const core = &MPIDI_core;
static MPIDI_Locality *const loc = &MPIDI_core.locality;

static int world_rank_of(int index)
{
    return core->transports.local_ranks ? core->transports.local_ranks[index] : index;
}

/* The place of a rank among those of this machine, or -1. */
static int index_of(int world_rank)
{
    const int *ranks = core->transports.local_ranks;
    if (!ranks)
        return world_rank >= 0 && world_rank < loc->n_machine ? world_rank : -1;
    const int *at = bsearch(&world_rank, ranks, (size_t) loc->n_machine, sizeof *ranks, MPL_compare_ints);
    return at ? (int) (at - ranks) : -1;
}

static int clique_of(int index)
{
    if (MPIR_CVAR_NOLOCAL)
        return index;
    if (MPIR_CVAR_NUM_CLIQUES > 1)
        return (int) ((long long) index * MPIR_CVAR_NUM_CLIQUES / loc->n_machine);
    return MPIR_CVAR_ODD_EVEN_CLIQUES ? index % 2 : 0;
}

void MPIDI_Locality_init(int n_machine)
{
    loc->n_machine = n_machine;
    loc->clique = clique_of(MPL_MAX(index_of(MPIR_Process.rank), 0));
    MPIR_Process.node_leader = -1;
    MPIR_Process.local_rank = 0;
    MPIR_Process.local_size = 0;
    for (int i = 0; i < n_machine; i++) {
        if (clique_of(i) != loc->clique)
            continue;
        int rank = world_rank_of(i);
        if (MPIR_Process.node_leader < 0)
            MPIR_Process.node_leader = rank;
        MPIR_Process.local_rank += rank < MPIR_Process.rank;
        MPIR_Process.local_size++;
    }
}

bool MPIDI_Locality_near(int world_rank)
{
    int index = index_of(world_rank);
    return index >= 0 && clique_of(index) == loc->clique;
}
