/* MPI_Comm_split, MPI_Comm_split_type. */
#include <stdlib.h>
#include <string.h>

#include "comm_internal.h"
#include "mpir_impl.h"
#include "mpir_pmi.h"
#include "mpir_process.h"

/* ---- split ----------------------------------------------------------------------------------- */

typedef struct Choice {
    int color, key;
} Choice;

/* A member of this process's new communicator. */
typedef struct Member {
    int key, rank;
} Member;

/* By key; equal keys stay in the order of ranks. */
static int compare_members(const void *a, const void *b)
{
    const Member *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int select_members(const MPIR_Comm *comm, const Choice *all, Member *members)
{
    int n = 0;
    for (int i = 0; i < comm->size; i++)
        if (all[i].color == all[comm->rank].color)
            members[n++] = (Member) { .key = all[i].key, .rank = i };
    qsort(members, (size_t) n, sizeof *members, compare_members);
    return n;
}

/* The group of those with this process's color. */
static int group_of_color(const MPIR_Comm *comm, const Choice *all, MPIR_Group **group)
{
    Member *members = malloc((size_t) comm->size * sizeof *members);
    int *list = malloc((size_t) comm->size * sizeof *list);
    int ret = MPI_SUCCESS;
    if (members && list) {
        int n = select_members(comm, all, members);
        for (int i = 0; i < n; i++)
            list[i] = MPIR_Group_world_rank(comm->group, members[i].rank);
        ret = MPIR_Group_create_list(n, list, comm->session, group);
    } else {
        ret = MPIR_Err("**group_nomem", comm->size);
    }
    free(members);
    free(list);
    return ret;
}

static int make_of_color(MPIR_Comm *comm, MPIR_Sched *s, const Choice *all, MPIR_Comm **newcomm)
{
    MPIR_Group *group;
    int ret = group_of_color(comm, all, &group);
    if (ret) {
        MPIR_Sched_run(s); /* empty: frees it */
        return ret;
    }
    ret = MPII_Comm_make(s, comm, group, newcomm);
    MPIR_Group_release(group);
    return ret;
}

int MPII_Comm_split(MPIR_Comm *comm, int color, int key, MPIR_Comm **newcomm)
{
    Choice mine = { color, key }, *all = malloc((size_t) comm->size * sizeof *all);
    if (!all)
        return MPIR_Err("**group_nomem", comm->size);
    int ret = MPIR_Allgather_intra(&mine, all, sizeof mine, comm);
    if (!ret) {
        /* Everyone counts this schedule, with or without a color. */
        MPIR_Sched *s = MPIR_Sched_create(comm);
        MPIR_Sched_name(s, "MPI_Comm_split");
        if (color == MPI_UNDEFINED) {
            ret = MPIR_Sched_run(s);
            if (!ret)
                *newcomm = NULL;
        } else {
            ret = make_of_color(comm, s, all, newcomm);
        }
    }
    free(all);
    return ret;
}

int MPIR_Comm_split_impl(MPIR_Comm *comm, int color, int key, MPIR_Comm **newcomm)
{
    if (color < 0 && color != MPI_UNDEFINED)
        return MPIR_Err("**comm_color", color);
    return MPII_Comm_split(comm, color, key, newcomm);
}

/* ---- split_type ------------------------------------------------------------------------------ */

/* Processes that ask for different things must not meet, so each kind of thing has colors of its own:
 * nodes from 0 on, process sets from 2^30 on, single processes down from -2^30 (MPI_UNDEFINED lies between). */
enum { MANY = 1 << 30 };

/* The node, named by the first of its ranks. */
static int node_color(void)
{
    return MPIR_Process.node_leader;
}

/* mpi_hw_resource_type: memory that can be shared is the one resource that is told apart here. */
static int resource_color(const MPIR_Info *info)
{
    const char *type = info ? MPIR_Info_lookup(info, "mpi_hw_resource_type") : NULL;
    return type && strcmp(type, "mpi_shared_memory") == 0 ? node_color() : MPI_UNDEFINED;
}

/* mpi_pset_name: those of comm that are in the set. Its name makes the color, since two processes may count
 * the launcher's sets differently. */
static int pset_color(const MPIR_Info *info)
{
    const char *name = info ? MPIR_Info_lookup(info, "mpi_pset_name") : NULL;
    if (!name)
        return resource_color(info);
    if (strcmp(name, "mpi://SELF") == 0)
        return -MANY - MPIR_Process.rank;
    if (!MPIR_Pset_has_me(name))
        return MPI_UNDEFINED;
    return (int) (MANY + MPL_hash(name, strlen(name), MPL_HASH_SEED) % MANY);
}

/* The next smaller piece of hardware, if comm is on more than one: a proper part, or nothing. */
static int split_unguided(MPIR_Comm *comm, int key, MPIR_Comm **newcomm)
{
    MPIR_Comm *part;
    int ret = MPII_Comm_split(comm, node_color(), key, &part);
    if (ret)
        return ret;
    if (part->size == comm->size) {
        MPIR_Comm_release(part);
        part = NULL;
    }
    *newcomm = part;
    return MPI_SUCCESS;
}

int MPIR_Comm_split_type_impl(MPIR_Comm *comm, int split_type, int key, MPIR_Info *info,
                              MPIR_Comm **newcomm)
{
    switch (split_type) {
        case MPI_COMM_TYPE_SHARED:
            return MPII_Comm_split(comm, node_color(), key, newcomm);
        case MPI_COMM_TYPE_HW_GUIDED:
            return MPII_Comm_split(comm, resource_color(info), key, newcomm);
        case MPI_COMM_TYPE_RESOURCE_GUIDED:
            return MPII_Comm_split(comm, pset_color(info), key, newcomm);
        case MPI_COMM_TYPE_HW_UNGUIDED:
            return split_unguided(comm, key, newcomm);
        case MPI_UNDEFINED:
            return MPII_Comm_split(comm, MPI_UNDEFINED, key, newcomm);
        default:
            return MPIR_Err("**comm_split_type", split_type);
    }
}
