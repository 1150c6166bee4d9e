/* What waiting, testing and looking at requests share. */
#ifndef COMPLETION_H_INCLUDED
#define COMPLETION_H_INCLUDED

#include "mpid.h"
#include "mpir_err.h"
#include "mpir_impl.h"

/* ---- one request ----------------------------------------------------------------------------- */

/* The request that a handle names; NULL for MPI_REQUEST_NULL, which counts as inactive. The binding
 * has checked that the handle is valid. */
static inline MPIR_Request *MPII_Request_active(MPI_Request handle)
{
    return handle == MPI_REQUEST_NULL ? NULL : MPIR_Request_get(handle);
}

/* What a call about an inactive request gives (MPI-5.0 3.7.3). */
static inline void MPII_Status_give_empty(MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE)
        MPIR_Status_set_empty(status);
}

/* A complete request leaves the user's hands: status out, handle nulled. Returns the request's
 * error. */
static inline int MPII_Request_finish(MPI_Request *handle, MPIR_Request *req, MPI_Status *status)
{
    int err = req->status.MPI_ERROR;
    MPIR_Status_give(status, &req->status);
    *handle = MPI_REQUEST_NULL;
    MPIR_Request_release(req);
    return err;
}

/* ---- several requests: completion.c ---------------------------------------------------------- */

/* Looking at an array of handles. */
typedef struct MPII_Several {
    const MPI_Request *handle;
    int n;
    int cursor; /* _all_done: those before are complete or inactive; _any_done: a complete one, or n
                 */
    int n_failed; /* _all_done: those before the cursor that carry an error */
    int n_active; /* _any_done: complete or not */
} MPII_Several;

/* Are all complete? Goes on where the last look ended, so that a wait for n requests looks at each
 * about once. */
bool MPII_Several_all_done(void *several);

/* Is one complete, or is there none to wait for? */
bool MPII_Several_any_done(void *several);

/* What is waited for, in words. */
void MPII_Several_describe(void *several, char *text, size_t size);

/* Give out the statuses of all, which are complete or inactive. `handle`: where to null them and
 * let them go, or NULL to leave them. MPI_SUCCESS, or a code of class MPI_ERR_IN_STATUS with
 * MPI_ERROR set in every status. */
int MPII_Several_give_all(const MPII_Several *s, MPI_Request *handle, MPI_Status *statuses);

/* Give out indices and statuses of those that are complete. *count: MPI_UNDEFINED if there was
 * nothing to wait for. */
typedef struct MPII_Some {
    int *count, *index;
    MPI_Status *statuses;
} MPII_Some;
int MPII_Several_give_some(const MPII_Several *s, MPI_Request *handle, const MPII_Some *out);

/* Give out the one at the cursor. *index: MPI_UNDEFINED if there was nothing to wait for. Returns
 * its error. */
int MPII_Several_give_one(const MPII_Several *s, MPI_Request *handle, int *index,
                          MPI_Status *status);

#endif /* COMPLETION_H_INCLUDED */
