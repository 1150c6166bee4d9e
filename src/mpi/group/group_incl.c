/* Groups from chosen ranks of a group: incl, excl and their range forms. */
#include <stdlib.h>

#include "group_internal.h"
#include "mpir_impl.h"

typedef enum Form { INCLUDE, EXCLUDE } Form;

/* Which ranks have been named: one bit each; or, where few of many are, a table of those, so that a
 * small part of a very large group costs what the part costs. */
typedef struct Seen {
    unsigned char *bits; /* NULL: slot serves */
    int *slot; /* rank + 1; 0: free */
    unsigned mask; /* number of slots - 1 */
} Seen;

/* A walk over the ranks that ranges name; each rank in range and none twice. */
typedef struct Choice {
    const MPIR_Group *group;
    int n; /* ranks chosen so far */
    int *list; /* their world ranks, in order; NULL if not wanted */
    Seen seen;
} Choice;

/* `named` ranks at most, of a group of `size`. False: no memory. */
static bool seen_open(Seen *seen, int named, int size, Form form)
{
    unsigned slots = 16;
    if (form == EXCLUDE || named > size / 128) {
        seen->bits = calloc((size_t) size / 8 + 1, 1);
        return seen->bits != NULL;
    }
    while (slots < 2u * (unsigned) named)
        slots *= 2;
    seen->slot = calloc(slots, sizeof *seen->slot);
    seen->mask = slots - 1;
    return seen->slot != NULL;
}

static void seen_close(Seen *seen)
{
    free(seen->bits);
    free(seen->slot);
}

static bool seen_before(Seen *seen, int rank)
{
    if (seen->bits)
        return MPII_Bit_test_and_set(seen->bits, rank);
    unsigned at = (unsigned) rank * 2654435761u >> 7 & seen->mask;
    while (seen->slot[at] != 0 && seen->slot[at] != rank + 1)
        at = (at + 1) & seen->mask;
    bool was = seen->slot[at] != 0;
    seen->slot[at] = rank + 1;
    return was;
}

static int choose(Choice *c, int position, int rank)
{
    if (rank < 0 || rank >= c->group->size)
        return MPIR_Err("**group_rank", position, rank, c->group->size);
    if (seen_before(&c->seen, rank))
        return MPIR_Err("**group_rank_twice", position, rank);
    if (c->list)
        c->list[c->n] = MPIR_Group_world_rank(c->group, rank);
    c->n++;
    return MPI_SUCCESS;
}

/* At most `named` ranks will be chosen, more than the group has only in error. */
static int choice_open(Choice *c, const MPIR_Group *group, long long named, Form form)
{
    int most = (int) MPL_MIN(named, group->size);
    *c = (Choice) { .group = group };
    if (form == INCLUDE)
        c->list = malloc(((size_t) most + 1) * sizeof *c->list);
    if ((c->list || form == EXCLUDE) && seen_open(&c->seen, most, group->size, form))
        return MPI_SUCCESS;
    free(c->list);
    return MPIR_Err("**group_nomem", most);
}

/* Turn "chosen" into "the others", in the group's order. */
static int invert(Choice *c)
{
    int size = c->group->size, n = 0;
    c->list = malloc(((size_t) (size - c->n) + 1) * sizeof *c->list);
    if (!c->list)
        return MPIR_Err("**group_nomem", size - c->n);
    for (int i = 0; i < size; i++)
        if (!MPII_Bit_test(c->seen.bits, i))
            c->list[n++] = MPIR_Group_world_rank(c->group, i);
    c->n = n;
    return MPI_SUCCESS;
}

static int choice_close(Choice *c, int ret, Form form, MPIR_Group **newgroup)
{
    if (!ret && form == EXCLUDE)
        ret = invert(c);
    seen_close(&c->seen);
    if (!ret)
        return MPII_Group_take(c->n, c->list, c->group->session, newgroup);
    free(c->list);
    return ret;
}

static int from_ranks(MPIR_Group *group, int n, const int ranks[], Form form, MPIR_Group **newgroup)
{
    Choice c;
    int ret = choice_open(&c, group, n, form);
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

/* The ranks of a range but for lo ... hi at one end of it are a range. */
static bool is_at_an_end(const MPIR_Group *group, int lo, int hi)
{
    return !group->list && lo >= 0 && lo <= hi && hi < group->size
        && (lo == 0 || hi == group->size - 1);
}

static int without_end(MPIR_Group *group, int lo, int hi, MPIR_Group **newgroup)
{
    int size = group->size - (hi - lo + 1);
    int first = lo > 0 || size == 0 ? group->first : MPIR_Group_world_rank(group, hi + 1);
    return MPIR_Group_create_range(size, first, group->stride, group->session, newgroup);
}

int MPIR_Group_excl_impl(MPIR_Group *group, int n, const int ranks[], MPIR_Group **newgroup)
{
    if (n == 1 && is_at_an_end(group, ranks[0], ranks[0]))
        return without_end(group, ranks[0], ranks[0], newgroup);
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

/* How many ranks a valid range names. */
static long long range_size(const int range[3])
{
    return ((long long) range[1] - range[0]) / range[2] + 1;
}

static int choose_range(Choice *c, int i, const int range[3])
{
    int ret = MPI_SUCCESS;
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
    int size = (int) range_size(range);
    long long stride = size > 1 ? (long long) group->stride * range[2] : 1;
    return MPIR_Group_create_range(size, MPIR_Group_world_rank(group, range[0]), (int) stride,
                                   group->session, newgroup);
}

static int from_ranges(MPIR_Group *group, int n, int ranges[][3], Form form, MPIR_Group **newgroup)
{
    Choice c;
    long long named = 0;
    int ret = MPI_SUCCESS;
    for (int i = 0; i < n && !ret; i++) {
        ret = check_range(group, i, ranges[i]);
        named += ret ? 0 : range_size(ranges[i]);
    }
    if (!ret)
        ret = choice_open(&c, group, named, form);
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
    if (n == 1 && ranges[0][2] == 1 && is_at_an_end(group, ranges[0][0], ranges[0][1]))
        return without_end(group, ranges[0][0], ranges[0][1], newgroup);
    return from_ranges(group, n, ranges, EXCLUDE, newgroup);
}
