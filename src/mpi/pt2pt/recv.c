/* Receives and probes. */
#include "pt2pt.h"

static inline MPID_Msg pattern(int source, int tag, MPIR_Comm *comm)
{
    return (MPID_Msg) {
        .datatype = MPI_BYTE, .rank = source, .tag = tag, .comm = comm, .ctx_bits = MPIR_CTX_PT2PT
    };
}

int MPIR_Recv_impl(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                   MPIR_Comm *comm_ptr, MPI_Status *status)
{
    MPID_Msg msg = { .buf = buf,
                     .count = count,
                     .datatype = datatype,
                     .rank = source,
                     .tag = tag,
                     .comm = comm_ptr,
                     .ctx_bits = MPIR_CTX_PT2PT };
    if (MPL_UNLIKELY(source == MPI_PROC_NULL)) {
        MPII_Status_give_proc_null(status);
        return MPI_SUCCESS;
    }
    int err = MPIR_Datatype_check_count(datatype, count);
    if (MPL_UNLIKELY(err != MPI_SUCCESS))
        return err;
    return MPID_Recv(&msg, status);
}

/* A receive that is complete and has received nothing. */
static int irecv_proc_null(MPIR_Comm *comm, MPIR_Request **req)
{
    MPIR_Request *r = MPIR_Request_create(MPIR_REQUEST_RECV, comm);
    if (!r)
        return MPIR_Err("**requestnomem");
    MPII_Status_set_proc_null(&r->status);
    MPIR_Request_complete(r);
    *req = r;
    return MPI_SUCCESS;
}

int MPII_Irecv(const MPID_Msg *msg, MPIR_Request **req)
{
    if (MPL_UNLIKELY(msg->rank == MPI_PROC_NULL))
        return irecv_proc_null(msg->comm, req);
    int err = MPIR_Datatype_check_count(msg->datatype, msg->count);
    if (MPL_UNLIKELY(err != MPI_SUCCESS))
        return err;
    return MPID_Irecv(msg, req);
}

int MPIR_Irecv_impl(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                    MPIR_Comm *comm_ptr, MPIR_Request **request_ptr)
{
    MPID_Msg msg = { .buf = buf,
                     .count = count,
                     .datatype = datatype,
                     .rank = source,
                     .tag = tag,
                     .comm = comm_ptr,
                     .ctx_bits = MPIR_CTX_PT2PT };
    return MPII_Irecv(&msg, request_ptr);
}

/* ---- probes ---------------------------------------------------------------------------------- */

int MPIR_Probe_impl(int source, int tag, MPIR_Comm *comm_ptr, MPI_Status *status)
{
    if (source == MPI_PROC_NULL) {
        MPII_Status_give_proc_null(status);
        return MPI_SUCCESS;
    }
    MPID_Msg msg = pattern(source, tag, comm_ptr);
    return MPID_Probe(&msg, status);
}

int MPIR_Iprobe_impl(int source, int tag, MPIR_Comm *comm_ptr, int *flag, MPI_Status *status)
{
    if (source == MPI_PROC_NULL) {
        *flag = 1;
        MPII_Status_give_proc_null(status);
        return MPI_SUCCESS;
    }
    MPID_Msg msg = pattern(source, tag, comm_ptr);
    return MPID_Iprobe(&msg, flag, status);
}
