/* Which algorithm serves which case: one table, a pure function, and a CVAR an operation to
 * overrule it. */
#include <limits.h>
#include <string.h>

#include "coll_internal.h"
#include "mpir_cvar.h"

MPIR_CVAR_STRING(BARRIER_ALGORITHM, "auto", "auto|shared|central|dissemination",
                 "Algorithm of MPI_Barrier.")
MPIR_CVAR_STRING(BCAST_ALGORITHM, "auto", "auto|shared|binomial|scatter_allgather",
                 "Algorithm of MPI_Bcast.")
MPIR_CVAR_STRING(REDUCE_ALGORITHM, "auto", "auto|shared|binomial|ordered",
                 "Algorithm of MPI_Reduce.")
MPIR_CVAR_STRING(ALLREDUCE_ALGORITHM, "auto", "auto|shared|recursive_doubling|ring",
                 "Algorithm of MPI_Allreduce.")
MPIR_CVAR_STRING(GATHER_ALGORITHM, "auto", "auto|binomial|linear", "Algorithm of MPI_Gather.")
MPIR_CVAR_STRING(SCATTER_ALGORITHM, "auto", "auto|binomial|linear", "Algorithm of MPI_Scatter.")
MPIR_CVAR_STRING(ALLGATHER_ALGORITHM, "auto", "auto|recursive_doubling|bruck|ring",
                 "Algorithm of MPI_Allgather.")
MPIR_CVAR_STRING(ALLTOALL_ALGORITHM, "auto", "auto|bruck|spread|pairwise",
                 "Algorithm of MPI_Alltoall.")

#define MAX_ALGORITHMS 4

/* Per operation: its algorithms, and up to which size of a block the choice falls on each. They
 * are tried in order; one whose needs the case does not meet is passed over. The last one has no
 * limit and no needs. */
static const struct {
    const char *name;
    const char *const *forced;
    struct {
        MPII_Coll_algorithm algorithm;
        MPI_Count max_bytes;
    } row[MAX_ALGORITHMS];
} table[MPII_COLL_KINDS] = {
#define ANY LLONG_MAX
    [MPII_BARRIER] = { "MPI_Barrier", &MPIR_CVAR_BARRIER_ALGORITHM,
        { { { "shared", NULL, false, false, MPII_Barrier_shared }, ANY },
          { { "central", MPII_Barrier_central, false, false, NULL }, ANY },
          { { "dissemination", MPII_Barrier_dissemination, false, false, NULL }, ANY } } },
    [MPII_BCAST] = { "MPI_Bcast", &MPIR_CVAR_BCAST_ALGORITHM,
        { { { "shared", NULL, false, false, MPII_Bcast_shared }, MPID_MEET_BYTES },
          { { "binomial", MPII_Bcast_binomial, false, false, NULL }, 64 << 10 },
          { { "scatter_allgather", MPII_Bcast_scatter_allgather, false, false, NULL }, ANY } } },
    [MPII_REDUCE] = { "MPI_Reduce", &MPIR_CVAR_REDUCE_ALGORITHM,
        { { { "shared", NULL, false, false, MPII_Reduce_shared }, MPID_MEET_BYTES },
          { { "binomial", MPII_Reduce_binomial, true, false, NULL }, ANY },
          { { "ordered", MPII_Reduce_ordered, false, false, NULL }, ANY } } },
    [MPII_ALLREDUCE] = { "MPI_Allreduce", &MPIR_CVAR_ALLREDUCE_ALGORITHM,
        { { { "shared", NULL, false, false, MPII_Allreduce_shared }, MPID_MEET_BYTES },
          { { "recursive_doubling",
              MPII_Allreduce_recursive_doubling, false, false, NULL }, 16 << 10 },
          { { "ring", MPII_Allreduce_ring, true, false, NULL }, ANY },
          { { "recursive_doubling",
              MPII_Allreduce_recursive_doubling, false, false, NULL }, ANY } } },
    [MPII_GATHER] = { "MPI_Gather", &MPIR_CVAR_GATHER_ALGORITHM,
        { { { "binomial", MPII_Gather_binomial, false, false, NULL }, 2 << 10 },
          { { "linear", MPII_Gather_linear, false, false, NULL }, ANY } } },
    [MPII_SCATTER] = { "MPI_Scatter", &MPIR_CVAR_SCATTER_ALGORITHM,
        { { { "binomial", MPII_Scatter_binomial, false, false, NULL }, 2 << 10 },
          { { "linear", MPII_Scatter_linear, false, false, NULL }, ANY } } },
    [MPII_ALLGATHER] = { "MPI_Allgather", &MPIR_CVAR_ALLGATHER_ALGORITHM,
        { { { "recursive_doubling",
              MPII_Allgather_recursive_doubling, false, true, NULL }, 16 << 10 },
          { { "bruck", MPII_Allgather_bruck, false, false, NULL }, 1 << 10 },
          { { "ring", MPII_Allgather_ring, false, false, NULL }, ANY } } },
    [MPII_ALLTOALL] = { "MPI_Alltoall", &MPIR_CVAR_ALLTOALL_ALGORITHM,
        { { { "bruck", MPII_Alltoall_bruck, false, false, NULL }, 64 },
          { { "spread", MPII_Alltoall_spread, false, false, NULL }, 32 << 10 },
          { { "pairwise", MPII_Alltoall_pairwise, false, false, NULL }, ANY } } },
};

/* Below this, halving the number of rounds by the bruck algorithm does not pay for its copies. */
#define BRUCK_ALLTOALL_MIN_SIZE 8
/* Beyond this rank 0 has too much to do. */
#define CENTRAL_BARRIER_MAX_SIZE 64

const char *MPII_Coll_name(MPII_Coll_kind kind)
{
    return table[kind].name;
}

const MPII_Coll_algorithm *MPII_Coll_algorithm_at(MPII_Coll_kind kind, int i)
{
    const MPII_Coll_algorithm *a = i < MAX_ALGORITHMS ? &table[kind].row[i].algorithm : NULL;
    return a && a->name ? a : NULL;
}

static bool can_serve(const MPII_Coll_algorithm *a, const MPII_Coll_case *what)
{
    return (!a->run || (what->meets && what->bytes <= MPID_MEET_BYTES))
        && (!a->needs_commutative || what->commutative)
        && (!a->needs_power_of_2 || MPII_Is_power_of_2(what->size));
}

static bool is_worth_it(const MPII_Coll_algorithm *a, const MPII_Coll_case *what)
{
    if (a->build == MPII_Alltoall_bruck)
        return what->size >= BRUCK_ALLTOALL_MIN_SIZE;
    if (a->build == MPII_Barrier_central)
        return what->crowded && what->size > 2 && what->size <= CENTRAL_BARRIER_MAX_SIZE;
    if (a->build == MPII_Allreduce_ring)
        return what->count >= what->size;
    return true;
}

static const MPII_Coll_algorithm *find_forced(const MPII_Coll_case *what, const char *name)
{
    const MPII_Coll_algorithm *a;
    for (int i = 0; (a = MPII_Coll_algorithm_at(what->kind, i)); i++)
        if (strcmp(a->name, name) == 0 && can_serve(a, what))
            return a;
    return NULL;
}

const MPII_Coll_algorithm *MPII_Coll_choose(const MPII_Coll_case *what, const char *forced)
{
    const MPII_Coll_algorithm *a = NULL;
    if (forced && strcmp(forced, "auto") != 0)
        a = find_forced(what, forced);
    if (a)
        return a;
    for (int i = 0; (a = MPII_Coll_algorithm_at(what->kind, i)); i++)
        if (what->bytes <= table[what->kind].row[i].max_bytes && can_serve(a, what)
            && is_worth_it(a, what))
            break;
    return a;
}

const MPII_Coll_algorithm *MPII_Coll_choose_by_cvar(const MPII_Coll_case *what)
{
    return MPII_Coll_choose(what, *table[what->kind].forced);
}
