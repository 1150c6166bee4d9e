/* Groups as sets: compare, translate, union, intersection, difference. One search in the other
 * group a member: O(1) for ranges, O(log n) for lists. Who puts a small group beside a very large
 * one pays for the small one only, unless the result is large and no range. */
#include <stdlib.h>
#include <string.h>

#include "group_internal.h"
#include "mpir_impl.h"

bool MPII_Group_is_ident(const MPIR_Group *a, const MPIR_Group *b)
{
    if (a->size != b->size || !a->list != !b->list)
        return false;
    if (a->list)
        return memcmp(a->list, b->list, (size_t) a->size * sizeof *a->list) == 0;
    return a->size == 0 || (a->first == b->first && a->stride == b->stride);
}

static bool has_all(const MPIR_Group *g, const MPIR_Group *members)
{
    for (int i = 0; i < members->size; i++)
        if (!MPII_Group_has(g, MPIR_Group_world_rank(members, i)))
            return false;
    return true;
}

/* The same members in whichever order? Of the same size. */
static bool is_similar(const MPIR_Group *a, const MPIR_Group *b)
{
    if (a->list || b->list)
        return has_all(b, a);
    /* a range is one other, or that one backwards */
    return a->stride == -b->stride && a->first == MPIR_Group_world_rank(b, b->size - 1);
}

int MPIR_Group_compare_impl(MPIR_Group *group1, MPIR_Group *group2, int *result)
{
    int ret = MPII_Group_check_mix(group1, group2);
    if (ret)
        return ret;
    if (MPII_Group_is_ident(group1, group2))
        *result = MPI_IDENT;
    else if (group1->size == group2->size && is_similar(group1, group2))
        *result = MPI_SIMILAR;
    else
        *result = MPI_UNEQUAL;
    return MPI_SUCCESS;
}

static int check_ranks(const MPIR_Group *group, int n, const int *ranks)
{
    for (int i = 0; i < n; i++)
        if (ranks[i] != MPI_PROC_NULL && (ranks[i] < 0 || ranks[i] >= group->size))
            return MPIR_Err("**group_rank", i, ranks[i], group->size);
    return MPI_SUCCESS;
}

int MPIR_Group_translate_ranks_impl(MPIR_Group *group1, int n, const int ranks1[],
                                    MPIR_Group *group2, int ranks2[])
{
    int ret = MPII_Group_check_mix(group1, group2);
    if (!ret)
        ret = check_ranks(group1, n, ranks1);
    if (ret)
        return ret;
    for (int i = 0; i < n; i++)
        ranks2[i] = ranks1[i] == MPI_PROC_NULL
            ? MPI_PROC_NULL
            : MPIR_Group_rank_of(group2, MPIR_Group_world_rank(group1, ranks1[i]));
    return MPI_SUCCESS;
}

/* Append to list[n...] the members of g that are (wanted) or are not in `other`; gives the new n.
 */
static int append_if(int *list, int n, const MPIR_Group *g, const MPIR_Group *other, bool wanted)
{
    for (int i = 0; i < g->size; i++) {
        int world_rank = MPIR_Group_world_rank(g, i);
        if (MPII_Group_has(other, world_rank) == wanted)
            list[n++] = world_rank;
    }
    return n;
}

static int reuse(MPIR_Group *group, MPIR_Group **newgroup)
{
    MPIR_Object_add_ref(&group->obj);
    *newgroup = group;
    return MPI_SUCCESS;
}

static int *new_list(long long size)
{
    return malloc((size_t) MPL_MAX(size, 1) * sizeof(int));
}

int MPIR_Group_union_impl(MPIR_Group *group1, MPIR_Group *group2, MPIR_Group **newgroup)
{
    int ret = MPII_Group_check_mix(group1, group2);
    if (ret)
        return ret;
    if (group2->size == 0 || MPII_Group_is_ident(group1, group2))
        return reuse(group1, newgroup);
    if (group1->size == 0)
        return reuse(group2, newgroup);
    if (group2->size < group1->size && has_all(group1, group2))
        return reuse(group1, newgroup);
    int *list = new_list((long long) group1->size + group2->size);
    if (!list)
        return MPIR_Err("**group_nomem", group1->size);
    int n = 0;
    for (; n < group1->size; n++)
        list[n] = MPIR_Group_world_rank(group1, n);
    n = append_if(list, n, group2, group1, false);
    return MPII_Group_take(n, list, group1->session, newgroup);
}

/* The members of group1, in its order, that are or are not in group2. */
static int filter(MPIR_Group *group1, MPIR_Group *group2, bool wanted, MPIR_Group **newgroup)
{
    int *list = new_list(group1->size);
    if (!list)
        return MPIR_Err("**group_nomem", group1->size);
    int n = append_if(list, 0, group1, group2, wanted);
    return MPII_Group_take(n, list, group1->session, newgroup);
}

/* The members of `few` that are in `many`, in the order of that. */
static int pick(const MPIR_Group *many, const MPIR_Group *few, MPIR_Group **newgroup)
{
    int n = 0, *list = new_list(few->size);
    if (!list)
        return MPIR_Err("**group_nomem", few->size);
    for (int i = 0; i < few->size; i++) {
        int rank = MPIR_Group_rank_of(many, MPIR_Group_world_rank(few, i));
        if (rank != MPI_UNDEFINED)
            list[n++] = rank;
    }
    qsort(list, (size_t) n, sizeof *list, MPL_compare_ints);
    for (int i = 0; i < n; i++)
        list[i] = MPIR_Group_world_rank(many, list[i]);
    return MPII_Group_take(n, list, many->session, newgroup);
}

int MPIR_Group_intersection_impl(MPIR_Group *group1, MPIR_Group *group2, MPIR_Group **newgroup)
{
    int ret = MPII_Group_check_mix(group1, group2);
    if (ret)
        return ret;
    if (MPII_Group_is_ident(group1, group2))
        return reuse(group1, newgroup);
    if (group2->size < group1->size)
        return pick(group1, group2, newgroup);
    return filter(group1, group2, true, newgroup);
}

int MPIR_Group_difference_impl(MPIR_Group *group1, MPIR_Group *group2, MPIR_Group **newgroup)
{
    int ret = MPII_Group_check_mix(group1, group2);
    if (ret)
        return ret;
    if (group2->size == 0)
        return reuse(group1, newgroup);
    return filter(group1, group2, false, newgroup);
}
