/* Attributes of datatypes: copied by dup, deleted by free, in the end only once; a failing callback
 * stops the free. */
#include "mpitest.h"

static int copies, deletes, refuse;

static int copy_fn(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    (void) type;
    (void) key;
    copies++;
    *(void **) out = (char *) in + *(int *) extra;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_fn(MPI_Datatype type, int key, void *value, void *extra)
{
    (void) type;
    (void) key;
    (void) value;
    (void) extra;
    if (refuse)
        return MPI_ERR_OTHER;
    deletes++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank, size, key, flag, step = 3;
    static char data[10];
    char *value;
    MPI_Datatype t, d;
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MTEST_MPI(MPI_Type_create_keyval(copy_fn, delete_fn, &key, &step));
    MTEST_MPI(MPI_Type_contiguous(2, MPI_INT, &t));
    MTEST_MPI(MPI_Type_get_attr(t, key, &value, &flag));
    MTEST_INT_EQ(flag, 0);
    MTEST_MPI(MPI_Type_set_attr(t, key, data));
    MTEST_MPI(MPI_Type_dup(t, &d));
    MTEST_INT_EQ(copies, 1);
    MTEST_MPI(MPI_Type_get_attr(d, key, &value, &flag));
    MTEST_CHECK(flag && value == data + 3, "%d %p", flag, (void *) value);
    MTEST_MPI(MPI_Type_free(&t));
    MTEST_INT_EQ(deletes, 1);
    refuse = 1;
    MPI_Datatype same = d;
    MTEST_CHECK(MPI_Type_free(&d) != MPI_SUCCESS, "freed against the callback's will");
    MTEST_INT_EQ(d, same);
    refuse = 0;
    MTEST_MPI(MPI_Type_delete_attr(d, key));
    MTEST_INT_EQ(deletes, 2);
    MTEST_MPI(MPI_Type_free(&d));
    MTEST_INT_EQ(deletes, 2);
    MTEST_MPI(MPI_Type_set_attr(MPI_INT, key, data)); /* of a predefined type, too */
    MTEST_MPI(MPI_Type_get_attr(MPI_INT, key, &value, &flag));
    MTEST_CHECK(flag && value == data, "%d", flag);
    MTEST_MPI(MPI_Type_delete_attr(MPI_INT, key));
    MTEST_INT_EQ(deletes, 3);
    MTEST_MPI(MPI_Type_free_keyval(&key));
    MTEST_INT_EQ(key, MPI_KEYVAL_INVALID);
    MPI_Finalize();
    return MTest_report(rank);
}
