/* The world model (MPI-5.0 11.2): one MPI_Init, one MPI_Finalize, in the life of a process. */
#include <stdio.h>

#include "mpi.h"
#include "mpid.h"
#include "mpir_attr.h"
#include "mpir_bsend.h"
#include "mpir_comm.h"
#include "mpir_err.h"
#include "mpir_impl.h"
#include "mpir_info.h"
#include "mpir_init.h"
#include "mpir_process.h"

static void set_world(MPIR_World_state state)
{
    atomic_store_explicit(&MPIR_Process.world, (int) state, memory_order_release);
}

static int world_now(void)
{
    return atomic_load_explicit(&MPIR_Process.world, memory_order_acquire);
}

/* ---- MPI_Init ------------------------------------------------------------------------------------------- */

/* The world's turn comes once; a second thread or call gets an error. */
static int claim_world(void)
{
    if (!atomic_exchange(&MPII_life.world_claimed, true))
        return MPI_SUCCESS;
    return MPIR_Err(world_now() == MPIR_WORLD_FINALIZED ? "**init_after_finalize" : "**init_twice");
}

static int init_world(int argc, char **argv, int level, int *provided)
{
    int err = claim_world();
    if (err)
        return err;
    err = MPII_Enter("world", level, provided);
    if (err)
        return err;
    MPII_life.world_level = *provided;
    MPII_life.world_thread = pthread_self();
    err = MPIR_Comm_init_world();
    if (!err)
        err = MPIR_Info_open_env(argc, argv);
    if (err) {
        MPII_Leave("world");
        return err;
    }
    set_world(MPIR_WORLD_ACTIVE);
    return MPI_SUCCESS;
}

int MPIR_Init_thread_impl(int *argc, char ***argv, int required, int *provided)
{
    int granted;
    if (required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE)
        return MPIR_Err("**thread_level", required);
    int err = init_world(argc ? *argc : 0, argv ? *argv : NULL, required, &granted);
    if (!err)
        *provided = granted;
    return err;
}

int MPIR_Init_impl(int *argc, char ***argv)
{
    int provided;
    return MPIR_Init_thread_impl(argc, argv, MPI_THREAD_SINGLE, &provided);
}

/* ---- MPI_Finalize --------------------------------------------------------------------------------------- */

/* First act: COMM_SELF's attributes go, newest first, while MPI_Finalized still says false and MPI works in full. No lock
 * is held that a callback might need. */
static int run_self_callbacks(void)
{
    MPIR_Comm *self = &MPIR_Comm_builtin[MPIR_COMM_SELF_INDEX];
    return MPIR_Attr_delete_all(&self->attrs, self->obj.handle);
}

/* Buffered messages count as the user's communication: they leave before finalize returns. */
static void detach_buffers(void)
{
    bool taken = MPIR_Lock();
    MPIR_Bsend_detach_at_free(&MPIR_Comm_builtin[MPIR_COMM_WORLD_INDEX].bsend);
    MPIR_Bsend_detach_at_free(&MPIR_Comm_builtin[MPIR_COMM_SELF_INDEX].bsend);
    MPIR_Bsend_detach_process();
    MPIR_Unlock(taken);
}

int MPIR_Finalize_impl(void)
{
    int state = world_now();
    if (state == MPIR_WORLD_NOT_YET)
        return MPIR_Err("**finalize_before_init");
    if (state == MPIR_WORLD_FINALIZED)
        return MPIR_Err("**finalize_twice");
    int err = run_self_callbacks();
    if (err)
        return err;
    detach_buffers();
    bool taken = MPIR_Lock();
    err = MPID_Flush();
    MPIR_Unlock(taken);
    set_world(MPIR_WORLD_FINALIZED);
    MPIR_Comm_free_world();
    MPIR_Info_close_env();
    int err2 = MPII_Leave("world");
    return err ? err : err2;
}

/* ---- questions ------------------------------------------------------------------------------------------- */

int MPIR_Initialized_impl(int *flag)
{
    *flag = world_now() != MPIR_WORLD_NOT_YET;
    return MPI_SUCCESS;
}

int MPIR_Finalized_impl(int *flag)
{
    *flag = world_now() == MPIR_WORLD_FINALIZED;
    return MPI_SUCCESS;
}

static int need_world(void)
{
    return world_now() == MPIR_WORLD_NOT_YET ? MPIR_Err("**world_not_init") : MPI_SUCCESS;
}

int MPIR_Query_thread_impl(int *provided)
{
    int err = need_world();
    if (!err)
        *provided = MPII_life.world_level;
    return err;
}

int MPIR_Is_thread_main_impl(int *flag)
{
    int err = need_world();
    if (!err)
        *flag = pthread_equal(MPII_life.world_thread, pthread_self()) != 0;
    return err;
}

/* ---- MPI_Abort ------------------------------------------------------------------------------------------- */

int MPIR_Abort_impl(MPIR_Comm *comm, int errorcode)
{
    char text[MPI_MAX_OBJECT_NAME + 64];
    const char *name = comm && comm->name[0] ? comm->name : "a communicator without name";
    snprintf(text, sizeof(text), "MPI_Abort(%s, %d) was called", name, errorcode);
    MPID_Abort(errorcode, text);
}
