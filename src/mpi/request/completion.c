/* Arrays of requests: which are complete, and handing them back. */
#include <stdio.h>
#include <string.h>

#include "completion.h"

/* ---- looking --------------------------------------------------------------------------------- */

bool MPII_Several_all_done(void *several)
{
    MPII_Several *s = several;
    for (; s->cursor < s->n; s->cursor++) {
        if (s->handle[s->cursor] == MPIR_REQUEST_COMPLETE_HANDLE)
            continue;
        const MPIR_Request *req = MPII_Request_active(s->handle[s->cursor]);
        if (!req)
            continue;
        if (!MPIR_Request_is_complete(req))
            return false;
        s->n_failed += req->status.MPI_ERROR != MPI_SUCCESS;
    }
    return true;
}

bool MPII_Several_any_done(void *several)
{
    MPII_Several *s = several;
    s->n_active = 0;
    for (s->cursor = 0; s->cursor < s->n; s->cursor++) {
        const MPIR_Request *req = MPII_Request_active(s->handle[s->cursor]);
        s->n_active += req != NULL;
        if (req && MPIR_Request_is_complete(req))
            return true;
    }
    return s->n_active == 0;
}

void MPII_Several_describe(void *several, char *text, size_t size)
{
    const MPII_Several *s = several;
    int first = -1, pending = 0;
    for (int i = 0; i < s->n; i++) {
        const MPIR_Request *req = MPII_Request_active(s->handle[i]);
        if (!req || MPIR_Request_is_complete(req))
            continue;
        first = first < 0 ? i : first;
        pending++;
    }
    int used = snprintf(text, size, "%d of %d requests are pending, the first: ", pending, s->n);
    if (first >= 0 && used >= 0 && (size_t) used < size)
        MPID_Request_describe(MPII_Request_active(s->handle[first]), text + used,
                              size - (size_t) used);
}

/* ---- handing back ---------------------------------------------------------------------------- */

/* The code for a call in which requests failed, which names the first. */
static int failed(const MPII_Several *s, int n_failed, int index, int err)
{
    char text[MPI_MAX_ERROR_STRING];
    MPIR_Err_text(err, text, sizeof(text));
    return MPIR_Err("**instatus", n_failed, s->n, index, text);
}

/* Request i: status out (with its error, if any of the call failed), and the handle nulled where
 * that is wanted. */
static int give(const MPII_Several *s, int i, MPI_Request *handle, MPI_Status *status,
                bool any_failed)
{
    MPIR_Request *req = MPII_Request_active(s->handle[i]);
    int err = req ? req->status.MPI_ERROR : MPI_SUCCESS;
    if (!req)
        MPII_Status_give_empty(status);
    else if (handle)
        MPII_Request_finish(&handle[i], req, status);
    else
        MPIR_Status_give(status, &req->status);
    if (any_failed && status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = err;
    return err;
}

static MPI_Status *status_at(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* Nobody wants to know anything, and there is nothing to tell. */
static void let_go(const MPII_Several *s, MPI_Request *handle)
{
    for (int i = 0; i < s->n; i++) {
        MPI_Request h = handle[i];
        if (h == MPI_REQUEST_NULL)
            continue;
        handle[i] = MPI_REQUEST_NULL;
        MPIR_Request *req = h == MPIR_REQUEST_COMPLETE_HANDLE ? NULL : MPIR_Request_get(h);
        if (req) /* or it was in the array twice */
            MPIR_Request_release(req);
    }
}

int MPII_Several_give_all(const MPII_Several *s, MPI_Request *handle, MPI_Status *statuses)
{
    if (handle && statuses == MPI_STATUSES_IGNORE && s->n_failed == 0) {
        let_go(s, handle);
        return MPI_SUCCESS;
    }
    int first = -1, first_err = MPI_SUCCESS;
    for (int i = 0; i < s->n; i++) {
        int err = give(s, i, handle, status_at(statuses, i), s->n_failed > 0);
        if (MPL_UNLIKELY(err != MPI_SUCCESS) && first < 0) {
            first = i;
            first_err = err;
        }
    }
    return first < 0 ? MPI_SUCCESS : failed(s, s->n_failed, first, first_err);
}

int MPII_Several_give_some(const MPII_Several *s, MPI_Request *handle, const MPII_Some *out)
{
    int n = 0, n_active = 0, n_failed = 0, first = -1, first_err = MPI_SUCCESS;
    for (int i = 0; i < s->n; i++) {
        const MPIR_Request *req = MPII_Request_active(s->handle[i]);
        n_active += req != NULL;
        if (!req || !MPIR_Request_is_complete(req))
            continue;
        out->index[n++] = i;
        n_failed += req->status.MPI_ERROR != MPI_SUCCESS;
    }
    for (int k = 0; k < n; k++) {
        int err = give(s, out->index[k], handle, status_at(out->statuses, k), n_failed > 0);
        if (err != MPI_SUCCESS && first < 0) {
            first = out->index[k];
            first_err = err;
        }
    }
    *out->count = n_active > 0 ? n : MPI_UNDEFINED;
    return first < 0 ? MPI_SUCCESS : failed(s, n_failed, first, first_err);
}

int MPII_Several_give_one(const MPII_Several *s, MPI_Request *handle, int *index,
                          MPI_Status *status)
{
    if (s->cursor == s->n) {
        *index = MPI_UNDEFINED;
        MPII_Status_give_empty(status);
        return MPI_SUCCESS;
    }
    *index = s->cursor;
    return give(s, s->cursor, handle, status, false);
}
