/* The sessions model (MPI-5.0 11.3). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi.h"
#include "mpir_bsend.h"
#include "mpir_comm.h"
#include "mpir_err.h"
#include "mpir_group.h"
#include "mpir_impl.h"
#include "mpir_info.h"
#include "mpir_init.h"
#include "mpir_process.h"
#include "mpir_session.h"

/* Level of a session that asks for none. High enough for a library whose calls come from whichever thread has the
 * work; alone in a process it costs no lock. */
#define DEFAULT_LEVEL MPI_THREAD_SERIALIZED

MPIR_Pool MPIR_Session_pool = MPIR_POOL_INIT(MPIR_SESSION, MPIR_Session, NULL, 0, true);

/* ---- init and finalize ----------------------------------------------------------------------------------- */

static int wanted_level(const MPIR_Info *info, int *level)
{
    const char *name = info ? MPIR_Info_lookup(info, "thread_level") : NULL;
    *level = name ? MPII_Thread_level_parse(name) : DEFAULT_LEVEL;
    return *level >= 0 ? MPI_SUCCESS : MPIR_Err("**thread_level_name", name);
}

static MPIR_Session *session_new(const MPIR_Info *info, MPIR_Errhandler *eh)
{
    MPIR_Session *s = MPIR_Pool_alloc(&MPIR_Session_pool);
    if (!s)
        return NULL;
    s->alloc_kinds = MPII_Alloc_kinds(info ? MPIR_Info_lookup(info, "mpi_memory_alloc_kinds") : NULL);
    if (!s->alloc_kinds) {
        MPIR_Pool_free(&MPIR_Session_pool, s);
        return NULL;
    }
    s->errhandler = eh ? eh : &MPIR_Errhandler_builtin[MPIR_ERRORS_ARE_FATAL];
    MPIR_Object_add_ref(&s->errhandler->obj);
    return s;
}

void MPIR_Session_release(MPIR_Session *session)
{
    if (!session || !MPIR_Object_release(&session->obj))
        return;
    MPIR_Errhandler_release(session->errhandler);
    free(session->alloc_kinds);
    MPIR_Pool_free(&MPIR_Session_pool, session);
}

int MPIR_Session_init_impl(MPIR_Info *info, MPIR_Errhandler *errhandler, MPIR_Session **session)
{
    int level;
    int err = wanted_level(info, &level);
    if (err)
        return err;
    MPIR_Session *s = session_new(info, errhandler);
    if (!s)
        return MPIR_Err("**nomem", sizeof(MPIR_Session));
    err = MPII_Enter("session", level, &s->thread_level);
    if (err) {
        MPIR_Session_release(s);
        return err;
    }
    s->open = true;
    *session = s;
    return MPI_SUCCESS;
}

int MPIR_Session_finalize_impl(MPIR_Session *session)
{
    bool taken = MPIR_Lock();
    MPIR_Bsend_detach_at_free(&session->bsend);
    MPIR_Unlock(taken);
    session->open = false;
    int err = MPII_Leave("session");
    MPIR_Session_release(session);
    return err;
}

/* ---- session info ---------------------------------------------------------------------------------------- */

int MPIR_Session_get_info_impl(MPIR_Session *session, MPIR_Info **info_used)
{
    MPIR_Info *info = MPIR_Info_new();
    if (!info)
        return MPIR_Err("**nomem", sizeof(MPIR_Info));
    int err = MPIR_Info_put(info, "thread_level", MPII_Thread_level_name(session->thread_level));
    if (!err)
        err = MPIR_Info_put(info, "mpi_memory_alloc_kinds", session->alloc_kinds);
    if (err)
        MPIR_Info_delete(info);
    else
        *info_used = info;
    return err;
}

/* ---- process sets ---------------------------------------------------------------------------------------- */

int MPIR_Session_get_num_psets_impl(MPIR_Session *session, MPIR_Info *info, int *npset_names)
{
    (void) session;
    (void) info; /* no hint is defined */
    *npset_names = MPII_Pset_count();
    return MPI_SUCCESS;
}

/* pset_len 0 asks for the size; else the name is cut to it; it returns the size needed with the NUL. */
int MPIR_Session_get_nth_pset_impl(MPIR_Session *session, MPIR_Info *info, int n, int *pset_len,
                                   char *pset_name)
{
    (void) session;
    (void) info;
    const char *name = MPII_Pset_name(n);
    if (!name)
        return MPIR_Err("**pset_index", n, MPII_Pset_count() - 1);
    if (*pset_len < 0)
        return MPIR_Err("**pset_len", *pset_len);
    if (*pset_len > 0 && !pset_name)
        return MPIR_Err("**pset_name_null", *pset_len);
    if (*pset_len > 0)
        MPL_strcpy(pset_name, (size_t) *pset_len, name);
    *pset_len = (int) strlen(name) + 1;
    return MPI_SUCCESS;
}

int MPIR_Session_get_pset_info_impl(MPIR_Session *session, const char *pset_name, MPIR_Info **info)
{
    (void) session;
    char size[16];
    int i = MPII_Pset_find(pset_name);
    if (i < 0)
        return MPIR_Err("**pset_unknown", pset_name);
    MPIR_Info *new_info = MPIR_Info_new();
    if (!new_info)
        return MPIR_Err("**nomem", sizeof(MPIR_Info));
    snprintf(size, sizeof(size), "%d", MPII_Pset_size(i));
    int err = MPIR_Info_put(new_info, "mpi_size", size);
    if (err)
        MPIR_Info_delete(new_info);
    else
        *info = new_info;
    return err;
}

static int group_of_named_pset(MPIR_Session *session, int i, MPIR_Group **group)
{
    int size = MPII_Pset_size(i), first;
    if (MPII_Pset_is_run(i, &first))
        return MPIR_Group_create_range(size, first, 1, session, group);
    int *ranks = malloc((size_t) MPL_MAX(size, 1) * sizeof(*ranks));
    if (!ranks)
        return MPIR_Err("**nomem", (size_t) size * sizeof(*ranks));
    MPII_Pset_members(i, ranks);
    int err = MPIR_Group_create_list(size, ranks, session, group);
    free(ranks);
    return err;
}

/* Local. An unknown name gives MPI_GROUP_NULL. */
int MPIR_Group_from_session_pset_impl(MPIR_Session *session, const char *pset_name, MPIR_Group **newgroup)
{
    switch (MPII_Pset_find(pset_name)) {
        case -1:
            *newgroup = NULL;
            return MPI_SUCCESS;
        case 0:
            return MPIR_Group_create_range(MPIR_Process.size, 0, 1, session, newgroup);
        case 1:
            return MPIR_Group_create_range(1, MPIR_Process.rank, 1, session, newgroup);
        default:
            return group_of_named_pset(session, MPII_Pset_find(pset_name), newgroup);
    }
}
