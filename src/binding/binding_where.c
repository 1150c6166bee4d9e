/* How a call that failed is told: "MPI_Send(buf=0x7ffd.., count=1, datatype=MPI_INT, dest=7, tag=0,
 * comm=MPI_COMM_WORLD)", and to whom. Also the data symbols of the ABI, which have no better place.
 *
 * Directives of a call's text:
 *   %d int   %l long long   %p pointer   %b buffer   %s string   %r rank   %t tag   %h handle or key
 *   %o status (MPI_STATUS_IGNORE has a name)
 */
#include <stdarg.h>
#include <stdio.h>

#include "binding.h"

/* Leaves room for the message in MPI_MAX_ERROR_STRING; the longest call, MPI_Sendrecv, takes some 280. */
#define WHERE_SIZE 320

static const char *handle_name(int handle)
{
    int low = 0, high = MPIR_n_handle_names - 1;
    while (low <= high) {
        int mid = (low + high) / 2;
        if (MPIR_handle_names[mid].handle == handle)
            return MPIR_handle_names[mid].name;
        if ((unsigned) MPIR_handle_names[mid].handle < (unsigned) handle)
            low = mid + 1;
        else
            high = mid - 1;
    }
    return NULL;
}

static int put_handle(char *text, size_t size, int handle)
{
    const char *name = handle_name(handle);
    if (name)
        return snprintf(text, size, "%s", name);
    if (MPIR_HANDLE_TYPE(handle) == MPIR_COMM) {
        const MPIR_Comm *comm = MPIR_Comm_get(handle);
        if (comm && comm->name[0])
            return snprintf(text, size, "0x%08x \"%s\"", (unsigned) handle, comm->name);
    }
    return snprintf(text, size, "0x%08x", (unsigned) handle);
}

static int put_pointer(char *text, size_t size, const void *p)
{
    return p ? snprintf(text, size, "%p", p) : snprintf(text, size, "NULL");
}

static int put_buffer(char *text, size_t size, const void *p)
{
    if (p == MPI_IN_PLACE)
        return snprintf(text, size, "MPI_IN_PLACE");
    if (p == MPI_BUFFER_AUTOMATIC)
        return snprintf(text, size, "MPI_BUFFER_AUTOMATIC");
    return put_pointer(text, size, p);
}

static int put_status(char *text, size_t size, const MPI_Status *p)
{
    return p == MPI_STATUS_IGNORE ? snprintf(text, size, "MPI_STATUS_IGNORE") : put_pointer(text, size, p);
}

static int put_string(char *text, size_t size, const char *s)
{
    return s ? snprintf(text, size, "\"%.64s\"", s) : snprintf(text, size, "NULL");
}

static int put_rank(char *text, size_t size, int rank)
{
    if (rank == MPI_PROC_NULL)
        return snprintf(text, size, "MPI_PROC_NULL");
    if (rank == MPI_ANY_SOURCE)
        return snprintf(text, size, "MPI_ANY_SOURCE");
    return snprintf(text, size, "%d", rank);
}

static int put_tag(char *text, size_t size, int tag)
{
    return tag == MPI_ANY_TAG ? snprintf(text, size, "MPI_ANY_TAG") : snprintf(text, size, "%d", tag);
}

static int put_argument(char *text, size_t size, char directive, va_list *args)
{
    switch (directive) {
        case 'd':
            return snprintf(text, size, "%d", va_arg(*args, int));
        case 'l':
            return snprintf(text, size, "%lld", va_arg(*args, long long));
        case 'p':
            return put_pointer(text, size, va_arg(*args, const void *));
        case 'b':
            return put_buffer(text, size, va_arg(*args, const void *));
        case 's':
            return put_string(text, size, va_arg(*args, const char *));
        case 'r':
            return put_rank(text, size, va_arg(*args, int));
        case 't':
            return put_tag(text, size, va_arg(*args, int));
        case 'h':
            return put_handle(text, size, va_arg(*args, int));
        case 'o':
            return put_status(text, size, va_arg(*args, const MPI_Status *));
        default:
            return 0;
    }
}

/* Write the call with its arguments; cut to size. */
static void format_call(char *text, size_t size, const char *call, va_list args)
{
    va_list rest;
    va_copy(rest, args);
    size_t used = 0;
    for (const char *c = call; *c && used + 1 < size; c++) {
        if (*c != '%') {
            text[used++] = *c;
            continue;
        }
        int n = put_argument(text + used, size - used, *++c, &rest);
        used = MPL_MIN(used + (size_t) MPL_MAX(n, 0), size - 1);
    }
    text[used] = '\0';
    if (used == size - 1)
        strcpy(text + used - strlen("...)"), "...)"); /* it was cut */
    va_end(rest);
}

/* ---- to whom --------------------------------------------------------------------------------------------- */

#define FORMAT_CALL(text)                                                                          \
    char text[WHERE_SIZE];                                                                         \
    va_list args;                                                                                  \
    va_start(args, call);                                                                          \
    format_call(text, sizeof(text), call, args);                                             \
    va_end(args)

int MPIR_Fail_none(int err, const char *call, ...)
{
    FORMAT_CALL(where);
    return MPIR_Err_return_comm(NULL, where, err);
}

int MPIR_Fail_comm(MPIR_Comm *comm, int err, const char *call, ...)
{
    FORMAT_CALL(where);
    return MPIR_Err_return_comm(comm, where, err);
}

int MPIR_Fail_session(MPIR_Session *session, int err, const char *call, ...)
{
    FORMAT_CALL(where);
    return MPIR_Err_return_session(session, where, err);
}

int MPIR_Fail_group(MPIR_Group *group, int err, const char *call, ...)
{
    FORMAT_CALL(where);
    return MPIR_Err_return_group(group, where, err);
}

int MPIR_Fail_errhandler(MPIR_Errhandler *errhandler, int err, const char *call, ...)
{
    FORMAT_CALL(where);
    if (!errhandler)
        return MPIR_Err_return_session(NULL, where, err);
    /* Stands for the session that was not made, so that there is one way to call a handler. */
    MPIR_Session none = { .obj = { .handle = MPI_SESSION_NULL, .ref = 1 }, .errhandler = errhandler };
    return MPIR_Err_return_session(&none, where, err);
}

/* ---- data of the ABI -------------------------------------------------------------------------------------- */

/* Only their addresses matter; live with the process. */
static char all_handles;
static MPI_Fint ignored_status[2];

struct MPIR_T_pvar_handle_s *const MPI_T_PVAR_ALL_HANDLES = (struct MPIR_T_pvar_handle_s *) (void *) &all_handles;
MPI_Fint *MPI_F_STATUS_IGNORE = &ignored_status[0];
MPI_Fint *MPI_F_STATUSES_IGNORE = &ignored_status[1];
