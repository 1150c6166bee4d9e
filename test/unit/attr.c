/* Attribute lists and key values, with callbacks that misbehave. */
#include <stdlib.h>

#include "../../src/mpi/attr/attr_internal.h"
#include "mpir_comm.h"
#include "mpir_impl.h"
#include "utest.h"

enum { HANDLE = 77 };

/* What the callbacks saw and what they are to do; lives with the test program. */
static struct {
    int deleted[16], n_deleted;
    int copied[16], n_copied;
    MPIR_Attr *list;
    int fail; /* value whose deletion or copying fails */
} seen;

static void *value_of(int i)
{
    return (void *) (intptr_t) i;
}

static int on_delete(MPI_Comm handle, int keyval, void *value, void *extra)
{
    (void) keyval;
    UT_INT_EQ(handle, HANDLE);
    UT_INT_EQ((intptr_t) extra, 5);
    seen.deleted[seen.n_deleted++] = (int) (intptr_t) value;
    return (intptr_t) value == seen.fail ? 42 : MPI_SUCCESS;
}

static int on_copy(MPI_Comm handle, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void) keyval;
    (void) extra;
    UT_INT_EQ(handle, HANDLE);
    seen.copied[seen.n_copied++] = (int) (intptr_t) in;
    *(void **) out = value_of((int) (intptr_t) in + 100);
    *flag = (intptr_t) in % 2; /* even ones are not copied */
    return (intptr_t) in == seen.fail ? 43 : MPI_SUCCESS;
}

static MPIR_Keyval *new_keyval(MPI_Comm_delete_attr_function *del)
{
    int keyval;
    MPIR_Keyval *kv = NULL;
    MPII_Keyval_args args = { on_copy, del, value_of(5) };
    UT_INT_EQ(MPII_Keyval_create(MPIR_COMM, &args, &keyval), 0);
    UT_INT_EQ(MPII_Keyval_find(MPIR_COMM, keyval, &kv), 0);
    return kv;
}

static void free_keyval(MPIR_Keyval *kv)
{
    int keyval = kv->obj.handle;
    UT_INT_EQ(MPII_Keyval_free(MPIR_COMM, &keyval), 0);
    UT_INT_EQ(keyval, MPI_KEYVAL_INVALID);
}

static void start(int fail)
{
    memset(&seen, 0, sizeof seen);
    seen.fail = fail;
}

static void last_set_goes_first(void)
{
    MPIR_Keyval *kv[4];
    void *v = NULL;
    start(-1);
    for (int i = 0; i < 4; i++) {
        kv[i] = new_keyval(on_delete);
        UT_INT_EQ(MPII_Attr_set(&seen.list, HANDLE, kv[i], value_of(i)), 0);
    }
    UT_INT_EQ(MPII_Attr_set(&seen.list, HANDLE, kv[1], value_of(11)),
              0); /* deletes 1, is now the latest */
    UT_CHECK(MPII_Attr_get(seen.list, kv[1], &v) && v == value_of(11));
    for (int i = 0; i < 4; i++)
        free_keyval(kv[i]); /* in use: lives on */
    UT_INT_EQ(MPIR_Attr_delete_all(&seen.list, HANDLE), 0);
    UT_CHECK(seen.list == NULL);
    static const int order[] = { 1, 11, 3, 2, 0 };
    UT_INT_EQ(seen.n_deleted, 5);
    UT_CHECK(memcmp(seen.deleted, order, sizeof order) == 0);
    UT_INT_EQ(MPIR_Keyval_pool.in_use, 0);
}

static void failed_deletion_keeps_the_attribute(void)
{
    MPIR_Keyval *a = new_keyval(on_delete), *b = new_keyval(on_delete);
    void *v = NULL;
    start(7);
    MPII_Attr_set(&seen.list, HANDLE, a, value_of(1));
    MPII_Attr_set(&seen.list, HANDLE, b, value_of(7));
    UT_INT_EQ(MPIR_Err_class(MPIR_Attr_delete_all(&seen.list, HANDLE)), MPI_ERR_OTHER);
    UT_CHECK(MPII_Attr_get(seen.list, b, &v) && v == value_of(7));
    UT_CHECK(MPII_Attr_get(seen.list, a, &v) && v == value_of(1));
    UT_CHECK(MPII_Attr_set(&seen.list, HANDLE, b, value_of(8)) != 0);
    UT_CHECK(MPII_Attr_get(seen.list, b, &v) && v == value_of(7));
    seen.fail = -1;
    UT_INT_EQ(MPII_Attr_delete(&seen.list, HANDLE, b), 0);
    UT_INT_EQ(MPIR_Err_class(MPII_Attr_delete(&seen.list, HANDLE, b)), MPI_ERR_KEYVAL);
    UT_INT_EQ(MPIR_Attr_delete_all(&seen.list, HANDLE), 0);
    free_keyval(a);
    free_keyval(b);
}

static MPIR_Keyval *other, *own;

/* Deletes another attribute, sets one, and sets itself anew, once. */
static int on_delete_meddling(MPI_Comm handle, int keyval, void *value, void *extra)
{
    void *v;
    (void) keyval;
    (void) extra;
    seen.deleted[seen.n_deleted++] = (int) (intptr_t) value;
    if ((intptr_t) value == 1) {
        UT_INT_EQ(MPII_Attr_delete(&seen.list, handle, other), 0);
        UT_INT_EQ(MPII_Attr_set(&seen.list, handle, other, value_of(3)), 0);
        UT_CHECK(!MPII_Attr_get(seen.list, own, &v));
        UT_INT_EQ(MPII_Attr_set(&seen.list, handle, own, value_of(2)), 0);
    }
    return MPI_SUCCESS;
}

static void callback_changes_the_list(void)
{
    start(-1);
    other = new_keyval(on_delete);
    own = new_keyval(on_delete_meddling);
    MPII_Attr_set(&seen.list, HANDLE, other, value_of(0));
    MPII_Attr_set(&seen.list, HANDLE, own, value_of(1));
    UT_INT_EQ(MPIR_Attr_delete_all(&seen.list, HANDLE), 0);
    UT_CHECK(seen.list == NULL);
    static const int order[] = { 1, 0, 2, 3 };
    UT_INT_EQ(seen.n_deleted, 4);
    UT_CHECK(memcmp(seen.deleted, order, sizeof order) == 0);
    free_keyval(own);
    free_keyval(other);
    UT_INT_EQ(MPIR_Keyval_pool.in_use, 0);
}

static void copies_in_order_of_setting(void)
{
    MPIR_Keyval *kv[5];
    MPIR_Attr *copy = NULL;
    void *v = NULL;
    start(-1);
    for (int i = 0; i < 5; i++) {
        kv[i] = new_keyval(on_delete);
        MPII_Attr_set(&seen.list, HANDLE, kv[i], value_of(i));
    }
    UT_INT_EQ(MPIR_Attr_copy_all(seen.list, HANDLE, &copy), 0);
    for (int i = 0; i < 5; i++)
        UT_INT_EQ(seen.copied[i], i);
    UT_CHECK(!MPII_Attr_get(copy, kv[2], &v));
    UT_CHECK(MPII_Attr_get(copy, kv[3], &v) && v == value_of(103));
    UT_CHECK(copy->keyval == kv[3]);
    MPIR_Attr_drop_all(&copy);
    MPIR_Attr_drop_all(&seen.list);
    start(3);
    for (int i = 0; i < 5; i++)
        MPII_Attr_set(&seen.list, HANDLE, kv[i], value_of(i));
    UT_CHECK(MPIR_Attr_copy_all(seen.list, HANDLE, &copy) != 0);
    UT_CHECK(copy == NULL);
    UT_INT_EQ(seen.n_deleted, 1); /* the copy of 1 is deleted again */
    UT_INT_EQ(seen.deleted[0], 101);
    MPIR_Attr_drop_all(&seen.list);
    for (int i = 0; i < 5; i++)
        free_keyval(kv[i]);
}

static void keyvals_are_checked(void)
{
    int keyval;
    MPIR_Keyval *kv;
    UT_INT_EQ(MPIR_Type_create_keyval_impl(NULL, NULL, &keyval, NULL), 0);
    UT_INT_EQ(MPIR_Err_class(MPII_Keyval_find(MPIR_COMM, keyval, &kv)), MPI_ERR_KEYVAL);
    UT_INT_EQ(MPII_Keyval_find(MPIR_DATATYPE, keyval, &kv), 0);
    int again = keyval, tag_ub = MPI_TAG_UB;
    UT_INT_EQ(MPIR_Type_free_keyval_impl(&keyval), 0);
    UT_INT_EQ(MPIR_Err_class(MPIR_Type_free_keyval_impl(&again)), MPI_ERR_KEYVAL);
    UT_INT_EQ(MPIR_Err_class(MPIR_Comm_free_keyval_impl(&tag_ub)), MPI_ERR_KEYVAL);
    UT_INT_EQ(MPIR_Err_class(MPII_Keyval_find(MPIR_COMM, 12345, &kv)), MPI_ERR_KEYVAL);
    UT_INT_EQ(MPIR_Err_class(MPII_Keyval_find(MPIR_COMM, MPI_COMM_WORLD, &kv)), MPI_ERR_KEYVAL);
}

int main(void)
{
    UT_RUN(last_set_goes_first);
    UT_RUN(failed_deletion_keeps_the_attribute);
    UT_RUN(callback_changes_the_list);
    UT_RUN(copies_in_order_of_setting);
    UT_RUN(keyvals_are_checked);
    UT_INT_EQ(MPIR_Keyval_pool.in_use, 0);
    return UT_REPORT();
}
