/* Private to src/mpi/attr. */
#ifndef ATTR_INTERNAL_H_INCLUDED
#define ATTR_INTERNAL_H_INCLUDED

#include "mpi.h"
#include "mpir_attr.h"
#include "mpir_err.h"

typedef struct MPII_Keyval_args {
    MPI_Comm_copy_attr_function *copy;
    MPI_Comm_delete_attr_function *del;
    void *extra_state;
} MPII_Keyval_args;

int MPII_Keyval_create(MPIR_Object_type kind, const MPII_Keyval_args *args, int *keyval);
int MPII_Keyval_free(MPIR_Object_type kind, int *keyval);
/* The key value in use for objects of this kind; an error code if it is none. */
int MPII_Keyval_find(MPIR_Object_type kind, int keyval, MPIR_Keyval **found);
void MPII_Keyval_release(MPIR_Keyval *kv);

/* One attribute of a list; `handle` is the object's, for the callbacks. */
int MPII_Attr_set(MPIR_Attr **list, int handle, MPIR_Keyval *kv, void *value);
int MPII_Attr_delete(MPIR_Attr **list, int handle, MPIR_Keyval *kv);
bool MPII_Attr_get(const MPIR_Attr *list, const MPIR_Keyval *kv, void **value);

/* ---- attributes that MPI itself sets --------------------------------------------------------- */

/* Builtin handles of the MPICH ABI: even ones are the Fortran forms. */
static inline bool MPII_Attr_is_predefined(int keyval)
{
    return MPIR_HANDLE_KIND(keyval) == MPIR_HANDLE_BUILTIN &&
           MPIR_HANDLE_TYPE(keyval) == MPIR_KEYVAL;
}
/* Pointer to the value, as C sees it; NULL: not set on this kind of communicator. */
struct MPIR_Comm;
int MPII_Attr_predefined(const struct MPIR_Comm *comm, int keyval, void **value);

#endif /* ATTR_INTERNAL_H_INCLUDED */
