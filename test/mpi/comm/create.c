/* MPI_Comm_create (also of disjoint groups at once) and MPI_Comm_create_group. */
#include "mpitest.h"

static int rank, size;
static MPI_Group world;

static MPI_Group every(int first, int stride)
{
    MPI_Group g;
    int range[1][3] = { { first, size - 1, stride } };
    if (first >= size)
        return MPI_GROUP_EMPTY;
    MTEST_MPI(MPI_Group_range_incl(world, 1, range, &g));
    return g;
}

static void done_with(MPI_Group g)
{
    if (g != MPI_GROUP_EMPTY)
        MTEST_MPI(MPI_Group_free(&g));
}

static void use(MPI_Comm comm, MPI_Group g)
{
    int in_group, r, n, result, sum = 0, one = 1;
    MPI_Group have;
    MPI_Group_rank(g, &in_group);
    if (in_group == MPI_UNDEFINED) {
        MTEST_INT_EQ(comm, MPI_COMM_NULL);
        return;
    }
    MPI_Comm_rank(comm, &r);
    MTEST_INT_EQ(r, in_group);
    MTEST_MPI(MPI_Comm_group(comm, &have));
    MTEST_MPI(MPI_Group_compare(have, g, &result));
    MTEST_INT_EQ(result, MPI_IDENT);
    MPI_Group_free(&have);
    MTEST_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    MPI_Comm_size(comm, &n);
    MTEST_INT_EQ(sum, n);
    MTEST_MPI(MPI_Comm_free(&comm));
}

static void create(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Group even = every(0, 2), odd = every(1, 2);
    MTEST_MPI(MPI_Comm_create(MPI_COMM_WORLD, even, &comm));
    use(comm, even);
    MTEST_MPI(MPI_Comm_create(MPI_COMM_WORLD, rank % 2 ? odd : even, &comm)); /* two at once */
    use(comm, rank % 2 ? odd : even);
    MTEST_MPI(MPI_Comm_create(MPI_COMM_WORLD, world, &comm));
    use(comm, world);
    MTEST_MPI(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm));
    MTEST_INT_EQ(comm, MPI_COMM_NULL);
    done_with(even);
    done_with(odd);
}

/* Members only; others go on with something else, and the same tag serves in point-to-point
 * communication. */
static void create_group(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Group upper = every(size / 2, 1), odd = every(1, 2);
    MPI_Request req;
    int x = rank, y = -1;
    MTEST_MPI(MPI_Irecv(&y, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &req));
    for (int i = 0; i < 5; i++) {
        if (rank >= size / 2) {
            MTEST_MPI(MPI_Comm_create_group(MPI_COMM_WORLD, upper, 7, &comm));
            use(comm, upper);
        }
        if (rank % 2) {
            MTEST_MPI(MPI_Comm_create_group(MPI_COMM_WORLD, odd, i, &comm));
            use(comm, odd);
        }
    }
    MTEST_MPI(MPI_Send(&x, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD));
    MTEST_MPI(MPI_Wait(&req, MPI_STATUS_IGNORE));
    MTEST_INT_EQ(y, (rank + size - 1) % size);
    done_with(upper);
    done_with(odd);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    MTEST_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
    create();
    create_group();
    MTEST_MPI(MPI_Group_free(&world));
    MPI_Finalize();
    return MTest_report(rank);
}
