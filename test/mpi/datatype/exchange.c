/* Messages of many shapes, small and large: sent as one type and received as another with the same
 * elements, in a ring. The shapes are a matrix's row, column, block, diagonal, scattered elements,
 * the whole in reverse. */
#include "mpitest.h"

static int rank, size, dest, source;

/* A shape picks `count` elements of an n by n matrix of doubles, in this order. */
typedef struct Shape {
    const char *name;
    MPI_Datatype type;
    int count;
    int *place;
} Shape;

#define N_SHAPES 7

static Shape shape(const char *name, int count)
{
    return (Shape) { .name = name, .count = count, .place = malloc((size_t) count * sizeof(int)) };
}

/* All shapes have n * n / 4 elements; n is even. */
static void make_shapes(Shape *s, int n)
{
    int count = n * n / 4, half = n / 2;
    int *lengths = malloc((size_t) (2 * count + 2) * sizeof(int)),
        *disps = malloc((size_t) (2 * count + 2) * sizeof(int));
    MPI_Aint *bytes = malloc((size_t) count * sizeof(MPI_Aint));
    MPI_Datatype row, element;
    for (int k = 0; k < N_SHAPES; k++)
        s[k] = shape("", count);

    s[0].name = "row";
    MPI_Type_contiguous(count, MPI_DOUBLE, &s[0].type);
    s[1].name = "block";
    MPI_Type_vector(half, half, n, MPI_DOUBLE, &s[1].type);
    s[2].name = "columns";
    MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * (MPI_Aint) sizeof(double), &element);
    MPI_Type_create_hvector(half, half, (MPI_Aint) sizeof(double) * n, element, &s[2].type);
    s[3].name = "backwards";
    MPI_Type_create_hvector(count, 1, -(MPI_Aint) sizeof(double), MPI_DOUBLE, &row);
    bytes[0] = (MPI_Aint) sizeof(double) * (count - 1);
    lengths[0] = 1;
    MPI_Type_create_hindexed(1, lengths, bytes, row, &s[3].type);
    MPI_Type_free(&row);
    s[4].name = "scattered";
    s[5].name = "pieces";
    s[6].name = "struct of vectors";
    for (int i = 0; i < count; i++) {
        s[0].place[i] = i;
        s[1].place[i] = i / half * n + i % half;
        s[2].place[i] = i / half * n + i % half * 2;
        s[3].place[i] = count - 1 - i;
        s[4].place[i] = disps[i] = i * 7 % count * 4 + i % 4;
    }
    MPI_Type_create_indexed_block(count, 1, disps, MPI_DOUBLE, &s[4].type);
    int blocks = 0, at = 0, left = count;
    for (int filled = 0; left > 0; blocks++) {
        lengths[blocks] = blocks % 5 < left ? blocks % 5 : left;
        disps[blocks] = at;
        for (int i = 0; i < lengths[blocks]; i++)
            s[5].place[filled++] = at + i;
        left -= lengths[blocks];
        at += lengths[blocks] + blocks % 3; /* at times adjacent */
    }
    MPI_Type_indexed(blocks, lengths, disps, MPI_DOUBLE, &s[5].type);
    MPI_Datatype parts[2], small;
    MPI_Type_vector(half / 2, half, n, MPI_DOUBLE, &parts[0]);
    MPI_Type_create_hvector(half - half / 2, half, (MPI_Aint) sizeof(double) * n, element,
                            &parts[1]);
    int ones[2] = { 1, 1 };
    MPI_Aint where[2] = { 0, (MPI_Aint) sizeof(double) * n * (half / 2) };
    MPI_Type_create_struct(2, ones, where, parts, &small);
    MPI_Type_dup(small, &s[6].type);
    for (int i = 0; i < count; i++)
        s[6].place[i] = i / half < half / 2 ? s[1].place[i] : s[2].place[i];
    MPI_Type_free(&small);
    MPI_Type_free(&parts[0]);
    MPI_Type_free(&parts[1]);
    MPI_Type_free(&element);
    for (int k = 0; k < N_SHAPES; k++)
        MTEST_MPI(MPI_Type_commit(&s[k].type));
    free(lengths);
    free(disps);
    free(bytes);
}

static void exchange(const Shape *out, const Shape *in, int n, double *from, double *to)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int got;
    for (int i = 0; i < n * n; i++) {
        from[i] = rank * 1e6 + i;
        to[i] = -1;
    }
    MTEST_MPI(MPI_Irecv(to, 1, in->type, source, 1, MPI_COMM_WORLD, &request[0]));
    MTEST_MPI(MPI_Isend(from, 1, out->type, dest, 1, MPI_COMM_WORLD, &request[1]));
    MTEST_MPI(MPI_Waitall(2, request, status));
    MTEST_MPI(MPI_Get_elements(&status[0], in->type, &got));
    MTEST_INT_EQ(got, in->count);
    for (int i = 0; i < in->count; i++) {
        if (to[in->place[i]] != source * 1e6 + out->place[i]) {
            MTEST_ERROR("%s to %s, n = %d: element %d is %g", out->name, in->name, n, i,
                        to[in->place[i]]);
            break;
        }
        to[in->place[i]] = -1;
    }
    for (int i = 0; i < n * n; i++) {
        if (to[i] != -1) {
            MTEST_ERROR("%s to %s, n = %d: wrote at %d", out->name, in->name, n, i);
            break;
        }
    }
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    dest = (rank + 1) % size;
    source = (rank + size - 1) % size;
    const int ns[] = { 2, 8, 40, 400 }; /* 8 bytes, 128 bytes, 3 KiB, 312 KiB */
    for (int k = 0; k < 4; k++) {
        int n = ns[k];
        Shape s[N_SHAPES];
        double *from = malloc((size_t) (n * n) * sizeof(double)),
               *to = malloc((size_t) (n * n) * sizeof(double));
        make_shapes(s, n);
        for (int a = 0; a < N_SHAPES; a++)
            for (int b = 0; b < N_SHAPES; b++)
                exchange(&s[a], &s[b], n, from, to);
        for (int a = 0; a < N_SHAPES; a++) {
            MTEST_MPI(MPI_Type_free(&s[a].type));
            free(s[a].place);
        }
        free(from);
        free(to);
    }
    MPI_Finalize();
    return MTest_report(rank);
}
