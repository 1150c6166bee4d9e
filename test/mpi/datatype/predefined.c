/* Every predefined datatype: size, extent, name, envelope; names may be changed. */
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "mpitest.h"

typedef struct Known {
    MPI_Datatype type;
    const char *name;
    size_t size, extent;
} Known;

#define C(mpi_, c_)                                                                                \
    {                                                                                              \
        mpi_, #mpi_, sizeof(c_), sizeof(c_)                                                        \
    }
#define F(mpi_, size_)                                                                             \
    {                                                                                              \
        mpi_, #mpi_, size_, size_                                                                  \
    }
#define PAIR(mpi_, c_)                                                                             \
    {                                                                                              \
        mpi_, #mpi_, sizeof(c_) + sizeof(int), sizeof(struct {                                     \
            c_ value;                                                                              \
            int index;                                                                             \
        })                                                                                         \
    }

static const Known known[] = {
    C(MPI_CHAR, char),
    C(MPI_SIGNED_CHAR, signed char),
    C(MPI_UNSIGNED_CHAR, unsigned char),
    C(MPI_BYTE, char),
    C(MPI_WCHAR, wchar_t),
    C(MPI_SHORT, short),
    C(MPI_UNSIGNED_SHORT, short),
    C(MPI_INT, int),
    C(MPI_UNSIGNED, int),
    C(MPI_LONG, long),
    C(MPI_UNSIGNED_LONG, long),
    C(MPI_LONG_LONG_INT, long long),
    C(MPI_UNSIGNED_LONG_LONG, long long),
    C(MPI_FLOAT, float),
    C(MPI_DOUBLE, double),
    C(MPI_LONG_DOUBLE, long double),
    C(MPI_PACKED, char),
    C(MPI_INT8_T, int8_t),
    C(MPI_INT16_T, int16_t),
    C(MPI_INT32_T, int32_t),
    C(MPI_INT64_T, int64_t),
    C(MPI_UINT8_T, int8_t),
    C(MPI_UINT16_T, int16_t),
    C(MPI_UINT32_T, int32_t),
    C(MPI_UINT64_T, int64_t),
    C(MPI_C_BOOL, bool),
    C(MPI_C_FLOAT_COMPLEX, float _Complex),
    C(MPI_C_DOUBLE_COMPLEX, double _Complex),
    C(MPI_C_LONG_DOUBLE_COMPLEX, long double _Complex),
    C(MPI_AINT, MPI_Aint),
    C(MPI_OFFSET, MPI_Offset),
    C(MPI_COUNT, MPI_Count),
    F(MPI_CXX_BOOL, 1),
    F(MPI_CXX_FLOAT_COMPLEX, 8),
    F(MPI_CXX_DOUBLE_COMPLEX, 16),
    F(MPI_CXX_LONG_DOUBLE_COMPLEX, 32),
    F(MPI_CHARACTER, 1),
    F(MPI_INTEGER, 4),
    F(MPI_REAL, 4),
    F(MPI_LOGICAL, 4),
    F(MPI_COMPLEX, 8),
    F(MPI_DOUBLE_PRECISION, 8),
    F(MPI_DOUBLE_COMPLEX, 16),
    F(MPI_2INTEGER, 8),
    F(MPI_2REAL, 8),
    F(MPI_2DOUBLE_PRECISION, 16),
    F(MPI_REAL4, 4),
    F(MPI_REAL8, 8),
    F(MPI_REAL16, 16),
    F(MPI_COMPLEX8, 8),
    F(MPI_COMPLEX16, 16),
    F(MPI_COMPLEX32, 32),
    F(MPI_INTEGER1, 1),
    F(MPI_INTEGER2, 2),
    F(MPI_INTEGER4, 4),
    F(MPI_INTEGER8, 8),
    F(MPI_2INT, 8),
    PAIR(MPI_FLOAT_INT, float),
    PAIR(MPI_DOUBLE_INT, double),
    PAIR(MPI_LONG_INT, long),
    PAIR(MPI_SHORT_INT, short),
    PAIR(MPI_LONG_DOUBLE_INT, long double),
};

static void check(const Known *k)
{
    int size, ni, na, nd, combiner, length;
    MPI_Aint lb, extent;
    MPI_Count lbx, extentx;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Datatype type = k->type;
    MTEST_MPI(MPI_Type_size(type, &size));
    MTEST_INT_EQ(size, k->size);
    MTEST_MPI(MPI_Type_get_extent(type, &lb, &extent));
    MTEST_INT_EQ(lb, 0);
    MTEST_INT_EQ(extent, k->extent);
    MTEST_MPI(MPI_Type_get_extent_x(type, &lbx, &extentx));
    MTEST_CHECK(lbx == lb && extentx == extent, "%s", k->name);
    MTEST_MPI(MPI_Type_get_envelope(type, &ni, &na, &nd, &combiner));
    MTEST_CHECK(combiner == MPI_COMBINER_NAMED && ni == 0 && na == 0 && nd == 0, "%s", k->name);
    MTEST_MPI(MPI_Type_get_name(type, name, &length));
    MTEST_STR_EQ(name, k->name);
    MTEST_INT_EQ(length, strlen(k->name));
    MTEST_MPI(MPI_Type_commit(&type)); /* as often as one likes */
    MTEST_INT_EQ(type, k->type);
    MTEST_FAILS(MPI_Type_free(&type), MPI_ERR_TYPE);
}

static void true_extents(void)
{
    MPI_Aint lb, extent;
    MTEST_MPI(MPI_Type_get_true_extent(MPI_SHORT_INT, &lb, &extent));
    MTEST_INT_EQ(extent, 8);
    MTEST_MPI(MPI_Type_get_true_extent(MPI_DOUBLE_INT, &lb, &extent));
    MTEST_INT_EQ(extent, 12);
    MTEST_MPI(MPI_Type_get_true_extent(MPI_LONG_DOUBLE_INT, &lb, &extent));
    MTEST_INT_EQ(extent, sizeof(long double) + sizeof(int));
}

static void names(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Datatype type;
    MTEST_MPI(MPI_Type_contiguous(2, MPI_INT, &type));
    MTEST_MPI(MPI_Type_get_name(type, name, &length));
    MTEST_STR_EQ(name, "");
    MTEST_MPI(MPI_Type_set_name(type, "two ints"));
    MTEST_MPI(MPI_Type_get_name(type, name, &length));
    MTEST_STR_EQ(name, "two ints");
    MTEST_MPI(MPI_Type_free(&type));
    MTEST_MPI(MPI_Type_set_name(MPI_INT, "number"));
    MTEST_MPI(MPI_Type_get_name(MPI_INT, name, &length));
    MTEST_STR_EQ(name, "number");
    MTEST_MPI(MPI_Type_set_name(MPI_INT, "MPI_INT"));
}

int main(int argc, char **argv)
{
    int rank, size;
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        check(&known[i]);
    true_extents();
    names();
    MPI_Finalize();
    return MTest_report(rank);
}
