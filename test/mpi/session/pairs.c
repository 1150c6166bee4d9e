/* Session pairs, one after another: empty ones, and ones that communicate (default 300; argument: how many). */
#include "ring.h"

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300;
    int rank = -1;
    for (int i = 0; i < n; i++) {
        MPI_Session s = MTest_session();
        MTEST_MPI(MPI_Session_finalize(&s));
        if (i % 10 == 0)
            rank = ring_epoch("pairs", i);
    }
    return MTest_report(rank);
}
