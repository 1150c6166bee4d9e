/* MPI_Comm_create_from_group: members agree on an id without a communicator to do it over. The
 * first member makes it, and it goes down a binomial tree of bootstrap messages, matched on the
 * whole string tag and the group's identity. */
#include <string.h>

#include "comm_internal.h"
#include "mpid.h"
#include "mpir_impl.h"

/* Groups have one form (range or list, see mpir_group.h), so equal members in equal order hash
 * alike, and a group in order costs O(1). */
static void hash_group(const MPIR_Group *group, uint64_t hash[2])
{
    int range[3] = { group->size, group->first, group->stride };
    const void *data = group->list ? (const void *) group->list : range;
    size_t size = group->list ? (size_t) group->size * sizeof *group->list : sizeof range;
    hash[0] = MPL_hash(data, size, MPL_HASH_SEED);
    hash[1] = MPL_hash(data, size, ~MPL_HASH_SEED ^ hash[0]);
}

static void fill_key(MPID_Boot_key *key, const MPIR_Group *group, const char *tag)
{
    memset(key, 0, sizeof *key);
    hash_group(group, key->group_hash);
    key->group_size = group->size;
    MPL_strcpy(key->tag, sizeof key->tag, tag);
}

static int share_id(const MPIR_Group *group, const char *tag, MPIR_Context_id *ctx)
{
    MPID_Boot_key key;
    int me = group->rank, ret = MPI_SUCCESS;
    fill_key(&key, group, tag);
    if (me == 0)
        *ctx = MPIR_Context_new();
    else
        ret = MPID_Boot_recv(MPIR_Group_world_rank(group, MPII_Tree_parent(me)), &key, ctx);
    for (long long bit = MPII_Tree_span(me, group->size) / 2; bit > 0 && !ret; bit /= 2)
        if (me + bit < group->size)
            ret = MPID_Boot_send(MPIR_Group_world_rank(group, (int) (me + bit)), &key, *ctx);
    return ret;
}

static int check_group(const MPIR_Group *group)
{
    if (group->rank == MPI_UNDEFINED)
        return MPIR_Err("**comm_not_member", group->size);
    if (group->session && !group->session->open)
        return MPIR_Err("**comm_session_closed");
    return MPI_SUCCESS;
}

int MPIR_Comm_create_from_group_impl(MPIR_Group *group, const char *stringtag, MPIR_Info *info,
                                     MPIR_Errhandler *errhandler, MPIR_Comm **newcomm)
{
    MPIR_Context_id ctx;
    MPIR_Comm *comm;
    if (group->size == 0) {
        *newcomm = NULL;
        return MPI_SUCCESS;
    }
    int ret = check_group(group);
    if (!ret)
        ret = share_id(group, stringtag, &ctx);
    if (!ret)
        ret = MPIR_Comm_create_local(group, ctx, group->session, errhandler, &comm);
    if (ret)
        return ret;
    ret = MPII_Comm_apply_info(comm, info);
    if (ret) {
        MPIR_Comm_release(comm);
        return ret;
    }
    *newcomm = comm;
    return MPI_SUCCESS;
}
