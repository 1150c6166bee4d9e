/* A send and a receive in one call. */
#include <stdlib.h>

#include "pt2pt.h"

void MPII_Request_then(MPIR_Request *req, void (*fn)(MPIR_Request *, void *), void *arg)
{
    if (MPIR_Request_is_complete(req)) {
        fn(req, arg);
    } else { /* the device's reference keeps it until then */
        req->on_complete = fn;
        req->on_complete_arg = arg;
    }
    MPIR_Request_release(req);
}

/* Both messages of the call. */
typedef struct Pair {
    MPID_Msg out, in;
} Pair;

static MPID_Msg message(void *buf, MPI_Count count, MPI_Datatype datatype, MPIR_Comm *comm)
{
    return (MPID_Msg) { .buf = buf,
                        .count = count,
                        .datatype = datatype,
                        .comm = comm,
                        .ctx_bits = MPIR_CTX_PT2PT,
                        .mode = MPID_STANDARD };
}

/* The receive is of no use without the send. */
static void take_back(MPIR_Request *recv)
{
    MPID_Cancel_recv(recv);
    MPIR_Request_release(recv);
}

/* ---- blocking -------------------------------------------------------------------------------- */

static int exchange(const Pair *p, MPI_Status *status)
{
    MPIR_Request *recv, *send;
    int err = MPII_Irecv(&p->in, &recv);
    if (err != MPI_SUCCESS)
        return err;
    err = MPII_Isend(&p->out, &send);
    if (err != MPI_SUCCESS) {
        take_back(recv);
        return err;
    }
    if (send) {
        err = MPIR_Request_wait(send, MPI_STATUS_IGNORE);
        MPIR_Request_release(send);
    }
    int recv_err = MPIR_Request_wait(recv, status);
    MPIR_Request_release(recv);
    return err != MPI_SUCCESS ? err : recv_err;
}

int MPIR_Sendrecv_impl(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                       int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                       int source, int recvtag, MPIR_Comm *comm_ptr, MPI_Status *status)
{
    Pair p = { message((void *) sendbuf, sendcount, sendtype, comm_ptr),
               message(recvbuf, recvcount, recvtype, comm_ptr) };
    p.out.rank = dest;
    p.out.tag = sendtag;
    p.in.rank = source;
    p.in.tag = recvtag;
    return exchange(&p, status);
}

/* Let what is to be sent go from a packed copy, since the buffer is to be received into. The caller
 * frees p->out.buf. */
static int pack_out(Pair *p)
{
    const MPID_Msg in = p->in;
    int err = MPIR_Datatype_check_count(in.datatype, in.count);
    if (err != MPI_SUCCESS)
        return err;
    MPI_Count bytes = MPIR_Datatype_bytes(in.datatype, in.count);
    p->out.buf = malloc((size_t) bytes + 1);
    if (!p->out.buf)
        return MPIR_Err("**sendrecvnomem", (long long) bytes);
    p->out.count = bytes;
    p->out.datatype = MPI_PACKED;
    MPIR_Datatype_pack(in.buf, in.count, in.datatype, 0, p->out.buf, (size_t) bytes);
    return MPI_SUCCESS;
}

int MPIR_Sendrecv_replace_impl(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                               int sendtag, int source, int recvtag, MPIR_Comm *comm_ptr,
                               MPI_Status *status)
{
    Pair p = { message(NULL, 0, MPI_PACKED, comm_ptr), message(buf, count, datatype, comm_ptr) };
    p.out.rank = dest;
    p.out.tag = sendtag;
    p.in.rank = source;
    p.in.tag = recvtag;
    int err = pack_out(&p);
    if (err != MPI_SUCCESS)
        return err;
    err = exchange(&p, status);
    free(p.out.buf);
    return err;
}

/* ---- nonblocking ----------------------------------------------------------------------------- */

/* The user's request stands for both messages: it has two parts, and the status of the receive. */
typedef struct Both {
    MPIR_Request *user; /* a reference of ours */
    void *packed;       /* owned; NULL unless the call was one of the _replace kind */
    int left;
} Both;

static void part_done(Both *b)
{
    MPIR_Request *user = b->user;
    if (--b->left == 0) {
        free(b->packed);
        free(b);
        MPIR_Request_complete(user);
        MPIR_Request_release(user);
    } else {
        MPIR_Request_complete(user);
    }
}

static void note_error(MPIR_Request *user, int err)
{
    if (user->status.MPI_ERROR == MPI_SUCCESS)
        user->status.MPI_ERROR = err;
}

static void send_done(MPIR_Request *send, void *both)
{
    Both *b = both;
    note_error(b->user, send->status.MPI_ERROR);
    part_done(b);
}

static void recv_done(MPIR_Request *recv, void *both)
{
    Both *b = both;
    MPIR_Status_give(&b->user->status, &recv->status);
    note_error(b->user, recv->status.MPI_ERROR);
    part_done(b);
}

/* The request and what connects it to its two parts. Of kind OTHER, as it cannot be cancelled. */
static Both *both_new(MPIR_Comm *comm, void *packed)
{
    Both *b = malloc(sizeof(*b));
    if (!b)
        return NULL;
    *b = (Both) { .user = MPIR_Request_create(MPIR_REQUEST_OTHER, comm),
                  .packed = packed,
                  .left = 2 };
    if (!b->user) {
        free(b);
        return NULL;
    }
    MPIR_Object_add_ref(&b->user->obj);
    atomic_store_explicit(&b->user->pending, 2, memory_order_relaxed);
    return b;
}

static void both_free(Both *b)
{
    MPIR_Request_release(b->user);
    MPIR_Request_release(b->user);
    free(b);
}

static int start_both(const Pair *p, void *packed, MPIR_Request **request)
{
    MPIR_Request *recv, *send;
    Both *b = both_new(p->in.comm, packed);
    if (!b)
        return MPIR_Err("**requestnomem");
    int err = MPII_Irecv(&p->in, &recv);
    if (err != MPI_SUCCESS) {
        both_free(b);
        return err;
    }
    err = MPII_Isend(&p->out, &send);
    if (err != MPI_SUCCESS) {
        take_back(recv);
        both_free(b);
        return err;
    }
    *request = b->user; /* the user's reference keeps it beyond this point */
    MPII_Request_then(recv, recv_done, b);
    MPII_Request_then(send ? send : MPIR_REQUEST_COMPLETE, send_done, b);
    return MPI_SUCCESS;
}

int MPIR_Isendrecv_impl(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                        int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                        int source, int recvtag, MPIR_Comm *comm_ptr, MPIR_Request **request_ptr)
{
    Pair p = { message((void *) sendbuf, sendcount, sendtype, comm_ptr),
               message(recvbuf, recvcount, recvtype, comm_ptr) };
    p.out.rank = dest;
    p.out.tag = sendtag;
    p.in.rank = source;
    p.in.tag = recvtag;
    return start_both(&p, NULL, request_ptr);
}

int MPIR_Isendrecv_replace_impl(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                int sendtag, int source, int recvtag, MPIR_Comm *comm_ptr,
                                MPIR_Request **request_ptr)
{
    Pair p = { message(NULL, 0, MPI_PACKED, comm_ptr), message(buf, count, datatype, comm_ptr) };
    p.out.rank = dest;
    p.out.tag = sendtag;
    p.in.rank = source;
    p.in.tag = recvtag;
    int err = pack_out(&p);
    if (err != MPI_SUCCESS)
        return err;
    err = start_both(&p, p.out.buf, request_ptr);
    if (err != MPI_SUCCESS)
        free(p.out.buf);
    return err;
}
