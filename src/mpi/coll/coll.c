/* Collective operations: from arguments to a schedule that runs. */
#include "coll_internal.h"
#include "mpir_err.h"
#include "mpir_impl.h"

/* Bytes of one block. Only what is significant at every rank may be looked at, or ranks would
 * choose differently: a gather's recvcount is the root's, a scatter's sendcount too, but the
 * number of bytes in a block is the same. */
static MPI_Count block_bytes(MPII_Coll_kind kind, const MPII_Coll *c)
{
    bool use_send = (kind == MPII_GATHER && c->comm->rank != c->root)
        || (kind == MPII_SCATTER && c->comm->rank == c->root);
    if (kind == MPII_BARRIER)
        return 0;
    return use_send ? MPIR_Datatype_bytes(c->sendtype, c->sendcount)
                    : MPIR_Datatype_bytes(c->recvtype, c->recvcount);
}

static const MPII_Coll_algorithm *choose(MPII_Coll_kind kind, const MPII_Coll *c, bool meets)
{
    bool reduces = kind == MPII_REDUCE || kind == MPII_ALLREDUCE;
    MPII_Coll_case what = {
        .kind = kind,
        .size = c->comm->size,
        .bytes = block_bytes(kind, c),
        .count = c->recvcount,
        .commutative = !reduces || MPIR_Op_is_commutative(c->op),
        .crowded = MPIR_Process.crowded,
        .meets = meets,
    };
    return MPII_Coll_choose_by_cvar(&what);
}

static MPIR_Sched *build(MPII_Coll_kind kind, const MPII_Coll *c, const MPII_Coll_algorithm *a)
{
    MPIR_Sched *s = MPIR_Sched_create(c->comm);
    if (s) {
        MPIR_Sched_name(s, MPII_Coll_name(kind));
        a->build(s, c);
    }
    return s;
}

int MPII_Coll_run(MPII_Coll_kind kind, const MPII_Coll *c)
{
    int error = MPII_Shared_prepare(kind, c->comm);
    if (error)
        return error;
    const MPII_Coll_algorithm *a = choose(kind, c, c->comm->meets == MPIR_COMM_MEETS);
    return a->run ? a->run(c) : MPIR_Sched_run(build(kind, c, a));
}

int MPII_Coll_start(MPII_Coll_kind kind, const MPII_Coll *c, MPIR_Request **req)
{
    return MPIR_Sched_start(build(kind, c, choose(kind, c, false)), req);
}

/* ---- MPI functions --------------------------------------------------------------------------- */

/* The parameters of an entry point, by the names that the standard gives them. */
#define BUFFER_ARGS                                                                                \
    &(MPII_Coll) { .recvbuf = buffer, .recvcount = count, .recvtype = datatype, .root = root,      \
                   .comm = comm }
#define REDUCE_ARGS(root_)                                                                         \
    &(MPII_Coll) { .sendbuf = sendbuf, .recvbuf = recvbuf, .recvcount = count,                     \
                   .recvtype = datatype, .op = op, .root = root_, .comm = comm }
#define BLOCK_ARGS(root_)                                                                          \
    &(MPII_Coll) { .sendbuf = sendbuf, .sendcount = sendcount, .sendtype = sendtype,               \
                   .recvbuf = recvbuf, .recvcount = recvcount, .recvtype = recvtype,               \
                   .root = root_, .comm = comm }

int MPIR_Barrier_impl(MPIR_Comm *comm)
{
    return MPII_Coll_run(MPII_BARRIER, &(MPII_Coll) { .comm = comm });
}

int MPIR_Ibarrier_impl(MPIR_Comm *comm, MPIR_Request **request)
{
    return MPII_Coll_start(MPII_BARRIER, &(MPII_Coll) { .comm = comm }, request);
}

int MPIR_Bcast_impl(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPIR_Comm *comm)
{
    return MPII_Coll_run(MPII_BCAST, BUFFER_ARGS);
}

int MPIR_Ibcast_impl(void *buffer, MPI_Count count, MPI_Datatype datatype, int root,
                     MPIR_Comm *comm, MPIR_Request **request)
{
    return MPII_Coll_start(MPII_BCAST, BUFFER_ARGS, request);
}

int MPIR_Reduce_impl(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                     MPI_Op op, int root, MPIR_Comm *comm)
{
    return MPII_Coll_run(MPII_REDUCE, REDUCE_ARGS(root));
}

int MPIR_Ireduce_impl(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                      MPI_Op op, int root, MPIR_Comm *comm, MPIR_Request **request)
{
    return MPII_Coll_start(MPII_REDUCE, REDUCE_ARGS(root), request);
}

int MPIR_Allreduce_impl(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Op op, MPIR_Comm *comm)
{
    return MPII_Coll_run(MPII_ALLREDUCE, REDUCE_ARGS(0));
}

int MPIR_Iallreduce_impl(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                         MPI_Op op, MPIR_Comm *comm, MPIR_Request **request)
{
    return MPII_Coll_start(MPII_ALLREDUCE, REDUCE_ARGS(0), request);
}

int MPIR_Gather_impl(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, int root, MPIR_Comm *comm)
{
    return MPII_Coll_run(MPII_GATHER, BLOCK_ARGS(root));
}

int MPIR_Igather_impl(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                      MPIR_Comm *comm, MPIR_Request **request)
{
    return MPII_Coll_start(MPII_GATHER, BLOCK_ARGS(root), request);
}

int MPIR_Scatter_impl(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                      MPIR_Comm *comm)
{
    return MPII_Coll_run(MPII_SCATTER, BLOCK_ARGS(root));
}

int MPIR_Iscatter_impl(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                       void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                       MPIR_Comm *comm, MPIR_Request **request)
{
    return MPII_Coll_start(MPII_SCATTER, BLOCK_ARGS(root), request);
}

int MPIR_Allgather_impl(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                        void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPIR_Comm *comm)
{
    return MPII_Coll_run(MPII_ALLGATHER, BLOCK_ARGS(0));
}

int MPIR_Iallgather_impl(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                         void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPIR_Comm *comm,
                         MPIR_Request **request)
{
    return MPII_Coll_start(MPII_ALLGATHER, BLOCK_ARGS(0), request);
}

int MPIR_Alltoall_impl(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                       void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPIR_Comm *comm)
{
    return MPII_Coll_run(MPII_ALLTOALL, BLOCK_ARGS(0));
}

int MPIR_Ialltoall_impl(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                        void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPIR_Comm *comm,
                        MPIR_Request **request)
{
    return MPII_Coll_start(MPII_ALLTOALL, BLOCK_ARGS(0), request);
}

/* ---- for the inside of the library ----------------------------------------------------------- */

int MPIR_Barrier_intra(MPIR_Comm *comm)
{
    return MPIR_Barrier_impl(comm);
}

int MPIR_Bcast_intra(void *buf, MPI_Count count, MPI_Datatype dt, int root, MPIR_Comm *comm)
{
    return MPIR_Bcast_impl(buf, count, dt, root, comm);
}

int MPIR_Allgather_intra(const void *sendbuf, void *recvbuf, MPI_Count bytes_each, MPIR_Comm *comm)
{
    return MPIR_Allgather_impl(sendbuf, bytes_each, MPI_BYTE, recvbuf, bytes_each, MPI_BYTE, comm);
}
