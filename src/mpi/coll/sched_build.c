/* Schedules: building and freeing. */
#include <limits.h>
#include <stdlib.h>

#include "mpir_datatype.h"
#include "mpir_err.h"
#include "mpir_op.h"
#include "sched_internal.h"

/* Blocks of the usual size that are not in use: a small collective costs no malloc. Lives with the
 * process. */
#define SPARE_MAX 8
static struct {
    MPII_Block *list;
    int n;
} spare;

/* ---- memory ---------------------------------------------------------------------------------- */

static MPII_Block *block_new(size_t size)
{
    MPII_Block *b;
    if (size <= MPII_BLOCK_SIZE && spare.list) {
        b = spare.list;
        spare.list = b->next;
        spare.n--;
    } else {
        b = malloc(sizeof *b + MPL_MAX(size, MPII_BLOCK_SIZE));
        if (!b)
            return NULL;
        b->size = MPL_MAX(size, MPII_BLOCK_SIZE);
    }
    b->next = NULL;
    b->used = 0;
    return b;
}

static void block_free(MPII_Block *b)
{
    if (b->size == MPII_BLOCK_SIZE && spare.n < SPARE_MAX) {
        b->next = spare.list;
        spare.list = b;
        spare.n++;
    } else {
        free(b);
    }
}

static void *block_take(MPII_Block *b, size_t size)
{
    if (b->size - b->used < size)
        return NULL;
    void *p = b->bytes + b->used;
    b->used += size;
    return p;
}

void *MPIR_Sched_alloc(MPIR_Sched *s, size_t size)
{
    if (!s)
        return NULL;
    /* Round up to keep what follows aligned for every type. */
    size = MPL_ROUND_UP(MPL_MAX(size, 1), 16);
    void *p = block_take(s->block, size);
    if (p)
        return p;
    MPII_Block *b = block_new(size);
    if (!b) {
        if (!s->error)
            s->error = MPIR_Err("**sched_nomem", (long) size);
        return NULL;
    }
    /* A big piece goes behind the newest block, whose rest stays of use. */
    if (b->size > MPII_BLOCK_SIZE) {
        b->next = s->block->next;
        s->block->next = b;
    } else {
        b->next = s->block;
        s->block = b;
    }
    return block_take(b, size);
}

static MPIR_Sched *create(MPIR_Comm *comm, int tag, uint8_t ctx_bits)
{
    MPII_Block *b = block_new(MPII_BLOCK_SIZE);
    if (!b)
        return NULL;
    MPIR_Sched *s = block_take(b, MPL_ROUND_UP(sizeof *s, 16));
    *s = (MPIR_Sched) { .comm = comm, .tag = tag, .ctx_bits = ctx_bits, .block = b };
    s->what = "collective operation";
    return s;
}

MPIR_Sched *MPIR_Sched_create(MPIR_Comm *comm)
{
    int tag = (int) (comm->coll_seq & INT_MAX);
    comm->coll_seq++;
    return create(comm, tag, MPIR_CTX_COLL);
}

MPIR_Sched *MPIR_Sched_create_part(MPIR_Comm *comm, int tag)
{
    return create(comm, tag, MPIR_CTX_PART);
}

void MPIR_Sched_name(MPIR_Sched *s, const char *what)
{
    if (s)
        s->what = what;
}

/* ---- references to the user's types and operations ------------------------------------------- */

static void hold_datatype(MPIR_Sched *s, MPI_Datatype datatype)
{
    if (!MPIR_Datatype_is_builtin(datatype)) {
        MPIR_Datatype_add_ref(datatype);
        s->holds = true;
    }
}

static void hold_op(MPIR_Sched *s, MPI_Op op)
{
    if (MPIR_HANDLE_KIND(op) != MPIR_HANDLE_BUILTIN) {
        MPIR_Op_add_ref(op);
        s->holds = true;
    }
}

static void let_go(const MPII_Step *step)
{
    if (step->kind > MPII_STEP_COPY)
        return;
    if (!MPIR_Datatype_is_builtin(step->datatype))
        MPIR_Datatype_release(step->datatype);
    if (step->kind == MPII_STEP_REDUCE)
        MPIR_Op_release(step->u.op);
    if (step->kind == MPII_STEP_COPY && !MPIR_Datatype_is_builtin(step->u.to.datatype))
        MPIR_Datatype_release(step->u.to.datatype);
}

void MPII_Sched_free(MPIR_Sched *s)
{
    if (s->holds)
        for (MPII_Step *step = s->first; step; step = step->next)
            let_go(step);
    for (MPII_Block *b = s->block, *next; b; b = next) {
        next = b->next; /* s itself lies in one of the blocks: not touched from here on */
        block_free(b);
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* A step at the end; NULL when the schedule is broken, which makes the builders do nothing. */
static MPII_Step *add(MPIR_Sched *s, MPII_Step_kind kind)
{
    if (!s)
        return NULL;
    MPII_Step *step = MPIR_Sched_alloc(s, sizeof *step);
    if (!step)
        return NULL;
    step->next = NULL;
    step->kind = kind;
    if (s->last)
        s->last->next = step;
    else
        s->first = step;
    s->last = step;
    return step;
}

void MPIR_Sched_send(MPIR_Sched *s, const void *buf, MPI_Count count, MPI_Datatype dt, int dest)
{
    MPII_Step *step = add(s, MPII_STEP_SEND);
    if (!step)
        return;
    step->peer = dest;
    step->src = buf;
    step->count = count;
    step->datatype = dt;
    step->u.req = NULL;
    hold_datatype(s, dt);
}

void MPIR_Sched_recv(MPIR_Sched *s, void *buf, MPI_Count count, MPI_Datatype dt, int src)
{
    MPII_Step *step = add(s, MPII_STEP_RECV);
    if (!step)
        return;
    step->peer = src;
    step->dst = buf;
    step->count = count;
    step->datatype = dt;
    step->u.req = NULL;
    hold_datatype(s, dt);
}

void MPIR_Sched_reduce(MPIR_Sched *s, const void *in, void *inout, MPI_Count count, MPI_Datatype dt,
                       MPI_Op op)
{
    MPII_Step *step = count > 0 ? add(s, MPII_STEP_REDUCE) : NULL;
    if (!step)
        return;
    step->src = in;
    step->dst = inout;
    step->count = count;
    step->datatype = dt;
    step->u.op = op;
    hold_datatype(s, dt);
    hold_op(s, op);
}

void MPIR_Sched_copy(MPIR_Sched *s, const MPIR_Sched_copy_args *args)
{
    bool nothing = args->scount == 0 || args->dcount == 0 || args->src == args->dst;
    MPII_Step *step = nothing ? NULL : add(s, MPII_STEP_COPY);
    if (!step)
        return;
    step->src = args->src;
    step->count = args->scount;
    step->datatype = args->sdt;
    step->dst = args->dst;
    step->u.to.count = args->dcount;
    step->u.to.datatype = args->ddt;
    hold_datatype(s, args->sdt);
    hold_datatype(s, args->ddt);
}

void MPIR_Sched_call(MPIR_Sched *s, int (*fn)(void *arg), void *arg)
{
    MPII_Step *step = add(s, MPII_STEP_CALL);
    if (!step)
        return;
    step->u.call = fn;
    step->dst = arg;
}

void MPIR_Sched_fence(MPIR_Sched *s)
{
    if (s && s->last && s->last->kind != MPII_STEP_FENCE)
        add(s, MPII_STEP_FENCE);
}
