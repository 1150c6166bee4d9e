/* MPI_Comm_create_from_group: the same tag again and again and by disjoint groups, groups in odd
 * orders, errors. */
#include "mpitest.h"

static int rank, size;
static MPI_Session session;
static MPI_Group world;

static MPI_Comm make(MPI_Group g, const char *tag)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MTEST_MPI(MPI_Comm_create_from_group(g, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    return comm;
}

static void use(MPI_Comm comm, MPI_Group g)
{
    int r, in_group, n, one = 1, sum = 0;
    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &n);
    MPI_Group_rank(g, &in_group);
    MTEST_INT_EQ(r, in_group);
    MTEST_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    MTEST_INT_EQ(sum, n);
}

static void again_and_again(void)
{
    MPI_Comm comm[10];
    for (int i = 0; i < 10; i++)
        comm[i] = make(world, "same tag");
    for (int i = 9; i >= 0; i--)
        use(comm[i], world);
    for (int i = 0; i < 10; i++)
        MTEST_MPI(MPI_Comm_free(&comm[i]));
}

static void disjoint_groups(void)
{
    MPI_Group part;
    int range[1][3] = { { rank % 2, size - 1, 2 } };
    MTEST_MPI(MPI_Group_range_incl(world, 1, range, &part));
    for (int i = 0; i < 20; i++) {
        MPI_Comm comm = make(part, "part");
        use(comm, part);
        MTEST_MPI(MPI_Comm_free(&comm));
    }
    MTEST_MPI(MPI_Group_free(&part));
}

/* Groups of equal members in different orders are different meetings. */
static void orders(void)
{
    MPI_Group reversed, mixed;
    int range[1][3] = { { size - 1, 0, -1 } }, *list = malloc(sizeof(int) * (size_t) size);
    for (int i = 0; i < size; i++)
        list[i] = i % 2 ? i / 2 : size - 1 - i / 2;
    MTEST_MPI(MPI_Group_range_incl(world, 1, range, &reversed));
    MTEST_MPI(MPI_Group_incl(world, size, list, &mixed));
    MPI_Comm a = make(reversed, "t"), b = make(mixed, "t"), c = make(world, "t");
    use(b, mixed);
    use(c, world);
    use(a, reversed);
    MTEST_MPI(MPI_Comm_free(&a));
    MTEST_MPI(MPI_Comm_free(&b));
    MTEST_MPI(MPI_Comm_free(&c));
    MTEST_MPI(MPI_Group_free(&reversed));
    MTEST_MPI(MPI_Group_free(&mixed));
    free(list);
}

static void tags(void)
{
    char tag[MPI_MAX_STRINGTAG_LEN + 1];
    MPI_Comm comm = MPI_COMM_NULL, other;
    memset(tag, 'x', sizeof tag);
    tag[MPI_MAX_STRINGTAG_LEN - 1] = '\0';
    comm = make(world, tag); /* the longest */
    use(comm, world);
    tag[MPI_MAX_STRINGTAG_LEN - 2] = 'y'; /* differs in the last character */
    other = make(world, tag);
    use(other, world);
    MTEST_MPI(MPI_Comm_free(&comm));
    MTEST_MPI(MPI_Comm_free(&other));
    tag[MPI_MAX_STRINGTAG_LEN - 1] = 'x';
    tag[MPI_MAX_STRINGTAG_LEN] = '\0';
    MTEST_FAILS(MPI_Comm_create_from_group(world, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
                MPI_ERR_ARG);
    comm = make(world, "");
    use(comm, world);
    MTEST_MPI(MPI_Comm_free(&comm));
}

static void who_may_call(void)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group others;
    MTEST_MPI(
        MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "e", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    MTEST_INT_EQ(comm, MPI_COMM_NULL);
    if (size == 1)
        return;
    MTEST_MPI(MPI_Group_excl(world, 1, &rank, &others));
    MTEST_FAILS(MPI_Comm_create_from_group(others, "o", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
                MPI_ERR_GROUP);
    MTEST_INT_EQ(comm, MPI_COMM_NULL);
    MTEST_MPI(MPI_Group_free(&others));
}

static void handler_and_derived(void)
{
    MPI_Errhandler eh;
    MPI_Comm comm = make(world, "handler"), copy;
    MTEST_MPI(MPI_Comm_get_errhandler(comm, &eh));
    MTEST_INT_EQ(eh, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&eh);
    MTEST_MPI(MPI_Comm_dup(comm, &copy));
    MTEST_MPI(MPI_Comm_disconnect(&comm));
    use(copy, world);
    MTEST_MPI(MPI_Comm_disconnect(&copy));
    MTEST_INT_EQ(copy, MPI_COMM_NULL);
}

int main(void)
{
    for (int epoch = 0; epoch < 2; epoch++) {
        session = MTest_session();
        MTEST_MPI(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
        MPI_Group_size(world, &size);
        MPI_Group_rank(world, &rank);
        again_and_again();
        disjoint_groups();
        orders();
        tags();
        who_may_call();
        handler_and_derived();
        MTEST_MPI(MPI_Group_free(&world));
        MTEST_MPI(MPI_Session_finalize(&session));
    }
    return MTest_report(rank);
}
