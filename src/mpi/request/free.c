/* MPI_Request_free and MPI_Cancel. */
#include "completion.h"

/* The device's reference keeps an active request until its communication is done. */
int MPIR_Request_free_impl(MPI_Request *request)
{
    MPIR_Request *req = MPIR_Request_get(*request);
    *request = MPI_REQUEST_NULL;
    MPIR_Request_release(req);
    return MPI_SUCCESS;
}

/* Only receives can be taken back. A send goes on as if nothing had been asked (MPI-5.0 3.8.4
 * leaves that to us and deprecates the attempt), and MPI_Test_cancelled says so. */
int MPIR_Cancel_impl(MPI_Request *request)
{
    MPIR_Request *req = MPIR_Request_get(*request);
    if (req->kind != MPIR_REQUEST_RECV || MPIR_Request_is_complete(req))
        return MPI_SUCCESS;
    return MPID_Cancel_recv(req);
}
