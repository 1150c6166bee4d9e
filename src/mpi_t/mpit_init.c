/* MPI_T's own count of users, apart from MPI's, and what its parts share. */
#include "mpit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Lives with the process. */
static struct {
    pthread_mutex_t lock;
    _Atomic int users; /* MPI_T_init_thread calls that no MPI_T_finalize has met yet */
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Object types that no handle of MPI itself has. */
#define TOOL_TYPE(n) ((MPIR_Object_type) (n))
MPIR_Pool MPII_T_cvar_handle_pool =
    MPIR_POOL_INIT(TOOL_TYPE(0xa), MPII_T_cvar_handle, NULL, 0, false);
MPIR_Pool MPII_T_pvar_session_pool =
    MPIR_POOL_INIT(TOOL_TYPE(0xc), MPII_T_pvar_session, NULL, 0, false);
MPIR_Pool MPII_T_pvar_handle_pool =
    MPIR_POOL_INIT(TOOL_TYPE(0xd), MPII_T_pvar_handle, NULL, 0, false);

bool MPII_T_is_active(void)
{
    return atomic_load(&state.users) > 0;
}

void MPII_T_lock(void)
{
    pthread_mutex_lock(&state.lock);
}

void MPII_T_unlock(void)
{
    pthread_mutex_unlock(&state.lock);
}

void MPII_T_put_string(const char *string, char *text, int *len)
{
    if (!len)
        return;
    if (text && *len > 0) {
        MPL_strcpy(text, (size_t) *len, string);
        string = text;
    }
    *len = (int) strlen(string) + 1;
}

int MPIR_T_init_thread_impl(int required, int *provided)
{
    if (required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE)
        return MPI_T_ERR_INVALID;
    MPIR_Cvar_init();
    atomic_fetch_add(&state.users, 1);
    /* All is under our lock, so the highest level costs nothing. */
    MPII_T_put_int(MPI_THREAD_MULTIPLE, provided);
    return MPI_SUCCESS;
}

static void free_object(void *object, void *pool)
{
    MPIR_Pool_free(pool, object);
}

int MPIR_T_finalize_impl(void)
{
    MPII_T_lock();
    int users = atomic_load(&state.users);
    while (users > 0 && !atomic_compare_exchange_weak(&state.users, &users, users - 1))
        ;
    if (users == 1) {
        MPIR_Pool_each(&MPII_T_cvar_handle_pool, free_object, &MPII_T_cvar_handle_pool);
        MPIR_Pool_each(&MPII_T_pvar_handle_pool, free_object, &MPII_T_pvar_handle_pool);
        MPIR_Pool_each(&MPII_T_pvar_session_pool, free_object, &MPII_T_pvar_session_pool);
    }
    MPII_T_unlock();
    return users > 0 ? MPI_SUCCESS : MPI_T_ERR_NOT_INITIALIZED;
}
