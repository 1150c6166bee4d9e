/* Reduction operations. They belong to no epoch. */
#ifndef MPIR_OP_H_INCLUDED
#define MPIR_OP_H_INCLUDED

#include "mpi.h"
#include "mpir_handle.h"

typedef struct MPIR_Op {
    MPIR_Object obj;
    bool commutative;
    bool large; /* fn takes MPI_Count */
    union {
        MPI_User_function *small;
        MPI_User_function_c *large;
    } fn; /* of a user's op */
} MPIR_Op;

/* NULL if the handle names no operation; predefined ones are static. */
MPIR_Op *MPIR_Op_get(MPI_Op op);
void MPIR_Op_add_ref(MPI_Op op);
void MPIR_Op_release(MPI_Op op);
bool MPIR_Op_is_commutative(MPI_Op op);

/* May op be used with datatype (MPI-5.0 6.9.2)? MPI_SUCCESS or an error code that names both. */
int MPIR_Op_check(MPI_Op op, MPI_Datatype datatype);

/* inout[i] = in[i] op inout[i] for count items; the pair is known to be legal. */
void MPIR_Op_apply(MPI_Op op, const void *in, void *inout, MPI_Count count, MPI_Datatype datatype);

#endif /* MPIR_OP_H_INCLUDED */
