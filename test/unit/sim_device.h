/* A device that simulates a job within one process: a communicator of n ranks is n MPIR_Comm
 * objects with one context id, and messages travel between them through a list, delivered in a
 * random order that keeps the order of each pair. It defines all of mpid.h and is linked before
 * the real device (-z muldefs). */
#ifndef SIM_DEVICE_H_INCLUDED
#define SIM_DEVICE_H_INCLUDED

#include <stdlib.h>
#include <string.h>

#include "mpid.h"
#include "mpir_datatype.h"
#include "mpir_err.h"
#include "mpir_process.h"
#include "mpir_sched.h"
#include "utest.h"

typedef struct Sim_msg {
    struct Sim_msg *next;
    uint64_t ctx;
    int src, dest, tag;
    MPI_Count bytes;
    MPIR_Request *send; /* completes at delivery, or NULL */
    char data[];
} Sim_msg;

typedef struct Sim_recv {
    struct Sim_recv *next;
    uint64_t ctx;
    MPID_Msg msg;
    MPIR_Request *req;
} Sim_recv;

/* Lives with the test program. */
static struct {
    Sim_msg *wire, *unexpected;
    Sim_recv *posted; /* oldest first */
    unsigned seed;
    int messages;
    int fail_after; /* > 0: the n-th send from now on fails */
} sim = { .seed = 1 };

static unsigned sim_random(unsigned below)
{
    sim.seed = sim.seed * 1103515245u + 12345u;
    return (sim.seed >> 16) % below;
}

static void sim_append(Sim_msg **list, Sim_msg *m)
{
    m->next = NULL;
    while (*list)
        list = &(*list)->next;
    *list = m;
}

static void sim_end(MPIR_Request *req)
{
    MPIR_Request_complete(req);
    MPIR_Request_release(req);
}

static void sim_fill(Sim_recv *r, Sim_msg *m)
{
    MPI_Count room = MPIR_Datatype_bytes(r->msg.datatype, r->msg.count);
    if (m->bytes > room)
        r->req->status.MPI_ERROR = MPIR_Err("**no_such_key_truncated");
    MPIR_Datatype_unpack(r->msg.buf, r->msg.count, r->msg.datatype, 0, m->data,
                         (size_t) MPL_MIN(room, m->bytes));
    sim_end(r->req);
    free(m);
    free(r);
}

static bool sim_fits(const Sim_recv *r, const Sim_msg *m)
{
    return r->ctx == m->ctx && r->msg.rank == m->src && r->msg.tag == m->tag
        && r->msg.comm->rank == m->dest;
}

static void sim_deliver(Sim_msg *m)
{
    if (m->send)
        sim_end(m->send);
    m->send = NULL;
    for (Sim_recv **p = &sim.posted; *p; p = &(*p)->next)
        if (sim_fits(*p, m)) {
            Sim_recv *r = *p;
            *p = r->next;
            sim_fill(r, m);
            return;
        }
    sim_append(&sim.unexpected, m);
}

int MPID_Isend(const MPID_Msg *msg, MPIR_Request **req)
{
    MPI_Count bytes = MPIR_Datatype_bytes(msg->datatype, msg->count);
    if (sim.fail_after > 0 && --sim.fail_after == 0)
        return MPIR_Err("**no_such_key_send");
    Sim_msg *m = malloc(sizeof *m + (size_t) bytes);
    *m = (Sim_msg) { .ctx = msg->comm->ctx | msg->ctx_bits, .src = msg->comm->rank,
                     .dest = msg->rank, .tag = msg->tag, .bytes = bytes };
    MPIR_Datatype_pack(msg->buf, msg->count, msg->datatype, 0, m->data, (size_t) bytes);
    *req = NULL;
    if (sim_random(2)) {
        *req = m->send = MPIR_Request_create(MPIR_REQUEST_SEND, msg->comm);
        MPIR_Object_add_ref(&m->send->obj);
    }
    sim.messages++;
    sim_append(&sim.wire, m);
    return MPI_SUCCESS;
}

int MPID_Irecv(const MPID_Msg *msg, MPIR_Request **req)
{
    Sim_recv *r = malloc(sizeof *r);
    *r = (Sim_recv) { .ctx = msg->comm->ctx | msg->ctx_bits, .msg = *msg };
    *req = r->req = MPIR_Request_create(MPIR_REQUEST_RECV, msg->comm);
    MPIR_Object_add_ref(&r->req->obj);
    for (Sim_msg **p = &sim.unexpected; *p; p = &(*p)->next)
        if (sim_fits(r, *p)) {
            Sim_msg *m = *p;
            *p = m->next;
            sim_fill(r, m);
            return MPI_SUCCESS;
        }
    Sim_recv **last = &sim.posted;
    while (*last)
        last = &(*last)->next;
    *last = r;
    return MPI_SUCCESS;
}

int MPID_Cancel_recv(MPIR_Request *req)
{
    for (Sim_recv **p = &sim.posted; *p; p = &(*p)->next)
        if ((*p)->req == req) {
            Sim_recv *r = *p;
            *p = r->next;
            free(r);
            MPIR_Status_set_cancelled_bit(&req->status, 1);
            sim_end(req);
            break;
        }
    return MPI_SUCCESS;
}

bool MPID_Progress_poll(void)
{
    bool moved = sim.wire != NULL;
    int n = 0;
    for (Sim_msg *m = sim.wire; m; m = m->next)
        n++;
    if (n > 0) {
        int pick = (int) sim_random((unsigned) n);
        Sim_msg *chosen = sim.wire;
        while (pick-- > 0)
            chosen = chosen->next;
        int src = chosen->src, dest = chosen->dest; /* the oldest of this pair goes first */
        Sim_msg **p = &sim.wire;
        while ((*p)->src != src || (*p)->dest != dest)
            p = &(*p)->next;
        chosen = *p;
        *p = chosen->next;
        sim_deliver(chosen);
    }
    return MPIR_Sched_progress() || moved;
}

int MPID_Progress_wait(const MPID_Wait *wait)
{
    for (int idle = 0; !wait->done(wait->arg);)
        if (MPID_Progress_poll())
            idle = 0;
        else if (++idle > 1000) {
            char text[200] = "something";
            if (wait->what)
                wait->what(wait->arg, text, sizeof text);
            UT_FAIL("waits for ever: %s", text);
            exit(1);
        }
    return MPI_SUCCESS;
}

/* ---- what the tests do not use --------------------------------------------------------------- */

int MPID_Init(void)
{
    abort();
}
int MPID_Suspend(void)
{
    abort();
}
int MPID_Resume(void)
{
    abort();
}
void MPID_Set_dormant(bool dormant)
{
    (void) dormant;
}
void MPID_Finalize(void) {}
int MPID_Flush(void)
{
    return MPI_SUCCESS;
}
void MPID_Abort(int code, const char *message)
{
    fprintf(stderr, "MPID_Abort: %s\n", message ? message : "");
    exit(code ? code : 1);
}
int MPID_Send(const MPID_Msg *msg)
{
    (void) msg;
    abort();
}
int MPID_Recv(const MPID_Msg *msg, MPI_Status *status)
{
    (void) msg;
    (void) status;
    abort();
}
int MPID_Iprobe(const MPID_Msg *m, int *flag, MPI_Status *s)
{
    (void) m;
    (void) flag;
    (void) s;
    abort();
}
int MPID_Probe(const MPID_Msg *m, MPI_Status *s)
{
    (void) m;
    (void) s;
    abort();
}
void MPID_Request_describe(void *req, char *text, size_t size)
{
    (void) req;
    snprintf(text, size, "a request");
}
void MPID_Request_forget(MPIR_Request *req)
{
    (void) req;
}
int MPID_Comm_init(MPIR_Comm *comm)
{
    (void) comm;
    return MPI_SUCCESS;
}
void MPID_Comm_free(MPIR_Comm *comm)
{
    (void) comm;
}
int MPID_Boot_send(int r, const MPID_Boot_key *k, MPIR_Context_id c)
{
    (void) r;
    (void) k;
    (void) c;
    abort();
}
int MPID_Boot_recv(int r, const MPID_Boot_key *k, MPIR_Context_id *c)
{
    (void) r;
    (void) k;
    (void) c;
    abort();
}

bool MPID_Meet_possible(MPIR_Comm *comm)
{
    (void) comm;
    return false;
}
bool MPID_Meet_can_look(MPIR_Comm *comm)
{
    (void) comm;
    return false;
}
int MPID_Meet_give(MPIR_Comm *comm)
{
    (void) comm;
    return -1;
}
int MPID_Meet_open(MPIR_Comm *comm, int number)
{
    (void) comm;
    (void) number;
    return MPI_SUCCESS;
}
int MPID_Meet_begin(const MPID_Meeting *m, bool brings)
{
    (void) m;
    (void) brings;
    abort();
}
void *MPID_Meet_buffer(const MPIR_Comm *comm, int rank, size_t bytes)
{
    (void) comm;
    (void) rank;
    (void) bytes;
    abort();
}
int MPID_Meet_all(const MPID_Meeting *m)
{
    (void) m;
    abort();
}
void MPID_Meet_come(MPIR_Comm *comm, int for_whom)
{
    (void) comm;
    (void) for_whom;
    abort();
}
int MPID_Meet_wait(const MPID_Meeting *m)
{
    (void) m;
    abort();
}
void MPID_Meet_end(MPIR_Comm *comm)
{
    (void) comm;
    abort();
}

#endif /* SIM_DEVICE_H_INCLUDED */
