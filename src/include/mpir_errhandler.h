/* Error handlers as objects. They belong to no epoch and no session: one made in an epoch serves in a later. */
#ifndef MPIR_ERRHANDLER_H_INCLUDED
#define MPIR_ERRHANDLER_H_INCLUDED

#include "mpi.h"
#include "mpir_handle.h"

struct MPIR_Comm;
struct MPIR_Session;

typedef struct MPIR_Errhandler {
    MPIR_Object obj;
    MPIR_Object_type kind; /* of the objects it may be attached to: MPIR_COMM, MPIR_SESSION, ... */
    union {
        MPI_Comm_errhandler_function *comm;
        MPI_Session_errhandler_function *session;
    } fn;
} MPIR_Errhandler;

extern MPIR_Pool MPIR_Errhandler_pool;
enum { MPIR_ERRORS_ARE_FATAL, MPIR_ERRORS_RETURN, MPIR_ERRORS_THROW, MPIR_ERRORS_ABORT };
extern MPIR_Errhandler MPIR_Errhandler_builtin[4]; /* indexed by the enum above */

static inline MPIR_Errhandler *MPIR_Errhandler_get(int handle)
{
    return MPIR_Pool_get(&MPIR_Errhandler_pool, handle);
}

/* Let one reference go; frees with the last. Predefined ones are never freed. NULL is fine. */
void MPIR_Errhandler_release(MPIR_Errhandler *eh);

/* The handler for errors that belong to no object, before, between and after epochs too: set from the
 * launcher's or the info argument's `mpi_initial_errhandler` (MPI-5.0 11.2.1, 11.8.4). */
MPIR_Errhandler *MPIR_Errhandler_initial(void);
/* Its name, as the launcher takes it. */
const char *MPIR_Errhandler_initial_name(void);

/* Set the initial error handler from its name (mpi_errors_are_fatal, mpi_errors_abort, mpi_errors_return;
 * case does not matter). Returns an error code for an unknown name. */
int MPIR_Errhandler_set_initial(const char *name);

/* Run `eh` on code for the object (comm or session; NULL where there is none). */
void MPIR_Errhandler_call_comm(MPIR_Errhandler *eh, struct MPIR_Comm *comm, int code);
void MPIR_Errhandler_call_session(MPIR_Errhandler *eh, struct MPIR_Session *session, int code);

#endif /* MPIR_ERRHANDLER_H_INCLUDED */
