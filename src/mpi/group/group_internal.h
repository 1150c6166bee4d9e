/* Private to src/mpi/group. */
#ifndef GROUP_INTERNAL_H_INCLUDED
#define GROUP_INTERNAL_H_INCLUDED

#include "mpi.h"
#include "mpir_err.h"
#include "mpir_group.h"
#include "mpir_session.h"

/* As MPIR_Group_create_list(), but takes the list over (malloc'ed; freed in any case). */
int MPII_Group_take(int size, int *list, MPIR_Session *session, MPIR_Group **group);

/* MPI_SUCCESS if the two may meet in one call. */
int MPII_Group_check_mix(const MPIR_Group *a, const MPIR_Group *b);

static inline bool MPII_Group_has(const MPIR_Group *g, int world_rank)
{
    return MPIR_Group_rank_of(g, world_rank) != MPI_UNDEFINED;
}

/* Same members in the same order? Ranges are always kept as such, so forms need not be mixed. */
bool MPII_Group_is_ident(const MPIR_Group *a, const MPIR_Group *b);

/* One bit a rank, to find duplicates and to exclude. */
static inline bool MPII_Bit_test_and_set(unsigned char *bits, int i)
{
    bool was = bits[i >> 3] >> (i & 7) & 1;
    bits[i >> 3] = (unsigned char) (bits[i >> 3] | 1u << (i & 7));
    return was;
}

static inline bool MPII_Bit_test(const unsigned char *bits, int i)
{
    return bits[i >> 3] >> (i & 7) & 1;
}

#endif /* GROUP_INTERNAL_H_INCLUDED */
