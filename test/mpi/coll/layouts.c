/* Collectives over datatypes with holes, and with different types of equal signature at the two
 * ends. */
#include "mpitest.h"

static int rank, size;
static MPI_Datatype every_second; /* an int of two */
enum { HOLE = -7 };

static int *new_buffer(int items)
{
    int *b = malloc(sizeof(int) * 2 * (size_t) items);
    for (int i = 0; i < 2 * items; i++)
        b[i] = HOLE;
    return b;
}

static void expect(const char *what, int count, int i, int got, int want)
{
    MTEST_CHECK(got == want, "%s of %d: item %d is %d, expected %d", what, count, i, got, want);
}

static void expect_holes(const int *b, int items)
{
    for (int i = 0; i < items; i++)
        expect("hole", items, i, b[2 * i + 1], HOLE);
}

/* The root sends ints side by side, others receive them spread out. */
static void bcast(int count)
{
    for (int root = 0; root < size; root++) {
        int *spread = new_buffer(count), *plain = malloc(sizeof(int) * ((size_t) count + 1));
        for (int i = 0; i < count; i++)
            plain[i] = root * 100 + i;
        MTEST_MPI(rank == root ? MPI_Bcast(plain, count, MPI_INT, root, MPI_COMM_WORLD)
                               : MPI_Bcast(spread, count, every_second, root, MPI_COMM_WORLD));
        for (int i = 0; i < count && rank != root; i++)
            expect("bcast", count, i, spread[2 * i], root * 100 + i);
        expect_holes(spread, count);
        free(spread);
        free(plain);
    }
}

static void gather_and_scatter(int count)
{
    for (int root = 0; root < size; root++) {
        int *spread = new_buffer(count * size), *mine = malloc(sizeof(int) * ((size_t) count + 1));
        for (int i = 0; i < count; i++)
            mine[i] = rank * 1000 + i;
        MTEST_MPI(
            MPI_Gather(mine, count, MPI_INT, spread, count, every_second, root, MPI_COMM_WORLD));
        for (int i = 0; i < count * size && rank == root; i++)
            expect("gather", count, i, spread[2 * i], i / count * 1000 + i % count);
        expect_holes(spread, count * size);
        memset(mine, 0, sizeof(int) * (size_t) count);
        MTEST_MPI(
            MPI_Scatter(spread, count, every_second, mine, count, MPI_INT, root, MPI_COMM_WORLD));
        for (int i = 0; i < count; i++)
            expect("scatter", count, i, mine[i], rank * 1000 + i);
        free(spread);
        free(mine);
    }
}

static void all_to_all(int count)
{
    int *out = malloc(sizeof(int) * ((size_t) count * (size_t) size + 1)),
        *in = new_buffer(count * size);
    for (int i = 0; i < count * size; i++)
        out[i] = rank * 1000 + i;
    MTEST_MPI(MPI_Alltoall(out, count, MPI_INT, in, count, every_second, MPI_COMM_WORLD));
    for (int i = 0; i < count * size; i++)
        expect("alltoall", count, i, in[2 * i], i / count * 1000 + rank * count + i % count);
    MTEST_MPI(MPI_Allgather(out, count, MPI_INT, in, count, every_second, MPI_COMM_WORLD));
    for (int i = 0; i < count * size; i++)
        expect("allgather", count, i, in[2 * i], i / count * 1000 + i % count);
    expect_holes(in, count * size);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    static const int count[] = { 0, 1, 3, 700, 30000 };
    MPI_Datatype pair;
    MTest_init_world(&argc, &argv, &rank, &size);
    MTEST_MPI(MPI_Type_vector(1, 1, 1, MPI_INT, &pair));
    MTEST_MPI(MPI_Type_create_resized(pair, 0, 2 * sizeof(int), &every_second));
    MTEST_MPI(MPI_Type_commit(&every_second));
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        bcast(count[i]);
        gather_and_scatter(count[i]);
        all_to_all(count[i]);
    }
    MTEST_MPI(MPI_Type_free(&pair));
    MTEST_MPI(MPI_Type_free(&every_second));
    MPI_Finalize();
    return MTest_report(rank);
}
