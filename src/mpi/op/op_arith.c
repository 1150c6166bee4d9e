/* The loops of the arithmetic, logical and bitwise operations: one a kind and operation, simple
 * enough for the compiler to vectorise. Signed integers are added and multiplied as unsigned ones,
 * whose overflow is defined. */
#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#include "op_internal.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* at -O2 gcc vectorises no loop whose count it does not know */
#endif

#define LOOP(name, type, expression)                                                               \
    static void name(const void *in, void *inout, MPI_Count n)                                     \
    {                                                                                              \
        const type *restrict x = in;                                                               \
        type *restrict y = inout;                                                                  \
        for (MPI_Count i = 0; i < n; i++) {                                                        \
            type a = x[i], b = y[i];                                                               \
            y[i] = expression;                                                                     \
        }                                                                                          \
    }

#define COMPARE_LOOPS(kind, type)                                                                  \
    LOOP(max_##kind, type, a > b ? a : b)                                                          \
    LOOP(min_##kind, type, a < b ? a : b)

/* 1u: narrow types would be promoted to int, whose product can overflow. */
#define WRAPPING_LOOPS(kind, type)                                                                 \
    LOOP(sum_##kind, type, 1u * a + b)                                                             \
    LOOP(prod_##kind, type, 1u * a * b)                                                            \
    LOOP(band_##kind, type, a & b)                                                                 \
    LOOP(bor_##kind, type, a | b)                                                                  \
    LOOP(bxor_##kind, type, a ^ b)

#define LOGICAL_LOOPS(kind, type)                                                                  \
    LOOP(land_##kind, type, (a != 0) & (b != 0))                                                   \
    LOOP(lor_##kind, type, (a != 0) | (b != 0))                                                    \
    LOOP(lxor_##kind, type, (a != 0) != (b != 0))

#define FLOATING_LOOPS(kind, type)                                                                 \
    COMPARE_LOOPS(kind, type)                                                                      \
    LOOP(sum_##kind, type, a + b)                                                                  \
    LOOP(prod_##kind, type, a * b)

/* Not _Complex: its product is a call into the compiler's library, and C has none for every kind.
 */
#define COMPLEX_LOOPS(kind, part)                                                                  \
    typedef struct kind {                                                                          \
        part re, im;                                                                               \
    } kind;                                                                                        \
    LOOP(sum_##kind, kind, ((kind) { a.re + b.re, a.im + b.im }))                                  \
    LOOP(prod_##kind, kind, ((kind) { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re }))

COMPARE_LOOPS(i8, int8_t)
COMPARE_LOOPS(i16, int16_t)
COMPARE_LOOPS(i32, int32_t)
COMPARE_LOOPS(i64, int64_t)
COMPARE_LOOPS(u8, uint8_t)
COMPARE_LOOPS(u16, uint16_t)
COMPARE_LOOPS(u32, uint32_t)
COMPARE_LOOPS(u64, uint64_t)

WRAPPING_LOOPS(u8, uint8_t)
WRAPPING_LOOPS(u16, uint16_t)
WRAPPING_LOOPS(u32, uint32_t)
WRAPPING_LOOPS(u64, uint64_t)

LOGICAL_LOOPS(u8, uint8_t)
LOGICAL_LOOPS(u16, uint16_t)
LOGICAL_LOOPS(u32, uint32_t)
LOGICAL_LOOPS(u64, uint64_t)

FLOATING_LOOPS(f32, float)
FLOATING_LOOPS(f64, double)
FLOATING_LOOPS(flong, long double)
COMPLEX_LOOPS(c32, float)
COMPLEX_LOOPS(c64, double)
COMPLEX_LOOPS(clong, long double)

#ifdef __SIZEOF_FLOAT128__
FLOATING_LOOPS(f128, __float128)
COMPLEX_LOOPS(c128, __float128)
#define F128(op) [MPII_KIND_F128] = op##_f128
#define C128(op) [MPII_KIND_C128] = op##_c128
#elif LDBL_MANT_DIG == 113 /* long double is such a quad */
#define F128(op) [MPII_KIND_F128] = op##_flong
#define C128(op) [MPII_KIND_C128] = op##_clong
#else
#define F128(op) [MPII_KIND_F128] = NULL
#define C128(op) [MPII_KIND_C128] = NULL
#endif

#define UNSIGNED(op)                                                                               \
    [MPII_KIND_U8] = op##_u8, [MPII_KIND_U16] = op##_u16, [MPII_KIND_U32] = op##_u32,              \
    [MPII_KIND_U64] = op##_u64
#define SIGNED(op)                                                                                 \
    [MPII_KIND_I8] = op##_i8, [MPII_KIND_I16] = op##_i16, [MPII_KIND_I32] = op##_i32,              \
    [MPII_KIND_I64] = op##_i64
#define SIGNED_AS_UNSIGNED(op)                                                                     \
    [MPII_KIND_I8] = op##_u8, [MPII_KIND_I16] = op##_u16, [MPII_KIND_I32] = op##_u32,              \
    [MPII_KIND_I64] = op##_u64
#define FLOATING(op)                                                                               \
    [MPII_KIND_F32] = op##_f32, [MPII_KIND_F64] = op##_f64, [MPII_KIND_FLONG] = op##_flong, F128(op)
#define COMPLEX(op)                                                                                \
    [MPII_KIND_C32] = op##_c32, [MPII_KIND_C64] = op##_c64, [MPII_KIND_CLONG] = op##_clong, C128(op)
#define TRUTH(op) [MPII_KIND_BOOL] = op##_u8, [MPII_KIND_LOGICAL] = op##_u32

#define INDEX(op) ((op) & 0xff)

MPII_Op_loop *const MPII_Op_arith[MPII_OP_COUNT][MPII_KIND_COUNT] = {
    [INDEX(MPI_MAX)] = { SIGNED(max), UNSIGNED(max), FLOATING(max) },
    [INDEX(MPI_MIN)] = { SIGNED(min), UNSIGNED(min), FLOATING(min) },
    [INDEX(MPI_SUM)] = { SIGNED_AS_UNSIGNED(sum), UNSIGNED(sum), FLOATING(sum), COMPLEX(sum) },
    [INDEX(MPI_PROD)] = { SIGNED_AS_UNSIGNED(prod), UNSIGNED(prod), FLOATING(prod), COMPLEX(prod) },
    [INDEX(MPI_LAND)] = { SIGNED_AS_UNSIGNED(land), UNSIGNED(land), TRUTH(land) },
    [INDEX(MPI_LOR)] = { SIGNED_AS_UNSIGNED(lor), UNSIGNED(lor), TRUTH(lor) },
    [INDEX(MPI_LXOR)] = { SIGNED_AS_UNSIGNED(lxor), UNSIGNED(lxor), TRUTH(lxor) },
    [INDEX(MPI_BAND)] = { SIGNED_AS_UNSIGNED(band), UNSIGNED(band) },
    [INDEX(MPI_BOR)] = { SIGNED_AS_UNSIGNED(bor), UNSIGNED(bor) },
    [INDEX(MPI_BXOR)] = { SIGNED_AS_UNSIGNED(bxor), UNSIGNED(bxor) },
};
