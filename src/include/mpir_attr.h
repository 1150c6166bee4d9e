/* Attributes: cached values on communicators and datatypes (windows later), with their key values.
 * Deletion runs in reverse order of setting (LIFO), as MPI-5.0 11.2.4 asks for MPI_COMM_SELF. */
#ifndef MPIR_ATTR_H_INCLUDED
#define MPIR_ATTR_H_INCLUDED

#include "mpi.h"
#include "mpir_handle.h"

typedef struct MPIR_Keyval {
    MPIR_Object obj; /* a reference for the user's handle and one for each attribute that uses it */
    bool freed; /* by the user */
    MPIR_Object_type kind; /* MPIR_COMM or MPIR_DATATYPE */
    MPI_Comm_copy_attr_function *copy; /* all copy/delete functions share this shape: int handle first */
    MPI_Comm_delete_attr_function *del;
    void *extra_state;
} MPIR_Keyval;

typedef struct MPIR_Attr {
    struct MPIR_Attr *next; /* the one set before this one */
    MPIR_Keyval *keyval;
    void *value;
} MPIR_Attr;

extern MPIR_Pool MPIR_Keyval_pool;

/* Keyvals of predefined attributes (MPI_TAG_UB ...) are MPICH-ABI builtins and are not in the pool. */

/* Call each delete function, newest attribute first, and empty the list. Stops at the first error of a
 * delete function, which it returns; attributes whose deletion failed stay. handle: of the object. */
int MPIR_Attr_delete_all(MPIR_Attr **list, int handle);
/* Drop the list without calling anything (for objects left behind at the end of an epoch). */
void MPIR_Attr_drop_all(MPIR_Attr **list);
/* Call the copy functions of old's attributes in order of setting, and fill *copy. */
int MPIR_Attr_copy_all(const MPIR_Attr *old, int old_handle, MPIR_Attr **copy);

#endif /* MPIR_ATTR_H_INCLUDED */
