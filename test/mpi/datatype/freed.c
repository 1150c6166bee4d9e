/* Types freed while messages use them, and while other types are built from them. */
#include "mpitest.h"

#define N 50000

int main(int argc, char **argv)
{
    static int out[2 * N], in[2 * N];
    int rank, size;
    MPI_Request request[2];
    MTest_init_world(&argc, &argv, &rank, &size);
    int dest = (rank + 1) % size, source = (rank + size - 1) % size;
    for (int round = 0; round < 50; round++) {
        MPI_Datatype inner, outer, t, blocks[50];
        MTEST_MPI(MPI_Type_vector(N / 10, 1, 2, MPI_INT, &inner));
        MTEST_MPI(MPI_Type_create_resized(inner, 0, 2 * (MPI_Aint) sizeof(int) * (N / 10), &outer));
        MTEST_MPI(MPI_Type_free(&inner));
        MTEST_MPI(MPI_Type_contiguous(10, outer, &t));
        MTEST_MPI(MPI_Type_free(&outer));
        MTEST_MPI(MPI_Type_commit(&t));
        for (int i = 0; i < N; i++) {
            out[2 * i] = rank * 100000 + i + round;
            in[2 * i] = -1;
        }
        MTEST_MPI(MPI_Irecv(in, 1, t, source, 0, MPI_COMM_WORLD, &request[0]));
        MTEST_MPI(MPI_Isend(out, 1, t, dest, 0, MPI_COMM_WORLD, &request[1]));
        MTEST_MPI(MPI_Type_free(&t));
        for (int i = 0; i < 50; i++) /* take the place of whatever was freed too early */
            MTEST_MPI(MPI_Type_contiguous(i + 1, MPI_CHAR, &blocks[i]));
        MTEST_MPI(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
        for (int i = 0; i < 50; i++)
            MTEST_MPI(MPI_Type_free(&blocks[i]));
        for (int i = 0; i < N; i++) {
            if (in[2 * i] != source * 100000 + i + round) {
                MTEST_ERROR("round %d: item %d is %d", round, i, in[2 * i]);
                break;
            }
        }
    }
    MPI_Finalize();
    return MTest_report(rank);
}
