/* Private to src/mpi/coll: collective operations as builders of schedules.
 *
 * An operation is a struct; an algorithm is a function that adds its steps to a schedule; choose.c
 * says which one. */
#ifndef COLL_INTERNAL_H_INCLUDED
#define COLL_INTERNAL_H_INCLUDED

#include "mpir_datatype.h"
#include "mpir_op.h"
#include "sched_internal.h"

typedef enum MPII_Coll_kind {
    MPII_BARRIER,
    MPII_BCAST,
    MPII_REDUCE,
    MPII_ALLREDUCE,
    MPII_GATHER,
    MPII_SCATTER,
    MPII_ALLGATHER,
    MPII_ALLTOALL,
    MPII_COLL_KINDS
} MPII_Coll_kind;

/* The arguments of MPI_Alltoall and its kin; what an operation has no use for stays 0. Operations
 * with one buffer or one count use recv* of it. MPI_IN_PLACE stands in sendbuf, or in recvbuf of
 * the root of a scatter. */
typedef struct MPII_Coll {
    const void *sendbuf;
    MPI_Count sendcount;
    MPI_Datatype sendtype;
    void *recvbuf;
    MPI_Count recvcount;
    MPI_Datatype recvtype;
    MPI_Op op;
    int root;
    MPIR_Comm *comm;
} MPII_Coll;

typedef void MPII_Coll_builder(MPIR_Sched *s, const MPII_Coll *c);

MPII_Coll_builder MPII_Barrier_dissemination, MPII_Barrier_central;
MPII_Coll_builder MPII_Bcast_binomial, MPII_Bcast_scatter_allgather;
MPII_Coll_builder MPII_Reduce_binomial, MPII_Reduce_ordered;
MPII_Coll_builder MPII_Allreduce_recursive_doubling, MPII_Allreduce_ring;
MPII_Coll_builder MPII_Gather_binomial, MPII_Gather_linear;
MPII_Coll_builder MPII_Scatter_binomial, MPII_Scatter_linear;
MPII_Coll_builder MPII_Allgather_recursive_doubling, MPII_Allgather_bruck, MPII_Allgather_ring;
MPII_Coll_builder MPII_Alltoall_bruck, MPII_Alltoall_spread, MPII_Alltoall_pairwise;

/* ---- choice (choose.c) ----------------------------------------------------------------------- */

/* What the choice depends on: equal in all members. bytes: of one block (one vector, one peer's
 * part). */
typedef struct MPII_Coll_case {
    MPII_Coll_kind kind;
    int size;
    MPI_Count bytes;
    MPI_Count count; /* items of a reduction */
    bool commutative;
    bool crowded; /* ranks share cores */
    bool meets; /* blocking, and the members have a place in shared memory */
} MPII_Coll_case;

typedef struct MPII_Coll_algorithm {
    const char *name;
    MPII_Coll_builder *build; /* NULL: only blocking, by run() */
    bool needs_commutative, needs_power_of_2;
    int (*run)(const MPII_Coll *c); /* at a place in shared memory, or NULL */
} MPII_Coll_algorithm;

/* The algorithm for a case: a pure function. forced: its name, or NULL or "auto"; a forced one
 * that cannot serve the case is passed over. */
const MPII_Coll_algorithm *MPII_Coll_choose(const MPII_Coll_case *what, const char *forced);
/* The same, forced by the operation's CVAR. */
const MPII_Coll_algorithm *MPII_Coll_choose_by_cvar(const MPII_Coll_case *what);
/* The i-th algorithm of a kind, or NULL. */
const MPII_Coll_algorithm *MPII_Coll_algorithm_at(MPII_Coll_kind kind, int i);
/* "MPI_Bcast" */
const char *MPII_Coll_name(MPII_Coll_kind kind);

/* ---- at a place in shared memory (shared.c) --------------------------------------------------- */

int MPII_Barrier_shared(const MPII_Coll *c);
int MPII_Bcast_shared(const MPII_Coll *c);
int MPII_Reduce_shared(const MPII_Coll *c);
int MPII_Allreduce_shared(const MPII_Coll *c);

int MPII_Shared_prepare_slow(MPII_Coll_kind kind, MPIR_Comm *comm);
/* Before a blocking operation: decides, some time, whether the members have a place. */
static inline int MPII_Shared_prepare(MPII_Coll_kind kind, MPIR_Comm *comm)
{
    return MPL_LIKELY(comm->meets >= MPIR_COMM_MEETS) ? MPI_SUCCESS
                                                      : MPII_Shared_prepare_slow(kind, comm);
}

/* ---- running (coll.c) ------------------------------------------------------------------------ */

int MPII_Coll_run(MPII_Coll_kind kind, const MPII_Coll *c);
int MPII_Coll_start(MPII_Coll_kind kind, const MPII_Coll *c, MPIR_Request **req);

/* ---- for the algorithms (coll_util.c) -------------------------------------------------------- */

static inline bool MPII_Is_power_of_2(int n)
{
    return (n & (n - 1)) == 0;
}

/* Rank from the view of a root that is 0, and back. */
static inline int MPII_Relative(int rank, int root, int size)
{
    return rank >= root ? rank - root : rank - root + size;
}
static inline int MPII_Absolute(int relative, int root, int size)
{
    return relative < size - root ? relative + root : relative - (size - root);
}

/* Where item i of a vector is. */
void *MPII_Item(const void *buf, MPI_Count i, MPI_Datatype datatype);
/* Scratch memory for count items, as a buffer address for this datatype (its lower bound may not
 * be 0). */
void *MPII_Scratch(MPIR_Sched *s, MPI_Count count, MPI_Datatype datatype);
/* Copy count items within the process, both sides of one type. */
void MPII_Copy_items(MPIR_Sched *s, const void *src, void *dst, MPI_Count count,
                     MPI_Datatype datatype);
/* Copy between items and their packed form. */
void MPII_Pack(MPIR_Sched *s, const void *buf, MPI_Count count, MPI_Datatype datatype,
               void *packed);
void MPII_Unpack(MPIR_Sched *s, const void *packed, void *buf, MPI_Count count,
                 MPI_Datatype datatype);
/* Exchange with two peers (or one) in one phase. */
typedef struct MPII_Part {
    const void *buf;
    MPI_Count count;
    MPI_Datatype datatype;
    int peer;
} MPII_Part;
void MPII_Exchange(MPIR_Sched *s, MPII_Part send, MPII_Part recv);

#endif /* COLL_INTERNAL_H_INCLUDED */
