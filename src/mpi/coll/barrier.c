/* MPI_Barrier. */
#include "coll_internal.h"

/* In round k each rank tells the one 2^k ahead; after ceil(log2(size)) rounds all have heard of
 * all. */
void MPII_Barrier_dissemination(MPIR_Sched *s, const MPII_Coll *c)
{
    int rank = c->comm->rank, size = c->comm->size;
    for (long long distance = 1; distance < size; distance *= 2) {
        int ahead = (int) ((rank + distance) % size);
        int behind = (int) ((rank - distance + size) % size);
        MPII_Exchange(s, (MPII_Part) { NULL, 0, MPI_BYTE, ahead },
                      (MPII_Part) { NULL, 0, MPI_BYTE, behind });
    }
}

/* All tell rank 0, which then tells all. Where ranks share cores this is best: what counts there is
 * how often a rank must be scheduled. */
void MPII_Barrier_central(MPIR_Sched *s, const MPII_Coll *c)
{
    int rank = c->comm->rank, size = c->comm->size;
    for (int i = 1; rank == 0 && i < size; i++)
        MPIR_Sched_recv(s, NULL, 0, MPI_BYTE, i);
    if (rank != 0)
        MPIR_Sched_send(s, NULL, 0, MPI_BYTE, 0);
    MPIR_Sched_fence(s);
    for (int i = 1; rank == 0 && i < size; i++)
        MPIR_Sched_send(s, NULL, 0, MPI_BYTE, i);
    if (rank != 0)
        MPIR_Sched_recv(s, NULL, 0, MPI_BYTE, 0);
}
