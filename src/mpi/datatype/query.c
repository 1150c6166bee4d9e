/* Sizes, bounds, and how much a status says has arrived. */
#include "mpir_impl.h"
#include "mpir_request.h"
#include "type_internal.h"

int MPIR_Type_size_impl(MPI_Datatype datatype, MPI_Count *size)
{
    *size = MPIR_Datatype_get(datatype)->size;
    return MPI_SUCCESS;
}

int MPIR_Type_get_extent_impl(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
    const MPIR_Datatype *t = MPIR_Datatype_get(datatype);
    *lb = t->lb;
    *extent = t->extent;
    return MPI_SUCCESS;
}

int MPIR_Type_get_true_extent_impl(MPI_Datatype datatype, MPI_Count *true_lb,
                                   MPI_Count *true_extent)
{
    const MPIR_Datatype *t = MPIR_Datatype_get(datatype);
    *true_lb = t->true_lb;
    *true_extent = t->true_extent;
    return MPI_SUCCESS;
}

int MPIR_Datatype_check_count_slow(MPI_Datatype d, MPI_Count count)
{
    const MPIR_Datatype *t = MPIR_Datatype_get(d);
    MPI_Count bytes, span;
    if (!__builtin_mul_overflow(count, t->size, &bytes) &&
        !__builtin_mul_overflow(count, t->extent, &span))
        return MPI_SUCCESS;
    return MPIR_Err("**countoverflow", (long long) count, (long long) t->size,
                    (long long) t->extent);
}

/* ---- counting what has arrived --------------------------------------------------------------- */

int MPIR_Get_count_impl(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
    MPI_Count bytes = MPIR_Status_count(status);
    MPI_Count size = MPIR_Datatype_get(datatype)->size;
    if (size == 0)
        *count = bytes == 0 ? 0 : MPI_UNDEFINED;
    else
        *count = bytes % size == 0 ? bytes / size : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

/* Two ways to say how much of a type map there is. */
typedef enum Unit { UNIT_BYTES, UNIT_ELEMENTS } Unit;

static MPI_Count amount_of(const MPIR_Datatype *t, Unit unit)
{
    return unit == UNIT_BYTES ? t->size : t->n_elements;
}

/* The block of t in which an amount lies; the blocks before it are taken from *amount and their
 * worth in the other unit is added to *total. The amount is less than the whole type. */
static MPI_Datatype descend(const MPIR_Datatype *t, Unit unit, MPI_Count *amount, MPI_Count *total)
{
    MPII_Layout l = MPII_Type_layout(t->contents);
    if (!l.types)
        return l.same_type; /* items of one type, whatever the blocks */
    for (MPI_Count i = 0; i < l.n; i++) {
        const MPIR_Datatype *child = MPIR_Datatype_get(l.types[i]);
        MPI_Count length = MPII_Layout_length(&l, i);
        if (*amount < length * amount_of(child, unit))
            return l.types[i];
        *amount -= length * amount_of(child, unit);
        *total += length * amount_of(child, !unit);
    }
    return MPI_DATATYPE_NULL;
}

/* `amount` of items of d in a row, in the other unit: bytes to basic elements or back.
 * MPI_UNDEFINED if there is no whole number of elements. Goes down the one path to where the amount
 * ends. */
static MPI_Count convert(MPI_Datatype d, Unit unit, MPI_Count amount)
{
    MPI_Count total = 0;
    while (amount > 0) {
        const MPIR_Datatype *t = MPIR_Datatype_get(d);
        if (amount_of(t, unit) == 0)
            return MPI_UNDEFINED;
        if (t->basic != MPI_DATATYPE_NULL) { /* one kind of element */
            MPI_Count element = t->size / t->n_elements;
            if (unit == UNIT_ELEMENTS)
                return total + amount * element;
            return amount % element == 0 ? total + amount / element : MPI_UNDEFINED;
        }
        total += amount / amount_of(t, unit) * amount_of(t, !unit);
        amount %= amount_of(t, unit);
        if (amount > 0)
            d = descend(t, unit, &amount, &total);
    }
    return total;
}

int MPIR_Get_elements_impl(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
    *count = convert(datatype, UNIT_BYTES, MPIR_Status_count(status));
    return MPI_SUCCESS;
}

int MPIR_Status_set_elements_impl(MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
    const MPIR_Datatype *t = MPIR_Datatype_get(datatype);
    MPI_Count bytes;
    if (count < 0)
        return MPIR_Err("**statuselements", (long long) count);
    if (t->n_elements > 0 && __builtin_mul_overflow(count / t->n_elements + 1, t->size, &bytes))
        return MPIR_Err("**countoverflow", (long long) count, (long long) t->size,
                        (long long) t->extent);
    bytes = convert(datatype, UNIT_ELEMENTS, count);
    if (bytes < 0)
        return MPIR_Err("**statuselements", (long long) count);
    MPIR_Status_set_count(status, bytes);
    return MPI_SUCCESS;
}
