/* MPI_Type_get_envelope and MPI_Type_get_contents: how a type was made. */
#include <limits.h>
#include <string.h>

#include "mpir_impl.h"
#include "type_internal.h"

/* How the values of a type are given back: the first n_ints as integers, the rest as addresses; or
 * all of them as large counts. */
typedef struct Envelope {
    int combiner;
    MPI_Count n_ints, n_addresses, n_large, n_types;
} Envelope;

/* How many of a combiner's values are ints in the call without MPI_Count. */
static MPI_Count small_ints(const MPIR_Type_contents *c)
{
    switch (c->combiner) {
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_HINDEXED_BLOCK:
        return 2;
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_STRUCT:
        return 1 + c->value[0];
    case MPI_COMBINER_RESIZED:
        return 0;
    default:
        return c->n_values;
    }
}

static Envelope envelope(MPI_Datatype d)
{
    const MPIR_Type_contents *c = MPIR_Datatype_get(d)->contents;
    if (!c || c->combiner == MPI_COMBINER_NAMED)
        return (Envelope) { .combiner = MPI_COMBINER_NAMED };
    Envelope e = { .combiner = c->combiner, .n_types = c->n_types };
    if (c->large) {
        e.n_large = c->n_values;
    } else {
        e.n_ints = small_ints(c);
        e.n_addresses = c->n_values - e.n_ints;
    }
    return e;
}

/* Values too large for an int cannot have come from a call without MPI_Count. */
bool MPII_Type_needs_large(const MPIR_Type_contents *c)
{
    MPI_Count n = small_ints(c);
    for (MPI_Count i = 0; i < n; i++) {
        if (c->value[i] > INT_MAX || c->value[i] < INT_MIN)
            return true;
    }
    return false;
}

void MPIR_Datatype_set_large(MPI_Datatype d)
{
    MPIR_Type_contents *c = MPIR_Datatype_get(d)->contents;
    c->large = c->n_values > 0;
}

int MPIR_Type_get_envelope_impl(MPI_Datatype datatype, MPI_Count *num_integers,
                                MPI_Count *num_addresses, MPI_Count *num_large_counts,
                                MPI_Count *num_datatypes, int *combiner)
{
    Envelope e = envelope(datatype);
    *num_integers = e.n_ints;
    *num_addresses = e.n_addresses;
    *num_large_counts = e.n_large;
    *num_datatypes = e.n_types;
    *combiner = e.combiner;
    return MPI_SUCCESS;
}

/* The user gets a handle more of a derived type, and frees it. */
static void hand_out(MPI_Datatype d)
{
    if (MPIR_HANDLE_KIND(d) != MPIR_HANDLE_INDIRECT)
        return;
    MPIR_Datatype *t = MPIR_Datatype_get(d);
    MPIR_Object_add_ref(&t->obj);
    t->user_refs++;
    t->freed = false;
}

static int check_room(const char *what, MPI_Count room, MPI_Count needed)
{
    if (room >= needed)
        return MPI_SUCCESS;
    return MPIR_Err("**typecontents", what, (long long) room, (long long) needed);
}

int MPIR_Type_get_contents_impl(MPI_Datatype datatype, MPI_Count max_integers,
                                MPI_Count max_addresses, MPI_Count max_large_counts,
                                MPI_Count max_datatypes, int *integers, MPI_Aint *addresses,
                                MPI_Count *large_counts, MPI_Datatype *datatypes)
{
    Envelope e = envelope(datatype);
    const MPIR_Type_contents *c = MPIR_Datatype_get(datatype)->contents;
    int err;
    if (e.combiner == MPI_COMBINER_NAMED)
        return MPIR_Err("**typenamed", MPIR_Datatype_get(datatype)->name);
    if ((err = check_room("max_integers", max_integers, e.n_ints)) != MPI_SUCCESS ||
        (err = check_room("max_addresses", max_addresses, e.n_addresses)) != MPI_SUCCESS ||
        (err = check_room("max_large_counts", max_large_counts, e.n_large)) != MPI_SUCCESS ||
        (err = check_room("max_datatypes", max_datatypes, e.n_types)) != MPI_SUCCESS)
        return err;
    for (MPI_Count i = 0; i < e.n_ints; i++)
        integers[i] = (int) c->value[i];
    for (MPI_Count i = 0; i < e.n_addresses; i++)
        addresses[i] = c->value[e.n_ints + i];
    for (MPI_Count i = 0; i < e.n_large; i++)
        large_counts[i] = c->value[i];
    for (MPI_Count i = 0; i < e.n_types; i++) {
        datatypes[i] = c->type[i];
        hand_out(c->type[i]);
    }
    return MPI_SUCCESS;
}
