/* MPI_Wait and its kin: all wait through the device's one wait function. */
#include "completion.h"

int MPIR_Wait_impl(MPI_Request *request, MPI_Status *status)
{
    MPIR_Request *req = MPII_Request_active(*request);
    if (MPL_UNLIKELY(!req)) {
        MPII_Status_give_empty(status);
        return MPI_SUCCESS;
    }
    if (!MPIR_Request_is_complete(req)) {
        int err = MPIR_Request_wait(req, MPI_STATUS_IGNORE);
        if (MPL_UNLIKELY(!MPIR_Request_is_complete(req)))
            return err;
    }
    return MPII_Request_finish(request, req, status);
}

static int wait_until(bool (*done)(void *), MPII_Several *s)
{
    if (done(s))
        return MPI_SUCCESS;
    MPID_Wait wait = { .done = done, .arg = s, .what = MPII_Several_describe };
    return MPID_Progress_wait(&wait);
}

int MPIR_Waitall_impl(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    MPII_Several s = { .handle = array_of_requests, .n = count };
    int err = wait_until(MPII_Several_all_done, &s);
    if (MPL_UNLIKELY(err != MPI_SUCCESS))
        return err;
    return MPII_Several_give_all(&s, array_of_requests, array_of_statuses);
}

int MPIR_Waitany_impl(int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status)
{
    MPII_Several s = { .handle = array_of_requests, .n = count };
    int err = wait_until(MPII_Several_any_done, &s);
    if (MPL_UNLIKELY(err != MPI_SUCCESS))
        return err;
    return MPII_Several_give_one(&s, array_of_requests, indx, status);
}

int MPIR_Waitsome_impl(int incount, MPI_Request array_of_requests[], int *outcount,
                       int *array_of_indices, MPI_Status *array_of_statuses)
{
    MPII_Several s = { .handle = array_of_requests, .n = incount };
    MPII_Some out = { outcount, array_of_indices, array_of_statuses };
    int err = wait_until(MPII_Several_any_done, &s);
    if (MPL_UNLIKELY(err != MPI_SUCCESS))
        return err;
    return MPII_Several_give_some(&s, array_of_requests, &out);
}
