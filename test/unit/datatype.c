/* Datatypes against a naive reference: random trees of types, each beside a plain list of its
 * bytes' places. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "mpir_impl.h"
#include "utest.h"

/* ---- the reference --------------------------------------------------------------------------- */

#define MAX_ELEMENTS 3000
#define MAX_SPAN 60000
#define N_TYPES 24
#define ARENA (1 << 20)

typedef struct Element {
    long disp;
    int size;
} Element;

/* A type and all that the standard says of it, worked out element by element. */
typedef struct Model {
    MPI_Datatype type;
    int n;
    Element *element;
    long lb, ub;
    bool bounded;
    int align;
    bool predefined;
} Model;

static uint64_t seed = 12345;

static unsigned rnd(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned) (seed >> 33) % n;
}

static Model basic(MPI_Datatype d, int size)
{
    Model m = { .type = d, .n = 1, .ub = size, .align = size, .predefined = true };
    m.element = malloc(sizeof(Element));
    m.element[0] = (Element) { 0, size };
    return m;
}

/* Collects items of other models. */
typedef struct Sum {
    Model m;
    bool any, any_bounded;
    long lb, ub, blb, bub;
    bool too_big;
} Sum;

static void add_item(Sum *s, const Model *item, long disp)
{
    bool *any = item->bounded ? &s->any_bounded : &s->any;
    long *lb = item->bounded ? &s->blb : &s->lb, *ub = item->bounded ? &s->bub : &s->ub;
    if (s->m.n + item->n > MAX_ELEMENTS || labs(disp) > MAX_SPAN) {
        s->too_big = true;
        return;
    }
    s->m.element = realloc(s->m.element, (size_t) (s->m.n + item->n + 1) * sizeof(Element));
    for (int i = 0; i < item->n; i++)
        s->m.element[s->m.n++] = (Element) { disp + item->element[i].disp, item->element[i].size };
    s->m.align = MPL_MAX(s->m.align, item->align);
    if (item->n == 0 && !item->bounded)
        return;
    *lb = !*any || disp + item->lb < *lb ? disp + item->lb : *lb;
    *ub = !*any || disp + item->ub > *ub ? disp + item->ub : *ub;
    *any = true;
}

static void add_block(Sum *s, const Model *item, long disp, int length)
{
    for (int i = 0; i < length; i++)
        add_item(s, item, disp + i * (item->ub - item->lb));
}

static void finish(Sum *s, bool is_struct)
{
    s->m.bounded = s->any_bounded;
    s->m.lb = s->any_bounded ? s->blb : s->any ? s->lb : 0;
    s->m.ub = s->any_bounded ? s->bub : s->any ? s->ub : 0;
    long extent = s->m.ub - s->m.lb;
    if (is_struct && !s->m.bounded && extent % s->m.align != 0)
        s->m.ub += s->m.align - extent % s->m.align;
}

/* ---- random types ---------------------------------------------------------------------------- */

static Model pool[N_TYPES];
static int n_pool;

static void drop(Model *m)
{
    if (!m->predefined)
        UT_INT_EQ(MPIR_Type_free_impl(m->type), MPI_SUCCESS);
    free(m->element);
}

/* An array of blocks with random lengths and displacements in multiples of unit. */
typedef struct Blocks {
    MPI_Count n, length[12], disp[12];
} Blocks;

static Blocks random_blocks(void)
{
    Blocks b = { .n = rnd(12) };
    bool packed = rnd(3) == 0; /* adjacent blocks, which are to be merged */
    long at = (long) rnd(40) - 20;
    for (int i = 0; i < b.n; i++) {
        b.length[i] = rnd(5);
        b.disp[i] = packed ? at : (long) rnd(200) - 60;
        at += b.length[i];
    }
    return b;
}

static int make_list(int kind, const Model *old, Sum *s, MPI_Datatype *t)
{
    Blocks b = random_blocks();
    long extent = old->ub - old->lb;
    MPI_Count same = rnd(4);
    for (int i = 0; i < b.n; i++) {
        long unit = kind == 0 || kind == 2 ? extent : 1;
        add_block(s, old, b.disp[i] * unit, (int) (kind < 2 ? b.length[i] : same));
    }
    finish(s, false);
    switch (kind) {
    case 0:
        return MPIR_Type_indexed_impl(b.n, b.length, b.disp, old->type, t);
    case 1:
        return MPIR_Type_create_hindexed_impl(b.n, b.length, b.disp, old->type, t);
    case 2:
        return MPIR_Type_create_indexed_block_impl(b.n, same, b.disp, old->type, t);
    default:
        return MPIR_Type_create_hindexed_block_impl(b.n, same, b.disp, old->type, t);
    }
}

static int make_struct(Sum *s, MPI_Datatype *t)
{
    Blocks b = random_blocks();
    MPI_Datatype types[12];
    for (int i = 0; i < b.n; i++) {
        const Model *m = &pool[rnd((unsigned) n_pool)];
        types[i] = m->type;
        b.disp[i] = b.disp[i] * 8 + (long) rnd(2) * 4;
        add_block(s, m, b.disp[i], (int) b.length[i]);
    }
    finish(s, true);
    return MPIR_Type_create_struct_impl(b.n, b.length, b.disp, types, t);
}

static int make_vector(int kind, const Model *old, Sum *s, MPI_Datatype *t)
{
    MPI_Count n = rnd(rnd(4) ? 10 : 300), length = rnd(6), stride = (long) rnd(30) - 8;
    long extent = old->ub - old->lb;
    if (kind == 0) {
        add_block(s, old, 0, (int) n);
        finish(s, false);
        return MPIR_Type_contiguous_impl(n, old->type, t);
    }
    long unit = kind == 1 ? extent : 4;
    for (int i = 0; i < n; i++)
        add_block(s, old, i * stride * unit, (int) length);
    finish(s, false);
    if (kind == 1)
        return MPIR_Type_vector_impl(n, length, stride, old->type, t);
    return MPIR_Type_create_hvector_impl(n, length, stride * unit, old->type, t);
}

static int make_copy(int kind, const Model *old, Sum *s, MPI_Datatype *t)
{
    add_item(s, old, 0);
    s->m.bounded = old->bounded;
    s->m.lb = old->lb;
    s->m.ub = old->ub;
    if (kind == 0)
        return MPIR_Type_dup_impl(old->type, t);
    s->m.lb = (long) rnd(40) - 20;
    s->m.ub = s->m.lb + (long) rnd(200) - 30;
    s->m.bounded = true;
    return MPIR_Type_create_resized_impl(old->type, s->m.lb, s->m.ub - s->m.lb, t);
}

/* A new model from those in the pool; false if it got too big to look at. */
static bool make(Model *m)
{
    const Model *old = &pool[rnd((unsigned) n_pool)];
    Sum s = { .m.align = 1 };
    int err, what = (int) rnd(12);
    MPI_Datatype t = MPI_DATATYPE_NULL;
    if (what < 4)
        err = make_list(what, old, &s, &t);
    else if (what < 6)
        err = make_struct(&s, &t);
    else if (what < 9)
        err = make_vector(what - 6, old, &s, &t);
    else
        err = make_copy(what > 9, old, &s, &t);
    UT_INT_EQ(err, MPI_SUCCESS);
    s.m.type = t;
    *m = s.m;
    for (int i = 0; i < m->n; i++)
        s.too_big |= labs(m->element[i].disp) > MAX_SPAN;
    if (s.too_big || labs(m->lb) > MAX_SPAN || labs(m->ub) > MAX_SPAN) {
        drop(m);
        return false;
    }
    return true;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static unsigned char memory[ARENA], other[ARENA], expected[ARENA];

static long packed_size(const Model *m)
{
    long size = 0;
    for (int i = 0; i < m->n; i++)
        size += m->element[i].size;
    return size;
}

static void check_bounds(const Model *m)
{
    MPI_Count size, lb, extent, tlb, textent;
    long low = 0, high = 0;
    for (int i = 0; i < m->n; i++) {
        const Element *e = &m->element[i];
        low = i == 0 || e->disp < low ? e->disp : low;
        high = i == 0 || e->disp + e->size > high ? e->disp + e->size : high;
    }
    MPIR_Type_size_impl(m->type, &size);
    MPIR_Type_get_extent_impl(m->type, &lb, &extent);
    MPIR_Type_get_true_extent_impl(m->type, &tlb, &textent);
    UT_INT_EQ(size, packed_size(m));
    UT_INT_EQ(lb, m->lb);
    UT_INT_EQ(extent, m->ub - m->lb);
    UT_INT_EQ(tlb, low);
    UT_INT_EQ(textent, high - low);
    UT_INT_EQ(MPIR_Datatype_get(m->type)->n_elements, m->n);
}

/* Places of the packed bytes of `count` items. */
static long *places(const Model *m, int count)
{
    long *place = malloc((size_t) (packed_size(m) * count + 1) * sizeof(long)), n = 0;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < m->n; k++) {
            for (int b = 0; b < m->element[k].size; b++)
                place[n++] = m->element[k].disp + b + i * (m->ub - m->lb);
        }
    }
    return place;
}

static void check_pack(const Model *m, int count, const long *place, long size)
{
    unsigned char *buf = memory + ARENA / 2, *packed = malloc((size_t) size + 1);
    for (long at = 0, step; at < size; at += step) {
        step = 1 + (long) rnd(rnd(2) ? 9 : (unsigned) size);
        step = MPL_MIN(step, size - at);
        MPIR_Datatype_pack(buf, count, m->type, at, packed + at, (size_t) step);
    }
    for (long i = 0; i < size; i++) {
        if (packed[i] != buf[place[i]]) {
            UT_FAIL("packed byte %ld of %ld is wrong", i, size);
            break;
        }
    }
    free(packed);
}

static void check_unpack(const Model *m, int count, const long *place, long size)
{
    unsigned char *packed = malloc((size_t) size + 1);
    memset(expected, 0xee, ARENA);
    memset(other, 0xee, ARENA);
    for (long i = 0; i < size; i++) {
        packed[i] = (unsigned char) rnd(256);
        expected[ARENA / 2 + place[i]] = packed[i];
    }
    for (long at = 0, step; at < size; at += step) {
        step = 1 + (long) rnd(rnd(2) ? 9 : (unsigned) size);
        step = MPL_MIN(step, size - at);
        MPIR_Datatype_unpack(other + ARENA / 2, count, m->type, at, packed + at, (size_t) step);
    }
    UT_CHECK(memcmp(expected, other, ARENA) == 0);
    free(packed);
}

static void check_iov(const Model *m, int count, const long *place, long size)
{
    unsigned char *buf = memory + ARENA / 2;
    long at = size > 0 ? (long) rnd((unsigned) size) : 0;
    while (at < size) {
        struct iovec iov[8];
        int n = 1 + (int) rnd(8);
        int room = n;
        size_t wanted = rnd(2) ? 1 + rnd((unsigned) (size - at)) : (size_t) (size - at),
               got = wanted;
        MPIR_Datatype_iov(buf, count, m->type, at, iov, &n, &got);
        UT_CHECK(n >= 1 && n <= room && got >= 1 && got <= wanted);
        UT_CHECK(n == room || got == wanted);
        for (int i = 0; i < n; i++) {
            for (size_t b = 0; b < iov[i].iov_len; b++)
                UT_CHECK((unsigned char *) iov[i].iov_base + b == buf + place[at + (long) b]);
            at += (long) iov[i].iov_len;
        }
        if (n < 1)
            return;
    }
}

static void check_run(const Model *m, int count, const long *place, long size)
{
    MPI_Aint start;
    bool run = true;
    for (long i = 1; i < size; i++)
        run = run && place[i] == place[i - 1] + 1;
    bool claimed = MPIR_Datatype_is_run(m->type, count, &start);
    UT_CHECK(!claimed || run);
    if (claimed && size > 0)
        UT_INT_EQ(start, place[0]);
    if (run && count == 1)
        UT_CHECK(claimed);
}

static void check_elements(const Model *m, long size)
{
    MPI_Status status = { 0 };
    MPI_Count got;
    if (m->n == 0)
        return;
    int items = (int) rnd(4), whole = (int) rnd((unsigned) m->n);
    long bytes = items * size;
    for (int i = 0; i < whole; i++)
        bytes += m->element[i].size;
    MPIR_Status_set_count(&status, bytes);
    UT_INT_EQ(MPIR_Status_count(&status), bytes);
    MPIR_Get_elements_impl(&status, m->type, &got);
    UT_INT_EQ(got, items * m->n + whole);
    MPIR_Get_count_impl(&status, m->type, &got);
    UT_INT_EQ(got, bytes % size == 0 ? bytes / size : MPI_UNDEFINED);
    MPIR_Status_set_count(&status, 0);
    UT_INT_EQ(MPIR_Status_set_elements_impl(&status, m->type, items * m->n + whole), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Status_count(&status), bytes);
    if (m->element[whole].size > 1) {
        MPIR_Status_set_count(&status, bytes + 1);
        MPIR_Get_elements_impl(&status, m->type, &got);
        UT_INT_EQ(got, MPI_UNDEFINED);
    }
}

static bool overlaps(const long *place, long size)
{
    static unsigned char seen[ARENA];
    bool twice = false;
    for (long i = 0; i < size; i++)
        twice = twice || seen[ARENA / 2 + place[i]]++;
    for (long i = 0; i < size; i++)
        seen[ARENA / 2 + place[i]] = 0;
    return twice;
}

static void check_model(const Model *m)
{
    check_bounds(m);
    int count = 1 + (int) rnd(4);
    long size = packed_size(m) * count, *place = places(m, count);
    check_pack(m, count, place, size);
    if (!overlaps(place, size))
        check_unpack(m, count, place, size);
    check_iov(m, count, place, size);
    check_run(m, count, place, size);
    check_elements(m, packed_size(m));
    free(place);
}

/* Both sides non-contiguous, of different shape and size. */
static void check_copy(const Model *a, const Model *b)
{
    int na = 1 + (int) rnd(3), nb = 1 + (int) rnd(3);
    long sa = packed_size(a) * na, sb = packed_size(b) * nb, size = MPL_MIN(sa, sb);
    long *pa = places(a, na), *pb = places(b, nb);
    if (!overlaps(pb, sb)) {
        memset(other, 0xee, ARENA);
        UT_INT_EQ(
            MPIR_Datatype_copy(memory + ARENA / 2, na, a->type, other + ARENA / 2, nb, b->type),
            size);
        for (long i = 0; i < sb; i++) {
            int expected = i < size ? memory[ARENA / 2 + pa[i]] : 0xee;
            if (other[ARENA / 2 + pb[i]] != expected) {
                UT_FAIL("copied byte %ld of %ld is wrong", i, size);
                break;
            }
        }
    }
    free(pa);
    free(pb);
}

/* A type made again from what MPI_Type_get_contents says has the same data. */
static void check_contents(const Model *m)
{
    MPI_Count ni, na, nc, nd;
    int combiner, ints[64];
    MPI_Aint addresses[64];
    MPI_Datatype types[64];
    MPIR_Type_get_envelope_impl(m->type, &ni, &na, &nc, &nd, &combiner);
    UT_INT_EQ(nc, 0);
    if (m->predefined) {
        UT_INT_EQ(combiner, MPI_COMBINER_NAMED);
        return;
    }
    UT_INT_EQ(MPIR_Type_get_contents_impl(m->type, ni, na, 0, nd, ints, addresses, NULL, types),
              MPI_SUCCESS);
    for (MPI_Count i = 0; i < nd; i++) {
        UT_CHECK(MPIR_Datatype_get(types[i]) != NULL);
        if (MPIR_HANDLE_KIND(types[i]) == MPIR_HANDLE_INDIRECT)
            UT_INT_EQ(MPIR_Type_free_impl(types[i]), MPI_SUCCESS);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void fill_pool(void)
{
    pool[0] = basic(MPI_CHAR, 1);
    pool[1] = basic(MPI_INT, 4);
    pool[2] = basic(MPI_DOUBLE, 8);
    pool[3] = basic(MPI_SHORT, 2);
    pool[4] = basic(MPI_SHORT_INT, 2);
    pool[4].element = realloc(pool[4].element, 2 * sizeof(Element));
    pool[4].element[1] = (Element) { 4, 4 };
    pool[4].n = 2;
    pool[4].ub = 8;
    pool[4].align = 4;
    n_pool = 5;
}

static void random_types(void)
{
    for (int i = 0; i < ARENA; i++)
        memory[i] = (unsigned char) rnd(256);
    fill_pool();
    for (int round = 0; round < 4000; round++) {
        Model m;
        if (!make(&m))
            continue;
        check_model(&m);
        check_contents(&m);
        check_copy(&m, &pool[rnd((unsigned) n_pool)]);
        if (n_pool < N_TYPES) {
            pool[n_pool++] = m;
        } else { /* what others were made of goes; they stay */
            Model *old = &pool[5 + rnd(N_TYPES - 5)];
            drop(old);
            *old = m;
        }
    }
    for (int i = 0; i < n_pool; i++)
        drop(&pool[i]);
}

static void predefined_types(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Count extent, lb;
    UT_INT_EQ(MPIR_Type_get_name_impl(MPI_INT, name, &length), MPI_SUCCESS);
    UT_STR_EQ(name, "MPI_INT");
    UT_INT_EQ(length, 7);
    MPIR_Type_get_name_impl(MPI_LONG_DOUBLE_INT, name, &length);
    UT_STR_EQ(name, "MPI_LONG_DOUBLE_INT");
    struct {
        long double v;
        int i;
    } ldi;
    MPIR_Type_get_extent_impl(MPI_LONG_DOUBLE_INT, &lb, &extent);
    UT_INT_EQ(extent, sizeof(ldi));
    UT_INT_EQ(MPIR_Datatype_get(MPI_DOUBLE_INT)->size, 12);
    UT_INT_EQ(MPIR_Datatype_get(MPI_DOUBLE_INT)->extent, 16);
    UT_INT_EQ(MPIR_Datatype_get(MPI_SHORT_INT)->true_extent, 8);
    UT_CHECK(MPIR_Datatype_get(MPI_DATATYPE_NULL) == NULL);
    UT_CHECK(MPIR_Datatype_get(0x4c0000ff) == NULL);
    UT_CHECK(MPIR_Datatype_get(0x4c000805) == NULL); /* MPI_INT's index with another size */
    UT_CHECK(MPIR_Datatype_get((int) 0x8c000005) == NULL);
    UT_CHECK(MPIR_Datatype_get((int) 0xcc123456) == NULL);
    UT_CHECK(MPIR_Datatype_get(MPI_COMM_WORLD) == NULL);
    UT_CHECK(MPIR_Type_free_impl(MPI_INT) != MPI_SUCCESS);
}

static void overflow_is_an_error(void)
{
    MPI_Datatype big, t = 77;
    MPI_Count huge = (MPI_Count) 1 << 62;
    UT_INT_EQ(MPIR_Type_contiguous_impl(huge / 8, MPI_INT, &big), MPI_SUCCESS);
    UT_INT_EQ(MPIR_Datatype_get(big)->size, huge / 2);
    UT_CHECK(MPIR_Type_contiguous_impl(5, big, &t) != MPI_SUCCESS);
    UT_CHECK(MPIR_Type_contiguous_impl(huge, MPI_INT, &t) != MPI_SUCCESS);
    UT_CHECK(MPIR_Type_vector_impl(4, 1, huge, MPI_INT, &t) != MPI_SUCCESS);
    UT_CHECK(MPIR_Type_create_hvector_impl(4, 1, huge, MPI_INT, &t) != MPI_SUCCESS);
    MPI_Count lengths[2] = { 1, 1 }, disps[2] = { LONG_MIN, LONG_MAX - 8 };
    UT_CHECK(MPIR_Type_create_hindexed_impl(2, lengths, disps, MPI_INT, &t) != MPI_SUCCESS);
    UT_CHECK(MPIR_Type_indexed_impl(2, lengths, disps, MPI_INT, &t) != MPI_SUCCESS);
    UT_CHECK(MPIR_Type_create_resized_impl(MPI_INT, LONG_MAX, LONG_MAX, &t) != MPI_SUCCESS);
    UT_INT_EQ(t, 77);
    UT_CHECK(MPIR_Datatype_check_count(big, 3) == MPI_SUCCESS);
    UT_CHECK(MPIR_Datatype_check_count(big, 4) != MPI_SUCCESS);
    UT_CHECK(MPIR_Datatype_check_count(MPI_INT, huge) != MPI_SUCCESS);
    UT_CHECK(MPIR_Datatype_check_count(MPI_INT, INT_MAX) == MPI_SUCCESS);
    MPIR_Type_free_impl(big);
}

/* Values beyond an int come back as large counts. */
static void large_contents(void)
{
    MPI_Datatype t, old;
    MPI_Count ni, na, nc, nd, large[3];
    int combiner, ints[3];
    MPI_Aint addresses[1];
    MPIR_Type_vector_impl(2, 1, (MPI_Count) 1 << 33, MPI_INT, &t);
    MPIR_Type_get_envelope_impl(t, &ni, &na, &nc, &nd, &combiner);
    UT_INT_EQ(ni, 0);
    UT_INT_EQ(na, 0);
    UT_INT_EQ(nc, 3);
    UT_INT_EQ(nd, 1);
    UT_INT_EQ(combiner, MPI_COMBINER_VECTOR);
    UT_CHECK(MPIR_Type_get_contents_impl(t, 3, 1, 0, 1, ints, addresses, NULL, &old) !=
             MPI_SUCCESS);
    UT_INT_EQ(MPIR_Type_get_contents_impl(t, 0, 0, 3, 1, ints, addresses, large, &old),
              MPI_SUCCESS);
    UT_INT_EQ(large[2], (MPI_Count) 1 << 33);
    UT_INT_EQ(old, MPI_INT);
    MPIR_Type_free_impl(t);
}

/* A long chain of types made of each other neither grows with its length nor needs a deep stack. */
static void long_chain(void)
{
    MPI_Datatype t, older;
    UT_INT_EQ(MPIR_Type_contiguous_impl(2, MPI_INT, &t), MPI_SUCCESS);
    for (int i = 0; i < 200000; i++) {
        older = t;
        UT_INT_EQ(MPIR_Type_contiguous_impl(1, older, &t), MPI_SUCCESS);
        MPIR_Type_free_impl(older);
    }
    UT_INT_EQ(MPIR_Datatype_get(t)->size, 8);
    UT_CHECK(MPIR_Datatype_get(t)->contiguous);
    MPIR_Type_free_impl(t);
}

/* Sixty doublings: shared, not expanded. */
static void doubling(void)
{
    MPI_Datatype t, older;
    MPI_Count lengths[2] = { 1, 1 };
    MPIR_Type_create_resized_impl(MPI_CHAR, 0, 1, &t);
    for (int i = 0; i < 60; i++) {
        MPI_Datatype types[2] = { t, t };
        MPI_Count disps[2] = { 0, MPIR_Datatype_get(t)->extent + (i == 20) };
        older = t;
        UT_INT_EQ(MPIR_Type_create_struct_impl(2, lengths, disps, types, &t), MPI_SUCCESS);
        MPIR_Type_free_impl(older);
    }
    UT_INT_EQ(MPIR_Datatype_get(t)->size, (MPI_Count) 1 << 60);
    MPIR_Type_free_impl(t);
}

/* Irregular nesting has a limit, with an error and not a crash. */
static void too_deep(void)
{
    MPI_Datatype t, older;
    MPI_Count lengths[2] = { 1, 1 };
    MPI_Datatype types[2];
    int err = MPIR_Type_vector_impl(3, 1, 2, MPI_CHAR, &t), i = 0;
    for (; i < 5000 && err == MPI_SUCCESS; i++) {
        MPI_Count disps[2] = { 0, MPIR_Datatype_get(t)->extent + 1 + i % 3 };
        older = types[0] = t;
        types[1] = MPI_CHAR;
        err = MPIR_Type_create_struct_impl(2, lengths, disps, types, &t);
        if (err == MPI_SUCCESS)
            MPIR_Type_free_impl(older);
    }
    UT_CHECK(err != MPI_SUCCESS);
    UT_CHECK(i > 500);
    char *buf = calloc(1, (size_t) MPIR_Datatype_get(t)->extent + 8), packed[16384];
    MPIR_Datatype_pack(buf, 1, t, 0, packed, (size_t) MPIR_Datatype_get(t)->size);
    free(buf);
    MPIR_Type_free_impl(t);
}

int main(void)
{
    UT_RUN(predefined_types);
    UT_RUN(random_types);
    UT_RUN(overflow_is_an_error);
    UT_RUN(large_contents);
    UT_RUN(long_chain);
    UT_RUN(doubling);
    UT_RUN(too_deep);
    return UT_REPORT();
}
