/* Groups: ranges stay ranges, search, set operations against a plain model, big groups in little
 * time. */
#include <stdlib.h>

#include "../../src/mpi/group/group_internal.h"
#include "mpir_impl.h"
#include "mpir_process.h"
#include "utest.h"

static MPIR_Group *of_list(int n, const int *list)
{
    MPIR_Group *g = NULL;
    UT_INT_EQ(MPIR_Group_create_list(n, list, NULL, &g), 0);
    return g;
}

static MPIR_Group *of_range(int n, int first, int stride)
{
    MPIR_Group *g = NULL;
    UT_INT_EQ(MPIR_Group_create_range(n, first, stride, NULL, &g), 0);
    return g;
}

static void expect(MPIR_Group *g, int n, const int *list)
{
    UT_INT_EQ(g->size, n);
    for (int i = 0; i < n; i++) {
        UT_INT_EQ(MPIR_Group_world_rank(g, i), list[i]);
        UT_INT_EQ(MPIR_Group_rank_of(g, list[i]), i);
    }
    MPIR_Group_release(g);
}
#define EXPECT(g, ...)                                                                             \
    expect(g, (int) (sizeof((int[]) { __VA_ARGS__ }) / sizeof(int)), (int[]) { __VA_ARGS__ })

static void lists_that_are_ranges(void)
{
    MPIR_Group *g = of_list(4, (int[]) { 9, 7, 5, 3 });
    UT_CHECK(!g->list && g->first == 9 && g->stride == -2);
    UT_INT_EQ(MPIR_Group_rank_of(g, 8), MPI_UNDEFINED);
    UT_INT_EQ(MPIR_Group_rank_of(g, 11), MPI_UNDEFINED);
    UT_INT_EQ(MPIR_Group_rank_of(g, 1), MPI_UNDEFINED);
    EXPECT(g, 9, 7, 5, 3);
    g = of_list(1, (int[]) { 5 });
    UT_CHECK(!g->list && g->stride == 1);
    UT_INT_EQ(MPIR_Group_rank_of(g, 6), MPI_UNDEFINED);
    MPIR_Group_release(g);
    g = of_list(0, NULL);
    UT_INT_EQ(g->obj.handle, MPI_GROUP_EMPTY);
    UT_INT_EQ(MPIR_Group_rank_of(g, 0), MPI_UNDEFINED);
    for (int i = 0; i < 5; i++)
        MPIR_Group_release(g); /* more often than it was got: it stays */
    UT_CHECK(MPIR_Group_get(MPI_GROUP_EMPTY) != NULL);
}

static void inclusion(void)
{
    MPIR_Group *g, *w = of_range(10, 0, 1);
    UT_INT_EQ(MPIR_Group_incl_impl(w, 3, (int[]) { 4, 1, 8 }, &g), 0);
    EXPECT(g, 4, 1, 8);
    UT_INT_EQ(MPIR_Group_excl_impl(w, 3, (int[]) { 4, 1, 8 }, &g), 0);
    EXPECT(g, 0, 2, 3, 5, 6, 7, 9);
    UT_INT_EQ(MPIR_Group_incl_impl(w, 0, NULL, &g), 0);
    UT_INT_EQ(g->obj.handle, MPI_GROUP_EMPTY);
    int r1[2][3] = { { 9, 5, -2 }, { 0, 0, 7 } };
    UT_INT_EQ(MPIR_Group_range_incl_impl(w, 2, r1, &g), 0);
    EXPECT(g, 9, 7, 5, 0);
    int r2[1][3] = { { 1, 8, 3 } };
    UT_INT_EQ(MPIR_Group_range_incl_impl(w, 1, r2, &g), 0);
    UT_CHECK(!g->list);
    EXPECT(g, 1, 4, 7);
    UT_INT_EQ(MPIR_Group_range_excl_impl(w, 1, r2, &g), 0);
    EXPECT(g, 0, 2, 3, 5, 6, 8, 9);
    MPIR_Group_release(w);
}

static void bad_ranks(void)
{
    MPIR_Group *g = NULL, *w = of_range(4, 0, 1);
    UT_INT_EQ(MPIR_Err_class(MPIR_Group_incl_impl(w, 1, (int[]) { 4 }, &g)), MPI_ERR_RANK);
    UT_INT_EQ(MPIR_Err_class(MPIR_Group_incl_impl(w, 1, (int[]) { -1 }, &g)), MPI_ERR_RANK);
    UT_INT_EQ(MPIR_Err_class(MPIR_Group_excl_impl(w, 2, (int[]) { 1, 1 }, &g)), MPI_ERR_RANK);
    int r[3][3] = { { 0, 3, 0 }, { 0, 3, -1 }, { 0, 4, 1 } };
    UT_INT_EQ(MPIR_Err_class(MPIR_Group_range_incl_impl(w, 1, &r[0], &g)), MPI_ERR_ARG);
    UT_INT_EQ(MPIR_Err_class(MPIR_Group_range_excl_impl(w, 1, &r[1], &g)), MPI_ERR_ARG);
    UT_INT_EQ(MPIR_Err_class(MPIR_Group_range_incl_impl(w, 1, &r[2], &g)), MPI_ERR_RANK);
    int twice[2][3] = { { 0, 2, 1 }, { 2, 3, 1 } };
    UT_INT_EQ(MPIR_Err_class(MPIR_Group_range_incl_impl(w, 2, twice, &g)), MPI_ERR_RANK);
    UT_CHECK(g == NULL);
    MPIR_Group_release(w);
}

#define N 40

/* A random group of ranks below N, and its members as flags. */
static MPIR_Group *random_group(bool *has)
{
    int list[N], n = 0, order[N];
    for (int i = 0; i < N; i++)
        order[i] = i;
    for (int i = N - 1; i > 0; i--) {
        int j = rand() % (i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (int i = 0; i < N; i++)
        if ((has[order[i]] = rand() % 2))
            list[n++] = order[i];
    return of_list(n, list);
}

static void compare_with_model(MPIR_Group *a, const bool *in_a, MPIR_Group *b, const bool *in_b)
{
    MPIR_Group *u, *x, *d;
    UT_INT_EQ(MPIR_Group_union_impl(a, b, &u) | MPIR_Group_intersection_impl(a, b, &x)
                  | MPIR_Group_difference_impl(a, b, &d), 0);
    for (int i = 0; i < N; i++) {
        UT_INT_EQ(MPII_Group_has(u, i), in_a[i] || in_b[i]);
        UT_INT_EQ(MPII_Group_has(x, i), in_a[i] && in_b[i]);
        UT_INT_EQ(MPII_Group_has(d, i), in_a[i] && !in_b[i]);
    }
    for (int i = 0; i < a->size; i++)
        UT_INT_EQ(MPIR_Group_world_rank(u, i), MPIR_Group_world_rank(a, i));
    for (int i = 1; i < x->size; i++) /* in the order of a */
        UT_CHECK(MPIR_Group_rank_of(a, MPIR_Group_world_rank(x, i - 1))
                 < MPIR_Group_rank_of(a, MPIR_Group_world_rank(x, i)));
    MPIR_Group_release(u);
    MPIR_Group_release(x);
    MPIR_Group_release(d);
}

static void sets_against_a_model(void)
{
    for (int round = 0; round < 200; round++) {
        bool in_a[N], in_b[N];
        MPIR_Group *a = random_group(in_a), *b = random_group(in_b);
        compare_with_model(a, in_a, b, in_b);
        MPIR_Group_release(a);
        MPIR_Group_release(b);
    }
}

static void comparison(void)
{
    MPIR_Group *a = of_range(5, 0, 1), *b = of_list(5, (int[]) { 4, 3, 2, 1, 0 }),
               *c = of_range(5, 1, 1);
    int result = -1;
    MPIR_Group_compare_impl(a, a, &result);
    UT_INT_EQ(result, MPI_IDENT);
    MPIR_Group_compare_impl(a, b, &result);
    UT_INT_EQ(result, MPI_SIMILAR);
    MPIR_Group_compare_impl(a, c, &result);
    UT_INT_EQ(result, MPI_UNEQUAL);
    MPIR_Group_compare_impl(a, &MPIR_Group_builtin[0], &result);
    UT_INT_EQ(result, MPI_UNEQUAL);
    int ranks[4];
    UT_INT_EQ(MPIR_Group_translate_ranks_impl(a, 4, (int[]) { 0, 4, MPI_PROC_NULL, 1 }, c, ranks),
              0);
    UT_INT_EQ(ranks[0], MPI_UNDEFINED);
    UT_INT_EQ(ranks[1], 3);
    UT_INT_EQ(ranks[2], MPI_PROC_NULL);
    UT_INT_EQ(ranks[3], 0);
    UT_INT_EQ(MPIR_Err_class(MPIR_Group_translate_ranks_impl(a, 1, (int[]) { 5 }, c, ranks)),
              MPI_ERR_RANK);
    MPIR_Group_release(a);
    MPIR_Group_release(b);
    MPIR_Group_release(c);
}

static void sessions_do_not_mix(void)
{
    static MPIR_Session s1 = { .obj.ref = 10 }, s2 = { .obj.ref = 10 };
    MPIR_Group *a, *b, *c = of_range(3, 0, 1), *g = NULL;
    MPIR_Group_create_range(3, 0, 1, &s1, &a);
    MPIR_Group_create_range(3, 0, 1, &s2, &b);
    int result;
    UT_INT_EQ(MPIR_Err_class(MPIR_Group_union_impl(a, b, &g)), MPI_ERR_GROUP);
    UT_INT_EQ(MPIR_Err_class(MPIR_Group_compare_impl(a, c, &result)), MPI_ERR_GROUP);
    UT_INT_EQ(MPIR_Group_union_impl(a, &MPIR_Group_builtin[0], &g), 0);
    UT_CHECK(g == a);
    MPIR_Group_release(g);
    UT_INT_EQ(MPIR_Group_incl_impl(a, 2, (int[]) { 2, 0 }, &g), 0);
    UT_CHECK(g->session == &s1);
    UT_INT_EQ(s1.obj.ref, 12);
    MPIR_Group_release(g);
    MPIR_Group_release(a);
    MPIR_Group_release(b);
    MPIR_Group_release(c);
    UT_INT_EQ(s1.obj.ref, 10);
}

/* A small part of a very large group: a table finds what is named twice, and lists are short. */
static void few_of_many(void)
{
    enum { MANY = 1 << 20, FEW = 300 };
    MPIR_Group *w = of_range(MANY, 0, 1), *few, *g = NULL;
    int ranks[FEW], result;
    for (int i = 0; i < FEW; i++)
        ranks[i] = (int) (i * 2654435761u % MANY);
    UT_INT_EQ(MPIR_Group_incl_impl(w, FEW, ranks, &few), 0);
    UT_INT_EQ(MPIR_Group_union_impl(w, few, &g), 0);
    UT_CHECK(g == w);
    MPIR_Group_release(g);
    UT_INT_EQ(MPIR_Group_intersection_impl(w, few, &g), 0);
    UT_INT_EQ(g->size, FEW);
    MPIR_Group_compare_impl(few, g, &result);
    UT_INT_EQ(result, MPI_SIMILAR);
    MPIR_Group_release(g);
    expect(few, FEW, ranks);
    ranks[FEW - 1] = ranks[7];
    UT_INT_EQ(MPIR_Err_class(MPIR_Group_incl_impl(w, FEW, ranks, &g)), MPI_ERR_RANK);
    int apart[2][3] = { { MANY - 1, MANY - 3, -2 }, { 5, 6, 1 } };
    UT_INT_EQ(MPIR_Group_range_incl_impl(w, 2, apart, &g), 0);
    EXPECT(g, MANY - 1, MANY - 3, 5, 6);
    int twice[2][3] = { { 5, 6, 1 }, { 6, 7, 1 } };
    UT_INT_EQ(MPIR_Err_class(MPIR_Group_range_incl_impl(w, 2, twice, &g)), MPI_ERR_RANK);
    MPIR_Group_release(w);
}

/* What is left of a range when one end is taken off is a range, forwards or backwards. */
static void without_an_end(void)
{
    MPIR_Group *g, *w = of_range(5, 9, -2);
    int r[3][3] = { { 0, 1, 1 }, { 3, 4, 1 }, { 0, 4, 1 } };
    UT_INT_EQ(MPIR_Group_range_excl_impl(w, 1, &r[0], &g), 0);
    EXPECT(g, 5, 3, 1);
    UT_INT_EQ(MPIR_Group_range_excl_impl(w, 1, &r[1], &g), 0);
    EXPECT(g, 9, 7, 5);
    UT_INT_EQ(MPIR_Group_range_excl_impl(w, 1, &r[2], &g), 0);
    UT_INT_EQ(g->obj.handle, MPI_GROUP_EMPTY);
    UT_INT_EQ(MPIR_Group_excl_impl(w, 1, (int[]) { 0 }, &g), 0);
    EXPECT(g, 7, 5, 3, 1);
    UT_INT_EQ(MPIR_Group_excl_impl(w, 1, (int[]) { 4 }, &g), 0);
    EXPECT(g, 9, 7, 5, 3);
    UT_INT_EQ(MPIR_Group_excl_impl(w, 1, (int[]) { 2 }, &g), 0);
    EXPECT(g, 9, 7, 3, 1);
    MPIR_Group_release(w);
}

/* A square algorithm would need minutes. */
static void big_groups(void)
{
    enum { BIG = 1 << 19 };
    int *list = malloc(BIG * sizeof *list);
    for (int i = 0; i < BIG; i++)
        list[i] = (int) ((i * 2654435761u) % (1u << 19)); /* odd factor: a permutation */
    MPIR_Group *a = of_list(BIG, list), *b = of_range(BIG, 0, 1), *c = of_range(BIG / 2, 1, 2), *g;
    int result;
    UT_CHECK(a->list && !b->list);
    MPIR_Group_compare_impl(b, a, &result);
    UT_INT_EQ(result, MPI_SIMILAR);
    UT_INT_EQ(MPIR_Group_intersection_impl(c, a, &g), 0);
    UT_CHECK(!g->list && g->stride == 2);
    MPIR_Group_release(g);
    UT_INT_EQ(MPIR_Group_difference_impl(a, c, &g), 0);
    UT_INT_EQ(g->size, BIG / 2);
    MPIR_Group_release(g);
    UT_INT_EQ(MPIR_Group_excl_impl(b, 1, (int[]) { 0 }, &g), 0);
    UT_CHECK(!g->list && g->first == 1);
    MPIR_Group_release(g);
    MPIR_Group_release(a);
    MPIR_Group_release(b);
    MPIR_Group_release(c);
    free(list);
}

int main(void)
{
    UT_RUN(lists_that_are_ranges);
    UT_RUN(inclusion);
    UT_RUN(bad_ranks);
    UT_RUN(sets_against_a_model);
    UT_RUN(comparison);
    UT_RUN(sessions_do_not_mix);
    UT_RUN(few_of_many);
    UT_RUN(without_an_end);
    UT_RUN(big_groups);
    UT_INT_EQ(MPIR_Group_pool.in_use, 0);
    return UT_REPORT();
}
