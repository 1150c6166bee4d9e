/* Attributes of communicators: copied by MPI_Comm_dup or not, deleted last set first, with
 * callbacks that use MPI, change attributes, and fail; key values that are freed while in use; the
 * deprecated names. */
#include "mpitest.h"

/* What the callbacks saw; lives with the program. */
static int deleted[16], n_deleted, n_copied, key[4], fail_delete, fail_copy;

static int del(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void) keyval;
    int flag, *other;
    MTEST_CHECK(extra == &n_deleted, "extra state");
    MTEST_MPI(MPI_Comm_get_attr(comm, key[0], &other, &flag)); /* MPI works in here */
    if (fail_delete)
        return MPI_ERR_OTHER;
    deleted[n_deleted++] = *(int *) value;
    return MPI_SUCCESS;
}

/* Odd values are copied, as a pointer to the value behind it. */
static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void) comm;
    (void) keyval;
    MTEST_CHECK(extra == &n_deleted, "extra state");
    n_copied++;
    *flag = *(int *) in % 2;
    *(void **) out = (int *) in + 1;
    return fail_copy ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int value[] = { 0, 1, 2, 3, 4 };

static void set_up(MPI_Comm comm)
{
    n_deleted = n_copied = fail_delete = fail_copy = 0;
    for (int i = 0; i < 4; i++) {
        MTEST_MPI(MPI_Comm_create_keyval(copy, del, &key[i], &n_deleted));
        MTEST_MPI(MPI_Comm_set_attr(comm, key[i], &value[i]));
    }
}

static void expect_deleted(int n, const int *want)
{
    MTEST_INT_EQ(n_deleted, n);
    for (int i = 0; i < n && i < n_deleted; i++)
        MTEST_INT_EQ(deleted[i], want[i]);
    n_deleted = 0;
}

static void copied_and_deleted(void)
{
    MPI_Comm a, b;
    int *v, flag;
    MTEST_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &a));
    set_up(a);
    MTEST_MPI(MPI_Comm_dup(a, &b));
    MTEST_INT_EQ(n_copied, 4);
    MTEST_MPI(MPI_Comm_get_attr(b, key[1], &v, &flag));
    MTEST_CHECK(flag && *v == 2, "copy of 1");
    MTEST_MPI(MPI_Comm_get_attr(b, key[2], &v, &flag));
    MTEST_CHECK(!flag, "2 is not copied");
    MTEST_MPI(MPI_Comm_delete_attr(a, key[2]));
    expect_deleted(1, (int[]) { 2 });
    MTEST_FAILS(MPI_Comm_delete_attr(a, key[2]), MPI_ERR_KEYVAL);
    for (int i = 1; i < 4; i++) { /* key[0] is asked for in del() */
        int old = key[i];
        MTEST_MPI(MPI_Comm_free_keyval(&key[i])); /* in use */
        MTEST_INT_EQ(key[i], MPI_KEYVAL_INVALID);
        MTEST_FAILS(MPI_Comm_get_attr(a, old, &v, &flag), MPI_ERR_KEYVAL);
    }
    MTEST_MPI(MPI_Comm_free(&b));
    expect_deleted(2, (int[]) { 4, 2 });
    MTEST_MPI(MPI_Comm_free(&a));
    expect_deleted(3, (int[]) { 3, 1, 0 });
    MTEST_MPI(MPI_Comm_free_keyval(&key[0]));
}

static void failing_callbacks(void)
{
    MPI_Comm a, b = MPI_COMM_NULL;
    MTEST_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &a));
    set_up(a);
    fail_copy = 1;
    MTEST_FAILS(MPI_Comm_dup(a, &b), MPI_ERR_OTHER);
    MTEST_INT_EQ(b, MPI_COMM_NULL);
    fail_delete = 1;
    MTEST_FAILS(MPI_Comm_free(&a), MPI_ERR_OTHER);
    MTEST_CHECK(a != MPI_COMM_NULL, "a communicator that could not be freed");
    fail_delete = 0;
    n_deleted = 0;
    MTEST_MPI(MPI_Comm_free(&a));
    expect_deleted(4, (int[]) { 3, 2, 1, 0 });
    for (int i = 0; i < 4; i++)
        MTEST_MPI(MPI_Comm_free_keyval(&key[i]));
}

static void ready_made_functions(void)
{
    MPI_Comm comm;
    int dup, null, *v, flag;
    MTEST_MPI(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &dup, NULL));
    MTEST_MPI(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &null, NULL));
    MTEST_MPI(MPI_Comm_set_attr(MPI_COMM_WORLD, dup, &value[3]));
    MTEST_MPI(MPI_Attr_put(MPI_COMM_WORLD, null, &value[4]));
    MTEST_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    MTEST_MPI(MPI_Comm_get_attr(comm, dup, &v, &flag));
    MTEST_CHECK(flag && v == &value[3], "MPI_COMM_DUP_FN");
    MTEST_MPI(MPI_Attr_get(comm, null, &v, &flag));
    MTEST_CHECK(!flag, "MPI_NULL_COPY_FN");
    MTEST_MPI(MPI_Comm_free(&comm));
    MTEST_MPI(MPI_Comm_delete_attr(MPI_COMM_WORLD, dup));
    MTEST_MPI(MPI_Attr_delete(MPI_COMM_WORLD, null));
    MTEST_MPI(MPI_Comm_free_keyval(&dup));
    MTEST_MPI(MPI_Keyval_free(&null));
}

int main(int argc, char **argv)
{
    int rank, size;
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    copied_and_deleted();
    failing_callbacks();
    ready_made_functions();
    MPI_Finalize();
    return MTest_report(rank);
}
