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
