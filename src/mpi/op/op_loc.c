/* MPI_MINLOC and MPI_MAXLOC: the extreme value and where it is; among equal values the lowest
 * index. */
#include "op_internal.h"

#define LOC_LOOP(name, type, better)                                                               \
    static void name(const void *in, void *inout, MPI_Count n)                                     \
    {                                                                                              \
        const type *restrict x = in;                                                               \
        type *restrict y = inout;                                                                  \
        for (MPI_Count i = 0; i < n; i++)                                                          \
            if (x[i].value better y[i].value                                                       \
                || (x[i].value == y[i].value && x[i].where < y[i].where))                          \
                y[i] = x[i];                                                                       \
    }

#define PAIR(pair, value_type, index_type)                                                         \
    typedef struct pair {                                                                          \
        value_type value;                                                                          \
        index_type where;                                                                          \
    } pair;                                                                                        \
    LOC_LOOP(minloc_##pair, pair, <)                                                               \
    LOC_LOOP(maxloc_##pair, pair, >)

PAIR(float_int, float, int)
PAIR(double_int, double, int)
PAIR(long_int, long, int)
PAIR(short_int, short, int)
PAIR(flong_int, long double, int)
PAIR(int_int, int, int)
PAIR(float_float, float, float)
PAIR(double_double, double, double)

#define ALL(op)                                                                                    \
    [MPII_KIND_FLOAT_INT] = op##_float_int, [MPII_KIND_DOUBLE_INT] = op##_double_int,              \
    [MPII_KIND_LONG_INT] = op##_long_int, [MPII_KIND_SHORT_INT] = op##_short_int,                  \
    [MPII_KIND_FLONG_INT] = op##_flong_int, [MPII_KIND_2INT] = op##_int_int,                       \
    [MPII_KIND_2REAL] = op##_float_float, [MPII_KIND_2DOUBLE] = op##_double_double

MPII_Op_loop *const MPII_Op_loc[2][MPII_KIND_COUNT] = { { ALL(minloc) }, { ALL(maxloc) } };
