/* Groups as objects: made, looked into, freed. */
#include <stdlib.h>
#include <string.h>

#include "group_internal.h"
#include "mpir_impl.h"
#include "mpir_process.h"

/* A list this short is searched from end to end; no index is worth its memory. */
#define SHORT_LIST 16

/* Lives with the process. */
MPIR_Group MPIR_Group_builtin[1] = {
    { .obj = { MPI_GROUP_EMPTY, 1 }, .size = 0, .rank = MPI_UNDEFINED },
};
MPIR_Pool MPIR_Group_pool = MPIR_POOL_INIT(MPIR_GROUP, MPIR_Group, MPIR_Group_builtin, 1, false);

/* ---- search ---------------------------------------------------------------------------------- */

static int rank_in_range(const MPIR_Group *g, int world_rank)
{
    long long distance = (long long) world_rank - g->first;
    if (g->size == 1)
        return distance == 0 ? 0 : MPI_UNDEFINED;
    if (g->size == 0 || distance % g->stride != 0)
        return MPI_UNDEFINED;
    long long rank = distance / g->stride;
    return rank >= 0 && rank < g->size ? (int) rank : MPI_UNDEFINED;
}

static int rank_in_list(const MPIR_Group *g, int world_rank)
{
    for (int i = 0; i < g->size; i++)
        if (g->list[i] == world_rank)
            return i;
    return MPI_UNDEFINED;
}

static int compare_by_world_rank(const void *a, const void *b, void *list)
{
    int x = ((const int *) list)[*(const int *) a], y = ((const int *) list)[*(const int *) b];
    return (x > y) - (x < y);
}

/* Merge sort bottom up: qsort_r is no part of POSIX. */
static int *sort_ranks(const MPIR_Group *g)
{
    int n = g->size;
    int *from = malloc((size_t) n * sizeof *from), *to = malloc((size_t) n * sizeof *to);
    if (!from || !to) {
        free(from);
        free(to);
        return NULL;
    }
    for (int i = 0; i < n; i++)
        from[i] = i;
    for (long long width = 1; width < n; width *= 2) {
        for (long long base = 0; base < n; base += 2 * width) {
            long long i = base, mid = MPL_MIN(base + width, n), j = mid,
                      end = MPL_MIN(mid + width, n);
            for (long long k = base; k < end; k++) {
                bool left = j == end
                    || (i < mid && compare_by_world_rank(&from[i], &from[j], g->list) <= 0);
                to[k] = left ? from[i++] : from[j++];
            }
        }
        int *swap = from;
        from = to;
        to = swap;
    }
    free(to);
    return from;
}

static int rank_in_sorted(const MPIR_Group *g, int world_rank)
{
    int low = 0, high = g->size;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (g->list[g->sorted[mid]] < world_rank)
            low = mid + 1;
        else
            high = mid;
    }
    return low < g->size && g->list[g->sorted[low]] == world_rank ? g->sorted[low] : MPI_UNDEFINED;
}

int MPIR_Group_rank_of(const MPIR_Group *g, int world_rank)
{
    if (MPL_LIKELY(!g->list))
        return rank_in_range(g, world_rank);
    if (g->size <= SHORT_LIST)
        return rank_in_list(g, world_rank);
    if (!g->sorted)
        ((MPIR_Group *) g)->sorted = sort_ranks(g); /* a cache: the group stays what it is */
    return g->sorted ? rank_in_sorted(g, world_rank) : rank_in_list(g, world_rank);
}

/* ---- making ---------------------------------------------------------------------------------- */

static int make(const MPIR_Group *model, MPIR_Session *session, MPIR_Group **group)
{
    MPIR_Group *g = MPIR_Pool_alloc(&MPIR_Group_pool);
    if (!g)
        return MPIR_Err("**group_nomem", model->size);
    g->size = model->size;
    g->first = model->first;
    g->stride = model->stride;
    g->list = model->list;
    g->session = session;
    if (session)
        MPIR_Object_add_ref(&session->obj);
    g->rank = MPIR_Group_rank_of(g, MPIR_Process.rank);
    *group = g;
    return MPI_SUCCESS;
}

static int use_empty(MPIR_Group **group)
{
    *group = &MPIR_Group_builtin[0];
    MPIR_Object_add_ref(&(*group)->obj);
    return MPI_SUCCESS;
}

int MPIR_Group_create_range(int size, int first, int stride, MPIR_Session *session,
                            MPIR_Group **group)
{
    if (size == 0)
        return use_empty(group);
    /* One form for one group: forms are compared and hashed. */
    MPIR_Group model = { .size = size, .first = first, .stride = size == 1 ? 1 : stride };
    return make(&model, session, group);
}

static bool is_range(int size, const int *list)
{
    for (int i = 2; i < size; i++)
        if ((long long) list[i] - list[i - 1] != (long long) list[1] - list[0])
            return false;
    return true;
}

int MPII_Group_take(int size, int *list, MPIR_Session *session, MPIR_Group **group)
{
    int ret;
    if (size == 0 || is_range(size, list)) {
        int first = size > 0 ? list[0] : 0, stride = size > 1 ? list[1] - list[0] : 1;
        ret = MPIR_Group_create_range(size, first, stride, session, group);
        free(list);
    } else {
        MPIR_Group model = { .size = size, .list = list };
        ret = make(&model, session, group);
        if (ret)
            free(list);
    }
    return ret;
}

int MPIR_Group_create_list(int size, const int *list, MPIR_Session *session, MPIR_Group **group)
{
    if (size == 0)
        return use_empty(group);
    if (is_range(size, list))
        return MPIR_Group_create_range(size, list[0], size > 1 ? list[1] - list[0] : 1, session,
                                       group);
    int *copy = malloc((size_t) size * sizeof *copy);
    if (!copy)
        return MPIR_Err("**group_nomem", size);
    memcpy(copy, list, (size_t) size * sizeof *copy);
    return MPII_Group_take(size, copy, session, group);
}

/* ---- freeing --------------------------------------------------------------------------------- */

static void destroy(MPIR_Group *group)
{
    free(group->list);
    free(group->sorted);
    MPIR_Session_release(group->session);
    MPIR_Pool_free(&MPIR_Group_pool, group);
}

void MPIR_Group_release(MPIR_Group *group)
{
    if (group == &MPIR_Group_builtin[0]) {
        /* Never freed, and the user may free it more often than he got it. */
        if (atomic_load_explicit(&group->obj.ref, memory_order_relaxed) > 1)
            MPIR_Object_release(&group->obj);
        return;
    }
    if (MPIR_Object_release(&group->obj))
        destroy(group);
}

static void drop(void *object, void *arg)
{
    (void) arg;
    destroy(object);
}

void MPIR_Group_drop_all(void)
{
    MPIR_Pool_each(&MPIR_Group_pool, drop, NULL);
}

/* ---- MPI functions --------------------------------------------------------------------------- */

int MPIR_Group_check_session(const MPIR_Session *a, const MPIR_Session *b, const char *what)
{
    if (a == b)
        return MPI_SUCCESS;
    return MPIR_Err("**group_session_mix", what,
                    a && b ? "two sessions" : "a session and the world");
}

int MPII_Group_check_mix(const MPIR_Group *a, const MPIR_Group *b)
{
    if (a->size == 0 || b->size == 0)
        return MPI_SUCCESS;
    return MPIR_Group_check_session(a->session, b->session, "group1 and group2");
}

int MPIR_Group_size_impl(MPIR_Group *group, int *size)
{
    *size = group->size;
    return MPI_SUCCESS;
}

int MPIR_Group_rank_impl(MPIR_Group *group, int *rank)
{
    *rank = group->rank;
    return MPI_SUCCESS;
}

int MPIR_Group_free_impl(MPIR_Group *group)
{
    MPIR_Group_release(group);
    return MPI_SUCCESS;
}
