/* The constructors. Each writes its arguments down; what they mean is read from there (measure.c,
 * program.c). */
#include <stdlib.h>
#include <string.h>

#include "mpir_impl.h"
#include "type_internal.h"

/* Contents with room for the values and types; NULL when out of memory. One entry more than needed,
 * so that no pointer is NULL and the first of no types may be looked at. */
static MPIR_Type_contents *contents_new(int combiner, MPI_Count n_values, MPI_Count n_types)
{
    MPIR_Type_contents *c = calloc(1, sizeof(*c));
    if (!c)
        return NULL;
    c->combiner = combiner;
    c->n_values = n_values;
    c->n_types = n_types;
    c->value = calloc((size_t) n_values + 1, sizeof(*c->value));
    c->type = calloc((size_t) n_types + 1, sizeof(*c->type));
    if (c->value && c->type)
        return c;
    MPII_Type_contents_free(c);
    return NULL;
}

/* Contents with up to three values and one type. */
static int create_simple(int combiner, int n_values, const MPI_Count *value, MPI_Datatype oldtype,
                         MPI_Datatype *newtype)
{
    MPIR_Type_contents *c = contents_new(combiner, n_values, 1);
    if (!c)
        return MPIR_Err("**typenomem", 1LL);
    memcpy(c->value, value, (size_t) n_values * sizeof(*value));
    c->type[0] = oldtype;
    return MPII_Type_create(c, newtype);
}

/* Contents with lists: count, then lengths (or the one length), then displacements. */
typedef struct Lists {
    int combiner;
    MPI_Count count;
    const MPI_Count *lengths; /* count of them, or NULL: same_length */
    MPI_Count same_length;
    const MPI_Count *disps;
    const MPI_Datatype *types; /* n_types of them */
    MPI_Count n_types;
} Lists;

static int create_lists(const Lists *l, MPI_Datatype *newtype)
{
    MPI_Count n_lengths = l->lengths ? l->count : 1;
    if (l->count > PTRDIFF_MAX / 64)
        return MPIR_Err("**typenomem", (long long) l->count);
    MPIR_Type_contents *c = contents_new(l->combiner, 1 + n_lengths + l->count, l->n_types);
    if (!c)
        return MPIR_Err("**typenomem", (long long) l->count);
    c->value[0] = l->count;
    c->value[1] = l->same_length;
    if (l->count > 0) {
        if (l->lengths)
            memcpy(c->value + 1, l->lengths, (size_t) l->count * sizeof(*c->value));
        memcpy(c->value + 1 + n_lengths, l->disps, (size_t) l->count * sizeof(*c->value));
    }
    if (l->n_types > 0)
        memcpy(c->type, l->types, (size_t) l->n_types * sizeof(*c->type));
    return MPII_Type_create(c, newtype);
}

/* ---- one block after the other --------------------------------------------------------------- */

int MPIR_Type_contiguous_impl(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return create_simple(MPI_COMBINER_CONTIGUOUS, 1, &count, oldtype, newtype);
}

int MPIR_Type_vector_impl(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                          MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    MPI_Count value[] = { count, blocklength, stride };
    return create_simple(MPI_COMBINER_VECTOR, 3, value, oldtype, newtype);
}

int MPIR_Type_create_hvector_impl(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                                  MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    MPI_Count value[] = { count, blocklength, stride };
    return create_simple(MPI_COMBINER_HVECTOR, 3, value, oldtype, newtype);
}

int MPIR_Type_create_resized_impl(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
                                  MPI_Datatype *newtype)
{
    MPI_Count value[] = { lb, extent };
    return create_simple(MPI_COMBINER_RESIZED, 2, value, oldtype, newtype);
}

/* ---- lists of blocks ------------------------------------------------------------------------- */

int MPIR_Type_indexed_impl(MPI_Count count, const MPI_Count *blocklengths,
                           const MPI_Count *displacements, MPI_Datatype oldtype,
                           MPI_Datatype *newtype)
{
    return create_lists(
        &(Lists) { MPI_COMBINER_INDEXED, count, blocklengths, 0, displacements, &oldtype, 1 },
        newtype);
}

int MPIR_Type_create_hindexed_impl(MPI_Count count, const MPI_Count *blocklengths,
                                   const MPI_Count *displacements, MPI_Datatype oldtype,
                                   MPI_Datatype *newtype)
{
    return create_lists(
        &(Lists) { MPI_COMBINER_HINDEXED, count, blocklengths, 0, displacements, &oldtype, 1 },
        newtype);
}

int MPIR_Type_create_indexed_block_impl(MPI_Count count, MPI_Count blocklength,
                                        const MPI_Count *displacements, MPI_Datatype oldtype,
                                        MPI_Datatype *newtype)
{
    Lists l = { MPI_COMBINER_INDEXED_BLOCK, count, NULL, blocklength, displacements, &oldtype, 1 };
    return create_lists(&l, newtype);
}

int MPIR_Type_create_hindexed_block_impl(MPI_Count count, MPI_Count blocklength,
                                         const MPI_Count *displacements, MPI_Datatype oldtype,
                                         MPI_Datatype *newtype)
{
    Lists l = { MPI_COMBINER_HINDEXED_BLOCK, count, NULL, blocklength, displacements, &oldtype, 1 };
    return create_lists(&l, newtype);
}

int MPIR_Type_create_struct_impl(MPI_Count count, const MPI_Count *blocklengths,
                                 const MPI_Count *displacements, const MPI_Datatype *types,
                                 MPI_Datatype *newtype)
{
    static const MPI_Count none[1];
    Lists l = { MPI_COMBINER_STRUCT,
                count,
                blocklengths ? blocklengths : none,
                0,
                displacements,
                types,
                count };
    return create_lists(&l, newtype);
}

/* ---- a copy ---------------------------------------------------------------------------------- */

int MPIR_Type_dup_impl(MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    MPI_Datatype handle;
    int err = create_simple(MPI_COMBINER_DUP, 0, (MPI_Count[1]) { 0 }, oldtype, &handle);
    if (err != MPI_SUCCESS)
        return err;
    const MPIR_Datatype *old = MPIR_Datatype_get(oldtype);
    MPIR_Datatype *t = MPIR_Datatype_get(handle);
    t->committed = old->committed;
    err = MPIR_Attr_copy_all(old->attrs, oldtype, &t->attrs);
    if (err != MPI_SUCCESS) {
        MPIR_Datatype_release(handle);
        return err;
    }
    *newtype = handle;
    return MPI_SUCCESS;
}
