/* Operations of the user: one that does not commute (products of matrices), on a derived type,
 * with small and large counts, freed while in use. */
#include "mpitest.h"

typedef struct Matrix {
    unsigned m[2][2];
} Matrix;

static int rank, size;
static MPI_Datatype matrix;

static Matrix product(Matrix a, Matrix b)
{
    Matrix c;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            c.m[i][k] = a.m[i][0] * b.m[0][k] + a.m[i][1] * b.m[1][k];
    return c;
}

static void multiply_c(void *in, void *inout, MPI_Count *len, MPI_Datatype *type)
{
    Matrix *a = in, *b = inout;
    MTEST_CHECK(*type == matrix, "the type is %x", *type);
    for (MPI_Count i = 0; i < *len; i++)
        b[i] = product(a[i], b[i]);
}

static void multiply(void *in, void *inout, int *len, MPI_Datatype *type)
{
    MPI_Count n = *len;
    multiply_c(in, inout, &n, type);
}

static Matrix of(int r, int i)
{
    return (Matrix) { { { 1, (unsigned) r + 1 }, { (unsigned) i, 1 } } };
}

static void expect(const char *what, int count, const Matrix *got)
{
    for (int i = 0; i < count; i++) {
        Matrix want = of(0, i);
        for (int r = 1; r < size; r++)
            want = product(want, of(r, i));
        MTEST_CHECK(memcmp(&got[i], &want, sizeof want) == 0, "%s of %d: item %d", what, count, i);
    }
}

static void use(MPI_Op op, int count)
{
    Matrix *a = malloc(sizeof *a * ((size_t) count + 1)),
           *b = malloc(sizeof *b * ((size_t) count + 1));
    for (int i = 0; i < count; i++)
        a[i] = of(rank, i);
    for (int root = 0; root < size; root++) {
        MTEST_MPI(MPI_Reduce(a, b, count, matrix, op, root, MPI_COMM_WORLD));
        if (rank == root)
            expect("reduce", count, b);
        memcpy(b, a, sizeof *a * (size_t) count);
        MTEST_MPI(MPI_Reduce(rank == root ? MPI_IN_PLACE : a, b, count, matrix, op, root,
                             MPI_COMM_WORLD));
        if (rank == root)
            expect("reduce in place", count, b);
    }
    MTEST_MPI(MPI_Allreduce(a, b, count, matrix, op, MPI_COMM_WORLD));
    expect("allreduce", count, b);
    MTEST_MPI(MPI_Allreduce(MPI_IN_PLACE, a, count, matrix, op, MPI_COMM_WORLD));
    expect("allreduce in place", count, a);
    free(a);
    free(b);
}

static void freed_while_in_use(void)
{
    enum { N = 5000 };
    Matrix *a = malloc(sizeof *a * N), *b = malloc(sizeof *b * N);
    MPI_Op op;
    MPI_Request req;
    for (int i = 0; i < N; i++)
        a[i] = of(rank, i);
    MTEST_MPI(MPI_Op_create(multiply, 0, &op));
    MTEST_MPI(MPI_Iallreduce(a, b, N, matrix, op, MPI_COMM_WORLD, &req));
    MTEST_MPI(MPI_Op_free(&op));
    MTEST_INT_EQ(op, MPI_OP_NULL);
    MTEST_MPI(MPI_Wait(&req, MPI_STATUS_IGNORE));
    expect("iallreduce", N, b);
    free(a);
    free(b);
}

int main(int argc, char **argv)
{
    MPI_Op small, large;
    int commute = -1;
    MTest_init_world(&argc, &argv, &rank, &size);
    MTEST_MPI(MPI_Type_contiguous(4, MPI_UNSIGNED, &matrix));
    MTEST_MPI(MPI_Type_commit(&matrix));
    MTEST_MPI(MPI_Op_create(multiply, 0, &small));
    MTEST_MPI(MPI_Op_create_c(multiply_c, 0, &large));
    MTEST_MPI(MPI_Op_commutative(small, &commute));
    MTEST_INT_EQ(commute, 0);
    static const int count[] = { 0, 1, 10, 10000 };
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        use(small, count[i]);
        use(large, count[i]);
    }
    freed_while_in_use();
    MTEST_MPI(MPI_Op_free(&small));
    MTEST_MPI(MPI_Op_free(&large));
    MTEST_MPI(MPI_Type_free(&matrix));
    MPI_Finalize();
    return MTest_report(rank);
}
