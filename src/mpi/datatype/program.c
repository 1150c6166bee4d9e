/* Compiling: from the blocks that a constructor describes to a program in its simplest form. */
#include <stdlib.h>
#include <string.h>

#include "type_internal.h"

/* ---- memory of a program --------------------------------------------------------------------- */

typedef struct MPII_Chunk {
    struct MPII_Chunk *next;
} MPII_Chunk;

/* The program takes over memory from malloc, which starts with a chunk header. */
static void *own(MPIR_Type_program *p, MPII_Chunk *chunk)
{
    chunk->next = p->chunks;
    p->chunks = chunk;
    return chunk + 1;
}

void MPII_Type_program_free(MPIR_Type_program *p)
{
    if (!p)
        return;
    for (MPII_Chunk *c = p->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(p);
}

/* ---- simplest forms -------------------------------------------------------------------------- */

static const MPII_Node nothing = { .kind = MPII_NODE_RUN, .depth = 1 };

MPII_Node MPII_Node_repeat(const MPII_Node *child, MPI_Count count, MPI_Aint stride)
{
    if (count <= 0 || child->size == 0)
        return nothing;
    MPII_Node n = *child;
    if (count == 1)
        return n;
    n.size = child->size * count;
    if (child->kind == MPII_NODE_RUN) {
        if (child->size == stride)
            return n;
        n.kind = MPII_NODE_STRIDED;
        n.count = count;
        n.stride = stride;
        n.u.block = child->size;
        return n;
    }
    MPI_Aint span;
    if ((child->kind == MPII_NODE_STRIDED || child->kind == MPII_NODE_LOOP) &&
        !__builtin_mul_overflow(child->stride, child->count, &span) && span == stride) {
        n.count = child->count * count;
        return n;
    }
    return (MPII_Node) { .kind = MPII_NODE_LOOP,
                         .depth = child->depth + 1,
                         .size = n.size,
                         .count = count,
                         .stride = stride,
                         .u.child = child };
}

/* The same work at another place? */
static bool same_shape(const MPII_Node *a, const MPII_Node *b)
{
    if (a->kind != b->kind || a->size != b->size)
        return false;
    switch (a->kind) {
    case MPII_NODE_RUN:
        return true;
    case MPII_NODE_STRIDED:
        return a->count == b->count && a->stride == b->stride && a->u.block == b->u.block;
    case MPII_NODE_RUNS:
        return a->u.runs == b->u.runs;
    case MPII_NODE_LOOP:
        return a->count == b->count && a->stride == b->stride && a->u.child == b->u.child;
    case MPII_NODE_PARTS:
        return a->u.parts == b->u.parts;
    }
    return false;
}

/* *child moves into memory that lives as long as the program, if the repetition has to point to it.
 */
static bool repeat_owned(MPIR_Type_program *p, const MPII_Node *child, MPI_Count count,
                         MPI_Aint stride)
{
    p->root = MPII_Node_repeat(child, count, stride);
    if (p->root.kind != MPII_NODE_LOOP || p->root.u.child != child)
        return true;
    MPII_Chunk *chunk = malloc(sizeof(*chunk) + sizeof(MPII_Node));
    if (!chunk)
        return false;
    MPII_Node *copy = own(p, chunk);
    *copy = *child;
    p->root.u.child = copy;
    return true;
}

/* ---- collecting blocks ----------------------------------------------------------------------- */

/* Runs are collected as such, 16 bytes each, until something else comes along. Arrays start with a
 * chunk header so that the program can own them. */
typedef struct Builder {
    bool mixed;        /* parts are in use, else runs */
    MPII_Chunk *array; /* of MPII_Run, or MPII_Part */
    MPI_Count n, room;
    MPI_Count size; /* packed bytes so far */
    int depth;
} Builder;

static MPII_Run *runs_of(const Builder *b)
{
    return (MPII_Run *) (b->array + 1);
}

static MPII_Part *parts_of(const Builder *b)
{
    return (MPII_Part *) (b->array + 1);
}

/* Room for one entry more and for the end mark of the runs. */
static bool reserve(Builder *b)
{
    if (b->n + 1 < b->room)
        return true;
    MPI_Count room = b->room * 2 + 6;
    size_t entry = b->mixed ? sizeof(MPII_Part) : sizeof(MPII_Run);
    MPII_Chunk *array = realloc(b->array, sizeof(MPII_Chunk) + (size_t) room * entry);
    if (!array)
        return false;
    b->array = array;
    b->room = room;
    return true;
}

static MPII_Node run_node(const Builder *b, MPI_Count i)
{
    const MPII_Run *r = &runs_of(b)[i];
    MPI_Count end = i + 1 < b->n ? r[1].offset : b->size;
    return (MPII_Node) {
        .kind = MPII_NODE_RUN, .depth = 1, .disp = r->disp, .size = end - r->offset, .count = 1
    };
}

/* From runs to parts. */
static bool become_mixed(Builder *b)
{
    Builder mixed = { .mixed = true, .n = b->n, .room = b->n + 4, .size = b->size, .depth = 1 };
    mixed.array = malloc(sizeof(MPII_Chunk) + (size_t) mixed.room * sizeof(MPII_Part));
    if (!mixed.array)
        return false;
    for (MPI_Count i = 0; i < b->n; i++)
        parts_of(&mixed)[i] =
            (MPII_Part) { .offset = runs_of(b)[i].offset, .node = run_node(b, i) };
    free(b->array);
    *b = mixed;
    return true;
}

/* A run that goes on where the last one ends makes that longer. */
static bool extends_last(Builder *b, const MPII_Node *node)
{
    if (b->n == 0 || node->kind != MPII_NODE_RUN)
        return false;
    MPII_Node last = b->mixed ? parts_of(b)[b->n - 1].node : run_node(b, b->n - 1);
    if (last.kind != MPII_NODE_RUN || last.disp + last.size != node->disp)
        return false;
    if (b->mixed)
        parts_of(b)[b->n - 1].node.size += node->size;
    return true;
}

static bool append(Builder *b, const MPII_Node *node)
{
    if (node->size == 0)
        return true;
    if (!extends_last(b, node)) {
        if (node->kind != MPII_NODE_RUN && !b->mixed && !become_mixed(b))
            return false;
        if (!reserve(b))
            return false;
        if (b->mixed)
            parts_of(b)[b->n++] = (MPII_Part) { .offset = b->size, .node = *node };
        else
            runs_of(b)[b->n++] = (MPII_Run) { .disp = node->disp, .offset = b->size };
        b->depth = MPL_MAX(b->depth, node->depth);
    }
    b->size += node->size;
    return true;
}

static MPII_Node entry_node(const Builder *b, MPI_Count i)
{
    return b->mixed ? parts_of(b)[i].node : run_node(b, i);
}

/* Are all entries the same, a constant distance apart? */
static bool is_regular(const Builder *b, MPI_Aint *stride)
{
    MPII_Node first = entry_node(b, 0), node = entry_node(b, 1);
    *stride = node.disp - first.disp;
    for (MPI_Count i = 1; i < b->n; i++) {
        MPI_Aint before = node.disp;
        node = entry_node(b, i);
        if (!same_shape(&first, &node) || (i > 1 && node.disp - before != *stride))
            return false;
    }
    return true;
}

/* Make p's root of what was collected; the builder is used up. */
static bool finish(Builder *b, MPIR_Type_program *p)
{
    MPI_Aint stride;
    if (b->n < 2 || is_regular(b, &stride)) {
        MPII_Node first = b->n > 0 ? entry_node(b, 0) : nothing;
        bool ok = repeat_owned(p, &first, MPL_MAX(b->n, 1), b->n < 2 ? 0 : stride);
        free(b->array);
        return ok;
    }
    p->root = (MPII_Node) { .depth = 1, .size = b->size, .count = b->n };
    if (b->mixed) {
        p->root.kind = MPII_NODE_PARTS;
        p->root.depth = b->depth + 1;
        p->root.u.parts = own(p, b->array);
    } else {
        MPII_Run *runs = own(p, b->array);
        runs[b->n] = (MPII_Run) { .offset = b->size };
        p->root.kind = MPII_NODE_RUNS;
        p->root.u.runs = runs;
    }
    return true;
}

/* ---- from blocks to a program ---------------------------------------------------------------- */

/* Items of one type in a row. What a derived type's loop points to is its program, which lives long
 * enough; predefined types never become loops. */
static MPII_Node block_node(MPI_Datatype d, MPI_Count length)
{
    const MPIR_Datatype *t = MPIR_Datatype_get(d);
    if (t->program)
        return MPII_Node_repeat(&t->program->root, length, t->extent);
    MPII_Node root = MPII_Type_root(d);
    return MPII_Node_repeat(&root, length, t->extent);
}

static bool compile_blocks(const MPII_Layout *l, MPIR_Type_program *p)
{
    if (!l->disp) { /* equal blocks, equally spaced: no need to look at each */
        MPII_Node block = block_node(l->same_type, l->same_length);
        return repeat_owned(p, &block, l->n, l->disp_unit);
    }
    Builder b = { .depth = 1 };
    for (MPI_Count i = 0; i < l->n; i++) {
        MPII_Node block = block_node(MPII_Layout_type(l, i), MPII_Layout_length(l, i));
        block.disp += MPII_Layout_disp(l, i);
        if (!append(&b, &block)) {
            free(b.array);
            return false;
        }
    }
    return finish(&b, p);
}

int MPII_Type_compile(MPIR_Datatype *t)
{
    MPII_Layout l = MPII_Type_layout(t->contents);
    MPIR_Type_program *p = calloc(1, sizeof(*p));
    if (!p || !compile_blocks(&l, p)) {
        MPII_Type_program_free(p);
        return MPIR_Err("**typenomem", (long long) l.n);
    }
    if (p->root.depth > MPII_NODE_MAX_DEPTH) {
        MPII_Type_program_free(p);
        return MPIR_Err("**typedepth", MPII_NODE_MAX_DEPTH);
    }
    t->program = p;
    t->contiguous = p->root.kind == MPII_NODE_RUN && t->size == t->extent &&
                    (t->size == 0 || p->root.disp == t->lb);
    return MPI_SUCCESS;
}
