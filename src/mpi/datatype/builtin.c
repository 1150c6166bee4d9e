/* Predefined datatypes of the MPICH ABI: which there are, their names and alignments. */
#include <complex.h>
#include <stddef.h>

#include "type_internal.h"

#define SIZE(handle_) (((unsigned) (handle_) >> 8) & 0xff)
#define INDEX(handle_) ((unsigned) (handle_) % 256u)

/* n_ elements of basic type basic_ in a row. */
#define ENTRY(type_, n_, basic_, name_)                                                            \
    [INDEX(type_)] = { .obj = { .handle = (type_), .ref = 1 },                                     \
                       .committed = true,                                                          \
                       .contiguous = true,                                                         \
                       .size = SIZE(type_),                                                        \
                       .extent = SIZE(type_),                                                      \
                       .true_extent = SIZE(type_),                                                 \
                       .n_elements = (n_),                                                         \
                       .basic = (basic_),                                                          \
                       .user_refs = 1,                                                             \
                       .name = name_ }
#define ONE(type_) ENTRY(type_, 1, type_, #type_)
#define TWO(type_, basic_) ENTRY(type_, 2, basic_, #type_)

/* Indexed by the low byte of the handle. Handles which another release of the ABI lacks are there
 * if mpi.h has them. Lives with the process. */
static MPIR_Datatype builtin[256] = {
    ONE(MPI_CHAR),
    ONE(MPI_SIGNED_CHAR),
    ONE(MPI_UNSIGNED_CHAR),
    ONE(MPI_BYTE),
    ONE(MPI_WCHAR),
    ONE(MPI_SHORT),
    ONE(MPI_UNSIGNED_SHORT),
    ONE(MPI_INT),
    ONE(MPI_UNSIGNED),
    ONE(MPI_LONG),
    ONE(MPI_UNSIGNED_LONG),
    ONE(MPI_FLOAT),
    ONE(MPI_DOUBLE),
    ONE(MPI_LONG_DOUBLE),
    ONE(MPI_LONG_LONG_INT),
    ONE(MPI_UNSIGNED_LONG_LONG),
    ONE(MPI_PACKED),
    ONE(MPI_INT8_T),
    ONE(MPI_INT16_T),
    ONE(MPI_INT32_T),
    ONE(MPI_INT64_T),
    ONE(MPI_UINT8_T),
    ONE(MPI_UINT16_T),
    ONE(MPI_UINT32_T),
    ONE(MPI_UINT64_T),
    ONE(MPI_C_BOOL),
    ONE(MPI_C_FLOAT_COMPLEX),
    ONE(MPI_C_DOUBLE_COMPLEX),
    ONE(MPI_C_LONG_DOUBLE_COMPLEX),
    ONE(MPI_AINT),
    ONE(MPI_OFFSET),
    ONE(MPI_COUNT),
    TWO(MPI_2INT, MPI_INT),
#ifdef MPI_INTEGER /* Fortran */
    ONE(MPI_COMPLEX),
    ONE(MPI_DOUBLE_COMPLEX),
    ONE(MPI_LOGICAL),
    ONE(MPI_REAL),
    ONE(MPI_DOUBLE_PRECISION),
    ONE(MPI_INTEGER),
    ONE(MPI_CHARACTER),
    TWO(MPI_2INTEGER, MPI_INTEGER),
    TWO(MPI_2REAL, MPI_REAL),
    TWO(MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION),
    ONE(MPI_REAL4),
    ONE(MPI_REAL8),
    ONE(MPI_REAL16),
    ONE(MPI_COMPLEX8),
    ONE(MPI_COMPLEX16),
    ONE(MPI_COMPLEX32),
    ONE(MPI_INTEGER1),
    ONE(MPI_INTEGER2),
    ONE(MPI_INTEGER4),
    ONE(MPI_INTEGER8),
#endif
#ifdef MPI_2COMPLEX
    TWO(MPI_2COMPLEX, MPI_COMPLEX),
    TWO(MPI_2DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX),
#endif
#ifdef MPI_REAL2
    ONE(MPI_REAL2),
    ONE(MPI_COMPLEX4),
#endif
#ifdef MPI_LOGICAL1
    ONE(MPI_LOGICAL1),
    ONE(MPI_LOGICAL2),
    ONE(MPI_LOGICAL4),
    ONE(MPI_LOGICAL8),
    ONE(MPI_LOGICAL16),
#endif
#ifdef MPI_CXX_BOOL
    ONE(MPI_CXX_BOOL),
    ONE(MPI_CXX_FLOAT_COMPLEX),
    ONE(MPI_CXX_DOUBLE_COMPLEX),
    ONE(MPI_CXX_LONG_DOUBLE_COMPLEX),
#endif
#ifdef MPIX_C_FLOAT16
    ONE(MPIX_C_FLOAT16),
#endif
#ifdef MPIX_BFLOAT16
    ONE(MPIX_BFLOAT16),
#endif
};

/* ---- a value and its index, as MPI_MINLOC wants them ----------------------------------------- */

#define N_PAIRS 5

/* The compiler says where the parts of each pair lie. */
struct float_int {
    float value;
    int index;
};
struct double_int {
    double value;
    int index;
};
struct long_int {
    long value;
    int index;
};
struct short_int {
    short value;
    int index;
};
struct long_double_int {
    long double value;
    int index;
};

/* One run, if the index follows the value at once: for all but MPI_SHORT_INT. */
#define RUNS_OF(pair_, ctype_)                                                                     \
    static MPII_Run pair_##_runs[] = { { 0, 0 },                                                   \
                                       { offsetof(struct pair_, index), sizeof(ctype_) },          \
                                       { 0, sizeof(ctype_) + sizeof(int) } };                      \
    static MPIR_Type_program pair_##_program = {                                                   \
        .root = { .kind = offsetof(struct pair_, index) == sizeof(ctype_) ? MPII_NODE_RUN          \
                                                                          : MPII_NODE_RUNS,        \
                  .depth = 1,                                                                      \
                  .size = sizeof(ctype_) + sizeof(int),                                            \
                  .count = offsetof(struct pair_, index) == sizeof(ctype_) ? 1 : 2,                \
                  .u.runs = pair_##_runs }                                                         \
    };                                                                                             \
    static MPI_Count pair_##_value[] = { 2, 1, 1, 0, offsetof(struct pair_, index) };

#define CONTENTS_OF(pair_, mpitype_)                                                               \
    static MPI_Datatype pair_##_type[] = { mpitype_, MPI_INT };                                    \
    static MPIR_Type_contents pair_##_contents = { .combiner = MPI_COMBINER_NAMED,                 \
                                                   .align = _Alignof(struct pair_),                \
                                                   .n_values = 5,                                  \
                                                   .n_types = 2,                                   \
                                                   .value = pair_##_value,                         \
                                                   .type = pair_##_type };

#define PAIR(handle_, pair_, ctype_)                                                               \
    [INDEX(handle_)] = { .obj = { .handle = (handle_), .ref = 1 },                                 \
                         .committed = true,                                                        \
                         .contiguous = sizeof(struct pair_) == sizeof(ctype_) + sizeof(int),       \
                         .size = sizeof(ctype_) + sizeof(int),                                     \
                         .extent = sizeof(struct pair_),                                           \
                         .true_extent = offsetof(struct pair_, index) + sizeof(int),               \
                         .n_elements = 2,                                                          \
                         .basic = MPI_DATATYPE_NULL,                                               \
                         .program = &pair_##_program,                                              \
                         .contents = &pair_##_contents,                                            \
                         .user_refs = 1,                                                           \
                         .name = #handle_ }

RUNS_OF(float_int, float)
RUNS_OF(double_int, double)
RUNS_OF(long_int, long)
RUNS_OF(short_int, short)
RUNS_OF(long_double_int, long double)
CONTENTS_OF(float_int, MPI_FLOAT)
CONTENTS_OF(double_int, MPI_DOUBLE)
CONTENTS_OF(long_int, MPI_LONG)
CONTENTS_OF(short_int, MPI_SHORT)
CONTENTS_OF(long_double_int, MPI_LONG_DOUBLE)

/* Lives with the process. */
static MPIR_Datatype pair[N_PAIRS] = {
    PAIR(MPI_FLOAT_INT, float_int, float),
    PAIR(MPI_DOUBLE_INT, double_int, double),
    PAIR(MPI_LONG_INT, long_int, long),
    PAIR(MPI_SHORT_INT, short_int, short),
    PAIR(MPI_LONG_DOUBLE_INT, long_double_int, long double),
};

/* ---- looking up ------------------------------------------------------------------------------ */

MPIR_Datatype *MPII_Type_builtin_get(MPI_Datatype handle)
{
    MPIR_Datatype *t = NULL;
    if (MPIR_HANDLE_KIND(handle) == MPIR_HANDLE_BUILTIN)
        t = &builtin[INDEX(handle)];
    else if (INDEX(handle) < N_PAIRS)
        t = &pair[INDEX(handle)];
    return t && t->obj.handle == handle && t->size > 0 ? t : NULL;
}

int MPII_Type_builtin_align(MPI_Datatype handle)
{
    const MPIR_Datatype *t = &builtin[INDEX(handle)];
    switch (handle) { /* pairs of numbers are aligned as one of them */
    case MPI_C_FLOAT_COMPLEX:
        return _Alignof(float _Complex);
    case MPI_C_DOUBLE_COMPLEX:
        return _Alignof(double _Complex);
    case MPI_C_LONG_DOUBLE_COMPLEX:
        return _Alignof(long double _Complex);
#ifdef MPI_CXX_BOOL
    case MPI_CXX_FLOAT_COMPLEX:
        return _Alignof(float _Complex);
    case MPI_CXX_DOUBLE_COMPLEX:
        return _Alignof(double _Complex);
    case MPI_CXX_LONG_DOUBLE_COMPLEX:
        return _Alignof(long double _Complex);
#endif
#ifdef MPI_INTEGER
    case MPI_COMPLEX:
    case MPI_COMPLEX8:
        return _Alignof(float);
    case MPI_DOUBLE_COMPLEX:
    case MPI_COMPLEX16:
        return _Alignof(double);
    case MPI_COMPLEX32:
        return (int) t->size / 2;
#endif
    default:
        return (int) (t->size / t->n_elements);
    }
}
