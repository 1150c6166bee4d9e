/* Attributes of datatypes; their keys are not those of communicators. */
#include "mpitest.h"

static int n_deleted, last_deleted;

static int del(MPI_Datatype type, int keyval, void *value, void *extra)
{
    (void) type;
    (void) keyval;
    (void) extra;
    n_deleted++;
    last_deleted = *(int *) value;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank, size, key, comm_key, *v, flag, x = 4, y = 5;
    MPI_Datatype type, copy;
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MTEST_MPI(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, del, &key, NULL));
    MTEST_MPI(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &comm_key, NULL));
    MTEST_MPI(MPI_Type_contiguous(3, MPI_INT, &type));
    MTEST_MPI(MPI_Type_get_attr(type, key, &v, &flag));
    MTEST_CHECK(!flag, "not set yet");
    MTEST_MPI(MPI_Type_set_attr(type, key, &x));
    MTEST_MPI(MPI_Type_set_attr(type, key, &y));
    MTEST_INT_EQ(n_deleted, 1);
    MTEST_INT_EQ(last_deleted, 4);
    MTEST_FAILS(MPI_Type_set_attr(type, comm_key, &x), MPI_ERR_KEYVAL);
    MTEST_FAILS(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &x), MPI_ERR_KEYVAL);
    MTEST_FAILS(MPI_Type_set_attr(type, MPI_TAG_UB, &x), MPI_ERR_KEYVAL);
    MTEST_MPI(MPI_Type_dup(type, &copy));
    MTEST_MPI(MPI_Type_get_attr(copy, key, &v, &flag));
    MTEST_CHECK(flag && v == &y, "copied");
    MTEST_MPI(MPI_Type_delete_attr(copy, key));
    MTEST_INT_EQ(n_deleted, 2);
    MTEST_MPI(MPI_Type_free(&copy));
    MTEST_INT_EQ(n_deleted, 2);
    MTEST_MPI(MPI_Type_free(&type));
    MTEST_INT_EQ(n_deleted, 3);
    MTEST_MPI(MPI_Type_set_attr(MPI_INT, key, &x)); /* predefined types have attributes, too */
    MTEST_MPI(MPI_Type_get_attr(MPI_INT, key, &v, &flag));
    MTEST_CHECK(flag && v == &x, "of MPI_INT");
    MTEST_MPI(MPI_Type_delete_attr(MPI_INT, key));
    MTEST_MPI(MPI_Type_free_keyval(&key));
    MTEST_MPI(MPI_Comm_free_keyval(&comm_key));
    MPI_Finalize();
    return MTest_report(rank);
}
