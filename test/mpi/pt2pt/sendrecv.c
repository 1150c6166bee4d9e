/* The four calls that send and receive, around a ring, with small and large messages and a strided
 * type. */
#include "mpitest.h"

static int rank, size, dest, source;

static void fill(int *data, int n, int who)
{
    for (int i = 0; i < n; i++)
        data[2 * i] = who * 1000 + i;
}

static void check(const int *data, int n, const char *what)
{
    for (int i = 0; i < n; i++) {
        if (data[2 * i] != source * 1000 + i) {
            MTEST_ERROR("%s, %d items: item %d is %d", what, n, i, data[2 * i]);
            return;
        }
    }
}

static void check_status(const MPI_Status *status, int n)
{
    int count;
    MTEST_INT_EQ(status->MPI_SOURCE, source);
    MTEST_INT_EQ(status->MPI_TAG, source);
    MTEST_MPI(MPI_Get_count(status, MPI_INT, &count));
    MTEST_INT_EQ(count, n);
}

static void ring(int n)
{
    MPI_Datatype spread;
    MPI_Status status;
    MPI_Request request;
    int *a = malloc((size_t) (2 * n + 2) * sizeof(int)),
        *b = malloc((size_t) (2 * n + 2) * sizeof(int));
    MTEST_MPI(MPI_Type_create_resized(MPI_INT, 0, 8, &spread));
    MTEST_MPI(MPI_Type_commit(&spread));

    fill(a, n, rank);
    MTEST_MPI(MPI_Sendrecv(a, n, spread, dest, rank, b, n, spread, source, source, MPI_COMM_WORLD,
                           &status));
    check(b, n, "MPI_Sendrecv");
    check_status(&status, n);

    fill(b, n, -1);
    MTEST_MPI(MPI_Isendrecv(a, n, spread, dest, rank, b, n, spread, MPI_ANY_SOURCE, MPI_ANY_TAG,
                            MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Wait(&request, &status));
    check(b, n, "MPI_Isendrecv");
    check_status(&status, n);

    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    fill(a, n, rank);
    MTEST_MPI(
        MPI_Sendrecv_replace(a, n, spread, dest, rank, source, source, MPI_COMM_WORLD, &status));
    check(a, n, "MPI_Sendrecv_replace");
    check_status(&status, n);

    fill(a, n, rank);
    MTEST_MPI(
        MPI_Isendrecv_replace(a, n, spread, dest, rank, source, source, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Wait(&request, &status));
    check(a, n, "MPI_Isendrecv_replace");
    check_status(&status, n);

    /* given up before it is done, it is done all the same */
    fill(a, n, rank);
    fill(b, n, -1);
    MTEST_MPI(
        MPI_Isendrecv(a, n, spread, dest, 7, b, n, spread, source, 7, MPI_COMM_WORLD, &request));
    MTEST_MPI(MPI_Request_free(&request));
    MTEST_MPI(MPI_Sendrecv(NULL, 0, MPI_INT, dest, 7, NULL, 0, MPI_INT, source, 7, MPI_COMM_WORLD,
                           &status));
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    while (n > 0 &&
           b[2 * n - 2] != source * 1000 + n - 1) /* progress, until the last item is there */
        MTEST_MPI(MPI_Iprobe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &(int) { 0 }, MPI_STATUS_IGNORE));
    MTEST_MPI(MPI_Type_free(&spread));
    MTEST_MPI(MPI_Barrier(MPI_COMM_WORLD));
    free(a);
    free(b);
}

/* The error of the receive is the error of the call. */
static void truncated(void)
{
    int out[4] = { 0 }, in[4] = { 0 };
    MPI_Request request;
    MPI_Status status;
    MTEST_FAILS(
        MPI_Sendrecv(out, 4, MPI_INT, dest, 1, in, 2, MPI_INT, source, 1, MPI_COMM_WORLD, &status),
        MPI_ERR_TRUNCATE);
    MTEST_MPI(MPI_Isendrecv(out, 4, MPI_INT, dest, 1, in, 2, MPI_INT, source, 1, MPI_COMM_WORLD,
                            &request));
    MTEST_FAILS(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    dest = (rank + 1) % size;
    source = (rank + size - 1) % size;
    const int sizes[] = { 0, 1, 900, 300000 };
    for (int i = 0; i < 4; i++)
        ring(sizes[i]);
    truncated();
    MPI_Finalize();
    return MTest_report(rank);
}
