/* MPI twice in one program, without MPI_Init: each epoch opens a session, makes a communicator from the
 * process set mpi://WORLD, passes a message round a ring, sums the ranks, and closes everything again.
 *
 *     mpicc -o hello_sessions hello_sessions.c && mpiexec -n 4 ./hello_sessions
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* The neighbour's rank, once round the ring: send to the right, receive from the left. */
static int ring(MPI_Comm comm, int rank, int size)
{
    int from_left = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from_left, 1, MPI_INT,
                 (rank + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
    return from_left;
}

/* One whole life of MPI: session, group, communicator, work, and back to nothing. */
static int run_epoch(int epoch)
{
    MPI_Session session;
    MPI_Group world;
    MPI_Comm comm;
    int rank, size, sum = -1;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Comm_create_from_group(world, "hello_sessions", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&world);

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int from_left = ring(comm, rank, size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    printf("epoch %d: rank %d of %d got %d from its left neighbour; the ranks add up to %d\n",
           epoch, rank, size, from_left, sum);
    fflush(stdout);

    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return from_left == (rank + size - 1) % size && sum == size * (size - 1) / 2;
}

int main(void)
{
    for (int epoch = 1; epoch <= 2; epoch++)
        if (!run_epoch(epoch)) {
            fprintf(stderr, "epoch %d: wrong result\n", epoch);
            return EXIT_FAILURE;
        }
    return EXIT_SUCCESS;
}
