/* Control variables in MPI_T. Their values are constants from MPIR_Cvar_init() on, which runs before a tool can get a
 * handle; so each has the scope MPI_T_SCOPE_CONSTANT, and writing is MPI_T_ERR_CVAR_SET_NEVER. */
#include "mpit.h"

#include <string.h>

static bool in_range(int cvar_index)
{
    return cvar_index >= 0 && cvar_index < MPIR_cvar_count;
}

static const char *string_of(const MPIR_Cvar *cvar)
{
    const char *value = *(const char *const *) cvar->value;
    return value ? value : "";
}

int MPIR_T_cvar_get_num_impl(int *num_cvar)
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    *num_cvar = MPIR_cvar_count;
    return MPI_SUCCESS;
}

int MPIR_T_cvar_get_info_impl(int cvar_index, char *name, int *name_len, int *verbosity,
                              MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc,
                              int *desc_len, int *bind, int *scope)
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!in_range(cvar_index))
        return MPI_T_ERR_INVALID_INDEX;
    const MPIR_Cvar *cvar = MPIR_cvar_table[cvar_index];
    MPII_T_put_string(cvar->name, name, name_len);
    MPII_T_put_int(MPI_T_VERBOSITY_USER_BASIC, verbosity);
    if (datatype)
        *datatype = cvar->type == MPIR_CVAR_TYPE_STRING ? MPI_CHAR : MPI_INT;
    if (enumtype)
        *enumtype = cvar->type == MPIR_CVAR_TYPE_BOOL ? MPII_T_enum_bool() : MPI_T_ENUM_NULL;
    MPII_T_put_string(cvar->help, desc, desc_len);
    MPII_T_put_int(MPI_T_BIND_NO_OBJECT, bind);
    MPII_T_put_int(MPI_T_SCOPE_CONSTANT, scope);
    return MPI_SUCCESS;
}

int MPIR_T_cvar_get_index_impl(const char *name, int *cvar_index)
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!name || !cvar_index)
        return MPI_T_ERR_INVALID;
    for (int i = 0; i < MPIR_cvar_count; i++) {
        if (strcmp(MPIR_cvar_table[i]->name, name) == 0) {
            *cvar_index = i;
            return MPI_SUCCESS;
        }
    }
    return MPI_T_ERR_INVALID_NAME;
}

int MPIR_T_cvar_handle_alloc_impl(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle,
                                  int *count)
{
    (void) obj_handle; /* no variable is bound to an object */
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!in_range(cvar_index))
        return MPI_T_ERR_INVALID_INDEX;
    MPII_T_lock();
    MPII_T_cvar_handle *h = MPIR_Pool_alloc(&MPII_T_cvar_handle_pool);
    if (h)
        h->cvar = MPIR_cvar_table[cvar_index];
    MPII_T_unlock();
    if (!h)
        return MPI_T_ERR_OUT_OF_HANDLES;
    *handle = MPII_T_handle_of(&h->obj);
    *count = h->cvar->type == MPIR_CVAR_TYPE_STRING ? (int) strlen(string_of(h->cvar)) + 1 : 1;
    return MPI_SUCCESS;
}

int MPIR_T_cvar_handle_free_impl(MPI_T_cvar_handle *handle)
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    MPII_T_lock();
    MPII_T_cvar_handle *h = MPII_T_get(&MPII_T_cvar_handle_pool, *handle);
    if (h)
        MPIR_Pool_free(&MPII_T_cvar_handle_pool, h);
    MPII_T_unlock();
    if (!h)
        return MPI_T_ERR_INVALID_HANDLE;
    *handle = MPI_T_CVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}

static const MPIR_Cvar *cvar_of(MPI_T_cvar_handle handle)
{
    MPII_T_lock();
    const MPII_T_cvar_handle *h = MPII_T_get(&MPII_T_cvar_handle_pool, handle);
    const MPIR_Cvar *cvar = h ? h->cvar : NULL;
    MPII_T_unlock();
    return cvar;
}

int MPIR_T_cvar_read_impl(MPI_T_cvar_handle handle, void *buf)
{
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    const MPIR_Cvar *cvar = cvar_of(handle);
    if (!cvar)
        return MPI_T_ERR_INVALID_HANDLE;
    if (!buf)
        return MPI_T_ERR_INVALID;
    if (cvar->type == MPIR_CVAR_TYPE_STRING)
        strcpy(buf, string_of(cvar));
    else
        *(int *) buf = *(const int *) cvar->value;
    return MPI_SUCCESS;
}

int MPIR_T_cvar_write_impl(MPI_T_cvar_handle handle, const void *buf)
{
    (void) buf;
    if (!MPII_T_is_active())
        return MPI_T_ERR_NOT_INITIALIZED;
    return cvar_of(handle) ? MPI_T_ERR_CVAR_SET_NEVER : MPI_T_ERR_INVALID_HANDLE;
}
