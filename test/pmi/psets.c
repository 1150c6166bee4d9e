/* Prints the process sets with their members as rank 0 of the world sees them, and meets in app://even. */
#include "mpitest.h"

static void show(MPI_Session s, const char *name)
{
    MPI_Group group, world;
    int size, mine[64], ranks[64];
    MTEST_MPI(MPI_Group_from_session_pset(s, name, &group));
    MTEST_MPI(MPI_Group_from_session_pset(s, "mpi://WORLD", &world));
    MPI_Group_size(group, &size);
    for (int i = 0; i < size; i++)
        mine[i] = i;
    MTEST_MPI(MPI_Group_translate_ranks(group, size, mine, world, ranks));
    printf("%s", name);
    for (int i = 0; i < size; i++)
        printf("%c%d", i ? ',' : '=', ranks[i]);
    printf("\n");
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

int main(void)
{
    MPI_Session s = MTest_session();
    MPI_Group self, even;
    MPI_Comm c;
    char name[256];
    int n, rank;
    MTEST_MPI(MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n));
    MTEST_MPI(MPI_Group_from_session_pset(s, "mpi://WORLD", &self));
    MPI_Group_rank(self, &rank);
    MPI_Group_free(&self);
    for (int i = 0; i < n && rank == 0; i++) {
        int len = sizeof(name);
        MTEST_MPI(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &len, name));
        show(s, name);
    }
    if (n > 2 && rank % 2 == 0) {
        MTEST_MPI(MPI_Group_from_session_pset(s, "app://even", &even));
        MTEST_MPI(MPI_Comm_create_from_group(even, "even", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
        MTEST_MPI(MPI_Barrier(c));
        MPI_Comm_free(&c);
        MPI_Group_free(&even);
    }
    MTEST_MPI(MPI_Session_finalize(&s));
    return MTest_report(-1) != 0;
}
