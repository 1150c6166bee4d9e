/* Barriers and small collectives at a place in shared memory (posix_layout.h), for communicators
 * whose members all are on this node.
 *
 * Operations at a place are counted by each member for itself; since all do the same ones in the
 * same order, the counts agree. A place belongs to one communicator object in one epoch: its number
 * came in a message over that very communicator. So nothing that another epoch has left can be met.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../shm/posix/posix.h"
#include "../shm/posix/posix_layout.h"
#include "mpidi_core.h"
#include "mpir_cvar.h"
#include "mpir_err.h"

_Static_assert(MPID_MEET_BYTES == MPIDI_POSIX_PLACE_BYTES, "mpid.h knows no transport");

static MPIDI_Core *const core = &MPIDI_core;

/* Of an open place; hangs on the communicator. */
typedef struct MPIDI_Meet {
    MPIDI_POSIX_Place *place;
    uint64_t op; /* number of the operation that was begun last */
    uint64_t arrivals; /* the place's when the last operation of all with all was complete */
    uint64_t all_done; /* every member is known to be done with this operation */
    /* Has made an operation fail. Then this member never comes again: what it added to the count of a
     * later operation would complete the one that failed for others. */
    MPIDI_Peer *culprit;
    MPIDI_POSIX_Inbox *bed[]; /* where each member sleeps */
} MPIDI_Meet;

/* ---- opening and leaving --------------------------------------------------------------------- */

static int owner_of(const MPIR_Comm *comm)
{
    return MPIR_Group_world_rank(comm->group, 0);
}

/* Who was given a transport of his own wants to see messages on it. */
bool MPID_Meet_possible(MPIR_Comm *comm)
{
    if (!core->transports.shm || core->transports.shm != &core->transports.table[1]
        || comm->size < 2 || comm->size > (int) MPIDI_POSIX_PLACE_MEMBERS)
        return false;
    for (int i = 0; i < comm->size; i++)
        if (!MPIDI_Locality_near(MPIR_Group_world_rank(comm->group, i)))
            return false;
    return true;
}

bool MPID_Meet_can_look(MPIR_Comm *comm)
{
    return MPIDI_POSIX_places_of(owner_of(comm));
}

int MPID_Meet_give(MPIR_Comm *comm)
{
    return MPIDI_POSIX_place_give(comm->size);
}

/* Without memory for its own notes a member cannot take part, and the others rely on it. */
int MPID_Meet_open(MPIR_Comm *comm, int number)
{
    size_t size = sizeof(MPIDI_Meet) + (size_t) comm->size * sizeof(MPIDI_POSIX_Inbox *);
    MPIDI_Meet *meet = number < 0 ? NULL : calloc(1, size);
    if (number < 0)
        return MPI_SUCCESS;
    if (!meet)
        return MPIR_Err("**nomem_ch4", size, "a place where the members of a communicator meet");
    meet->place = MPIDI_POSIX_place(owner_of(comm), number);
    for (int i = 0; i < comm->size; i++)
        meet->bed[i] = MPIDI_POSIX_bed(MPIR_Group_world_rank(comm->group, i));
    comm->dev.meet = meet;
    return MPI_SUCCESS;
}

void MPIDI_Meet_leave(MPIR_Comm *comm)
{
    MPIDI_Meet *meet = comm->dev.meet;
    if (!meet)
        return;
    atomic_fetch_add_explicit(&meet->place->left, 1, memory_order_release);
    comm->dev.meet = NULL;
    free(meet);
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* What is waited for. */
typedef enum Condition {
    ARRIVALS, /* all have come to an operation of all with all */
    COME, /* one or all have come to the operation */
    DONE, /* all are done with an operation */
} Condition;

struct MPIDI_Meet_wait {
    MPIDI_Meet_wait *next;
    const MPID_Meeting *m;
    Condition condition;
    uint64_t op; /* of COME and DONE; and to tell whom ARRIVALS waits for */
    int error;
};

static MPIDI_Meet *meet_of(const MPIDI_Meet_wait *w)
{
    return w->m->comm->dev.meet;
}

/* Has this member done what is waited for? */
static bool has_acted(const MPIDI_Meet_wait *w, int rank)
{
    MPIDI_POSIX_Member *member = &meet_of(w)->place->member[rank];
    /* Pair with the release by which a member comes or is done. */
    return w->condition == DONE
        ? atomic_load_explicit(&member->done, memory_order_acquire) >= w->op
        : atomic_load_explicit(&member->came, memory_order_acquire) >= w->op;
}

static bool have_acted(const MPIDI_Meet_wait *w)
{
    if (w->m->for_whom != MPID_MEET_ALL && w->condition == COME)
        return has_acted(w, w->m->for_whom);
    for (int i = 0; i < w->m->comm->size; i++)
        if (!has_acted(w, i))
            return false;
    return true;
}

static bool is_complete(const MPIDI_Meet_wait *w)
{
    const MPIDI_Meet *meet = meet_of(w);
    if (w->condition == ARRIVALS)
        return atomic_load_explicit(&meet->place->arrivals, memory_order_acquire)
            >= meet->arrivals;
    /* Before we look, so that who is done after that wakes us. */
    if (w->condition == DONE)
        atomic_exchange(&meet->place->want_buffer, 1);
    return have_acted(w);
}

static bool wait_done(void *arg)
{
    const MPIDI_Meet_wait *w = arg;
    return w->error || is_complete(w);
}

static void wait_what(void *arg, char *text, size_t size)
{
    const MPIDI_Meet_wait *w = arg;
    const MPIR_Comm *comm = w->m->comm;
    int at = snprintf(text, size, "%s on %s", w->m->what,
                      comm->name[0] ? comm->name : "a communicator");
    for (int i = 0; i < comm->size && at >= 0 && (size_t) at < size; i++)
        if ((w->condition != COME || w->m->for_whom == MPID_MEET_ALL || w->m->for_whom == i)
            && !has_acted(w, i))
            at += snprintf(text + at, size - (size_t) at, ", from rank %d", i);
}

static int wait_slowly(MPIDI_Meet_wait *w)
{
    MPID_Wait wait = { .done = wait_done, .arg = w, .what = wait_what, .watches = true };
    w->next = core->meet_waits;
    core->meet_waits = w;
    int error = MPID_Progress_wait(&wait);
    MPIDI_Meet_wait **at = &core->meet_waits;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    return error ? error : w->error;
}

static int wait_for(const MPID_Meeting *m, Condition condition, uint64_t op)
{
    MPIDI_Meet_wait w = { .m = m, .condition = condition, .op = op };
    return is_complete(&w) ? MPI_SUCCESS : wait_slowly(&w);
}

/* ---- members that are gone ------------------------------------------------------------------- */

/* A member that is gone and has not acted; what is complete depends on nobody. Who is gone is asked
 * first: whatever it did, it did before. */
static MPIDI_Peer *culprit_of(const MPIDI_Meet_wait *w)
{
    const MPIR_Comm *comm = w->m->comm;
    for (int i = 0; i < comm->size; i++) {
        int err = MPI_SUCCESS;
        if (i == comm->rank || has_acted(w, i))
            continue;
        MPIDI_Peer *peer = MPIDI_Peer_get(MPIR_Group_world_rank(comm->group, i), &err);
        if (peer && MPIDI_Peer_is_gone(peer) && !has_acted(w, i) && !is_complete(w))
            return peer;
    }
    return NULL;
}

bool MPIDI_Meet_any_gone(void)
{
    bool found = false;
    for (MPIDI_Meet_wait *w = core->meet_waits; w; w = w->next)
        found |= culprit_of(w) != NULL;
    return found;
}

void MPIDI_Meet_fail_gone(void)
{
    for (MPIDI_Meet_wait *w = core->meet_waits; w; w = w->next) {
        MPIDI_Peer *culprit = culprit_of(w);
        if (!culprit || w->error)
            continue;
        w->error = MPIDI_Peer_gone_error(culprit);
        meet_of(w)->culprit = culprit;
    }
}

/* ---- operations ------------------------------------------------------------------------------ */

static void wake(const MPIR_Comm *comm, int for_whom)
{
    const MPIDI_Meet *meet = comm->dev.meet;
    if (for_whom != MPID_MEET_ALL) {
        MPIDI_POSIX_rouse(meet->bed[for_whom]);
        return;
    }
    for (int i = 0; i < comm->size; i++)
        if (i != comm->rank)
            MPIDI_POSIX_rouse(meet->bed[i]);
}

static MPIDI_POSIX_Member *own_line(const MPIR_Comm *comm)
{
    return &comm->dev.meet->place->member[comm->rank];
}

int MPID_Meet_begin(const MPID_Meeting *m, bool brings)
{
    MPIDI_Meet *meet = m->comm->dev.meet;
    if (MPL_UNLIKELY(meet->culprit != NULL))
        return MPIDI_Peer_gone_error(meet->culprit);
    uint64_t op = ++meet->op;
    if (!brings || op <= meet->all_done + MPIDI_POSIX_PLACE_BUFFERS)
        return MPI_SUCCESS;
    int error = wait_for(m, DONE, op - MPIDI_POSIX_PLACE_BUFFERS);
    if (!error)
        meet->all_done = op - MPIDI_POSIX_PLACE_BUFFERS;
    return error;
}

/* Those of one operation lie side by side, so that few pages are touched: with many processes on a
 * core each page costs as much as all else. */
void *MPID_Meet_buffer(const MPIR_Comm *comm, int rank, size_t bytes)
{
    const MPIDI_Meet *meet = comm->dev.meet;
    size_t all = (size_t) comm->size * MPIDI_POSIX_PLACE_BYTES;
    size_t each = MPL_ROUND_UP(bytes, (size_t) MPL_CACHE_LINE);
    return meet->place->data + meet->op % MPIDI_POSIX_PLACE_BUFFERS * all + (size_t) rank * each;
}

int MPID_Meet_all(const MPID_Meeting *m)
{
    MPIR_Comm *comm = m->comm;
    MPIDI_Meet *meet = comm->dev.meet;
    atomic_store_explicit(&own_line(comm)->came, meet->op, memory_order_release);
    meet->arrivals += (uint64_t) comm->size;
    bool last = atomic_fetch_add(&meet->place->arrivals, 1) + 1 == meet->arrivals;
    int error = MPI_SUCCESS;
    if (last) {
        wake(comm, MPID_MEET_ALL);
        MPID_Progress_poll(); /* or who always comes last would do nothing for its messages */
    } else {
        error = wait_for(m, ARRIVALS, meet->op);
    }
    if (!error)
        meet->all_done = MPL_MAX(meet->all_done, meet->op - 1);
    return error;
}

void MPID_Meet_come(MPIR_Comm *comm, int for_whom)
{
    atomic_store_explicit(&own_line(comm)->came, comm->dev.meet->op, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    wake(comm, for_whom);
    MPID_Progress_poll();
}

int MPID_Meet_wait(const MPID_Meeting *m)
{
    return wait_for(m, COME, m->comm->dev.meet->op);
}

void MPID_Meet_end(MPIR_Comm *comm)
{
    const MPIDI_Meet *meet = comm->dev.meet;
    atomic_store_explicit(&own_line(comm)->done, meet->op, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with the exchange in is_complete */
    if (MPL_UNLIKELY(atomic_load_explicit(&meet->place->want_buffer, memory_order_relaxed))
        && atomic_exchange(&meet->place->want_buffer, 0))
        wake(comm, MPID_MEET_ALL);
}
