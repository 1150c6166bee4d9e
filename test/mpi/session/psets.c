/* Process sets: the two that always exist, names, lengths, infos and all edge cases. With an argument NAME=SIZE the launcher
 * was told of one more. */
#include "ring.h"

static MPI_Session s;

static void names(void)
{
    int n = -1, world = 0, self = 0;
    MTEST_MPI(MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n));
    MTEST_CHECK(n >= 2, "n is %d", n);
    for (int i = 0; i < n; i++) {
        char name[MPI_MAX_PSET_NAME_LEN] = "?", cut[6] = "?????";
        int need = 0, len = sizeof(name), five = 5;
        MTEST_MPI(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &need, name)); /* 0: asks only */
        MTEST_STR_EQ(name, "?");
        MTEST_MPI(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &len, name));
        MTEST_INT_EQ(len, need);
        MTEST_INT_EQ(strlen(name) + 1, need);
        MTEST_MPI(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &five, cut)); /* cut and terminated */
        MTEST_INT_EQ(five, need);
        MTEST_INT_EQ(strlen(cut), 4);
        MTEST_INT_EQ(strncmp(cut, name, 4), 0);
        world += strcmp(name, "mpi://WORLD") == 0;
        self += strcmp(name, "mpi://SELF") == 0;
    }
    MTEST_INT_EQ(world, 1);
    MTEST_INT_EQ(self, 1);
}

static void out_of_range(void)
{
    int n, len = 0;
    char name[MPI_MAX_PSET_NAME_LEN];
    MTEST_MPI(MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n));
    MTEST_FAILS(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, n, &len, name), MPI_ERR_ARG);
    MTEST_FAILS(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, -1, &len, name), MPI_ERR_ARG);
}

static int size_of(const char *name)
{
    MPI_Info info = MPI_INFO_NULL;
    char value[32] = "";
    int len = sizeof(value), flag = 0;
    MTEST_MPI(MPI_Session_get_pset_info(s, name, &info));
    MTEST_MPI(MPI_Info_get_string(info, "mpi_size", &len, value, &flag));
    MTEST_INT_EQ(flag, 1);
    MTEST_MPI(MPI_Info_free(&info));
    return atoi(value);
}

static void infos_and_groups(int *rank)
{
    MPI_Group g, world;
    int n;
    MTEST_MPI(MPI_Group_from_session_pset(s, "mpi://WORLD", &world));
    MPI_Group_size(world, &n);
    MPI_Group_rank(world, rank);
    MTEST_INT_EQ(size_of("mpi://WORLD"), n);
    MTEST_INT_EQ(size_of("mpi://SELF"), 1);
    MTEST_MPI(MPI_Group_from_session_pset(s, "mpi://SELF", &g));
    MPI_Group_size(g, &n);
    MTEST_INT_EQ(n, 1);
    MPI_Group_free(&g);
    MPI_Group_free(&world);
}

static void unknown(void)
{
    MPI_Group g = MPI_GROUP_EMPTY;
    MPI_Info info;
    MTEST_MPI(MPI_Group_from_session_pset(s, "no such set", &g));
    MTEST_CHECK(g == MPI_GROUP_NULL, "%x", (unsigned) g);
    g = MPI_GROUP_EMPTY;
    MTEST_MPI(MPI_Group_from_session_pset(s, "mpi://world", &g)); /* case matters */
    MTEST_CHECK(g == MPI_GROUP_NULL, "%x", (unsigned) g);
    MTEST_FAILS(MPI_Session_get_pset_info(s, "MPI://SELF", &info), MPI_ERR_ARG);
}

/* A set of the launcher's: its size is as told, and its members can form a communicator. */
static void named(const char *arg)
{
    char name[64];
    const char *equals = strchr(arg, '=');
    snprintf(name, sizeof(name), "%.*s", (int) (equals - arg), arg);
    MPI_Group g = MPI_GROUP_NULL;
    int rank, size = 0;
    MTEST_INT_EQ(size_of(name), atoi(equals + 1));
    MTEST_MPI(MPI_Group_from_session_pset(s, name, &g));
    MPI_Group_size(g, &size);
    MPI_Group_rank(g, &rank);
    MTEST_INT_EQ(size, atoi(equals + 1));
    if (rank != MPI_UNDEFINED) {
        MPI_Comm c = MTest_session_comm(s, name, "named");
        ring_check(c, 7);
        MPI_Comm_free(&c);
    }
    MPI_Group_free(&g);
}

int main(int argc, char **argv)
{
    int rank;
    for (int epoch = 0; epoch < 3; epoch++) { /* the same in every epoch */
        s = MTest_session();
        names();
        out_of_range();
        infos_and_groups(&rank);
        unknown();
        if (argc > 1)
            named(argv[1]);
        MTEST_MPI(MPI_Session_finalize(&s));
    }
    return MTest_report(rank);
}
