/* Communicators of a part of a communicator, and how an id gets around among its members. */
#include "comm_internal.h"
#include "mpir_impl.h"

void MPII_Comm_share_id(MPIR_Sched *s, const MPIR_Comm *parent, const MPIR_Group *group,
                        MPIR_Context_id *ctx)
{
    const MPI_Count bytes = sizeof *ctx;
    int me = group->rank;
    if (me == 0) {
        *ctx = MPIR_Context_new();
    } else {
        int up = MPIR_Group_world_rank(group, MPII_Tree_parent(me));
        MPIR_Sched_recv(s, ctx, bytes, MPI_BYTE, MPIR_Group_rank_of(parent->group, up));
        MPIR_Sched_fence(s);
    }
    for (long long bit = MPII_Tree_span(me, group->size) / 2; bit > 0; bit /= 2) {
        if (me + bit >= group->size)
            continue;
        int down = MPIR_Group_world_rank(group, (int) (me + bit));
        MPIR_Sched_send(s, ctx, bytes, MPI_BYTE, MPIR_Group_rank_of(parent->group, down));
    }
}

int MPII_Comm_make(MPIR_Sched *s, MPIR_Comm *parent, MPIR_Group *group, MPIR_Comm **newcomm)
{
    MPIR_Context_id ctx = 0;
    MPII_Comm_share_id(s, parent, group, &ctx);
    int ret = MPIR_Sched_run(s);
    if (ret)
        return ret;
    return MPIR_Comm_create_local(group, ctx, parent->session, parent->errhandler, newcomm);
}

int MPII_Comm_check_subgroup(const MPIR_Comm *comm, const MPIR_Group *group)
{
    if (group->size == 0 || group == comm->group)
        return MPI_SUCCESS;
    int ret = MPIR_Group_check_session(comm->session, group->session, "comm and group");
    for (int i = 0; !ret && i < group->size; i++)
        if (MPIR_Group_rank_of(comm->group, MPIR_Group_world_rank(group, i)) == MPI_UNDEFINED)
            ret = MPIR_Err("**comm_subgroup", i, MPIR_Group_world_rank(group, i), comm->size);
    return ret;
}

/* Members outside of the group have nothing to say and nothing to hear; they count the operation
 * all the same. */
int MPIR_Comm_create_impl(MPIR_Comm *comm, MPIR_Group *group, MPIR_Comm **newcomm)
{
    int ret = MPII_Comm_check_subgroup(comm, group);
    if (ret)
        return ret;
    MPIR_Sched *s = MPIR_Sched_create(comm);
    MPIR_Sched_name(s, "MPI_Comm_create");
    if (group->rank != MPI_UNDEFINED)
        return MPII_Comm_make(s, comm, group, newcomm);
    ret = MPIR_Sched_run(s);
    if (!ret)
        *newcomm = NULL;
    return ret;
}

int MPIR_Comm_create_group_impl(MPIR_Comm *comm, MPIR_Group *group, int tag, MPIR_Comm **newcomm)
{
    int ret = MPII_Comm_check_subgroup(comm, group);
    if (ret)
        return ret;
    if (group->rank == MPI_UNDEFINED) {
        *newcomm = NULL;
        return MPI_SUCCESS;
    }
    MPIR_Sched *s = MPIR_Sched_create_part(comm, tag);
    MPIR_Sched_name(s, "MPI_Comm_create_group");
    return MPII_Comm_make(s, comm, group, newcomm);
}
