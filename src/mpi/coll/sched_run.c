/* Schedules: running. A phase is what stands between two fences; its messages are all started at
 * once, its local steps done at once, and the next phase begins when no message of it is in
 * flight. */
#include <stdio.h>
#include <string.h>

#include "mpir_datatype.h"
#include "mpir_err.h"
#include "mpir_op.h"
#include "sched_internal.h"

MPIR_Sched_list MPIR_Sched_started;

static void make_ready(MPIR_Sched *s)
{
    s->ready_next = MPIR_Sched_started.ready;
    MPIR_Sched_started.ready = s;
}

static void remember(MPIR_Sched *s, int error)
{
    if (!s->error)
        s->error = error;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The device is in its progress here: no new message is started, the schedule only gets to know. */
static void message_done(MPIR_Request *req, void *arg)
{
    (void) req;
    MPIR_Sched *s = arg;
    if (--s->pending == 0 && s->request)
        make_ready(s);
}

static void message_started(MPIR_Sched *s, MPII_Step *step, int error, MPIR_Request *req)
{
    if (error) {
        remember(s, error);
    } else if (req && !MPIR_Request_is_complete(req)) {
        req->on_complete = message_done;
        req->on_complete_arg = s;
        s->pending++;
        step->u.req = req;
    } else if (req) {
        if (req->status.MPI_ERROR)
            remember(s, req->status.MPI_ERROR);
        MPIR_Request_release(req);
    }
}

static void start_message(MPIR_Sched *s, MPII_Step *step)
{
    bool is_send = step->kind == MPII_STEP_SEND;
    MPID_Msg msg = {
        .buf = is_send ? (void *) step->src : step->dst,
        .count = step->count,
        .datatype = step->datatype,
        .rank = step->peer,
        .tag = s->tag,
        .comm = s->comm,
        .ctx_bits = s->ctx_bits,
        .mode = MPID_STANDARD,
    };
    MPIR_Request *req = NULL;
    int error = is_send ? MPID_Isend(&msg, &req) : MPID_Irecv(&msg, &req);
    message_started(s, step, error, req);
}

/* ---- steps and phases ------------------------------------------------------------------------ */

static void do_step(MPIR_Sched *s, MPII_Step *step)
{
    int error;
    switch (step->kind) {
        case MPII_STEP_SEND:
        case MPII_STEP_RECV:
            start_message(s, step);
            break;
        case MPII_STEP_REDUCE:
            MPIR_Op_apply(step->u.op, step->src, step->dst, step->count, step->datatype);
            break;
        case MPII_STEP_COPY:
            MPIR_Datatype_copy(step->src, step->count, step->datatype, step->dst, step->u.to.count,
                               step->u.to.datatype);
            break;
        case MPII_STEP_CALL:
            error = step->u.call(step->dst);
            if (error)
                remember(s, error);
            break;
        case MPII_STEP_FENCE:
            break;
    }
}

static bool has_message(const MPII_Step *step)
{
    return (step->kind == MPII_STEP_SEND || step->kind == MPII_STEP_RECV) && step->u.req;
}

/* No message is in flight: take over what they brought. */
static void end_phase(MPIR_Sched *s)
{
    for (MPII_Step *step = s->phase; step != s->next; step = step->next) {
        if (!has_message(step))
            continue;
        if (step->u.req->status.MPI_ERROR)
            remember(s, step->u.req->status.MPI_ERROR);
        MPIR_Request_release(step->u.req);
        step->u.req = NULL;
    }
    s->phase = s->next;
}

/* After an error: buffers must be free of the device before the call returns. Receives that no one
 * has answered are taken back. */
static void give_up(MPIR_Sched *s)
{
    for (MPII_Step *step = s->phase; step != s->next; step = step->next)
        if (has_message(step) && step->kind == MPII_STEP_RECV
            && !MPIR_Request_is_complete(step->u.req))
            MPID_Cancel_recv(step->u.req);
}

/* Do what can be done. True when all is done, or has failed and nothing is in flight. */
static bool advance(MPIR_Sched *s)
{
    while (s->pending == 0) {
        end_phase(s);
        if (!s->next || s->error)
            return true;
        s->next = s->phase->kind == MPII_STEP_FENCE ? s->phase->next : s->phase;
        s->phase = s->next;
        while (s->next && s->next->kind != MPII_STEP_FENCE && !s->error) {
            do_step(s, s->next);
            s->next = s->next->next;
        }
        if (s->error)
            give_up(s);
    }
    return false;
}

static void begin(MPIR_Sched *s)
{
    s->phase = s->next = s->first;
}

/* ---- blocking -------------------------------------------------------------------------------- */

static bool run_done(void *arg)
{
    MPIR_Sched *s = arg;
    return s->pending == 0 && advance(s);
}

static void run_what(void *arg, char *text, size_t size)
{
    MPIR_Sched *s = arg;
    int at = snprintf(text, size, "%s on %s", s->what,
                      s->comm->name[0] ? s->comm->name : "a communicator");
    for (MPII_Step *step = s->phase; step != s->next && at >= 0 && (size_t) at < size;
         step = step->next)
        if (has_message(step) && !MPIR_Request_is_complete(step->u.req))
            at += snprintf(text + at, size - (size_t) at, ", %s rank %d",
                           step->kind == MPII_STEP_SEND ? "to" : "from", step->peer);
}

int MPIR_Sched_run(MPIR_Sched *s)
{
    if (!s)
        return MPIR_Err("**sched_nomem", (long) MPII_BLOCK_SIZE);
    begin(s);
    if (!s->error && !advance(s)) {
        MPID_Wait wait = { .done = run_done, .arg = s, .what = run_what };
        int error = MPID_Progress_wait(&wait);
        if (error)
            return error; /* messages may still refer to the schedule, so it stays */
    }
    int error = s->error;
    MPII_Sched_free(s);
    return error;
}

/* ---- nonblocking ----------------------------------------------------------------------------- */

static void enlist(MPIR_Sched *s)
{
    s->all_next = MPIR_Sched_started.all;
    s->all_link = &MPIR_Sched_started.all;
    if (s->all_next)
        s->all_next->all_link = &s->all_next;
    MPIR_Sched_started.all = s;
}

static void delist(MPIR_Sched *s)
{
    *s->all_link = s->all_next;
    if (s->all_next)
        s->all_next->all_link = s->all_link;
}

static void finish(MPIR_Sched *s)
{
    MPIR_Request *req = s->request;
    delist(s);
    req->sched = NULL;
    req->status.MPI_ERROR = s->error;
    MPII_Sched_free(s);
    MPIR_Request_complete(req);
    MPIR_Request_release(req);
}

static int start_failed(MPIR_Sched *s, int error)
{
    if (s)
        MPII_Sched_free(s);
    return error;
}

int MPIR_Sched_start(MPIR_Sched *s, MPIR_Request **req)
{
    if (!s || s->error)
        return start_failed(s, s ? s->error : MPIR_Err("**sched_nomem", (long) MPII_BLOCK_SIZE));
    MPIR_Request *r = MPIR_Request_create(MPIR_REQUEST_COLL, s->comm);
    if (!r)
        return start_failed(s, MPIR_Err("**sched_nomem", (long) sizeof *r));
    MPIR_Object_add_ref(&r->obj); /* the engine's */
    r->sched = s;
    enlist(s);
    begin(s);
    /* `request` is set last: until then messages that are done at once do not put it into the
     * ready list. */
    bool done = advance(s);
    s->request = r;
    *req = r;
    if (done)
        finish(s);
    return MPI_SUCCESS;
}

bool MPIR_Sched_progress(void)
{
    if (MPL_LIKELY(!MPIR_Sched_started.ready) || MPIR_Sched_started.advancing)
        return false;
    MPIR_Sched_started.advancing = true;
    while (MPIR_Sched_started.ready) {
        MPIR_Sched *s = MPIR_Sched_started.ready;
        MPIR_Sched_started.ready = s->ready_next;
        MPIR_Request *req = s->request;
        s->request = NULL; /* as in MPIR_Sched_start */
        bool done = advance(s);
        s->request = req;
        if (done)
            finish(s);
    }
    MPIR_Sched_started.advancing = false;
    return true;
}

void MPIR_Sched_drop_all(void)
{
    while (MPIR_Sched_started.all) {
        MPIR_Sched *s = MPIR_Sched_started.all;
        delist(s);
        MPII_Sched_free(s);
    }
    MPIR_Sched_started.ready = NULL;
    MPIR_Sched_started.advancing = false;
}
