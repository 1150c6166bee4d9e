/* Attributes of communicators, in the present and the deprecated spelling. */
#include "attr_internal.h"
#include "mpir_comm.h"
#include "mpir_impl.h"

/* The value of MPI_COMM_DUP_FN, MPI_TYPE_DUP_FN and MPI_DUP_FN: a name of the MPICH ABI, exported
 * by mpi.h. */
int MPIR_Dup_fn(MPI_Comm comm, int keyval, void *extra_state, void *value_in, void *value_out,
                int *flag)
{
    (void) comm;
    (void) keyval;
    (void) extra_state;
    *(void **) value_out = value_in;
    *flag = 1;
    return MPI_SUCCESS;
}

int MPIR_Comm_set_attr_impl(MPIR_Comm *comm, int keyval, void *value)
{
    MPIR_Keyval *kv;
    int ret = MPII_Keyval_find(MPIR_COMM, keyval, &kv);
    return ret ? ret : MPII_Attr_set(&comm->attrs, comm->obj.handle, kv, value);
}

int MPIR_Comm_get_attr_impl(MPIR_Comm *comm, int keyval, void *value, int *flag)
{
    void *found = NULL;
    if (MPII_Attr_is_predefined(keyval)) {
        int ret = MPII_Attr_predefined(comm, keyval, &found);
        if (ret)
            return ret;
        *flag = found != NULL;
    } else {
        MPIR_Keyval *kv;
        int ret = MPII_Keyval_find(MPIR_COMM, keyval, &kv);
        if (ret)
            return ret;
        *flag = MPII_Attr_get(comm->attrs, kv, &found);
    }
    if (*flag)
        *(void **) value = found;
    return MPI_SUCCESS;
}

int MPIR_Comm_delete_attr_impl(MPIR_Comm *comm, int keyval)
{
    MPIR_Keyval *kv;
    int ret = MPII_Keyval_find(MPIR_COMM, keyval, &kv);
    return ret ? ret : MPII_Attr_delete(&comm->attrs, comm->obj.handle, kv);
}

int MPIR_Attr_put_impl(MPIR_Comm *comm, int keyval, void *value)
{
    return MPIR_Comm_set_attr_impl(comm, keyval, value);
}

int MPIR_Attr_get_impl(MPIR_Comm *comm, int keyval, void *value, int *flag)
{
    return MPIR_Comm_get_attr_impl(comm, keyval, value, flag);
}

int MPIR_Attr_delete_impl(MPIR_Comm *comm, int keyval)
{
    return MPIR_Comm_delete_attr_impl(comm, keyval);
}
