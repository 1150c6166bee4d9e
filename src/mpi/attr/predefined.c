/* Attributes that MPI sets itself. A C program gets a pointer to an int. MPI_TAG_UB is on every
 * communicator (MPI-5.0 7.4.2 wants it on those made from a group); the others are facts about the
 * world. */
#include <limits.h>

#include "attr_internal.h"
#include "mpir_comm.h"
#include "mpir_process.h"

/* Where the values stand that users get pointers to. Lives with the process. */
static struct {
    int tag_ub, host, io, wtime_is_global, universe_size, last_used_code, appnum;
} values = { .tag_ub = INT_MAX, .host = MPI_PROC_NULL, .io = MPI_ANY_SOURCE };

static int *world_value(int keyval)
{
    switch (keyval) {
        case MPI_HOST:
            return &values.host;
        case MPI_IO:
            return &values.io;
        case MPI_WTIME_IS_GLOBAL: /* one monotonic clock on a node */
            values.wtime_is_global = MPIR_Process.local_size == MPIR_Process.size;
            return &values.wtime_is_global;
        case MPI_UNIVERSE_SIZE:
            values.universe_size = MPIR_Process.universe_size;
            return values.universe_size >= 0 ? &values.universe_size : NULL;
        case MPI_LASTUSEDCODE:
            values.last_used_code = MPIR_Err_last_used_code();
            return &values.last_used_code;
        default: /* MPI_APPNUM */
            values.appnum = MPIR_Process.appnum;
            return values.appnum >= 0 ? &values.appnum : NULL;
    }
}

int MPII_Attr_predefined(const MPIR_Comm *comm, int keyval, void **value)
{
    switch (keyval) {
        case MPI_TAG_UB:
            *value = &values.tag_ub;
            return MPI_SUCCESS;
        case MPI_HOST:
        case MPI_IO:
        case MPI_WTIME_IS_GLOBAL:
        case MPI_UNIVERSE_SIZE:
        case MPI_LASTUSEDCODE:
        case MPI_APPNUM:
            *value = comm->session ? NULL : world_value(keyval);
            return MPI_SUCCESS;
        default:
            return MPIR_Err("**keyval", (unsigned) keyval, "none for communicators");
    }
}
