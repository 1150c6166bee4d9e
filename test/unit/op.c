/* Predefined operations on every datatype that the standard allows, against plain arithmetic; user
 * operations. */
#include <complex.h>
#include <limits.h>
#include <math.h>

#include "mpir_datatype.h"
#include "mpir_err.h"
#include "mpir_impl.h"
#include "mpir_op.h"
#include "utest.h"

#define N 37 /* not a multiple of any vector length */

enum Form { SIGNED, UNSIGNED, FLOATING, COMPLEX, TRUTH, BYTES };

static const struct {
    MPI_Datatype type;
    enum Form form;
    int size; /* of the element, or of a complex one's part */
    /* C int, F Fortran int, R floating, X complex, L logical, B byte, M multi-language */
    const char *groups;
} types[] = {
    { MPI_SIGNED_CHAR, SIGNED, 1, "C" },
    { MPI_SHORT, SIGNED, 2, "C" },
    { MPI_INT, SIGNED, 4, "C" },
    { MPI_LONG, SIGNED, sizeof(long), "C" },
    { MPI_LONG_LONG, SIGNED, 8, "C" },
    { MPI_UNSIGNED_CHAR, UNSIGNED, 1, "C" },
    { MPI_UNSIGNED_SHORT, UNSIGNED, 2, "C" },
    { MPI_UNSIGNED, UNSIGNED, 4, "C" },
    { MPI_UNSIGNED_LONG, UNSIGNED, sizeof(long), "C" },
    { MPI_UNSIGNED_LONG_LONG, UNSIGNED, 8, "C" },
    { MPI_CHAR, CHAR_MIN < 0 ? SIGNED : UNSIGNED, 1, "C" },
    { MPI_INT8_T, SIGNED, 1, "C" },
    { MPI_INT16_T, SIGNED, 2, "C" },
    { MPI_INT32_T, SIGNED, 4, "C" },
    { MPI_INT64_T, SIGNED, 8, "C" },
    { MPI_UINT8_T, UNSIGNED, 1, "C" },
    { MPI_UINT16_T, UNSIGNED, 2, "C" },
    { MPI_UINT32_T, UNSIGNED, 4, "C" },
    { MPI_UINT64_T, UNSIGNED, 8, "C" },
    { MPI_INTEGER, SIGNED, 4, "F" },
    { MPI_INTEGER1, SIGNED, 1, "F" },
    { MPI_INTEGER2, SIGNED, 2, "F" },
    { MPI_INTEGER4, SIGNED, 4, "F" },
    { MPI_INTEGER8, SIGNED, 8, "F" },
    { MPI_AINT, SIGNED, sizeof(MPI_Aint), "M" },
    { MPI_OFFSET, SIGNED, 8, "M" },
    { MPI_COUNT, SIGNED, 8, "M" },
    { MPI_FLOAT, FLOATING, 4, "R" },
    { MPI_DOUBLE, FLOATING, 8, "R" },
    { MPI_LONG_DOUBLE, FLOATING, 16, "R" },
    { MPI_REAL, FLOATING, 4, "R" },
    { MPI_DOUBLE_PRECISION, FLOATING, 8, "R" },
    { MPI_REAL4, FLOATING, 4, "R" },
    { MPI_REAL8, FLOATING, 8, "R" },
    { MPI_C_FLOAT_COMPLEX, COMPLEX, 4, "X" },
    { MPI_C_DOUBLE_COMPLEX, COMPLEX, 8, "X" },
    { MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX, 16, "X" },
    { MPI_COMPLEX, COMPLEX, 4, "X" },
    { MPI_DOUBLE_COMPLEX, COMPLEX, 8, "X" },
    { MPI_COMPLEX8, COMPLEX, 4, "X" },
    { MPI_COMPLEX16, COMPLEX, 8, "X" },
    { MPI_CXX_FLOAT_COMPLEX, COMPLEX, 4, "X" },
    { MPI_CXX_DOUBLE_COMPLEX, COMPLEX, 8, "X" },
    { MPI_CXX_LONG_DOUBLE_COMPLEX, COMPLEX, 16, "X" },
    { MPI_LOGICAL, TRUTH, 4, "L" },
    { MPI_C_BOOL, TRUTH, 1, "L" },
    { MPI_CXX_BOOL, TRUTH, 1, "L" },
    { MPI_BYTE, BYTES, 1, "B" },
    { MPI_WCHAR, BYTES, 4, "" },
    { MPI_PACKED, BYTES, 1, "" },
    { MPI_CHARACTER, BYTES, 1, "" },
};

static const struct {
    MPI_Op op;
    const char *groups;
} ops[] = {
    { MPI_MAX, "CFMR" },  { MPI_MIN, "CFMR" },   { MPI_SUM, "CFMRX" }, { MPI_PROD, "CFMRX" },
    { MPI_LAND, "CL" },   { MPI_LOR, "CL" },     { MPI_LXOR, "CL" },   { MPI_BAND, "CFMB" },
    { MPI_BOR, "CFMB" },  { MPI_BXOR, "CFMB" },  { MPI_MINLOC, "" },   { MPI_MAXLOC, "" },
    { MPI_REPLACE, "" },  { MPI_NO_OP, "" },
};

typedef _Complex long double
    Value; /* holds all but the largest 64-bit integers, which the test does not use */

/* The size is that of the type in this test: a quad where the library has one is not used. */
static void put(void *buf, int i, int t, Value v)
{
    char *p = (char *) buf + i * types[t].size * (types[t].form == COMPLEX ? 2 : 1);
    long double re = creall(v), im = cimagl(v);
    long long n = (long long) re;
    if (types[t].form < FLOATING || types[t].form > COMPLEX)
        memcpy(p, &n, (size_t) types[t].size); /* little end first */
    else if (types[t].size == 4)
        memcpy(p, (float[]) { (float) re, (float) im }, types[t].form == COMPLEX ? 8 : 4);
    else if (types[t].size == 8)
        memcpy(p, (double[]) { (double) re, (double) im }, types[t].form == COMPLEX ? 16 : 8);
    else
        memcpy(p, (long double[]) { re, im }, types[t].form == COMPLEX ? 32 : 16);
}

static Value get(const void *buf, int i, int t)
{
    const char *p = (const char *) buf + i * types[t].size * (types[t].form == COMPLEX ? 2 : 1);
    bool two = types[t].form == COMPLEX;
    if (types[t].form < FLOATING || types[t].form > COMPLEX) {
        unsigned long long n = 0;
        memcpy(&n, p, (size_t) types[t].size);
        int shift = 64 - 8 * types[t].size;
        return types[t].form == SIGNED ? (long double) ((long long) (n << shift) >> shift)
                                       : (long double) n;
    }
    long double part[2] = { 0, 0 };
    for (int k = 0; k <= two; k++) {
        float f;
        double d;
        if (types[t].size == 4)
            memcpy(&f, p + 4 * k, 4), part[k] = f;
        else if (types[t].size == 8)
            memcpy(&d, p + 8 * k, 8), part[k] = d;
        else
            memcpy(&part[k], p + 16 * k, 16);
    }
    return part[0] + part[1] * (Value) I;
}

static Value model(MPI_Op op, Value a, Value b)
{
    long double x = creall(a), y = creall(b);
    long long m = (long long) x, n = (long long) y;
    switch (op) {
        case MPI_MAX: return x > y ? x : y;
        case MPI_MIN: return x < y ? x : y;
        case MPI_SUM: return a + b;
        case MPI_PROD: return a * b;
        case MPI_LAND: return m && n;
        case MPI_LOR: return m || n;
        case MPI_LXOR: return !m != !n;
        case MPI_BAND: return m & n;
        case MPI_BOR: return m | n;
        default: return m ^ n;
    }
}

/* Small values, so that no product leaves the narrowest type. */
static Value sample(int i, int t, int which)
{
    int v = which ? i % 9 : (i * 7 + 3) % 11;
    if (types[t].form == SIGNED || types[t].form == FLOATING)
        v -= 4;
    if (types[t].form == TRUTH)
        v = v % 3 == 0 ? 0 : 1;
    return types[t].form == COMPLEX ? v + (Value) I * (v % 3 - 1) : (Value) v;
}

static void check_pair(int o, int t)
{
    _Alignas(16) char in[N * 32], inout[N * 32];
    memset(in, 0, sizeof in);
    memset(inout, 0, sizeof inout);
    for (int i = 0; i < N; i++) {
        put(in, i, t, sample(i, t, 0));
        put(inout, i, t, sample(i, t, 1));
    }
    MPIR_Op_apply(ops[o].op, in, inout, N - 1, types[t].type);
    for (int i = 0; i < N; i++) {
        Value b = sample(i, t, 1), want = i < N - 1 ? model(ops[o].op, sample(i, t, 0), b) : b;
        Value got = get(inout, i, t);
        if (got != want)
            UT_FAIL("op %x type %x item %d: %Lg%+Lgi, expected %Lg%+Lgi", ops[o].op, types[t].type,
                    i, creall(got), cimagl(got), creall(want), cimagl(want));
    }
}

static void all_pairs(void)
{
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            bool legal = types[t].groups[0] && strchr(ops[o].groups, types[t].groups[0]);
            int code = MPIR_Op_check(ops[o].op, types[t].type);
            UT_INT_EQ(MPIR_Err_class(code), legal ? MPI_SUCCESS : MPI_ERR_OP);
            if (legal)
                check_pair((int) o, (int) t);
        }
}

static void integers_wrap(void)
{
    int a = 2147483647, b = 2;
    MPIR_Op_apply(MPI_SUM, &a, &b, 1, MPI_INT);
    UT_INT_EQ(b, -2147483647);
    unsigned short x = 65535, y = 65535;
    MPIR_Op_apply(MPI_PROD, &x, &y, 1, MPI_UNSIGNED_SHORT);
    UT_INT_EQ(y, 1);
    unsigned long u = ~0ul, v = 1;
    MPIR_Op_apply(MPI_MAX, &u, &v, 1, MPI_UNSIGNED_LONG);
    UT_CHECK(v == ~0ul);
    long s = -1, t = 1;
    MPIR_Op_apply(MPI_MAX, &s, &t, 1, MPI_LONG);
    UT_CHECK(t == 1);
}

#define CHECK_LOC(type_, value_type, index_type)                                                   \
    do {                                                                                           \
        struct {                                                                                   \
            value_type v;                                                                          \
            index_type i;                                                                          \
        } in[3] = { { 1, 5 }, { 2, 1 }, { 3, 9 } }, io[3] = { { 1, 4 }, { 2, 3 }, { 4, 0 } };      \
        UT_INT_EQ(MPIR_Op_check(MPI_MINLOC, type_) | MPIR_Op_check(MPI_MAXLOC, type_), 0);         \
        UT_INT_EQ(MPIR_Err_class(MPIR_Op_check(MPI_SUM, type_)), MPI_ERR_OP);                      \
        MPIR_Op_apply(MPI_MINLOC, in, io, 3, type_);                                               \
        UT_CHECK(io[0].i == 4 && io[1].i == 1 && io[2].v == 3 && io[2].i == 9);                    \
        MPIR_Op_apply(MPI_MAXLOC, in, io, 2, type_);                                               \
        UT_CHECK(io[0].i == 4 && io[1].i == 1);                                                    \
        io[0].v = 0;                                                                               \
        MPIR_Op_apply(MPI_MAXLOC, in, io, 1, type_);                                               \
        UT_CHECK(io[0].v == 1 && io[0].i == 5);                                                    \
    } while (0)

static void locations(void)
{
    CHECK_LOC(MPI_FLOAT_INT, float, int);
    CHECK_LOC(MPI_DOUBLE_INT, double, int);
    CHECK_LOC(MPI_LONG_INT, long, int);
    CHECK_LOC(MPI_SHORT_INT, short, int);
    CHECK_LOC(MPI_LONG_DOUBLE_INT, long double, int);
    CHECK_LOC(MPI_2INT, int, int);
    CHECK_LOC(MPI_2INTEGER, int, int);
    CHECK_LOC(MPI_2REAL, float, float);
    CHECK_LOC(MPI_2DOUBLE_PRECISION, double, double);
}

/* ---- user operations ------------------------------------------------------------------------- */

static long long calls, items;

static void small_fn(void *in, void *inout, int *len, MPI_Datatype *type)
{
    calls++;
    items += *len;
    if (*type == MPI_INT)
        for (int i = 0; i < *len; i++)
            ((int *) inout)[i] = ((int *) in)[i] * 10 + ((int *) inout)[i];
}

static void large_fn(void *in, void *inout, MPI_Count *len, MPI_Datatype *type)
{
    (void) in;
    (void) inout;
    (void) type;
    calls++;
    items += *len;
}

static void user_operations(void)
{
    MPI_Op op, op_c;
    int a[2] = { 1, 2 }, b[2] = { 3, 4 }, commute = 9;
    UT_INT_EQ(MPIR_Op_create_impl(small_fn, 0, &op), 0);
    UT_INT_EQ(MPIR_Op_create_c_impl(large_fn, 1, &op_c), 0);
    UT_CHECK(!MPIR_Op_is_commutative(op) && MPIR_Op_is_commutative(op_c));
    UT_INT_EQ(MPIR_Op_commutative_impl(op, &commute) | commute, 0);
    UT_INT_EQ(MPIR_Op_check(op, MPI_CHAR), 0);
    UT_INT_EQ(MPIR_Reduce_local_impl(a, b, 2, MPI_INT, op), 0);
    UT_INT_EQ(b[0], 13);
    UT_INT_EQ(b[1], 24);
    calls = items = 0;
    MPIR_Op_apply(op, NULL, NULL, 5000000000, MPI_BYTE); /* the function touches nothing */
    UT_INT_EQ(calls, 3);
    UT_INT_EQ(items, 5000000000);
    calls = items = 0;
    MPIR_Op_apply(op_c, NULL, NULL, 5000000000, MPI_BYTE);
    UT_INT_EQ(calls, 1);
    UT_INT_EQ(items, 5000000000);
    MPIR_Op_add_ref(op);
    UT_INT_EQ(MPIR_Op_free_impl(op), 0);
    UT_CHECK(MPIR_Op_get(op) != NULL); /* something still refers to it */
    MPIR_Op_release(op);
    UT_CHECK(MPIR_Op_get(op) == NULL);
    UT_INT_EQ(MPIR_Op_free_impl(op_c), 0);
    UT_INT_EQ(MPIR_Err_class(MPIR_Op_free_impl(MPI_SUM)), MPI_ERR_OP);
    UT_CHECK(MPIR_Op_get(MPI_OP_NULL) == NULL && MPIR_Op_get(0x58000000) == NULL);
    UT_CHECK(MPIR_Op_get(0x5800000f) == NULL && MPIR_Op_get(MPI_COMM_WORLD) == NULL);
}

int main(void)
{
    UT_RUN(all_pairs);
    UT_RUN(integers_wrap);
    UT_RUN(locations);
    UT_RUN(user_operations);
    return UT_REPORT();
}
