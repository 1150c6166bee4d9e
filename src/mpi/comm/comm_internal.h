/* Private to src/mpi/comm. */
#ifndef COMM_INTERNAL_H_INCLUDED
#define COMM_INTERNAL_H_INCLUDED

#include "mpir_comm.h"
#include "mpir_err.h"
#include "mpir_sched.h"

/* A communicator like `parent` (its session and error handler) of this group, without a context id
 * yet. */
int MPII_Comm_alloc(MPIR_Group *group, const MPIR_Comm *parent, MPIR_Comm **comm);
/* It has got its id: make it known to the device. */
int MPII_Comm_activate(MPIR_Comm *comm);

/* Steps by which the members of `group`, all of them members of parent, learn an id that the first
 * of them makes: a binomial tree over parent. *ctx must live as long as the schedule. */
void MPII_Comm_share_id(MPIR_Sched *s, const MPIR_Comm *parent, const MPIR_Group *group,
                        MPIR_Context_id *ctx);

/* Run s, which ends with the id of a communicator of group; s may be NULL (out of memory). */
int MPII_Comm_make(MPIR_Sched *s, MPIR_Comm *parent, MPIR_Group *group, MPIR_Comm **newcomm);

/* Relative places in a binomial tree whose root is 0: the parent of i > 0; children are i + bit
 * for each power of two `bit` that is less than MPII_Tree_span(i, n) and i + bit < n. */
static inline int MPII_Tree_parent(int i)
{
    return i & (i - 1);
}
static inline long long MPII_Tree_span(int i, int n)
{
    if (i != 0)
        return i & -i;
    long long span = 1;
    while (span < n)
        span *= 2;
    return span;
}

/* Take over the hints of info that the library knows. */
int MPII_Comm_apply_info(MPIR_Comm *comm, const MPIR_Info *info);

/* MPI_SUCCESS if group may be used with comm: same session, and each member is one of comm's. */
int MPII_Comm_check_subgroup(const MPIR_Comm *comm, const MPIR_Group *group);

/* MPI_Comm_split, for a color that need not be positive; MPI_UNDEFINED gives NULL. */
int MPII_Comm_split(MPIR_Comm *comm, int color, int key, MPIR_Comm **newcomm);

#endif /* COMM_INTERNAL_H_INCLUDED */
