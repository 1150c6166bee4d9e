/* Group functions on the group of MPI_COMM_WORLD: members, order, comparison, translation. */
#include "mpitest.h"

static void expect_members(MPI_Group world, MPI_Group g, int n, const int *want)
{
    int size, at;
    MTEST_MPI(MPI_Group_size(g, &size));
    MTEST_INT_EQ(size, n);
    for (int i = 0; i < n && i < size; i++) {
        MTEST_MPI(MPI_Group_translate_ranks(g, 1, &i, world, &at));
        MTEST_INT_EQ(at, want[i]);
    }
}

static void reverse_and_back(MPI_Group world, int size)
{
    MPI_Group reversed, again;
    int ranges[1][3] = { { size - 1, 0, -1 } }, result, rank, mine,
        *want = malloc(sizeof(int) * (size_t) size);
    for (int i = 0; i < size; i++)
        want[i] = size - 1 - i;
    MTEST_MPI(MPI_Group_range_incl(world, 1, ranges, &reversed));
    expect_members(world, reversed, size, want);
    MPI_Group_rank(world, &mine);
    MPI_Group_rank(reversed, &rank);
    MTEST_INT_EQ(rank, size - 1 - mine);
    MTEST_MPI(MPI_Group_compare(world, reversed, &result));
    MTEST_INT_EQ(result, size == 1 ? MPI_IDENT : MPI_SIMILAR);
    MTEST_MPI(MPI_Group_incl(reversed, size, want, &again));
    MTEST_MPI(MPI_Group_compare(world, again, &result));
    MTEST_INT_EQ(result, MPI_IDENT);
    MTEST_MPI(MPI_Group_free(&reversed));
    MTEST_MPI(MPI_Group_free(&again));
    MTEST_INT_EQ(again, MPI_GROUP_NULL);
    free(want);
}

/* Even ranks and the lower half: every set operation against what it must be. */
static void evens_and_lower(MPI_Group world, int size)
{
    MPI_Group even, lower, g;
    int e[1][3] = { { 0, size - 1, 2 } }, l[1][3] = { { 0, size / 2, 1 } };
    int want[64] = { 0 }, n = 0;
    MTEST_MPI(MPI_Group_range_incl(world, 1, e, &even));
    MTEST_MPI(MPI_Group_range_incl(world, 1, l, &lower));
    for (int i = 0; i < size; i += 2)
        want[n++] = i;
    for (int i = 1; i <= size / 2; i += 2)
        want[n++] = i;
    MTEST_MPI(MPI_Group_union(even, lower, &g));
    expect_members(world, g, n, want);
    MPI_Group_free(&g);
    n = 0;
    for (int i = 0; i <= size / 2 && i < size; i += 2)
        want[n++] = i;
    MTEST_MPI(MPI_Group_intersection(even, lower, &g));
    expect_members(world, g, n, want);
    MPI_Group_free(&g);
    n = 0;
    for (int i = 1; i <= size / 2; i += 2)
        want[n++] = i;
    MTEST_MPI(MPI_Group_difference(lower, even, &g));
    expect_members(world, g, n, want);
    if (n == 0)
        MTEST_INT_EQ(g, MPI_GROUP_EMPTY);
    MPI_Group_free(&g);
    MPI_Group_free(&even);
    MPI_Group_free(&lower);
}

static void empty_group(MPI_Group world)
{
    MPI_Group g;
    int n, rank, result;
    MTEST_MPI(MPI_Group_difference(world, world, &g));
    MTEST_INT_EQ(g, MPI_GROUP_EMPTY);
    MPI_Group_size(g, &n);
    MPI_Group_rank(g, &rank);
    MTEST_INT_EQ(n, 0);
    MTEST_INT_EQ(rank, MPI_UNDEFINED);
    MPI_Group_compare(g, MPI_GROUP_EMPTY, &result);
    MTEST_INT_EQ(result, MPI_IDENT);
    MTEST_MPI(MPI_Group_free(&g));
    MTEST_MPI(MPI_Group_excl(world, 0, NULL, &g));
    MPI_Group_compare(g, world, &result);
    MTEST_INT_EQ(result, MPI_IDENT);
    MTEST_MPI(MPI_Group_free(&g));
    int null = MPI_PROC_NULL, other = 0;
    MTEST_MPI(MPI_Group_translate_ranks(world, 1, &null, MPI_GROUP_EMPTY, &other));
    MTEST_INT_EQ(other, MPI_PROC_NULL);
    null = 0;
    MTEST_MPI(MPI_Group_translate_ranks(world, 1, &null, MPI_GROUP_EMPTY, &other));
    MTEST_INT_EQ(other, MPI_UNDEFINED);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Group world;
    MTest_init_world(&argc, &argv, &rank, &size);
    MTEST_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
    reverse_and_back(world, size);
    evens_and_lower(world, size);
    empty_group(world);
    MTEST_MPI(MPI_Group_free(&world));
    MPI_Finalize();
    return MTest_report(rank);
}
