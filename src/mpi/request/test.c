/* MPI_Test and MPI_Request_get_status and their kin: one look, one round of progress, one more
 * look. */
#include "completion.h"

static bool is_complete(const MPIR_Request *req)
{
    if (MPIR_Request_is_complete(req))
        return true;
    MPID_Progress_poll();
    return MPIR_Request_is_complete(req);
}

static bool look(bool (*done)(void *), MPII_Several *s)
{
    if (done(s))
        return true;
    MPID_Progress_poll();
    return done(s);
}

/* ---- one ------------------------------------------------------------------------------------- */

int MPIR_Test_impl(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPIR_Request *req = MPII_Request_active(*request);
    *flag = !req || is_complete(req);
    if (!req)
        MPII_Status_give_empty(status);
    return req && *flag ? MPII_Request_finish(request, req, status) : MPI_SUCCESS;
}

int MPIR_Request_get_status_impl(MPI_Request request, int *flag, MPI_Status *status)
{
    const MPIR_Request *req = MPII_Request_active(request);
    *flag = !req || is_complete(req);
    if (!req) {
        MPII_Status_give_empty(status);
        return MPI_SUCCESS;
    }
    if (!*flag)
        return MPI_SUCCESS;
    MPIR_Status_give(status, &req->status);
    return req->status.MPI_ERROR;
}

/* ---- several; `handle` is NULL where requests are to be left as they are --------------------- */

static int test_all(MPII_Several *s, MPI_Request *handle, int *flag, MPI_Status *statuses)
{
    *flag = look(MPII_Several_all_done, s);
    return *flag ? MPII_Several_give_all(s, handle, statuses) : MPI_SUCCESS;
}

static int test_any(MPII_Several *s, MPI_Request *handle, int *indx, int *flag, MPI_Status *status)
{
    *flag = look(MPII_Several_any_done, s);
    if (*flag)
        return MPII_Several_give_one(s, handle, indx, status);
    *indx = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int test_some(MPII_Several *s, MPI_Request *handle, const MPII_Some *out)
{
    look(MPII_Several_any_done, s);
    return MPII_Several_give_some(s, handle, out);
}

int MPIR_Testall_impl(int count, MPI_Request array_of_requests[], int *flag,
                      MPI_Status *array_of_statuses)
{
    return test_all(&(MPII_Several) { .handle = array_of_requests, .n = count }, array_of_requests,
                    flag, array_of_statuses);
}

int MPIR_Request_get_status_all_impl(int count, const MPI_Request array_of_requests[], int *flag,
                                     MPI_Status *array_of_statuses)
{
    return test_all(&(MPII_Several) { .handle = array_of_requests, .n = count }, NULL, flag,
                    array_of_statuses);
}

int MPIR_Testany_impl(int count, MPI_Request array_of_requests[], int *indx, int *flag,
                      MPI_Status *status)
{
    return test_any(&(MPII_Several) { .handle = array_of_requests, .n = count }, array_of_requests,
                    indx, flag, status);
}

int MPIR_Request_get_status_any_impl(int count, const MPI_Request array_of_requests[], int *indx,
                                     int *flag, MPI_Status *status)
{
    return test_any(&(MPII_Several) { .handle = array_of_requests, .n = count }, NULL, indx, flag,
                    status);
}

int MPIR_Testsome_impl(int incount, MPI_Request array_of_requests[], int *outcount,
                       int *array_of_indices, MPI_Status *array_of_statuses)
{
    return test_some(&(MPII_Several) { .handle = array_of_requests, .n = incount },
                     array_of_requests,
                     &(MPII_Some) { outcount, array_of_indices, array_of_statuses });
}

int MPIR_Request_get_status_some_impl(int incount, const MPI_Request array_of_requests[],
                                      int *outcount, int *array_of_indices,
                                      MPI_Status *array_of_statuses)
{
    return test_some(&(MPII_Several) { .handle = array_of_requests, .n = incount }, NULL,
                     &(MPII_Some) { outcount, array_of_indices, array_of_statuses });
}
