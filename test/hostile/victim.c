/* What is put under attack: two session epochs and the world, with messages among all ranks. */
#include "../mpi/session/ring.h"

int main(int argc, char **argv)
{
    int rank, size;
    ring_epoch("victim", 1);
    MTest_init_world(&argc, &argv, &rank, &size);
    ring_check(MPI_COMM_WORLD, 2);
    MPI_Finalize();
    ring_epoch("victim", 3);
    return MTest_report(rank);
}
