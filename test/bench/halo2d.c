/* Halo exchange on a periodic 2-D grid of ranks: each has N x N doubles and sends its edges to four
 * neighbours, two of them as strided columns. Microseconds for one exchange, by the bytes of an
 * edge. In a direction with one rank nothing is sent.
 */
#include "bench.h"

#define LARGEST 2048
#define AT(g, i, j) ((g)->cell[(size_t) (i) * (size_t) ((g)->n + 2) + (size_t) (j)])

enum { UP, DOWN, LEFT, RIGHT, SIDES };

typedef struct {
    double *cell; /* n + 2 rows of n + 2: a rim of halo around */
    int n;
    int neighbour[SIDES];
    MPI_Datatype column;
} Grid;

static void find_neighbours(Grid *g)
{
    int rows = 1;

    for (int d = 1; d * d <= bench.size; d++)
        if (bench.size % d == 0)
            rows = d;
    int columns = bench.size / rows, row = bench.rank / columns, column = bench.rank % columns;
    g->neighbour[UP] = rows == 1 ? MPI_PROC_NULL : (row + rows - 1) % rows * columns + column;
    g->neighbour[DOWN] = rows == 1 ? MPI_PROC_NULL : (row + 1) % rows * columns + column;
    g->neighbour[LEFT] =
        columns == 1 ? MPI_PROC_NULL : row * columns + (column + columns - 1) % columns;
    g->neighbour[RIGHT] = columns == 1 ? MPI_PROC_NULL : row * columns + (column + 1) % columns;
}

/* What arrives on a side was sent as the opposite one, which is the tag. */
static void exchange(long times, void *arg)
{
    Grid *g = arg;
    int n = g->n;
    MPI_Request r[2 * SIDES];
    int *to = g->neighbour;

    for (long i = 0; i < times; i++) {
        MPI_Irecv(&AT(g, 0, 1), n, MPI_DOUBLE, to[UP], DOWN, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(&AT(g, n + 1, 1), n, MPI_DOUBLE, to[DOWN], UP, MPI_COMM_WORLD, &r[1]);
        MPI_Irecv(&AT(g, 1, 0), 1, g->column, to[LEFT], RIGHT, MPI_COMM_WORLD, &r[2]);
        MPI_Irecv(&AT(g, 1, n + 1), 1, g->column, to[RIGHT], LEFT, MPI_COMM_WORLD, &r[3]);
        MPI_Isend(&AT(g, 1, 1), n, MPI_DOUBLE, to[UP], UP, MPI_COMM_WORLD, &r[4]);
        MPI_Isend(&AT(g, n, 1), n, MPI_DOUBLE, to[DOWN], DOWN, MPI_COMM_WORLD, &r[5]);
        MPI_Isend(&AT(g, 1, 1), 1, g->column, to[LEFT], LEFT, MPI_COMM_WORLD, &r[6]);
        MPI_Isend(&AT(g, 1, n), 1, g->column, to[RIGHT], RIGHT, MPI_COMM_WORLD, &r[7]);
        MPI_Waitall(2 * SIDES, r, MPI_STATUSES_IGNORE);
    }
}

static double cell_value(int rank, int i, int j)
{
    return rank * 1e8 + i * 1e4 + j;
}

static void fill(Grid *g)
{
    for (int i = 0; i < g->n + 2; i++)
        for (int j = 0; j < g->n + 2; j++)
            AT(g, i, j) =
                i >= 1 && i <= g->n && j >= 1 && j <= g->n ? cell_value(bench.rank, i, j) : -1;
}

static void check(Grid *g)
{
    int n = g->n, right = 1;

    for (int k = 1; k <= n; k++) {
        int *from = g->neighbour;
        right &= from[UP] == MPI_PROC_NULL || AT(g, 0, k) == cell_value(from[UP], n, k);
        right &= from[DOWN] == MPI_PROC_NULL || AT(g, n + 1, k) == cell_value(from[DOWN], 1, k);
        right &= from[LEFT] == MPI_PROC_NULL || AT(g, k, 0) == cell_value(from[LEFT], k, n);
        right &= from[RIGHT] == MPI_PROC_NULL || AT(g, k, n + 1) == cell_value(from[RIGHT], k, 1);
    }
    bench_need(right, "a halo cell is not what the neighbour has sent");
}

static void measure(Grid *g)
{
    MPI_Type_vector(g->n, 1, g->n + 2, MPI_DOUBLE, &g->column);
    MPI_Type_commit(&g->column);
    fill(g);
    exchange(1, g);
    check(g);
    double t = bench_time(exchange, g);
    fill(g);
    exchange(1, g);
    check(g);
    if (bench.rank == 0)
        bench_print("halo2d", g->n * 8.0, t * 1e6);
    MPI_Type_free(&g->column);
}

int main(int argc, char **argv)
{
    bench_start(&argc, &argv);
    Grid g = { .cell = bench_buffer((LARGEST + 2) * (LARGEST + 2) * sizeof(double)) };

    find_neighbours(&g);
    for (g.n = 8; g.n <= LARGEST; g.n *= 4)
        measure(&g);
    free(g.cell);
    MPI_Finalize();
    return 0;
}
