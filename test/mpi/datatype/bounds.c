/* lb, extent, true lb and extent, size of each constructor: padding of structs, negative
 * displacements and strides, bounds set explicitly and what is built from them, types without data.
 */
#include "mpitest.h"

static void expect(const char *what, MPI_Datatype type, MPI_Aint lb, MPI_Aint extent,
                   MPI_Aint true_lb, MPI_Aint true_extent, int size)
{
    MPI_Aint got_lb, got_extent, got_tlb, got_textent;
    int got_size;
    MTEST_MPI(MPI_Type_get_extent(type, &got_lb, &got_extent));
    MTEST_MPI(MPI_Type_get_true_extent(type, &got_tlb, &got_textent));
    MTEST_MPI(MPI_Type_size(type, &got_size));
    if (got_lb != lb || got_extent != extent || got_tlb != true_lb || got_textent != true_extent ||
        got_size != size)
        MTEST_ERROR("%s: lb %ld extent %ld, true %ld %ld, size %d; expected %ld %ld, %ld %ld, %d",
                    what, got_lb, got_extent, got_tlb, got_textent, got_size, lb, extent, true_lb,
                    true_extent, size);
}

#define EXPECT(...) (expect(#__VA_ARGS__, __VA_ARGS__), MPI_Type_free(&t))

static void natural(void)
{
    MPI_Datatype t;
    int lengths[3] = { 2, 0, 1 }, disps[3] = { 5, -100, -2 };
    MPI_Aint bytes[3] = { 5, -100, -2 };
    MPI_Type_contiguous(3, MPI_INT, &t);
    EXPECT(t, 0, 12, 0, 12, 12);
    MPI_Type_vector(3, 2, 5, MPI_INT, &t);
    EXPECT(t, 0, 48, 0, 48, 24);
    MPI_Type_vector(3, 2, -5, MPI_INT, &t);
    EXPECT(t, -40, 48, -40, 48, 24);
    MPI_Type_create_hvector(3, 2, 9, MPI_INT, &t);
    EXPECT(t, 0, 26, 0, 26, 24);
    MPI_Type_indexed(3, lengths, disps, MPI_INT, &t);
    EXPECT(t, -8, 36, -8, 36, 12);
    MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &t);
    EXPECT(t, -2, 15, -2, 15, 12);
    MPI_Type_create_indexed_block(3, 2, disps, MPI_INT, &t);
    EXPECT(t, -400, 428, -400, 428, 24);
    MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &t);
    EXPECT(t, -100, 113, -100, 113, 24);
    MPI_Type_dup(MPI_DOUBLE_INT, &t);
    EXPECT(t, 0, 16, 0, 12, 12);
}

static void structs(void)
{
    MPI_Datatype t, inner, types[3] = { MPI_CHAR, MPI_DOUBLE, MPI_CHAR };
    int lengths[3] = { 1, 1, 1 };
    MPI_Aint disps[3] = { 0, 8, 16 };
    MPI_Type_create_struct(3, lengths, disps, types, &t);
    EXPECT(t, 0, 24, 0, 17, 10); /* padded as the compiler pads */
    types[1] = MPI_SHORT;
    MPI_Type_create_struct(3, lengths, disps, types, &t);
    EXPECT(t, 0, 18, 0, 17, 4);
    lengths[1] = 0; /* no short there: no padding for one */
    MPI_Type_create_struct(3, lengths, disps, types, &t);
    EXPECT(t, 0, 17, 0, 17, 2);
    MPI_Type_create_resized(MPI_CHAR, -3, 40, &inner);
    lengths[1] = 1;
    types[1] = inner; /* explicit bounds rule: no others count, and no padding */
    MPI_Type_create_struct(3, lengths, disps, types, &t);
    EXPECT(t, 5, 40, 0, 17, 3);
    MPI_Type_free(&inner);
    MPI_Type_create_struct(0, NULL, NULL, NULL, &t);
    EXPECT(t, 0, 0, 0, 0, 0);
}

static void resized(void)
{
    MPI_Datatype t, r, empty;
    MPI_Type_create_resized(MPI_INT, -4, 20, &r);
    MPI_Type_dup(r, &t);
    EXPECT(t, -4, 20, 0, 4, 4);
    MPI_Type_contiguous(3, r, &t);
    EXPECT(t, -4, 60, 0, 44, 12);
    MPI_Type_vector(2, 1, 3, r, &t);
    EXPECT(t, -4, 80, 0, 64, 8);
    MPI_Type_create_hvector(2, 1, -100, r, &t);
    EXPECT(t, -104, 120, -100, 104, 8);
    MPI_Type_create_resized(r, 8, -8, &t); /* an extent may be negative */
    EXPECT(t, 8, -8, 0, 4, 4);
    MPI_Type_free(&r);
    MPI_Type_create_resized(MPI_INT, 0, -8, &r);
    MPI_Type_contiguous(3, r, &t);
    EXPECT(t, -16, 8, -16, 20, 12);
    MPI_Type_free(&r);
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_create_hvector(2, 1, 100, empty, &t);
    EXPECT(t, 0, 0, 0, 0, 0); /* nothing has no place */
    MPI_Type_create_resized(empty, 4, 12, &r);
    MPI_Type_contiguous(2, r, &t);
    EXPECT(t, 4, 24, 0, 0, 0); /* a hole has */
    MPI_Type_free(&r);
    MPI_Type_free(&empty);
}

static void addresses(void)
{
    int a[10];
    MPI_Aint first, last, null;
    MTEST_MPI(MPI_Get_address(&a[0], &first));
    MTEST_MPI(MPI_Get_address(&a[7], &last));
    MTEST_MPI(MPI_Get_address(MPI_BOTTOM, &null));
    MTEST_INT_EQ(MPI_Aint_diff(last, first), 28);
    MTEST_INT_EQ(MPI_Aint_add(first, 28), last);
    MTEST_INT_EQ(null, 0);
}

/* Sizes beyond an int: MPI_UNDEFINED where they do not fit. */
static void large(void)
{
    MPI_Datatype t;
    int size;
    MPI_Count size_x;
    MTEST_MPI(MPI_Type_contiguous(1 << 30, MPI_DOUBLE, &t));
    MTEST_MPI(MPI_Type_size(t, &size));
    MTEST_INT_EQ(size, MPI_UNDEFINED);
    MTEST_MPI(MPI_Type_size_x(t, &size_x));
    MTEST_INT_EQ(size_x, (MPI_Count) 1 << 33);
    MTEST_MPI(MPI_Type_size_c(t, &size_x));
    MTEST_INT_EQ(size_x, (MPI_Count) 1 << 33);
    MTEST_MPI(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
    int rank, size;
    MTest_init_world(&argc, &argv, &rank, &size);
    natural();
    structs();
    resized();
    addresses();
    large();
    MPI_Finalize();
    return MTest_report(rank);
}
