/* Which predefined datatypes the predefined operations work on (MPI-5.0 6.9.2). */
#include "op_internal.h"

#include <limits.h>

/* By size: long is 4 or 8 bytes, and so on. */
#define SIGNED_OF(size)                                                                            \
    ((size) == 1       ? MPII_KIND_I8                                                              \
         : (size) == 2 ? MPII_KIND_I16                                                             \
         : (size) == 4 ? MPII_KIND_I32                                                             \
                       : MPII_KIND_I64)
#define UNSIGNED_OF(size) (SIGNED_OF(size) - MPII_KIND_I8 + MPII_KIND_U8)

#define BUILTIN(datatype, kind, group) [(datatype) & 0xff] = { datatype, kind, group }
#define C_SIGNED(datatype, type) BUILTIN(datatype, SIGNED_OF(sizeof(type)), MPII_C_INTEGER)
#define C_UNSIGNED(datatype, type) BUILTIN(datatype, UNSIGNED_OF(sizeof(type)), MPII_C_INTEGER)

/* By the lowest byte of the handle. */
static const MPII_Op_type builtin[256] = {
    C_SIGNED(MPI_SIGNED_CHAR, signed char),
    C_SIGNED(MPI_SHORT, short),
    C_SIGNED(MPI_INT, int),
    C_SIGNED(MPI_LONG, long),
    C_SIGNED(MPI_LONG_LONG, long long),
    C_SIGNED(MPI_INT8_T, int8_t),
    C_SIGNED(MPI_INT16_T, int16_t),
    C_SIGNED(MPI_INT32_T, int32_t),
    C_SIGNED(MPI_INT64_T, int64_t),
    C_UNSIGNED(MPI_UNSIGNED_CHAR, unsigned char),
    C_UNSIGNED(MPI_UNSIGNED_SHORT, unsigned short),
    C_UNSIGNED(MPI_UNSIGNED, unsigned),
    C_UNSIGNED(MPI_UNSIGNED_LONG, unsigned long),
    C_UNSIGNED(MPI_UNSIGNED_LONG_LONG, unsigned long long),
    C_UNSIGNED(MPI_UINT8_T, uint8_t),
    C_UNSIGNED(MPI_UINT16_T, uint16_t),
    C_UNSIGNED(MPI_UINT32_T, uint32_t),
    C_UNSIGNED(MPI_UINT64_T, uint64_t),

    /* More than the standard asks: to it, MPI_CHAR is text. Programs reduce it as the small integer
       that C's char is, and other implementations let them. */
    BUILTIN(MPI_CHAR, CHAR_MIN < 0 ? MPII_KIND_I8 : MPII_KIND_U8, MPII_C_INTEGER),

    BUILTIN(MPI_INTEGER, MPII_KIND_I32, MPII_FORTRAN_INTEGER),
    BUILTIN(MPI_INTEGER1, MPII_KIND_I8, MPII_FORTRAN_INTEGER),
    BUILTIN(MPI_INTEGER2, MPII_KIND_I16, MPII_FORTRAN_INTEGER),
    BUILTIN(MPI_INTEGER4, MPII_KIND_I32, MPII_FORTRAN_INTEGER),
    BUILTIN(MPI_INTEGER8, MPII_KIND_I64, MPII_FORTRAN_INTEGER),

    BUILTIN(MPI_FLOAT, MPII_KIND_F32, MPII_FLOATING),
    BUILTIN(MPI_DOUBLE, MPII_KIND_F64, MPII_FLOATING),
    BUILTIN(MPI_LONG_DOUBLE, MPII_KIND_FLONG, MPII_FLOATING),
    BUILTIN(MPI_REAL, MPII_KIND_F32, MPII_FLOATING),
    BUILTIN(MPI_DOUBLE_PRECISION, MPII_KIND_F64, MPII_FLOATING),
    BUILTIN(MPI_REAL4, MPII_KIND_F32, MPII_FLOATING),
    BUILTIN(MPI_REAL8, MPII_KIND_F64, MPII_FLOATING),
    BUILTIN(MPI_REAL16, MPII_KIND_F128, MPII_FLOATING),

    BUILTIN(MPI_C_BOOL, MPII_KIND_BOOL, MPII_LOGICAL),
    BUILTIN(MPI_CXX_BOOL, MPII_KIND_BOOL, MPII_LOGICAL),
    BUILTIN(MPI_LOGICAL, MPII_KIND_LOGICAL, MPII_LOGICAL),

    BUILTIN(MPI_C_FLOAT_COMPLEX, MPII_KIND_C32, MPII_COMPLEX),
    BUILTIN(MPI_C_DOUBLE_COMPLEX, MPII_KIND_C64, MPII_COMPLEX),
    BUILTIN(MPI_C_LONG_DOUBLE_COMPLEX, MPII_KIND_CLONG, MPII_COMPLEX),
    BUILTIN(MPI_CXX_FLOAT_COMPLEX, MPII_KIND_C32, MPII_COMPLEX),
    BUILTIN(MPI_CXX_DOUBLE_COMPLEX, MPII_KIND_C64, MPII_COMPLEX),
    BUILTIN(MPI_CXX_LONG_DOUBLE_COMPLEX, MPII_KIND_CLONG, MPII_COMPLEX),
    BUILTIN(MPI_COMPLEX, MPII_KIND_C32, MPII_COMPLEX),
    BUILTIN(MPI_DOUBLE_COMPLEX, MPII_KIND_C64, MPII_COMPLEX),
    BUILTIN(MPI_COMPLEX8, MPII_KIND_C32, MPII_COMPLEX),
    BUILTIN(MPI_COMPLEX16, MPII_KIND_C64, MPII_COMPLEX),
    BUILTIN(MPI_COMPLEX32, MPII_KIND_C128, MPII_COMPLEX),

    BUILTIN(MPI_BYTE, MPII_KIND_U8, MPII_BYTE),

    BUILTIN(MPI_AINT, SIGNED_OF(sizeof(MPI_Aint)), MPII_MULTI_LANGUAGE),
    BUILTIN(MPI_OFFSET, SIGNED_OF(sizeof(MPI_Offset)), MPII_MULTI_LANGUAGE),
    BUILTIN(MPI_COUNT, SIGNED_OF(sizeof(MPI_Count)), MPII_MULTI_LANGUAGE),

    BUILTIN(MPI_2INT, MPII_KIND_2INT, MPII_PAIR),
    BUILTIN(MPI_2INTEGER, MPII_KIND_2INT, MPII_PAIR),
    BUILTIN(MPI_2REAL, MPII_KIND_2REAL, MPII_PAIR),
    BUILTIN(MPI_2DOUBLE_PRECISION, MPII_KIND_2DOUBLE, MPII_PAIR),
};

/* Structures with padding; their handles are of the direct kind. */
static const MPII_Op_type pair[] = {
    BUILTIN(MPI_FLOAT_INT, MPII_KIND_FLOAT_INT, MPII_PAIR),
    BUILTIN(MPI_DOUBLE_INT, MPII_KIND_DOUBLE_INT, MPII_PAIR),
    BUILTIN(MPI_LONG_INT, MPII_KIND_LONG_INT, MPII_PAIR),
    BUILTIN(MPI_SHORT_INT, MPII_KIND_SHORT_INT, MPII_PAIR),
    BUILTIN(MPI_LONG_DOUBLE_INT, MPII_KIND_FLONG_INT, MPII_PAIR),
};

const MPII_Op_type *MPII_Op_type_of(MPI_Datatype datatype)
{
    unsigned i = (unsigned) datatype & 0xff;
    const MPII_Op_type *row = &builtin[i];
    if (MPIR_HANDLE_KIND(datatype) == MPIR_HANDLE_DIRECT && i < MPL_ARRAY_SIZE(pair))
        row = &pair[i];
    return row->kind != MPII_KIND_NONE && row->datatype == datatype ? row : NULL;
}
