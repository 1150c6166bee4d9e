/* What the session tests do on a communicator to see that it works: a ring message and an allreduce. */
#ifndef RING_H_INCLUDED
#define RING_H_INCLUDED

#include "mpitest.h"

/* Each rank sends `value + rank` to its right neighbour; then the sum over all is formed. */
MTEST_UNUSED static void ring_check(MPI_Comm comm, int value)
{
    int rank, size, got = -1, sum = -1;
    MPI_Status status;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int mine = value + rank, left = (rank + size - 1) % size;
    MTEST_MPI(MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 5, &got, 1, MPI_INT, left, 5, comm,
                           &status));
    MTEST_INT_EQ(got, value + left);
    MTEST_INT_EQ(status.MPI_SOURCE, left);
    MTEST_MPI(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
    MTEST_INT_EQ(sum, size * value + size * (size - 1) / 2);
}

/* One whole epoch: session, communicator, ring, all closed again. Returns the rank in mpi://WORLD. */
MTEST_UNUSED static int ring_epoch(const char *tag, int value)
{
    int rank;
    MPI_Session session = MTest_session();
    MPI_Comm comm = MTest_session_comm(session, "mpi://WORLD", tag);
    MPI_Comm_rank(comm, &rank);
    ring_check(comm, value);
    MTEST_MPI(MPI_Comm_free(&comm));
    MTEST_MPI(MPI_Session_finalize(&session));
    MTEST_CHECK(session == MPI_SESSION_NULL, "handle %x", (unsigned) session);
    return rank;
}

#endif /* RING_H_INCLUDED */
