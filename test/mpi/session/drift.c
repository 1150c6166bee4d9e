/* Each rank cycles empty epochs at its own pace and leaves when done: the fastest first, nobody waits (argument: cycles). */
#include "launched.h"
#include "ring.h"

int main(int argc, char **argv)
{
    int rank = MTest_launched_rank();
    int n = argc > 1 ? atoi(argv[1]) : 9000;
    if (argc > 2) /* and meet once in the middle */
        ring_epoch("drift", 1);
    for (int i = 0; i < n; i++) {
        MPI_Session s = MTest_session();
        MTEST_MPI(MPI_Session_finalize(&s));
    }
    return MTest_report(rank);
}
