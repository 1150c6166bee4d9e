/* Groups from chosen ranks of a group: incl, excl and their range forms. */
#include <stdlib.h>

#include "group_internal.h"
#include "mpir_impl.h"

typedef enum Form { INCLUDE, EXCLUDE } Form;

/* A walk over the ranks that ranges name; each rank in range and none twice. */
typedef struct Choice {
    const MPIR_Group *group;
    int n; /* ranks chosen so far */
    int *list; /* their world ranks, in order; NULL if not wanted */
    unsigned char *seen;
} Choice;

static int choose(Choice *c, int position, int rank)
{
    if (rank < 0 || rank >= c->group->size)
        return MPIR_Err("**group_rank", position, rank, c->group->size);
    if (MPII_Bit_test_and_set(c->seen, rank))
        return MPIR_Err("**group_rank_twice", position, rank);
    if (c->list)
        c->list[c->n] = MPIR_Group_world_rank(c->group, rank);
    c->n++;
    return MPI_SUCCESS;
}

static int choice_open(Choice *c, const MPIR_Group *group, Form form)
{
    size_t n = (size_t) group->size;
    *c = (Choice) { .group = group, .seen = calloc(n / 8 + 1, 1) };
    if (form == INCLUDE)
        c->list = malloc((n + 1) * sizeof *c->list);
    if (c->seen && (c->list || form == EXCLUDE))
        return MPI_SUCCESS;
    free(c->seen);
    free(c->list);
    return MPIR_Err("**group_nomem", group->size);
}

/* Turn "chosen" into "the others", in the group's order. */
static int invert(Choice *c)
{
    int size = c->group->size, n = 0;
    c->list = malloc(((size_t) (size - c->n) + 1) * sizeof *c->list);
    if (!c->list)
        return MPIR_Err("**group_nomem", size - c->n);
    for (int i = 0; i < size; i++)
        if (!MPII_Bit_test(c->seen, i))
            c->list[n++] = MPIR_Group_world_rank(c->group, i);
    c->n = n;
    return MPI_SUCCESS;
}

static int choice_close(Choice *c, int ret, Form form, MPIR_Group **newgroup)
{
    if (!ret && form == EXCLUDE)
        ret = invert(c);
    free(c->seen);
    if (!ret)
        return MPII_Group_take(c->n, c->list, c->group->session, newgroup);
    free(c->list);
    return ret;
}

static int from_ranks(MPIR_Group *group, int n, const int ranks[], Form form, MPIR_Group **newgroup)
{
    Choice c;
    int ret = choice_open(&c, group, form);
    if (ret)
        return ret;
    for (int i = 0; i < n && !ret; i++)
        ret = choose(&c, i, ranks[i]);
    return choice_close(&c, ret, form, newgroup);
}

int MPIR_Group_incl_impl(MPIR_Group *group, int n, const int ranks[], MPIR_Group **newgroup)
{
    return from_ranks(group, n, ranks, INCLUDE, newgroup);
}

int MPIR_Group_excl_impl(MPIR_Group *group, int n, const int ranks[], MPIR_Group **newgroup)
{
    return from_ranks(group, n, ranks, EXCLUDE, newgroup);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static int check_range(const MPIR_Group *group, int i, const int range[3])
{
    for (int k = 0; k < 2; k++)
        if (range[k] < 0 || range[k] >= group->size)
            return MPIR_Err("**group_range", i, k == 0 ? "first" : "last", range[k], group->size);
    if (range[2] == 0)
        return MPIR_Err("**group_stride", i);
    /* first == last is one rank, whatever the stride */
    if (range[0] != range[1] && (range[1] > range[0]) != (range[2] > 0))
        return MPIR_Err("**group_range_empty", i, range[0], range[1], range[2]);
    return MPI_SUCCESS;
}

static int choose_range(Choice *c, int i, const int range[3])
{
    int ret = check_range(c->group, i, range);
    long long last = range[1], stride = range[2];
    for (long long r = range[0]; !ret && (stride > 0 ? r <= last : r >= last); r += stride)
        ret = choose(c, i, (int) r);
    return ret;
}

/* One range of a range is a range: nothing to enumerate. */
static int one_range(MPIR_Group *group, const int range[3], MPIR_Group **newgroup)
{
    int ret = check_range(group, 0, range);
    if (ret)
        return ret;
    int size = (int) (((long long) range[1] - range[0]) / range[2]) + 1;
    long long stride = size > 1 ? (long long) group->stride * range[2] : 1;
    return MPIR_Group_create_range(size, MPIR_Group_world_rank(group, range[0]), (int) stride,
                                   group->session, newgroup);
}

static int from_ranges(MPIR_Group *group, int n, int ranges[][3], Form form, MPIR_Group **newgroup)
{
    Choice c;
    int ret = choice_open(&c, group, form);
    if (ret)
        return ret;
    for (int i = 0; i < n && !ret; i++)
        ret = choose_range(&c, i, ranges[i]);
    return choice_close(&c, ret, form, newgroup);
}

int MPIR_Group_range_incl_impl(MPIR_Group *group, int n, int ranges[][3], MPIR_Group **newgroup)
{
    if (n == 1 && !group->list)
        return one_range(group, ranges[0], newgroup);
    return from_ranges(group, n, ranges, INCLUDE, newgroup);
}

int MPIR_Group_range_excl_impl(MPIR_Group *group, int n, int ranges[][3], MPIR_Group **newgroup)
{
    return from_ranges(group, n, ranges, EXCLUDE, newgroup);
}
