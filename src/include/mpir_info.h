/* Info objects: ordered lists of (key, value). They belong to no epoch. */
#ifndef MPIR_INFO_H_INCLUDED
#define MPIR_INFO_H_INCLUDED

#include "mpir_handle.h"

typedef struct MPIR_Info_entry {
    char *key, *value; /* owned */
} MPIR_Info_entry;

typedef struct MPIR_Info {
    MPIR_Object obj;
    int n, room;
    MPIR_Info_entry *entry; /* in the order of setting */
} MPIR_Info;

extern MPIR_Pool MPIR_Info_pool;
extern MPIR_Info MPIR_Info_builtin[2]; /* [1] MPI_INFO_ENV */

static inline MPIR_Info *MPIR_Info_get(int handle)
{
    return MPIR_Pool_get(&MPIR_Info_pool, handle);
}

/* A new, empty info; NULL when out of memory. */
MPIR_Info *MPIR_Info_new(void);
/* A copy of info; NULL when out of memory. */
MPIR_Info *MPIR_Info_copy(const MPIR_Info *info);
/* Free info and all it holds. */
void MPIR_Info_delete(MPIR_Info *info);
/* The value of key, or NULL. Stays valid until the key is set or deleted. */
const char *MPIR_Info_lookup(const MPIR_Info *info, const char *key);
/* Set key to value (copies); MPI_SUCCESS or an error code. */
int MPIR_Info_put(MPIR_Info *info, const char *key, const char *value);
/* Fill an info with what MPI_INFO_ENV / MPI_Info_create_env hold (command, argv, maxprocs, host, arch, wdir,
 * thread_level, mpi_initial_errhandler, mpi_memory_alloc_kinds; no launcher here knows soft or file), as far as known.
 * argv may be NULL. */
int MPIR_Info_fill_env(MPIR_Info *info, int argc, char *const *argv);

/* MPI_INFO_ENV lives while the world is active: fill it and make its handle valid / empty it. */
int MPIR_Info_open_env(int argc, char *const *argv);
void MPIR_Info_close_env(void);

#endif /* MPIR_INFO_H_INCLUDED */
