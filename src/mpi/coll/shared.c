/* Collectives at a place in shared memory, for communicators whose members all are on this node:
 * no messages, and each rank has to be scheduled once or twice. Blocking forms only; nothing has to
 * be advanced while nobody waits.
 *
 * The members agree on a place by messages, when the communicator is used for the second time by an
 * operation in which all wait for all anyway: those that are made for one barrier pay nothing.
 */
#include <stdlib.h>

#include "coll_internal.h"
#include "mpir_err.h"
#include "mpir_process.h"

/* With a core for each rank, rounds of messages scale better than one counter. */
#define UNCROWDED_MAX_SIZE 8

/* ---- agreeing on a place --------------------------------------------------------------------- */

typedef struct Agreement {
    MPIR_Comm *comm;
    int number; /* of the place */
    int can_look[]; /* by rank; of another than 0 the first is its own */
} Agreement;

static int give(void *arg)
{
    Agreement *a = arg;
    for (int i = 0; i < a->comm->size; i++)
        if (!a->can_look[i])
            return MPI_SUCCESS;
    a->number = MPID_Meet_give(a->comm);
    return MPI_SUCCESS;
}

static void add_steps(MPIR_Sched *s, Agreement *a)
{
    MPIR_Comm *comm = a->comm;
    if (comm->rank != 0) {
        MPIR_Sched_send(s, a->can_look, 1, MPI_INT, 0);
        MPIR_Sched_recv(s, &a->number, 1, MPI_INT, 0);
        return;
    }
    for (int i = 1; i < comm->size; i++)
        MPIR_Sched_recv(s, &a->can_look[i], 1, MPI_INT, i);
    MPIR_Sched_fence(s);
    MPIR_Sched_call(s, give, a);
    MPIR_Sched_fence(s);
    for (int i = 1; i < comm->size; i++)
        MPIR_Sched_send(s, &a->number, 1, MPI_INT, i);
}

static int agree(MPIR_Comm *comm, MPII_Coll_kind kind)
{
    size_t size = sizeof(Agreement) + (size_t) comm->size * sizeof(int);
    MPIR_Sched *s = MPIR_Sched_create(comm);
    Agreement *a = malloc(size);
    if (a) {
        *a = (Agreement) { .comm = comm, .number = -1 };
        a->can_look[0] = MPID_Meet_can_look(comm);
        if (s) {
            MPIR_Sched_name(s, MPII_Coll_name(kind));
            add_steps(s, a);
        }
    }
    int error = MPIR_Sched_run(s);
    if (!error)
        error = a ? MPID_Meet_open(comm, a->number) : MPIR_Err("**sched_nomem", (long) size);
    comm->meets = error || a->number < 0 ? MPIR_COMM_MEETS_NEVER : MPIR_COMM_MEETS;
    free(a);
    return error;
}

int MPII_Shared_prepare_slow(MPII_Coll_kind kind, MPIR_Comm *comm)
{
    if (kind != MPII_BARRIER && kind != MPII_ALLREDUCE)
        return MPI_SUCCESS;
    if (comm->meets == MPIR_COMM_MEETS_SOON)
        return agree(comm, kind);
    bool may = (MPIR_Process.crowded || comm->size <= UNCROWDED_MAX_SIZE)
        && MPID_Meet_possible(comm);
    comm->meets = may ? MPIR_COMM_MEETS_SOON : MPIR_COMM_MEETS_NEVER;
    return MPI_SUCCESS;
}

/* ---- operations ------------------------------------------------------------------------------ */

static MPID_Meeting meeting(MPII_Coll_kind kind, const MPII_Coll *c)
{
    return (MPID_Meeting) { .comm = c->comm, .what = MPII_Coll_name(kind),
                            .for_whom = MPID_MEET_ALL };
}

int MPII_Barrier_shared(const MPII_Coll *c)
{
    MPID_Meeting m = meeting(MPII_BARRIER, c);
    int error = MPID_Meet_begin(&m, false);
    if (error)
        return error;
    error = MPID_Meet_all(&m);
    MPID_Meet_end(c->comm);
    return error;
}

static size_t bytes_of(const MPII_Coll *c)
{
    return (size_t) MPIR_Datatype_bytes(c->recvtype, c->recvcount);
}

/* Into this member's buffer, packed. */
static void bring(const MPII_Coll *c, const void *own)
{
    MPIR_Datatype_pack(own, c->recvcount, c->recvtype, 0,
                       MPID_Meet_buffer(c->comm, c->comm->rank, bytes_of(c)), bytes_of(c));
}

static void take(const MPII_Coll *c, int rank, void *to)
{
    MPIR_Datatype_unpack(to, c->recvcount, c->recvtype, 0, MPID_Meet_buffer(c->comm, rank, bytes_of(c)),
                         bytes_of(c));
}

int MPII_Bcast_shared(const MPII_Coll *c)
{
    MPID_Meeting m = meeting(MPII_BCAST, c);
    bool is_root = c->comm->rank == c->root;
    int error = MPID_Meet_begin(&m, is_root);
    if (error)
        return error;
    m.for_whom = c->root;
    if (is_root) {
        bring(c, c->recvbuf);
        MPID_Meet_come(c->comm, MPID_MEET_ALL);
    } else if (!(error = MPID_Meet_wait(&m))) {
        take(c, c->root, c->recvbuf);
    }
    MPID_Meet_end(c->comm);
    return error;
}

/* Lies a vector packed as it lies in memory? Then it can be read where it is; but not by a user's
 * function, which might write to it, too. */
static bool can_read_in_place(const MPII_Coll *c)
{
    MPI_Aint start = 0;
    return MPIR_HANDLE_KIND(c->op) == MPIR_HANDLE_BUILTIN
        && MPIR_Datatype_is_run(c->recvtype, c->recvcount, &start) && start == 0;
}

/* All vectors, in the order of ranks, into the result. `scratch` for one, or NULL. */
static void reduce_all(const MPII_Coll *c, void *scratch)
{
    int last = c->comm->size - 1;
    take(c, last, c->recvbuf);
    for (int i = last - 1; i >= 0; i--) {
        const void *in = scratch ? scratch : MPID_Meet_buffer(c->comm, i, bytes_of(c));
        if (scratch)
            take(c, i, scratch);
        MPIR_Op_apply(c->op, in, c->recvbuf, c->recvcount, c->recvtype);
    }
}

static int reduce_here(const MPII_Coll *c)
{
    if (can_read_in_place(c)) {
        reduce_all(c, NULL);
        return MPI_SUCCESS;
    }
    MPIR_Sched *s = MPIR_Sched_create_part(c->comm, 0); /* only for its memory */
    void *scratch = s ? MPII_Scratch(s, c->recvcount, c->recvtype) : NULL;
    if (s && (scratch || c->recvcount == 0))
        reduce_all(c, scratch);
    return MPIR_Sched_run(s); /* says if there was no memory */
}

/* Every member of a reduction brings its vector. */
static int begin_reduction(const MPII_Coll *c, const MPID_Meeting *m)
{
    int error = MPID_Meet_begin(m, true);
    if (!error)
        bring(c, c->sendbuf == MPI_IN_PLACE ? c->recvbuf : c->sendbuf);
    return error;
}

int MPII_Allreduce_shared(const MPII_Coll *c)
{
    MPID_Meeting m = meeting(MPII_ALLREDUCE, c);
    int error = begin_reduction(c, &m);
    if (error)
        return error;
    error = MPID_Meet_all(&m);
    if (!error)
        error = reduce_here(c);
    MPID_Meet_end(c->comm);
    return error;
}

/* The root's own vector goes the same way, so that the order of ranks is kept. */
int MPII_Reduce_shared(const MPII_Coll *c)
{
    MPID_Meeting m = meeting(MPII_REDUCE, c);
    int error = begin_reduction(c, &m);
    if (error)
        return error;
    MPID_Meet_come(c->comm, c->root);
    if (c->comm->rank == c->root && !(error = MPID_Meet_wait(&m)))
        error = reduce_here(c);
    MPID_Meet_end(c->comm);
    return error;
}
