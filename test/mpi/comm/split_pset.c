/* MPI_Comm_split_type by process sets. Arguments: a set of the launcher's and its members, as "NAME 0 2". */
#include "mpitest.h"

static int rank, size;

/* Everybody names the set that he wants, NULL: none; newcomm has want members, 0: there is none. */
static void split(const char *name, int want, int want_rank)
{
    MPI_Comm comm;
    MPI_Info info;
    int n, r, one = 1, sum = 0;
    MTEST_MPI(MPI_Info_create(&info));
    if (name)
        MTEST_MPI(MPI_Info_set(info, "mpi_pset_name", name));
    MTEST_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &comm));
    MTEST_MPI(MPI_Info_free(&info));
    MTEST_CHECK((comm == MPI_COMM_NULL) == (want == 0), "set %s, comm %x", name, (unsigned) comm);
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &r);
    MTEST_INT_EQ(n, want);
    MTEST_INT_EQ(r, want_rank);
    MTEST_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    MTEST_INT_EQ(sum, want);
    MTEST_MPI(MPI_Comm_free(&comm));
}

static void split_launchers(const char *name, char **members, int n)
{
    int place = -1;
    for (int i = 0; i < n; i++)
        if (atoi(members[i]) == rank)
            place = i;
    split(name, place < 0 ? 0 : n, place);
    /* The others want themselves, or all. */
    split(place < 0 ? "mpi://SELF" : name, place < 0 ? 1 : n, place < 0 ? 0 : place);
    int before = 0;
    for (int i = 0; i < n; i++)
        before += atoi(members[i]) < rank;
    split(place < 0 ? "mpi://WORLD" : name, place < 0 ? size - n : n, place < 0 ? rank - before : place);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    split("mpi://WORLD", size, rank);
    split("mpi://SELF", 1, 0);
    split("mpi://world", 0, 0);
    split(NULL, 0, 0);
    split(rank == 0 ? "mpi://SELF" : "mpi://WORLD", rank == 0 ? 1 : size - 1, rank == 0 ? 0 : rank - 1);
    if (argc > 1)
        split_launchers(argv[1], argv + 2, argc - 2);
    MPI_Finalize();
    return MTest_report(rank);
}
