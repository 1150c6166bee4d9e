/* Reduction operations as objects, and how one is applied. */
#include <limits.h>

#include "mpir_datatype.h"
#include "mpir_err.h"
#include "mpir_impl.h"
#include "op_internal.h"

#define INDEX(op) ((op) & 0xff)
#define PREDEFINED(op) [INDEX(op)] = { .obj = { op, 1 }, .commutative = true }

/* Lives with the process: operations belong to no epoch. MPI_REPLACE does not commute. */
static MPIR_Op predefined[MPII_OP_COUNT] = {
    PREDEFINED(MPI_MAX), PREDEFINED(MPI_MIN), PREDEFINED(MPI_SUM), PREDEFINED(MPI_PROD),
    PREDEFINED(MPI_LAND), PREDEFINED(MPI_BAND), PREDEFINED(MPI_LOR), PREDEFINED(MPI_BOR),
    PREDEFINED(MPI_LXOR), PREDEFINED(MPI_BXOR), PREDEFINED(MPI_MINLOC), PREDEFINED(MPI_MAXLOC),
    [INDEX(MPI_REPLACE)] = { .obj = { MPI_REPLACE, 1 }, .commutative = false },
    PREDEFINED(MPI_NO_OP),
};
static MPIR_Pool pool = MPIR_POOL_INIT(MPIR_OP, MPIR_Op, predefined, MPII_OP_COUNT, false);

static const struct {
    const char *name;
    unsigned groups; /* of datatypes that it may be used with */
} description[MPII_OP_COUNT] = {
#define ALL_INTEGERS (MPII_C_INTEGER | MPII_FORTRAN_INTEGER | MPII_MULTI_LANGUAGE)
    [INDEX(MPI_MAX)] = { "MPI_MAX", ALL_INTEGERS | MPII_FLOATING },
    [INDEX(MPI_MIN)] = { "MPI_MIN", ALL_INTEGERS | MPII_FLOATING },
    [INDEX(MPI_SUM)] = { "MPI_SUM", ALL_INTEGERS | MPII_FLOATING | MPII_COMPLEX },
    [INDEX(MPI_PROD)] = { "MPI_PROD", ALL_INTEGERS | MPII_FLOATING | MPII_COMPLEX },
    [INDEX(MPI_LAND)] = { "MPI_LAND", MPII_C_INTEGER | MPII_LOGICAL },
    [INDEX(MPI_LOR)] = { "MPI_LOR", MPII_C_INTEGER | MPII_LOGICAL },
    [INDEX(MPI_LXOR)] = { "MPI_LXOR", MPII_C_INTEGER | MPII_LOGICAL },
    [INDEX(MPI_BAND)] = { "MPI_BAND", ALL_INTEGERS | MPII_BYTE },
    [INDEX(MPI_BOR)] = { "MPI_BOR", ALL_INTEGERS | MPII_BYTE },
    [INDEX(MPI_BXOR)] = { "MPI_BXOR", ALL_INTEGERS | MPII_BYTE },
    [INDEX(MPI_MINLOC)] = { "MPI_MINLOC", MPII_PAIR },
    [INDEX(MPI_MAXLOC)] = { "MPI_MAXLOC", MPII_PAIR },
    [INDEX(MPI_REPLACE)] = { "MPI_REPLACE", 0 }, /* one-sided communication only */
    [INDEX(MPI_NO_OP)] = { "MPI_NO_OP", 0 },
};

static bool is_predefined(MPI_Op op)
{
    return MPIR_HANDLE_KIND(op) == MPIR_HANDLE_BUILTIN;
}

MPIR_Op *MPIR_Op_get(MPI_Op op)
{
    return MPIR_Pool_get(&pool, op);
}

void MPIR_Op_add_ref(MPI_Op op)
{
    if (!is_predefined(op))
        MPIR_Object_add_ref(&MPIR_Op_get(op)->obj);
}

void MPIR_Op_release(MPI_Op op)
{
    if (is_predefined(op))
        return;
    MPIR_Op *object = MPIR_Op_get(op);
    if (MPIR_Object_release(&object->obj))
        MPIR_Pool_free(&pool, object);
}

bool MPIR_Op_is_commutative(MPI_Op op)
{
    return MPIR_Op_get(op)->commutative;
}

/* ---- use ------------------------------------------------------------------------------------- */

static MPII_Op_loop *loop_of(MPI_Op op, const MPII_Op_type *type)
{
    if (op == MPI_MINLOC || op == MPI_MAXLOC)
        return MPII_Op_loc[op == MPI_MAXLOC][type->kind];
    return MPII_Op_arith[INDEX(op)][type->kind];
}

int MPIR_Op_check(MPI_Op op, MPI_Datatype datatype)
{
    if (!is_predefined(op))
        return MPI_SUCCESS;
    const MPII_Op_type *type = MPII_Op_type_of(datatype);
    if (description[INDEX(op)].groups == 0)
        return MPIR_Err("**op_rma", description[INDEX(op)].name);
    if (!type || !(type->group & description[INDEX(op)].groups) || !loop_of(op, type))
        return MPIR_Err("**op_type", description[INDEX(op)].name,
                        MPIR_Datatype_get(datatype)->name);
    return MPI_SUCCESS;
}

/* A function with an int count gets long vectors in parts. */
static void apply_small(const MPIR_Op *op, const char *in, char *inout, MPI_Count count,
                        MPI_Datatype datatype)
{
    while (count > 0) {
        int n = (int) MPL_MIN(count, INT_MAX);
        op->fn.small((void *) in, inout, &n, &datatype);
        count -= n;
        if (count > 0) {
            MPI_Aint step = MPIR_Datatype_get(datatype)->extent * (MPI_Aint) INT_MAX;
            in += step;
            inout += step;
        }
    }
}

static void apply_user(const MPIR_Op *op, const void *in, void *inout, MPI_Count count,
                       MPI_Datatype datatype)
{
    if (!op->large)
        apply_small(op, in, inout, count, datatype);
    else if (count > 0)
        op->fn.large((void *) in, inout, &count, &datatype);
}

void MPIR_Op_apply(MPI_Op op, const void *in, void *inout, MPI_Count count, MPI_Datatype datatype)
{
    if (is_predefined(op))
        loop_of(op, MPII_Op_type_of(datatype))(in, inout, count);
    else
        apply_user(MPIR_Op_get(op), in, inout, count, datatype);
}

/* ---- MPI functions --------------------------------------------------------------------------- */

static int create(const MPIR_Op *model, MPI_Op *op)
{
    MPIR_Op *object = MPIR_Pool_alloc(&pool);
    if (!object)
        return MPIR_Err("**op_nomem");
    object->commutative = model->commutative;
    object->large = model->large;
    object->fn = model->fn;
    *op = object->obj.handle;
    return MPI_SUCCESS;
}

int MPIR_Op_create_impl(MPI_User_function *user_fn, int commute, MPI_Op *op)
{
    return create(&(MPIR_Op) { .commutative = commute != 0, .fn.small = user_fn }, op);
}

int MPIR_Op_create_c_impl(MPI_User_function_c *user_fn, int commute, MPI_Op *op)
{
    return create(&(MPIR_Op) { .commutative = commute != 0, .large = true, .fn.large = user_fn },
                  op);
}

int MPIR_Op_free_impl(MPI_Op op)
{
    if (is_predefined(op))
        return MPIR_Err("**op_free_predefined", description[INDEX(op)].name);
    MPIR_Op_release(op);
    return MPI_SUCCESS;
}

int MPIR_Op_commutative_impl(MPI_Op op, int *commute)
{
    *commute = MPIR_Op_is_commutative(op);
    return MPI_SUCCESS;
}

int MPIR_Reduce_local_impl(const void *inbuf, void *inoutbuf, MPI_Count count,
                           MPI_Datatype datatype, MPI_Op op)
{
    if (count > 0)
        MPIR_Op_apply(op, inbuf, inoutbuf, count, datatype);
    return MPI_SUCCESS;
}
