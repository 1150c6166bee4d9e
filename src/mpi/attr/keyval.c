/* Key values: what an attribute is named by, with the callbacks that copy and delete it. */
#include "attr_internal.h"
#include "mpir_impl.h"

/* Lives with the process: key values belong to no epoch. */
MPIR_Pool MPIR_Keyval_pool = MPIR_POOL_INIT(MPIR_KEYVAL, MPIR_Keyval, NULL, 0, false);

static const char *kind_name(MPIR_Object_type kind)
{
    return kind == MPIR_COMM ? "communicators" : kind == MPIR_DATATYPE ? "datatypes" : "windows";
}

int MPII_Keyval_create(MPIR_Object_type kind, const MPII_Keyval_args *args, int *keyval)
{
    MPIR_Keyval *kv = MPIR_Pool_alloc(&MPIR_Keyval_pool);
    if (!kv)
        return MPIR_Err("**keyval_nomem");
    kv->kind = kind;
    kv->copy = args->copy;
    kv->del = args->del;
    kv->extra_state = args->extra_state;
    *keyval = kv->obj.handle;
    return MPI_SUCCESS;
}

int MPII_Keyval_find(MPIR_Object_type kind, int keyval, MPIR_Keyval **found)
{
    if (MPII_Attr_is_predefined(keyval))
        return MPIR_Err("**keyval_predefined", (unsigned) keyval);
    MPIR_Keyval *kv = MPIR_Pool_get(&MPIR_Keyval_pool, keyval);
    if (!kv || kv->freed)
        return MPIR_Err("**keyval", (unsigned) keyval, kv ? "one that was freed" : "none");
    if (kv->kind != kind)
        return MPIR_Err("**keyval_kind", (unsigned) keyval, kind_name(kv->kind), kind_name(kind));
    *found = kv;
    return MPI_SUCCESS;
}

void MPII_Keyval_release(MPIR_Keyval *kv)
{
    if (MPIR_Object_release(&kv->obj))
        MPIR_Pool_free(&MPIR_Keyval_pool, kv);
}

int MPII_Keyval_free(MPIR_Object_type kind, int *keyval)
{
    MPIR_Keyval *kv;
    int ret = MPII_Keyval_find(kind, *keyval, &kv);
    if (ret)
        return ret;
    kv->freed = true; /* attributes that use it keep it alive */
    MPII_Keyval_release(kv);
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

/* ---- MPI functions --------------------------------------------------------------------------- */

int MPIR_Comm_create_keyval_impl(MPI_Comm_copy_attr_function *copy,
                                 MPI_Comm_delete_attr_function *del, int *keyval, void *extra_state)
{
    return MPII_Keyval_create(MPIR_COMM, &(MPII_Keyval_args) { copy, del, extra_state }, keyval);
}

int MPIR_Comm_free_keyval_impl(int *keyval)
{
    return MPII_Keyval_free(MPIR_COMM, keyval);
}

int MPIR_Keyval_create_impl(MPI_Copy_function *copy, MPI_Delete_function *del, int *keyval,
                            void *extra_state)
{
    return MPIR_Comm_create_keyval_impl(copy, del, keyval, extra_state);
}

int MPIR_Keyval_free_impl(int *keyval)
{
    return MPIR_Comm_free_keyval_impl(keyval);
}

int MPIR_Type_create_keyval_impl(MPI_Type_copy_attr_function *copy,
                                 MPI_Type_delete_attr_function *del, int *keyval, void *extra_state)
{
    return MPII_Keyval_create(MPIR_DATATYPE, &(MPII_Keyval_args) { copy, del, extra_state },
                              keyval);
}

int MPIR_Type_free_keyval_impl(int *keyval)
{
    return MPII_Keyval_free(MPIR_DATATYPE, keyval);
}
