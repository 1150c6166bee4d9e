/* Attributes of datatypes. */
#include "attr_internal.h"
#include "mpir_datatype.h"
#include "mpir_impl.h"

int MPIR_Type_set_attr_impl(MPI_Datatype datatype, int keyval, void *value)
{
    MPIR_Keyval *kv;
    int ret = MPII_Keyval_find(MPIR_DATATYPE, keyval, &kv);
    return ret ? ret : MPII_Attr_set(&MPIR_Datatype_get(datatype)->attrs, datatype, kv, value);
}

int MPIR_Type_get_attr_impl(MPI_Datatype datatype, int keyval, void *value, int *flag)
{
    MPIR_Keyval *kv;
    void *found = NULL;
    int ret = MPII_Keyval_find(MPIR_DATATYPE, keyval, &kv);
    if (ret)
        return ret;
    *flag = MPII_Attr_get(MPIR_Datatype_get(datatype)->attrs, kv, &found);
    if (*flag)
        *(void **) value = found;
    return MPI_SUCCESS;
}

int MPIR_Type_delete_attr_impl(MPI_Datatype datatype, int keyval)
{
    MPIR_Keyval *kv;
    int ret = MPII_Keyval_find(MPIR_DATATYPE, keyval, &kv);
    return ret ? ret : MPII_Attr_delete(&MPIR_Datatype_get(datatype)->attrs, datatype, kv);
}
