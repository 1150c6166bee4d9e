/* Wrong arguments of the calls on datatypes; sizes that do not fit; outputs untouched. */
#include <limits.h>

#include "mpitest.h"

int main(int argc, char **argv)
{
    int rank, size, lengths[2] = { 1, -1 }, disps[2] = { 0, 1 }, n;
    MPI_Aint bytes[2] = { 0, 8 }, far[2] = { LONG_MIN, LONG_MAX - 100 };
    MPI_Datatype t = 4711, types[2] = { MPI_INT, MPI_DATATYPE_NULL }, null = MPI_DATATYPE_NULL, big;
    char name[MPI_MAX_OBJECT_NAME];
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MTEST_FAILS(MPI_Type_contiguous(-1, MPI_INT, &t), MPI_ERR_COUNT);
    MTEST_FAILS(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &t), MPI_ERR_TYPE);
    MTEST_FAILS(MPI_Type_contiguous(1, (MPI_Datatype) 0x4c0000ff, &t), MPI_ERR_TYPE);
    MTEST_FAILS(MPI_Type_contiguous(1, (MPI_Datatype) MPI_COMM_WORLD, &t), MPI_ERR_TYPE);
    MTEST_FAILS(MPI_Type_vector(1, -1, 1, MPI_INT, &t), MPI_ERR_COUNT);
    MTEST_FAILS(MPI_Type_indexed(2, lengths, disps, MPI_INT, &t), MPI_ERR_COUNT);
    lengths[1] = 1;
    MTEST_FAILS(MPI_Type_create_struct(2, lengths, bytes, types, &t), MPI_ERR_TYPE);
    MTEST_FAILS(MPI_Type_create_hindexed(2, lengths, far, MPI_INT, &t), MPI_ERR_ARG);
    MTEST_FAILS(MPI_Type_create_hvector(3, 1, LONG_MAX / 2, MPI_INT, &t), MPI_ERR_ARG);
    MTEST_FAILS(MPI_Type_create_resized(MPI_INT, LONG_MAX, 1, &t), MPI_ERR_ARG);
    MTEST_FAILS(MPI_Type_contiguous_c(LONG_MAX / 2, MPI_INT, &t), MPI_ERR_ARG);
    MTEST_MPI(MPI_Type_contiguous_c(LONG_MAX / 8, MPI_INT, &big));
    MTEST_FAILS(MPI_Type_vector(3, 1, 1, big, &t), MPI_ERR_ARG);
    MTEST_FAILS(MPI_Pack_size(3, big, MPI_COMM_WORLD, &n), MPI_ERR_COUNT);
    MTEST_MPI(MPI_Type_free(&big));
    MTEST_CHECK(big == MPI_DATATYPE_NULL, "%x", big);
    MTEST_FAILS(MPI_Type_free(&null), MPI_ERR_TYPE);
    MTEST_FAILS(MPI_Type_commit(&null), MPI_ERR_TYPE);
    MTEST_FAILS(MPI_Type_dup(null, &t), MPI_ERR_TYPE);
    MTEST_FAILS(MPI_Type_size(null, &n), MPI_ERR_TYPE);
    MTEST_FAILS(MPI_Type_get_name(null, name, &n), MPI_ERR_TYPE);
    MTEST_FAILS(MPI_Type_contiguous(1, MPI_INT, NULL), MPI_ERR_ARG);
    MTEST_INT_EQ(t, 4711);
    MPI_Finalize();
    return MTest_report(rank);
}
