/* Rank r runs 7 r empty epochs, then all meet; five times over. */
#include "launched.h"
#include "ring.h"

int main(void)
{
    int rank = MTest_launched_rank();
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 7 * rank; i++) {
            MPI_Session s = MTest_session();
            MTEST_MPI(MPI_Session_finalize(&s));
        }
        MTEST_INT_EQ(ring_epoch("unequal", round), rank);
    }
    return MTest_report(rank);
}
