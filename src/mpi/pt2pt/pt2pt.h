/* Inside of src/mpi/pt2pt: building messages and following requests. */
#ifndef PT2PT_H_INCLUDED
#define PT2PT_H_INCLUDED

#include "mpid.h"
#include "mpir_datatype.h"
#include "mpir_err.h"
#include "mpir_impl.h"

/* What a receive from MPI_PROC_NULL gives (MPI-5.0 3.10). */
static inline void MPII_Status_set_proc_null(MPI_Status *status)
{
    MPIR_Status_set_empty(status);
    status->MPI_SOURCE = MPI_PROC_NULL;
}

static inline void MPII_Status_give_proc_null(MPI_Status *status)
{
    MPI_Status none;
    MPII_Status_set_proc_null(&none);
    MPIR_Status_give(status, &none);
}

/* Call fn(req, arg) once req is complete: now, or by whoever completes it. Gives up the caller's
 * reference. */
void MPII_Request_then(MPIR_Request *req, void (*fn)(MPIR_Request *, void *), void *arg);

/* Start a send; NULL for *req: done. MPI_PROC_NULL is done at once. */
int MPII_Isend(const MPID_Msg *msg, MPIR_Request **req);
/* Start a receive; always a request. A receive from MPI_PROC_NULL is complete. */
int MPII_Irecv(const MPID_Msg *msg, MPIR_Request **req);

#endif /* PT2PT_H_INCLUDED */
