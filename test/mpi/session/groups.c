/* Communicators from groups that were cut out of process sets: halves, reversed, one, none; same tag at the same time. */
#include "ring.h"

static int rank, size;

static MPI_Comm from(MPI_Group g, const char *tag)
{
    MPI_Comm c = MPI_COMM_NULL;
    MTEST_MPI(MPI_Comm_create_from_group(g, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
    return c;
}

static void reversed(MPI_Group world)
{
    MPI_Group g;
    int r, range[1][3] = { { size - 1, 0, -1 } };
    MTEST_MPI(MPI_Group_range_incl(world, 1, range, &g));
    MPI_Comm c = from(g, "reversed");
    MPI_Comm_rank(c, &r);
    MTEST_INT_EQ(r, size - 1 - rank);
    ring_check(c, 1);
    MPI_Comm_free(&c);
    MPI_Group_free(&g);
}

/* Even and odd ranks use one tag at the same time; and again. */
static void halves(MPI_Group world)
{
    MPI_Group g;
    int odd = rank % 2, range[1][3] = { { odd, size - 1, 2 } };
    MTEST_MPI(MPI_Group_range_incl(world, 1, range, &g));
    for (int i = 0; i < 20; i++) {
        int r, n;
        MPI_Comm c = from(g, "same tag");
        MPI_Comm_rank(c, &r);
        MPI_Comm_size(c, &n);
        MTEST_INT_EQ(r, rank / 2);
        MTEST_INT_EQ(n, (size + 1 - odd) / 2);
        ring_check(c, i);
        MPI_Comm_free(&c);
    }
    MPI_Group_free(&g);
}

static void all_but_first(MPI_Group world)
{
    MPI_Group g;
    int zero = 0;
    MTEST_MPI(MPI_Group_excl(world, 1, &zero, &g));
    if (rank > 0) {
        MPI_Comm c = from(g, "all but the first");
        ring_check(c, 3);
        MPI_Comm_free(&c);
    } else if (size > 1) { /* only members may call */
        MPI_Comm c = MPI_COMM_NULL;
        MTEST_FAILS(MPI_Comm_create_from_group(g, "all but the first", MPI_INFO_NULL,
                                               MPI_ERRORS_RETURN, &c), MPI_ERR_GROUP);
    }
    if (size > 1)
        MPI_Group_free(&g);
}

static void empty(void)
{
    MPI_Comm c = MPI_COMM_WORLD;
    MTEST_MPI(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "nobody", MPI_INFO_NULL,
                                         MPI_ERRORS_RETURN, &c));
    MTEST_CHECK(c == MPI_COMM_NULL, "%x", (unsigned) c);
}

static void long_tag(MPI_Group world)
{
    char tag[MPI_MAX_STRINGTAG_LEN + 8];
    MPI_Comm c = MPI_COMM_NULL;
    memset(tag, 'x', sizeof(tag));
    tag[sizeof(tag) - 1] = '\0';
    MTEST_FAILS(MPI_Comm_create_from_group(world, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c),
                MPI_ERR_ARG);
    tag[MPI_MAX_STRINGTAG_LEN - 1] = '\0'; /* as long as may be */
    c = from(world, tag);
    ring_check(c, 4);
    MPI_Comm_free(&c);
}

int main(void)
{
    MPI_Session s = MTest_session();
    MPI_Group world;
    MTEST_MPI(MPI_Group_from_session_pset(s, "mpi://WORLD", &world));
    MPI_Group_rank(world, &rank);
    MPI_Group_size(world, &size);
    reversed(world);
    halves(world);
    all_but_first(world);
    empty();
    long_tag(world);
    MPI_Group_free(&world);
    MTEST_MPI(MPI_Session_finalize(&s));
    return MTest_report(rank);
}
