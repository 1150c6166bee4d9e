/* Communicators as objects: made, counted, dropped; the two of the world. */
#include <string.h>

#include "comm_internal.h"
#include "mpid.h"
#include "mpir_bsend.h"
#include "mpir_errhandler.h"
#include "mpir_process.h"

/* The pool lives with the process. The two of the world are filled when it becomes active. */
MPIR_Comm MPIR_Comm_builtin[2] = {
    [MPIR_COMM_WORLD_INDEX] = { .obj = { MPI_COMM_WORLD, 0 } },
    [MPIR_COMM_SELF_INDEX] = { .obj = { MPI_COMM_SELF, 0 } },
};
MPIR_Pool MPIR_Comm_pool = MPIR_POOL_INIT(MPIR_COMM, MPIR_Comm, MPIR_Comm_builtin, 2, false);

/* ---- context ids ----------------------------------------------------------------------------- */

#define FIRST_COUNTER 16 /* smaller ones are set aside (mpir_comm.h) */
#define COUNTER_BITS 38

/* Lives with the process: no id is used twice, in whichever epoch. */
static _Atomic uint64_t context_counter = FIRST_COUNTER;

MPIR_Context_id MPIR_Context_new(void)
{
    uint64_t counter = atomic_fetch_add_explicit(&context_counter, 1, memory_order_relaxed);
    if (counter >> COUNTER_BITS)
        MPIR_Fatal("this process has made 2^%d communicators and has no context id left",
                   COUNTER_BITS);
    return (MPIR_Context_id) MPIR_Process.rank << 40 | counter << 2;
}

/* ---- making ---------------------------------------------------------------------------------- */

static bool is_builtin(const MPIR_Comm *comm)
{
    return MPIR_HANDLE_KIND(comm->obj.handle) == MPIR_HANDLE_BUILTIN;
}

/* What a communicator holds. Session and error handler are taken from `model`. */
static void fill(MPIR_Comm *comm, MPIR_Group *group, MPIR_Session *session, MPIR_Errhandler *eh)
{
    comm->rank = group->rank;
    comm->size = group->size;
    comm->group = group;
    comm->session = session;
    comm->errhandler = eh ? eh : &MPIR_Errhandler_builtin[MPIR_ERRORS_ARE_FATAL];
    MPIR_Object_add_ref(&group->obj);
    MPIR_Object_add_ref(&comm->errhandler->obj);
    if (session)
        MPIR_Object_add_ref(&session->obj);
}

static int new_comm(MPIR_Comm **comm)
{
    *comm = MPIR_Pool_alloc(&MPIR_Comm_pool);
    return *comm ? MPI_SUCCESS : MPIR_Err("**comm_nomem", (long) MPIR_Comm_pool.in_use);
}

int MPII_Comm_alloc(MPIR_Group *group, const MPIR_Comm *parent, MPIR_Comm **comm)
{
    MPIR_Comm *c;
    int ret = new_comm(&c);
    if (ret)
        return ret;
    fill(c, group, parent->session, parent->errhandler);
    *comm = c;
    return MPI_SUCCESS;
}

int MPII_Comm_activate(MPIR_Comm *comm)
{
    return MPID_Comm_init(comm);
}

int MPIR_Comm_create_local(MPIR_Group *group, MPIR_Context_id ctx, MPIR_Session *session,
                           MPIR_Errhandler *errhandler, MPIR_Comm **comm)
{
    MPIR_Comm *c;
    int ret = new_comm(&c);
    if (ret)
        return ret;
    fill(c, group, session, errhandler);
    c->ctx = ctx;
    ret = MPID_Comm_init(c);
    if (ret) {
        c->ctx = 0;
        MPIR_Comm_release(c);
        return ret;
    }
    *comm = c;
    return MPI_SUCCESS;
}

/* ---- freeing --------------------------------------------------------------------------------- */

/* All but the object itself. */
static void empty(MPIR_Comm *comm)
{
    if (comm->ctx != 0) /* else it never got to the device */
        MPID_Comm_free(comm);
    MPIR_Attr_drop_all(&comm->attrs);
    if (comm->info)
        MPIR_Info_delete(comm->info);
    MPIR_Errhandler_release(comm->errhandler);
    MPIR_Group_release(comm->group);
    MPIR_Session_release(comm->session);
}

void MPIR_Comm_release(MPIR_Comm *comm)
{
    /* The world's two are emptied at its end (MPIR_Comm_free_world), whatever still counts on
     * them. */
    if (!MPIR_Object_release(&comm->obj) || is_builtin(comm))
        return;
    empty(comm);
    MPIR_Pool_free(&MPIR_Comm_pool, comm);
}

static void drop(void *object, void *arg)
{
    (void) arg;
    MPIR_Comm *comm = object;
    MPIR_Bsend_drop(comm->bsend);
    empty(comm);
    MPIR_Pool_free(&MPIR_Comm_pool, comm);
}

void MPIR_Comm_drop_all(void)
{
    MPIR_Sched_drop_all();
    MPIR_Pool_each(&MPIR_Comm_pool, drop, NULL);
}

/* ---- the world ------------------------------------------------------------------------------- */

static int init_builtin(int index, const MPIR_Comm *model)
{
    MPIR_Comm *comm = &MPIR_Comm_builtin[index];
    MPIR_Group *group;
    int ret = MPIR_Group_create_range(model->size, model->rank, 1, NULL, &group);
    if (ret)
        return ret;
    int handle = comm->obj.handle;
    memset(comm, 0, sizeof *comm);
    comm->obj.handle = handle;
    fill(comm, group, NULL, MPIR_Errhandler_initial());
    MPIR_Group_release(group); /* fill() has counted its own reference */
    comm->ctx = model->ctx;
    MPL_strcpy(comm->name, sizeof comm->name, model->name);
    ret = MPID_Comm_init(comm);
    if (ret) {
        comm->ctx = 0;
        empty(comm);
        return ret;
    }
    atomic_store_explicit(&comm->obj.ref, 1, memory_order_release);
    return MPI_SUCCESS;
}

static void free_builtin(int index)
{
    MPIR_Comm *comm = &MPIR_Comm_builtin[index];
    if (atomic_load_explicit(&comm->obj.ref, memory_order_acquire) <= 0)
        return;
    atomic_store_explicit(&comm->obj.ref, 0, memory_order_release);
    empty(comm);
}

int MPIR_Comm_init_world(void)
{
    MPIR_Comm world = { .size = MPIR_Process.size, .rank = 0, .ctx = MPIR_CTX_WORLD,
                        .name = "MPI_COMM_WORLD" };
    MPIR_Comm self = { .size = 1, .rank = MPIR_Process.rank, .ctx = MPIR_CTX_SELF,
                       .name = "MPI_COMM_SELF" };
    int ret = init_builtin(MPIR_COMM_WORLD_INDEX, &world);
    if (!ret)
        ret = init_builtin(MPIR_COMM_SELF_INDEX, &self);
    if (ret)
        free_builtin(MPIR_COMM_WORLD_INDEX);
    return ret;
}

void MPIR_Comm_free_world(void)
{
    free_builtin(MPIR_COMM_SELF_INDEX);
    free_builtin(MPIR_COMM_WORLD_INDEX);
}
