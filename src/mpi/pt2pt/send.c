/* Standard, synchronous and ready sends. */
#include "pt2pt.h"

/* A message that goes out, from the arguments of the call. */
static inline MPID_Msg message(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                               int tag)
{
    return (MPID_Msg) { .buf = (void *) buf,
                        .count = count,
                        .datatype = datatype,
                        .rank = dest,
                        .tag = tag,
                        .ctx_bits = MPIR_CTX_PT2PT };
}

/* ---- blocking -------------------------------------------------------------------------------- */

static inline int send_now(MPID_Msg *msg, MPIR_Comm *comm, MPID_Mode mode)
{
    if (MPL_UNLIKELY(msg->rank == MPI_PROC_NULL))
        return MPI_SUCCESS;
    int err = MPIR_Datatype_check_count(msg->datatype, msg->count);
    if (MPL_UNLIKELY(err != MPI_SUCCESS))
        return err;
    msg->comm = comm;
    msg->mode = (uint8_t) mode;
    return MPID_Send(msg);
}

int MPIR_Send_impl(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                   MPIR_Comm *comm_ptr)
{
    MPID_Msg msg = message(buf, count, datatype, dest, tag);
    return send_now(&msg, comm_ptr, MPID_STANDARD);
}

int MPIR_Ssend_impl(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                    MPIR_Comm *comm_ptr)
{
    MPID_Msg msg = message(buf, count, datatype, dest, tag);
    return send_now(&msg, comm_ptr, MPID_SYNC);
}

int MPIR_Rsend_impl(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                    MPIR_Comm *comm_ptr)
{
    MPID_Msg msg = message(buf, count, datatype, dest, tag);
    return send_now(&msg, comm_ptr, MPID_READY);
}

/* ---- nonblocking ----------------------------------------------------------------------------- */

int MPII_Isend(const MPID_Msg *msg, MPIR_Request **req)
{
    *req = NULL;
    if (MPL_UNLIKELY(msg->rank == MPI_PROC_NULL))
        return MPI_SUCCESS;
    int err = MPIR_Datatype_check_count(msg->datatype, msg->count);
    if (MPL_UNLIKELY(err != MPI_SUCCESS))
        return err;
    return MPID_Isend(msg, req);
}

static inline int start(MPID_Msg *msg, MPIR_Comm *comm, MPID_Mode mode, MPIR_Request **request)
{
    MPIR_Request *req;
    msg->comm = comm;
    msg->mode = (uint8_t) mode;
    int err = MPII_Isend(msg, &req);
    if (MPL_LIKELY(err == MPI_SUCCESS))
        *request = req ? req : MPIR_REQUEST_COMPLETE;
    return err;
}

int MPIR_Isend_impl(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                    MPIR_Comm *comm_ptr, MPIR_Request **request_ptr)
{
    MPID_Msg msg = message(buf, count, datatype, dest, tag);
    return start(&msg, comm_ptr, MPID_STANDARD, request_ptr);
}

int MPIR_Issend_impl(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                     MPIR_Comm *comm_ptr, MPIR_Request **request_ptr)
{
    MPID_Msg msg = message(buf, count, datatype, dest, tag);
    return start(&msg, comm_ptr, MPID_SYNC, request_ptr);
}

int MPIR_Irsend_impl(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                     MPIR_Comm *comm_ptr, MPIR_Request **request_ptr)
{
    MPID_Msg msg = message(buf, count, datatype, dest, tag);
    return start(&msg, comm_ptr, MPID_READY, request_ptr);
}
