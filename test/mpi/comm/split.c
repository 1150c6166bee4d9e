/* MPI_Comm_split: colors, keys, ties, MPI_UNDEFINED, negative keys; MPI_Comm_split_type. */
#include "mpitest.h"

static int rank, size;

static void use(MPI_Comm comm, int want_size, int want_rank)
{
    int r, n, one = 1, sum = 0;
    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &n);
    MTEST_INT_EQ(r, want_rank);
    MTEST_INT_EQ(n, want_size);
    MTEST_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    MTEST_INT_EQ(sum, want_size);
    MTEST_MPI(MPI_Comm_free(&comm));
}

static void colors_and_keys(void)
{
    MPI_Comm comm;
    int same = (size - rank % 2 + 1) / 2; /* ranks of this parity */
    MTEST_MPI(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comm));
    use(comm, same, rank / 2); /* equal keys: in the order of ranks */
    MTEST_MPI(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm));
    use(comm, same, same - 1 - rank / 2);
    MTEST_MPI(MPI_Comm_split(MPI_COMM_WORLD, rank, 5, &comm));
    use(comm, 1, 0);
    MTEST_MPI(
        MPI_Comm_split(MPI_COMM_WORLD, 2147483647, rank < 1 ? 2147483647 : -2147483647 - 1, &comm));
    use(comm, size, rank == 0 ? size - 1 : rank - 1);
    MTEST_MPI(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &comm));
    if (rank == 0)
        MTEST_INT_EQ(comm, MPI_COMM_NULL);
    else
        use(comm, size - 1, rank - 1);
    MTEST_MPI(MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &comm));
    MTEST_INT_EQ(comm, MPI_COMM_NULL);
}

/* Halves of halves, reversed each time. */
static void recursive(MPI_Comm parent)
{
    MPI_Comm comm;
    int r, n, new_rank, new_size;
    MPI_Comm_rank(parent, &r);
    MPI_Comm_size(parent, &n);
    if (n == 1)
        return;
    MTEST_MPI(MPI_Comm_split(parent, r < n / 2, -r, &comm));
    MPI_Comm_rank(comm, &new_rank);
    MPI_Comm_size(comm, &new_size);
    MTEST_INT_EQ(new_rank, (r < n / 2 ? n / 2 : n) - 1 - r);
    MTEST_INT_EQ(new_size, r < n / 2 ? n / 2 : n - n / 2);
    recursive(comm);
    MTEST_MPI(MPI_Comm_free(&comm));
}

/* The ranks of this host. */
typedef struct Here {
    int size, rank; /* how many they are; this one's place among them */
    int with_0; /* is rank 0 of the world one of them? */
} Here;

static Here find_here(void)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "", other[MPI_MAX_PROCESSOR_NAME];
    Here h = { 0, 0, 0 };
    int len;
    MTEST_MPI(MPI_Get_processor_name(name, &len));
    for (int i = 0; i < size; i++) {
        memcpy(other, name, sizeof(other));
        MTEST_MPI(MPI_Bcast(other, sizeof(other), MPI_CHAR, i, MPI_COMM_WORLD));
        int same = strcmp(name, other) == 0;
        h.size += same;
        h.rank += same && i < rank;
        h.with_0 |= same && i == 0;
    }
    return h;
}

static void types(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Info info;
    Here h = find_here();
    if (MTest_looks_like_several())
        return;
    MTEST_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
    use(comm, h.size, h.rank);
    MTEST_MPI(
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &comm));
    use(comm, h.size, h.size - 1 - h.rank);
    MTEST_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED,
                                  0, MPI_INFO_NULL, &comm));
    if (rank == 0)
        MTEST_INT_EQ(comm, MPI_COMM_NULL);
    else
        use(comm, h.size - h.with_0, h.rank - h.with_0);
    MTEST_MPI(
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &comm));
    if (h.size < size)
        use(comm, h.size, h.rank);
    else
        MTEST_INT_EQ(comm, MPI_COMM_NULL); /* no smaller piece is known */
    MTEST_MPI(
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &comm));
    MTEST_INT_EQ(comm, MPI_COMM_NULL);
    MTEST_MPI(MPI_Info_create(&info));
    MTEST_MPI(MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory"));
    MTEST_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
    use(comm, h.size, h.rank);
    MTEST_MPI(MPI_Info_set(info, "mpi_hw_resource_type", "no_such_thing"));
    MTEST_MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
    MTEST_INT_EQ(comm, MPI_COMM_NULL);
    MTEST_MPI(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    colors_and_keys();
    recursive(MPI_COMM_WORLD);
    types();
    MPI_Finalize();
    return MTest_report(rank);
}
