/* Private to src/mpi/op: operations by the kind of element they work on. */
#ifndef OP_INTERNAL_H_INCLUDED
#define OP_INTERNAL_H_INCLUDED

#include "mpi.h"
#include "mpir_op.h"

/* What an element is in memory. Several datatypes share a kind (MPI_INT, MPI_INTEGER,
 * MPI_INT32_T). */
typedef enum MPII_Op_kind {
    MPII_KIND_NONE,
    MPII_KIND_I8, MPII_KIND_I16, MPII_KIND_I32, MPII_KIND_I64,
    MPII_KIND_U8, MPII_KIND_U16, MPII_KIND_U32, MPII_KIND_U64,
    MPII_KIND_F32, MPII_KIND_F64, MPII_KIND_FLONG, MPII_KIND_F128,
    MPII_KIND_C32, MPII_KIND_C64, MPII_KIND_CLONG, MPII_KIND_C128,
    MPII_KIND_BOOL, MPII_KIND_LOGICAL,
    MPII_KIND_FLOAT_INT, MPII_KIND_DOUBLE_INT, MPII_KIND_LONG_INT, MPII_KIND_SHORT_INT,
    MPII_KIND_FLONG_INT, MPII_KIND_2INT, MPII_KIND_2REAL, MPII_KIND_2DOUBLE,
    MPII_KIND_COUNT
} MPII_Op_kind;

/* inout[i] = in[i] op inout[i] for n elements; the two do not overlap. */
typedef void MPII_Op_loop(const void *in, void *inout, MPI_Count n);

/* By index of the predefined operation (0x58000001 MPI_MAX is 1) and kind; NULL: not defined. */
#define MPII_OP_COUNT 15
extern MPII_Op_loop *const MPII_Op_arith[MPII_OP_COUNT][MPII_KIND_COUNT];
extern MPII_Op_loop *const MPII_Op_loc[2][MPII_KIND_COUNT]; /* MINLOC, MAXLOC */

/* Groups of datatypes, as MPI-5.0 6.9.2 has them. */
enum {
    MPII_C_INTEGER = 1 << 0,
    MPII_FORTRAN_INTEGER = 1 << 1,
    MPII_FLOATING = 1 << 2,
    MPII_LOGICAL = 1 << 3,
    MPII_COMPLEX = 1 << 4,
    MPII_BYTE = 1 << 5,
    MPII_MULTI_LANGUAGE = 1 << 6,
    MPII_PAIR = 1 << 7,
};

typedef struct MPII_Op_type {
    MPI_Datatype datatype;
    uint8_t kind; /* MPII_Op_kind */
    uint8_t group; /* one of the above */
} MPII_Op_type;

/* The row of a predefined datatype, or NULL if no operation is defined on it. */
const MPII_Op_type *MPII_Op_type_of(MPI_Datatype datatype);

#endif /* OP_INTERNAL_H_INCLUDED */
