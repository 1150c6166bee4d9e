/* What must be refused, with the right error class; groups of different sessions do not meet. */
#include "mpitest.h"

static void bad_ranks(MPI_Group world, int size)
{
    MPI_Group g = MPI_GROUP_NULL;
    int rank = size, twice[2] = { 0, 0 }, out;
    int stride0[1][3] = { { 0, 0, 0 } }, beyond[1][3] = { { 0, size, 1 } }, n = -1;
    MTEST_FAILS(MPI_Group_incl(world, 1, &rank, &g), MPI_ERR_RANK);
    MTEST_FAILS(MPI_Group_excl(world, 1, &rank, &g), MPI_ERR_RANK);
    MTEST_FAILS(MPI_Group_incl(world, 2, twice, &g), MPI_ERR_RANK);
    MTEST_FAILS(MPI_Group_incl(world, n, twice, &g), MPI_ERR_ARG);
    MTEST_FAILS(MPI_Group_range_incl(world, 1, stride0, &g), MPI_ERR_ARG);
    MTEST_FAILS(MPI_Group_range_excl(world, 1, beyond, &g), MPI_ERR_RANK);
    MTEST_FAILS(MPI_Group_translate_ranks(world, 1, &rank, world, &out), MPI_ERR_RANK);
    MTEST_FAILS(MPI_Group_size(MPI_GROUP_NULL, &out), MPI_ERR_GROUP);
    MTEST_FAILS(MPI_Group_union(world, MPI_GROUP_NULL, &g), MPI_ERR_GROUP);
    MTEST_INT_EQ(g, MPI_GROUP_NULL);
}

static void sessions_and_world(MPI_Group world)
{
    MPI_Session s1 = MTest_session(), s2 = MTest_session();
    MPI_Group g1, g2, g = MPI_GROUP_NULL;
    int result;
    MTEST_MPI(MPI_Group_from_session_pset(s1, "mpi://WORLD", &g1));
    MTEST_MPI(MPI_Group_from_session_pset(s2, "mpi://WORLD", &g2));
    MTEST_FAILS(MPI_Group_union(g1, g2, &g), MPI_ERR_GROUP);
    MTEST_FAILS(MPI_Group_intersection(g1, world, &g), MPI_ERR_GROUP);
    MTEST_FAILS(MPI_Group_compare(g2, g1, &result), MPI_ERR_GROUP);
    MTEST_FAILS(MPI_Comm_create(MPI_COMM_WORLD, g1, &result), MPI_ERR_GROUP);
    MTEST_MPI(MPI_Group_union(g1, MPI_GROUP_EMPTY, &g));
    MTEST_MPI(MPI_Group_free(&g));
    MTEST_MPI(MPI_Group_free(&g1));
    MTEST_MPI(MPI_Group_free(&g2));
    MTEST_MPI(MPI_Session_finalize(&s1));
    MTEST_MPI(MPI_Session_finalize(&s2));
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Group world;
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF,
                            MPI_ERRORS_RETURN); /* errors of groups of the world go there */
    MTEST_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
    bad_ranks(world, size);
    sessions_and_world(world);
    MTEST_MPI(MPI_Group_free(&world));
    MPI_Finalize();
    return MTest_report(rank);
}
