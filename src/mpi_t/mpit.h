/* Private to src/mpi_t, the tools interface (MPI-5.0 15.3): it shows the tables that maint/gen-cvars makes.
 *
 * Owns handles and sessions of measurement. Called by the bindings only, any time and from any thread; calls nothing
 * of MPI. Its functions return bare MPI_T error classes and never run an error handler.
 *
 * Handles of tools are made of our ordinary ones (mpir_handle.h) and are never followed as pointers, so that a wrong
 * one is an error and no crash.
 */
#ifndef MPIT_H_INCLUDED
#define MPIT_H_INCLUDED

#include "mpi.h"
#include "mpir_cvar.h"
#include "mpir_handle.h"
#include "mpir_impl.h"
#include "mpir_pvar.h"

typedef struct MPII_T_cvar_handle {
    MPIR_Object obj;
    const MPIR_Cvar *cvar;
} MPII_T_cvar_handle;

typedef struct MPII_T_pvar_session {
    MPIR_Object obj;
} MPII_T_pvar_session;

typedef struct MPII_T_pvar_handle {
    MPIR_Object obj;
    const MPII_T_pvar_session *session;
    const MPIR_Pvar *pvar;
} MPII_T_pvar_handle;

/* They live with the process; what is in use there at the last MPI_T_finalize is freed. */
extern MPIR_Pool MPII_T_cvar_handle_pool, MPII_T_pvar_session_pool, MPII_T_pvar_handle_pool;

/* Is MPI_T initialized? */
bool MPII_T_is_active(void);

/* One lock over the three pools and what they hold. */
void MPII_T_lock(void);
void MPII_T_unlock(void);

/* The object that a tool's handle names, or NULL. */
static inline void *MPII_T_get(const MPIR_Pool *pool, const void *handle)
{
    uintptr_t bits = (uintptr_t) handle;
    return bits <= UINT32_MAX ? MPIR_Pool_get(pool, (int) (uint32_t) bits) : NULL;
}

static inline void *MPII_T_handle_of(const MPIR_Object *object)
{
    return (void *) (uintptr_t) (uint32_t) object->handle;
}

/* Give a string as 15.3.3 wants it: *len is the room on entry; on return, the length with the terminating zero, of what
 * was copied, or of the whole if text is NULL or *len is 0. len NULL: nothing is wanted. */
void MPII_T_put_string(const char *string, char *text, int *len);

static inline void MPII_T_put_int(int value, int *out)
{
    if (out)
        *out = value;
}

/* The enumeration {off, on}. */
MPI_T_enum MPII_T_enum_bool(void);

#endif /* MPIT_H_INCLUDED */
