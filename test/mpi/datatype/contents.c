/* Envelope and contents give back what each constructor was given; types handed out are the
 * caller's to free. */
#include <limits.h>

#include "mpitest.h"

typedef struct Given {
    int combiner, ni, na, nd;
    int ints[12];
    MPI_Aint addresses[8];
    MPI_Datatype types[3];
} Given;

static void check(const char *what, MPI_Datatype t, const Given *g)
{
    int ni, na, nd, combiner, ints[12];
    MPI_Aint addresses[8];
    MPI_Datatype types[3];
    MTEST_MPI(MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner));
    if (ni != g->ni || na != g->na || nd != g->nd || combiner != g->combiner) {
        MTEST_ERROR("%s: envelope %d %d %d, combiner %d", what, ni, na, nd, combiner);
        return;
    }
    MTEST_MPI(MPI_Type_get_contents(t, 12, 8, 3, ints, addresses, types));
    MTEST_CHECK(memcmp(ints, g->ints, (size_t) ni * sizeof(int)) == 0, "%s: integers", what);
    MTEST_CHECK(memcmp(addresses, g->addresses, (size_t) na * sizeof(MPI_Aint)) == 0,
                "%s: addresses", what);
    MTEST_CHECK(memcmp(types, g->types, (size_t) nd * sizeof(MPI_Datatype)) == 0, "%s: types",
                what);
    MTEST_MPI(MPI_Type_free(&t));
}

static void simple(void)
{
    MPI_Datatype t;
    MPI_Type_contiguous(7, MPI_INT, &t);
    check("contiguous", t,
          &(Given) { MPI_COMBINER_CONTIGUOUS, 1, 0, 1, { 7 }, { 0 }, { MPI_INT } });
    MPI_Type_vector(3, 2, -5, MPI_INT, &t);
    check("vector", t, &(Given) { MPI_COMBINER_VECTOR, 3, 0, 1, { 3, 2, -5 }, { 0 }, { MPI_INT } });
    MPI_Type_create_hvector(3, 2, 50, MPI_CHAR, &t);
    check("hvector", t, &(Given) { MPI_COMBINER_HVECTOR, 2, 1, 1, { 3, 2 }, { 50 }, { MPI_CHAR } });
    MPI_Type_create_resized(MPI_INT, -4, 44, &t);
    check("resized", t, &(Given) { MPI_COMBINER_RESIZED, 0, 2, 1, { 0 }, { -4, 44 }, { MPI_INT } });
    MPI_Type_dup(MPI_INT, &t);
    check("dup", t, &(Given) { MPI_COMBINER_DUP, 0, 0, 1, { 0 }, { 0 }, { MPI_INT } });
}

static void lists(void)
{
    MPI_Datatype t, types[2] = { MPI_CHAR, MPI_DOUBLE };
    int lengths[2] = { 1, 3 }, disps[2] = { -2, 9 };
    MPI_Aint bytes[2] = { -16, 40 };
    MPI_Type_indexed(2, lengths, disps, MPI_INT, &t);
    check("indexed", t,
          &(Given) { MPI_COMBINER_INDEXED, 5, 0, 1, { 2, 1, 3, -2, 9 }, { 0 }, { MPI_INT } });
    MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &t);
    check("hindexed", t,
          &(Given) { MPI_COMBINER_HINDEXED, 3, 2, 1, { 2, 1, 3 }, { -16, 40 }, { MPI_INT } });
    MPI_Type_create_indexed_block(2, 6, disps, MPI_INT, &t);
    check("indexed_block", t,
          &(Given) { MPI_COMBINER_INDEXED_BLOCK, 4, 0, 1, { 2, 6, -2, 9 }, { 0 }, { MPI_INT } });
    MPI_Type_create_hindexed_block(2, 6, bytes, MPI_INT, &t);
    check("hindexed_block", t,
          &(Given) { MPI_COMBINER_HINDEXED_BLOCK, 2, 2, 1, { 2, 6 }, { -16, 40 }, { MPI_INT } });
    MPI_Type_create_struct(2, lengths, bytes, types, &t);
    check("struct", t,
          &(Given) {
              MPI_COMBINER_STRUCT, 3, 2, 2, { 2, 1, 3 }, { -16, 40 }, { MPI_CHAR, MPI_DOUBLE } });
    MPI_Type_create_struct(0, NULL, NULL, NULL, &t);
    check("empty struct", t, &(Given) { MPI_COMBINER_STRUCT, 1, 0, 0, { 0 }, { 0 }, { 0 } });
}

/* The inner type was freed; it comes back alive, as often as asked for. */
static void derived(void)
{
    MPI_Datatype inner, outer, got, again;
    int n, size;
    MTEST_MPI(MPI_Type_vector(2, 1, 2, MPI_INT, &inner));
    MTEST_MPI(MPI_Type_contiguous(3, inner, &outer));
    MTEST_MPI(MPI_Type_free(&inner));
    MTEST_MPI(MPI_Type_get_contents(outer, 1, 0, 1, &n, NULL, &got));
    MTEST_MPI(MPI_Type_get_contents(outer, 1, 0, 1, &n, NULL, &again));
    MTEST_MPI(MPI_Type_free(&outer));
    MTEST_MPI(MPI_Type_size(got, &size));
    MTEST_INT_EQ(size, 8);
    MPI_Datatype copy = got;
    MTEST_MPI(MPI_Type_free(&got));
    MTEST_MPI(MPI_Type_size(again, &size));
    MTEST_INT_EQ(size, 8);
    MTEST_MPI(MPI_Type_free(&again));
    MTEST_FAILS(MPI_Type_size(copy, &size), MPI_ERR_TYPE);
}

/* What was made with MPI_Count comes back as such, and the plain forms say that they cannot. */
static void large(void)
{
    MPI_Count ni, na, nc, nd, counts[5], disps[2] = { 0, (MPI_Count) 1 << 40 },
                                         lengths[2] = { 1, 1 };
    int combiner, a, b, c, ints[1];
    MPI_Aint addresses[1];
    MPI_Datatype t, old;
    MTEST_MPI(MPI_Type_create_hindexed_c(2, lengths, disps, MPI_INT, &t));
    MTEST_MPI(MPI_Type_get_envelope_c(t, &ni, &na, &nc, &nd, &combiner));
    MTEST_CHECK(ni == 0 && na == 0 && nc == 5 && nd == 1 && combiner == MPI_COMBINER_HINDEXED,
                "%ld %ld %ld %ld", (long) ni, (long) na, (long) nc, (long) nd);
    MTEST_MPI(MPI_Type_get_contents_c(t, 0, 0, 5, 1, ints, addresses, counts, &old));
    MTEST_CHECK(counts[0] == 2 && counts[1] == 1 && counts[4] == (MPI_Count) 1 << 40, "%ld %ld %ld",
                (long) counts[0], (long) counts[1], (long) counts[4]);
    MTEST_INT_EQ(old, MPI_INT);
    MTEST_FAILS(MPI_Type_get_envelope(t, &a, &b, &c, &combiner), MPI_ERR_TYPE);
    MTEST_MPI(MPI_Type_free(&t));

    MTEST_MPI(MPI_Type_contiguous_c(3, MPI_INT, &t)); /* small numbers make no difference */
    MTEST_MPI(MPI_Type_get_envelope_c(t, &ni, &na, &nc, &nd, &combiner));
    MTEST_CHECK(ni == 0 && nc == 1, "%ld %ld", (long) ni, (long) nc);
    MTEST_MPI(MPI_Type_free(&t));
    MTEST_MPI(MPI_Type_contiguous(3, MPI_INT, &t)); /* nor does asking with a _c form */
    MTEST_MPI(MPI_Type_get_envelope_c(t, &ni, &na, &nc, &nd, &combiner));
    MTEST_CHECK(ni == 1 && nc == 0, "%ld %ld", (long) ni, (long) nc);
    MTEST_MPI(MPI_Type_free(&t));
}

static void refused(void)
{
    int ints[3];
    MPI_Aint addresses[1];
    MPI_Datatype t, old;
    MTEST_MPI(MPI_Type_vector(2, 1, 2, MPI_INT, &t));
    MTEST_FAILS(MPI_Type_get_contents(t, 2, 1, 1, ints, addresses, &old), MPI_ERR_ARG);
    MTEST_FAILS(MPI_Type_get_contents(t, 3, 1, 0, ints, addresses, &old), MPI_ERR_ARG);
    MTEST_FAILS(MPI_Type_get_contents(MPI_INT, 3, 1, 1, ints, addresses, &old), MPI_ERR_TYPE);
    MTEST_MPI(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
    int rank, size;
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    simple();
    lists();
    derived();
    large();
    refused();
    MPI_Finalize();
    return MTest_report(rank);
}
