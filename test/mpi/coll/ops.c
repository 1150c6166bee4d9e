/* Predefined operations through MPI_Allreduce and MPI_Reduce_local: one of each kind; extremes
 * with their places. */
#include <stdbool.h>
#include <stdint.h>

#include "mpitest.h"

static int rank, size;

#define CHECK(type, datatype, op, mine, want)                                                      \
    do {                                                                                           \
        type in_ = (type) (mine), want_ = (type) (want), out_;                                     \
        memset(&out_, 0, sizeof out_);                                                             \
        MTEST_MPI(MPI_Allreduce(&in_, &out_, 1, datatype, op, MPI_COMM_WORLD));                    \
        MTEST_CHECK(out_ == want_, #datatype " " #op " at %d ranks", size);                        \
    } while (0)

#define CHECK_INTEGER(type, datatype)                                                              \
    do {                                                                                           \
        CHECK(type, datatype, MPI_MAX, rank + 1, size);                                            \
        CHECK(type, datatype, MPI_MIN, rank + 1, 1);                                               \
        CHECK(type, datatype, MPI_SUM, 2, 2 * size);                                               \
        CHECK(type, datatype, MPI_PROD, rank == 0 ? 5 : 1, 5);                                     \
        CHECK(type, datatype, MPI_BAND, rank == 0 ? 6 : 3, size == 1 ? 6 : 2);                     \
        CHECK(type, datatype, MPI_BOR, rank == 0 ? 6 : 1, size == 1 ? 6 : 7);                      \
        CHECK(type, datatype, MPI_BXOR, 5, size % 2 ? 5 : 0);                                      \
        CHECK(type, datatype, MPI_LAND, rank, 0);                                                  \
        CHECK(type, datatype, MPI_LOR, rank == 0, 1);                                           \
        CHECK(type, datatype, MPI_LXOR, 1, size % 2);                                              \
    } while (0)

static void integers(void)
{
    CHECK_INTEGER(signed char, MPI_SIGNED_CHAR);
    CHECK_INTEGER(unsigned char, MPI_UNSIGNED_CHAR);
    CHECK_INTEGER(short, MPI_SHORT);
    CHECK_INTEGER(unsigned short, MPI_UNSIGNED_SHORT);
    CHECK_INTEGER(int, MPI_INT);
    CHECK_INTEGER(unsigned, MPI_UNSIGNED);
    CHECK_INTEGER(long, MPI_LONG);
    CHECK_INTEGER(unsigned long, MPI_UNSIGNED_LONG);
    CHECK_INTEGER(long long, MPI_LONG_LONG);
    CHECK_INTEGER(unsigned long long, MPI_UNSIGNED_LONG_LONG);
    CHECK_INTEGER(int8_t, MPI_INT8_T);
    CHECK_INTEGER(uint16_t, MPI_UINT16_T);
    CHECK_INTEGER(int32_t, MPI_INT32_T);
    CHECK_INTEGER(uint64_t, MPI_UINT64_T);
    CHECK(MPI_Aint, MPI_AINT, MPI_SUM, rank, size * (size - 1) / 2);
    CHECK(MPI_Count, MPI_COUNT, MPI_MAX, rank, size - 1);
    CHECK(MPI_Offset, MPI_OFFSET, MPI_BOR, 1 << rank, (1 << size) - 1);
    CHECK(bool, MPI_C_BOOL, MPI_LAND, rank != 1, size < 2);
    CHECK(unsigned char, MPI_BYTE, MPI_BOR, 1 << rank, (1 << size) - 1);
}

static void floating(void)
{
    CHECK(float, MPI_FLOAT, MPI_SUM, 0.5f, 0.5f * (float) size);
    CHECK(double, MPI_DOUBLE, MPI_PROD, 2, (double) (1 << size));
    CHECK(long double, MPI_LONG_DOUBLE, MPI_MIN, -rank, 1 - size);
    double in[2] = { 1, rank + 1 }, out[2];
    MTEST_MPI(MPI_Allreduce(in, out, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD));
    MTEST_CHECK(out[0] == size && out[1] == size * (size + 1) / 2, "complex sum");
}

static void places(void)
{
    struct {
        double value;
        int rank;
    } in = { rank / 2, rank }, out = { -1, -1 };
    MTEST_MPI(MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD));
    MTEST_CHECK(out.value == (size - 1) / 2 && out.rank == (size - 1) / 2 * 2, "%g at %d",
                out.value, out.rank);
    MTEST_MPI(MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD));
    MTEST_CHECK(out.value == 0 && out.rank == 0, "%g at %d", out.value, out.rank);
    int pair[2] = { 5, 10 - rank }, got[2];
    MTEST_MPI(MPI_Allreduce(pair, got, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD));
    MTEST_CHECK(got[0] == 5 && got[1] == 11 - size, "%d at %d", got[0], got[1]);
}

static void local(void)
{
    int a[3] = { 1, 2, 3 }, b[3] = { 3, 2, 1 };
    MTEST_MPI(MPI_Reduce_local(a, b, 3, MPI_INT, MPI_MAX));
    MTEST_CHECK(b[0] == 3 && b[1] == 2 && b[2] == 3, "%d %d %d", b[0], b[1], b[2]);
    MTEST_MPI(MPI_Reduce_local_c(a, b, 0, MPI_INT, MPI_SUM));
    MTEST_INT_EQ(b[0], 3);
}

int main(int argc, char **argv)
{
    MTest_init_world(&argc, &argv, &rank, &size);
    integers();
    floating();
    places();
    local();
    MPI_Finalize();
    return MTest_report(rank);
}
