/* Sizes, bounds and element counts of a type, from what its constructor was given. */
#include "type_internal.h"

/* ---- blocks ---------------------------------------------------------------------------------- */

static void set_unit(MPII_Layout *l, MPI_Count stride, MPI_Datatype d)
{
    l->overflow = __builtin_mul_overflow(stride, MPIR_Datatype_get(d)->extent, &l->disp_unit);
}

MPII_Layout MPII_Type_layout(const MPIR_Type_contents *c)
{
    const MPI_Count *v = c->value;
    MPII_Layout l = { .n = 1, .same_length = 1, .disp_unit = 1, .same_type = c->type[0] };
    if (c->combiner != MPI_COMBINER_DUP && c->combiner != MPI_COMBINER_RESIZED)
        l.n = v[0];
    switch (c->combiner) {
    case MPI_COMBINER_CONTIGUOUS: /* one block */
        l.n = 1;
        l.same_length = v[0];
        break;
    case MPI_COMBINER_VECTOR:
        set_unit(&l, v[2], l.same_type);
        l.same_length = v[1];
        break;
    case MPI_COMBINER_HVECTOR:
        l.disp_unit = v[2];
        l.same_length = v[1];
        break;
    case MPI_COMBINER_INDEXED:
        set_unit(&l, 1, l.same_type); /* fall through */
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_STRUCT:
    case MPI_COMBINER_NAMED:
        l.length = v + 1;
        l.disp = v + 1 + l.n;
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        set_unit(&l, 1, l.same_type); /* fall through */
    case MPI_COMBINER_HINDEXED_BLOCK:
        l.same_length = v[1];
        l.disp = v + 2;
        break;
    default: /* DUP, RESIZED: the old type, once */
        break;
    }
    if (c->combiner == MPI_COMBINER_STRUCT || c->combiner == MPI_COMBINER_NAMED)
        l.types = c->type;
    return l;
}

int MPII_Type_align(MPI_Datatype d)
{
    const MPIR_Datatype *t = MPIR_Datatype_get(d);
    return t->contents ? t->contents->align : MPII_Type_builtin_align(d);
}

/* ---- adding up ------------------------------------------------------------------------------- */

typedef struct Range {
    MPI_Aint low, high;
    bool any;
} Range;

typedef struct Measure {
    MPIR_Type_contents *contents;
    MPI_Count size, n_elements;
    MPI_Datatype basic; /* common to all so far; MPI_DATATYPE_NULL: none yet, or mixed */
    bool mixed;
    Range natural; /* of lb and ub */
    Range bounded; /* of lb and ub of items whose bounds were set explicitly */
    Range data;    /* of true bounds */
    bool overflow;
} Measure;

/* The block's items start at disp, extent apart; each covers [low, high). Both ends of the block
 * count, since the extent may be negative. */
static void cover(Measure *m, Range *r, MPI_Aint disp, MPI_Aint low, MPI_Aint high)
{
    MPI_Aint from, to;
    m->overflow |= __builtin_add_overflow(disp, low, &from);
    m->overflow |= __builtin_add_overflow(disp, high, &to);
    if (!r->any || from < r->low)
        r->low = from;
    if (!r->any || to > r->high)
        r->high = to;
    r->any = true;
}

static void cover_item(Measure *m, const MPIR_Datatype *t, MPI_Aint disp)
{
    bool bounded = t->contents && t->contents->bounded;
    if (t->n_elements == 0 && !bounded)
        return; /* an empty type map has no place */
    cover(m, bounded ? &m->bounded : &m->natural, disp, t->lb, t->lb + t->extent);
    if (t->size > 0)
        cover(m, &m->data, disp, t->true_lb, t->true_lb + t->true_extent);
}

/* First and last item of the block at disp. */
static void cover_block(Measure *m, const MPIR_Datatype *t, MPI_Aint disp, MPI_Count length)
{
    MPI_Aint span, last = 0;
    m->overflow |= __builtin_mul_overflow(length - 1, t->extent, &span);
    m->overflow |= __builtin_add_overflow(disp, span, &last);
    cover_item(m, t, disp);
    cover_item(m, t, last);
}

/* `times` blocks of `length` items of d. */
static void count_blocks(Measure *m, MPI_Datatype d, MPI_Count length, MPI_Count times)
{
    const MPIR_Datatype *t = MPIR_Datatype_get(d);
    MPI_Count items, part;
    m->overflow |= __builtin_mul_overflow(length, times, &items);
    m->overflow |= __builtin_mul_overflow(items, t->size, &part);
    m->overflow |= __builtin_add_overflow(m->size, part, &m->size);
    m->overflow |= __builtin_mul_overflow(items, t->n_elements, &part);
    m->overflow |= __builtin_add_overflow(m->n_elements, part, &m->n_elements);
    if (t->n_elements > 0) {
        m->mixed |= t->basic == MPI_DATATYPE_NULL ||
                    (m->basic != MPI_DATATYPE_NULL && m->basic != t->basic);
        m->basic = t->basic;
    }
    m->contents->align = MPL_MAX(m->contents->align, MPII_Type_align(d));
}

static void measure_block(Measure *m, const MPII_Layout *l, MPI_Count i)
{
    MPI_Aint disp;
    MPI_Count length = MPII_Layout_length(l, i);
    MPI_Datatype d = MPII_Layout_type(l, i);
    m->overflow |= __builtin_mul_overflow(l->disp ? l->disp[i] : i, l->disp_unit, &disp);
    if (length > 0 && !m->overflow)
        cover_block(m, MPIR_Datatype_get(d), disp, length);
}

/* Blocks of a vector are alike: the first and the last say all. */
static void measure_blocks(Measure *m, const MPII_Layout *l)
{
    if (!l->disp) {
        if (l->n > 0 && l->same_length > 0) {
            count_blocks(m, l->same_type, l->same_length, l->n);
            measure_block(m, l, 0);
            measure_block(m, l, l->n - 1);
        }
        return;
    }
    for (MPI_Count i = 0; i < l->n && !m->overflow; i++) {
        if (MPII_Layout_length(l, i) > 0) {
            count_blocks(m, MPII_Layout_type(l, i), MPII_Layout_length(l, i), 1);
            measure_block(m, l, i);
        }
    }
}

/* ---- results --------------------------------------------------------------------------------- */

/* A struct is padded at its end so that an array of it is aligned, as the compiler does. */
static void pad(Measure *m, MPIR_Datatype *t)
{
    MPI_Aint rest = t->extent % m->contents->align;
    if (rest != 0)
        m->overflow |= __builtin_add_overflow(t->extent, m->contents->align - rest, &t->extent);
}

static void set_bounds(Measure *m, MPIR_Datatype *t)
{
    const Range *r = m->bounded.any ? &m->bounded : &m->natural;
    m->contents->bounded = m->bounded.any;
    t->lb = r->low;
    m->overflow |= __builtin_sub_overflow(r->high, r->low, &t->extent);
    t->true_lb = m->data.low;
    m->overflow |= __builtin_sub_overflow(m->data.high, m->data.low, &t->true_extent);
    if (m->contents->combiner == MPI_COMBINER_STRUCT && !m->contents->bounded)
        pad(m, t);
    if (m->contents->combiner == MPI_COMBINER_RESIZED) {
        t->lb = m->contents->value[0];
        t->extent = m->contents->value[1];
        m->contents->bounded = true;
    }
    MPI_Aint ub;
    m->overflow |= __builtin_add_overflow(t->lb, t->extent, &ub);
}

int MPII_Type_measure(MPIR_Datatype *t)
{
    MPII_Layout l = MPII_Type_layout(t->contents);
    Measure m = { .contents = t->contents, .basic = MPI_DATATYPE_NULL, .overflow = l.overflow };
    t->contents->align = 1;
    if (!m.overflow)
        measure_blocks(&m, &l);
    if (!m.overflow)
        set_bounds(&m, t);
    if (m.overflow)
        return MPIR_Err("**typeoverflow", (long long) l.n);
    t->size = m.size;
    t->n_elements = m.n_elements;
    t->basic = m.mixed ? MPI_DATATYPE_NULL : m.basic;
    return MPI_SUCCESS;
}
