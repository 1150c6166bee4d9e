/* P9: a message for a communicator that its receiver has freed matches nothing, however many communicators and epochs come after it;
 * and what is left of it does not pile up without bound. */
#include <unistd.h>

#include "ring.h"

enum { ROUNDS = 20, COMMS = 50, LOST = 7 };

/* The receiver has freed the communicator when the message comes; nobody ever receives it. */
static void leave_messages(MPI_Comm parent, int rank, int size)
{
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm c;
        int value = 666;
        MTEST_MPI(MPI_Comm_dup(parent, &c));
        if (rank != 0)
            MTEST_MPI(MPI_Send(&value, 1, MPI_INT, 0, LOST, c));
        if (rank == 0 && size > 1 && i % 2) /* lets some in before, others after the end */
            usleep(100);
        MTEST_MPI(MPI_Comm_free(&c));
    }
}

/* Every new communicator is empty. */
static void look_for_messages(MPI_Comm parent)
{
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm c;
        int flag = 1;
        MTEST_MPI(MPI_Comm_dup(parent, &c));
        for (int k = 0; k < 3; k++) {
            MTEST_MPI(MPI_Iprobe(MPI_ANY_SOURCE, LOST, c, &flag, MPI_STATUS_IGNORE));
            MTEST_INT_EQ(flag, 0);
        }
        ring_check(c, i);
        MTEST_MPI(MPI_Comm_free(&c));
    }
}

int main(void)
{
    int rank = -1, size;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Session session = MTest_session();
        MPI_Comm comm = MTest_session_comm(session, "mpi://WORLD", "late");
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        leave_messages(comm, rank, size);
        look_for_messages(comm);
        MTEST_MPI(MPI_Comm_free(&comm));
        MTEST_MPI(MPI_Session_finalize(&session));
    }
    return MTest_report(rank);
}
