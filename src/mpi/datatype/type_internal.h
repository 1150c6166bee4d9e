/* Inside of src/mpi/datatype: how a type was made (contents) and how it is executed (program).
 *
 * A program is a small tree of nodes. Each stands for a stretch of the packed form and says where
 * in memory its bytes lie, relative to an origin that the node above gives. Pack, unpack, iov and
 * copy are one walk over the tree (walk.c); any packed offset is reached by a division or a binary
 * search at each level.
 *
 * A node may point to nodes of the types that the type is built from: they are kept alive by the
 * references that the contents hold. So a type costs memory for its own level only.
 */
#ifndef TYPE_INTERNAL_H_INCLUDED
#define TYPE_INTERNAL_H_INCLUDED

#include "mpir_datatype.h"
#include "mpir_err.h"

/* ---- programs -------------------------------------------------------------------------------- */

typedef enum MPII_Node_kind {
    MPII_NODE_RUN,     /* `size` bytes in a row; size 0: nothing */
    MPII_NODE_STRIDED, /* `count` blocks of u.block bytes, `stride` apart */
    MPII_NODE_RUNS,    /* `count` runs of any length at any place */
    MPII_NODE_LOOP,    /* `count` times u.child, `stride` apart */
    MPII_NODE_PARTS,   /* `count` different nodes, one after the other */
} MPII_Node_kind;

/* One run of MPII_NODE_RUNS; an array of them ends with an entry that holds the total in `offset`.
 */
typedef struct MPII_Run {
    MPI_Aint disp;
    MPI_Count offset; /* packed bytes before this run */
} MPII_Run;

typedef struct MPII_Node {
    MPII_Node_kind kind;
    int depth;      /* levels of this tree; 1 for one without children */
    MPI_Aint disp;  /* added to the origin */
    MPI_Count size; /* packed bytes */
    MPI_Count count;
    MPI_Aint stride;
    union {
        MPI_Count block;
        const MPII_Run *runs;
        const struct MPII_Node *child;
        const struct MPII_Part *parts;
    } u;
} MPII_Node;

/* One part of MPII_NODE_PARTS; no end entry, the node knows its size. */
typedef struct MPII_Part {
    MPI_Count offset; /* packed bytes before this part */
    MPII_Node node;
} MPII_Part;

/* The walk recurses once a level. */
#define MPII_NODE_MAX_DEPTH 1000

typedef struct MPIR_Type_program {
    MPII_Node root;
    struct MPII_Chunk *chunks; /* memory that nodes of this type point to */
} MPIR_Type_program;

/* The root of any type, predefined ones included. */
static inline MPII_Node MPII_Type_root(MPI_Datatype d)
{
    const MPIR_Datatype *t = MPIR_Datatype_get(d);
    if (t->program)
        return t->program->root;
    return (MPII_Node) { .kind = MPII_NODE_RUN, .depth = 1, .size = t->size, .count = 1 };
}

/* `count` times *child, `stride` apart, in its simplest form. The result may point to *child, which
 * then has to live as long; the total size is known not to overflow. */
MPII_Node MPII_Node_repeat(const MPII_Node *child, MPI_Count count, MPI_Aint stride);

/* ---- contents -------------------------------------------------------------------------------- */

/* The arguments of the constructor: `value` holds all counts and displacements in the order of the
 * call. */
typedef struct MPIR_Type_contents {
    int combiner; /* MPI_COMBINER_NAMED for predefined types that consist of several basic ones */
    bool large;   /* made by a call with MPI_Count arguments */
    bool bounded; /* lb and ub were set by MPI_Type_create_resized here or below: they rule over
                     others */
    int align;    /* the largest alignment of a basic type in it */
    MPI_Count n_values, n_types;
    MPI_Count *value;
    MPI_Datatype *type;                 /* a counted reference each */
    struct MPIR_Datatype *release_next; /* while being freed */
} MPIR_Type_contents;

/* The blocks that the contents describe: block i is length(i) items of type(i) at byte displacement
 * disp(i). */
typedef struct MPII_Layout {
    MPI_Count n;
    const MPI_Count *length;   /* or NULL: same_length */
    const MPI_Count *disp;     /* times disp_unit; NULL: i times disp_unit */
    const MPI_Datatype *types; /* or NULL: same_type */
    MPI_Count same_length;
    MPI_Count disp_unit;
    MPI_Datatype same_type;
    bool overflow; /* disp_unit does not fit; MPII_Type_measure() reports it, so that no type lives
                      on with this */
} MPII_Layout;

MPII_Layout MPII_Type_layout(const MPIR_Type_contents *c);

static inline MPI_Count MPII_Layout_length(const MPII_Layout *l, MPI_Count i)
{
    return l->length ? l->length[i] : l->same_length;
}

static inline MPI_Datatype MPII_Layout_type(const MPII_Layout *l, MPI_Count i)
{
    return l->types ? l->types[i] : l->same_type;
}

/* Overflow was ruled out when the type was made. */
static inline MPI_Aint MPII_Layout_disp(const MPII_Layout *l, MPI_Count i)
{
    return (l->disp ? l->disp[i] : i) * l->disp_unit;
}

/* Alignment of any type. */
int MPII_Type_align(MPI_Datatype d);

/* Fill in size, bounds, element counts of t from its contents. MPI_SUCCESS or an error code. */
int MPII_Type_measure(MPIR_Datatype *t);
/* Compile; t has been measured. MPI_SUCCESS or an error code. */
int MPII_Type_compile(MPIR_Datatype *t);
void MPII_Type_program_free(MPIR_Type_program *p);

/* ---- objects --------------------------------------------------------------------------------- */

/* Predefined types; lives with the process (names may be changed by the user). */
MPIR_Datatype *MPII_Type_builtin_get(MPI_Datatype handle);
int MPII_Type_builtin_align(MPI_Datatype handle);

/* A type from its contents, which become the type's. On error they are freed. */
int MPII_Type_create(MPIR_Type_contents *contents, MPI_Datatype *newtype);
void MPII_Type_contents_free(MPIR_Type_contents *c);
bool MPII_Type_needs_large(const MPIR_Type_contents *c);

#endif /* TYPE_INTERNAL_H_INCLUDED */
