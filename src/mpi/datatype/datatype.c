/* Datatype objects: from a handle to a type, references, and how a type comes and goes. */
#include <stdlib.h>
#include <string.h>

#include "mpir_impl.h"
#include "type_internal.h"

/* Derived types; lives with the process, as they do. */
static MPIR_Pool pool = MPIR_POOL_INIT(MPIR_DATATYPE, MPIR_Datatype, NULL, 0, false);

MPIR_Datatype *MPIR_Datatype_get(MPI_Datatype handle)
{
    if (MPIR_HANDLE_TYPE(handle) != MPIR_DATATYPE)
        return NULL;
    if (MPIR_HANDLE_KIND(handle) == MPIR_HANDLE_INDIRECT)
        return MPIR_Pool_get(&pool, handle);
    return MPII_Type_builtin_get(handle);
}

static bool is_predefined(MPI_Datatype d)
{
    return MPIR_HANDLE_KIND(d) != MPIR_HANDLE_INDIRECT;
}

/* ---- references ------------------------------------------------------------------------------ */

void MPIR_Datatype_add_ref(MPI_Datatype d)
{
    if (!is_predefined(d))
        MPIR_Object_add_ref(&MPIR_Datatype_get(d)->obj);
}

/* Let go of one type; if that was its last reference it joins the list of types to free. */
static void drop(MPI_Datatype d, MPIR_Datatype **to_free)
{
    if (is_predefined(d))
        return;
    MPIR_Datatype *t = MPIR_Datatype_get(d);
    if (!MPIR_Object_release(&t->obj))
        return;
    t->contents->release_next = *to_free;
    *to_free = t;
}

/* Types that a freed type was built from may go with it, and so on, to any depth: a list, no
 * recursion. */
void MPIR_Datatype_release(MPI_Datatype d)
{
    MPIR_Datatype *to_free = NULL;
    drop(d, &to_free);
    while (to_free) {
        MPIR_Datatype *t = to_free;
        to_free = t->contents->release_next;
        for (MPI_Count i = 0; i < t->contents->n_types; i++)
            drop(t->contents->type[i], &to_free);
        MPIR_Attr_drop_all(&t->attrs);
        MPII_Type_program_free(t->program);
        MPII_Type_contents_free(t->contents);
        MPIR_Pool_free(&pool, t);
    }
}

void MPII_Type_contents_free(MPIR_Type_contents *c)
{
    if (!c)
        return;
    free(c->value);
    free(c->type);
    free(c);
}

/* ---- making and freeing ---------------------------------------------------------------------- */

int MPII_Type_create(MPIR_Type_contents *contents, MPI_Datatype *newtype)
{
    MPIR_Datatype *t = MPIR_Pool_alloc(&pool);
    if (!t) {
        MPII_Type_contents_free(contents);
        return MPIR_Err("**typenomem", 1LL);
    }
    t->contents = contents;
    t->user_refs = 1;
    int err = MPII_Type_measure(t);
    if (err == MPI_SUCCESS)
        err = MPII_Type_compile(t);
    if (err != MPI_SUCCESS) {
        MPII_Type_contents_free(contents);
        MPIR_Pool_free(&pool, t);
        return err;
    }
    contents->large = MPII_Type_needs_large(contents);
    for (MPI_Count i = 0; i < contents->n_types; i++)
        MPIR_Datatype_add_ref(contents->type[i]);
    *newtype = t->obj.handle;
    return MPI_SUCCESS;
}

int MPIR_Type_commit_impl(MPI_Datatype *datatype)
{
    MPIR_Datatype_get(*datatype)->committed = true;
    return MPI_SUCCESS;
}

int MPIR_Type_free_impl(MPI_Datatype datatype)
{
    if (is_predefined(datatype))
        return MPIR_Err("**typefreepredef", MPIR_Datatype_get(datatype)->name);
    MPIR_Datatype *t = MPIR_Datatype_get(datatype);
    if (t->user_refs == 1) {
        int err = MPIR_Attr_delete_all(&t->attrs, datatype);
        if (err != MPI_SUCCESS)
            return err;
    }
    t->user_refs--;
    t->freed = t->user_refs == 0;
    MPIR_Datatype_release(datatype);
    return MPI_SUCCESS;
}

/* ---- names ----------------------------------------------------------------------------------- */

int MPIR_Type_get_name_impl(MPI_Datatype datatype, char *type_name, int *resultlen)
{
    MPL_strcpy(type_name, MPI_MAX_OBJECT_NAME, MPIR_Datatype_get(datatype)->name);
    *resultlen = (int) strlen(type_name);
    return MPI_SUCCESS;
}

int MPIR_Type_set_name_impl(MPI_Datatype datatype, const char *type_name)
{
    MPL_strcpy(MPIR_Datatype_get(datatype)->name, MPI_MAX_OBJECT_NAME, type_name);
    return MPI_SUCCESS;
}
