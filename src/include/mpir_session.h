/* Sessions (MPI-5.0 11.3). */
#ifndef MPIR_SESSION_H_INCLUDED
#define MPIR_SESSION_H_INCLUDED

#include "mpir_errhandler.h"
#include "mpir_handle.h"
#include "mpir_info.h"

struct MPIR_Bsend;

/* References: one for the user's handle; one for each group and communicator that came from it, whose errors
 * go to its error handler. `open` is false after MPI_Session_finalize. */
typedef struct MPIR_Session {
    MPIR_Object obj;
    bool open;
    int thread_level; /* granted */
    char *alloc_kinds; /* owned: mpi_memory_alloc_kinds as granted */
    MPIR_Errhandler *errhandler; /* a counted reference, never NULL */
    struct MPIR_Bsend *bsend; /* buffer attached to the session, or NULL */
} MPIR_Session;

extern MPIR_Pool MPIR_Session_pool;

static inline MPIR_Session *MPIR_Session_get(int handle)
{
    MPIR_Session *s = MPIR_Pool_get(&MPIR_Session_pool, handle);
    return s && s->open ? s : NULL;
}

/* Let one reference go; frees with the last. NULL is fine. */
void MPIR_Session_release(MPIR_Session *session);

#endif /* MPIR_SESSION_H_INCLUDED */
