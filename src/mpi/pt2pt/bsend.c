/* Buffered sends and the buffers for them.
 *
 * A message is packed into a segment of the buffer and sent from there; the segment is given back
 * when the message has left. Segments lie in the user's buffer, their headers in front of them,
 * linked in order of address; a new one goes behind the last one made if there is room, else into
 * the next gap, round to the beginning. So nothing fails that would not fail in the circular buffer
 * that the standard takes as its measure (MPI-5.0 3.6.1). With MPI_BUFFER_AUTOMATIC each segment is
 * allocated by itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpir_bsend.h"
#include "pt2pt.h"

#define ALIGN 16

typedef struct Segment {
    struct Segment *next, *prev; /* by address; the list is circular, through MPIR_Bsend.all */
    struct MPIR_Bsend *owner;
    size_t size;     /* bytes from the header to the end */
    uint64_t number; /* in order of sending */
} Segment;

#define HEADER MPL_ROUND_UP(sizeof(Segment), ALIGN)
_Static_assert(HEADER + 2 * (ALIGN - 1) <= MPI_BSEND_OVERHEAD,
               "a message needs its header, the rounding of its end and of the buffer's start");

/* Somebody waits until the messages numbered below `before` have left. */
typedef struct Flush {
    struct Flush *next;
    uint64_t before;
    MPIR_Request *req; /* a part for each message; a reference of ours */
} Flush;

typedef struct MPIR_Bsend {
    void *user_buffer;
    MPI_Count user_size;
    bool automatic;
    char *base; /* aligned; room bytes */
    size_t room;
    Segment all;     /* head of the list */
    Segment *latest; /* where to look for room first; the head if nowhere in particular */
    int n;           /* segments */
    size_t used;     /* bytes in them */
    uint64_t next_number;
    Flush *flushes;
} MPIR_Bsend;

/* The buffer of the process; lives with the epoch. */
static MPIR_Bsend *of_process;

/* ---- segments -------------------------------------------------------------------------------- */

static char *end_of(MPIR_Bsend *b, Segment *s)
{
    return s == &b->all ? b->base : (char *) s + s->size;
}

static size_t gap_after(MPIR_Bsend *b, Segment *s)
{
    char *limit = s->next == &b->all ? b->base + b->room : (char *) s->next;
    return (size_t) (limit - end_of(b, s));
}

/* The segment behind which `size` bytes are free, or NULL. */
static Segment *find_gap(MPIR_Bsend *b, size_t size)
{
    Segment *s = b->latest;
    do {
        if (gap_after(b, s) >= size)
            return s;
        s = s->next;
    } while (s != b->latest);
    return NULL;
}

static void insert_after(MPIR_Bsend *b, Segment *at, Segment *s)
{
    s->next = at->next;
    s->prev = at;
    at->next->prev = s;
    at->next = s;
    s->owner = b;
    s->number = b->next_number++;
    b->latest = s;
    b->n++;
    b->used += s->size;
}

static void *payload(Segment *s)
{
    return (char *) s + HEADER;
}

/* Room for a message; NULL if there is none. */
static Segment *segment_new(MPIR_Bsend *b, size_t bytes)
{
    size_t size = MPL_ROUND_UP(HEADER + bytes, ALIGN);
    Segment *s, *at;
    if (b->automatic) {
        at = b->all.prev;
        s = malloc(size);
    } else {
        at = size <= b->room ? find_gap(b, size) : NULL;
        s = at ? (Segment *) end_of(b, at) : NULL;
    }
    if (!s)
        return NULL;
    s->size = size;
    insert_after(b, at, s);
    return s;
}

static void flush_note(MPIR_Bsend *b, uint64_t number)
{
    for (Flush **link = &b->flushes, *f; (f = *link) != NULL;) {
        bool last = false;
        if (number < f->before) {
            last = atomic_load_explicit(&f->req->pending, memory_order_relaxed) == 1;
            MPIR_Request_complete(f->req);
        }
        if (last) {
            *link = f->next;
            MPIR_Request_release(f->req);
            free(f);
        } else {
            link = &f->next;
        }
    }
}

static void segment_free(Segment *s)
{
    MPIR_Bsend *b = s->owner;
    uint64_t number = s->number;
    s->prev->next = s->next;
    s->next->prev = s->prev;
    if (b->latest == s)
        b->latest = s->prev;
    b->n--;
    b->used -= s->size;
    if (b->automatic)
        free(s);
    flush_note(b, number);
}

static void message_left(MPIR_Request *req, void *segment)
{
    (void) req; /* an error of a message that the user has done with cannot be reported to anyone */
    segment_free(segment);
}

/* ---- sending --------------------------------------------------------------------------------- */

static MPIR_Bsend *buffer_for(const MPIR_Comm *comm)
{
    if (comm->bsend)
        return comm->bsend;
    if (comm->session && comm->session->bsend)
        return comm->session->bsend;
    return of_process;
}

static int no_room(const MPIR_Bsend *b, MPI_Count bytes)
{
    if (b->automatic)
        return MPIR_Err("**bsendnomem", (long long) bytes);
    return MPIR_Err("**bsendroom", (long long) bytes, MPI_BSEND_OVERHEAD, (long long) b->user_size,
                    (long long) b->used, b->n);
}

static int send_buffered(const MPID_Msg *msg)
{
    if (msg->rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    int err = MPIR_Datatype_check_count(msg->datatype, msg->count);
    if (err != MPI_SUCCESS)
        return err;
    MPIR_Bsend *b = buffer_for(msg->comm);
    MPI_Count bytes = MPIR_Datatype_bytes(msg->datatype, msg->count);
    if (!b)
        return MPIR_Err("**bsendnobuffer", (long long) bytes);
    Segment *s = segment_new(b, (size_t) bytes);
    if (!s)
        return no_room(b, bytes);
    MPIR_Datatype_pack(msg->buf, msg->count, msg->datatype, 0, payload(s), (size_t) bytes);
    MPID_Msg packed = *msg;
    packed.buf = payload(s);
    packed.count = bytes;
    packed.datatype = MPI_PACKED;
    MPIR_Request *req;
    err = MPID_Isend(&packed, &req);
    if (err == MPI_SUCCESS && req)
        MPII_Request_then(req, message_left, s);
    else
        segment_free(s);
    return err;
}

int MPIR_Bsend_impl(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                    MPIR_Comm *comm_ptr)
{
    MPID_Msg msg = { .buf = (void *) buf,
                     .count = count,
                     .datatype = datatype,
                     .rank = dest,
                     .tag = tag,
                     .comm = comm_ptr,
                     .ctx_bits = MPIR_CTX_PT2PT,
                     .mode = MPID_STANDARD };
    return send_buffered(&msg);
}

int MPIR_Ibsend_impl(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                     MPIR_Comm *comm_ptr, MPIR_Request **request_ptr)
{
    int err = MPIR_Bsend_impl(buf, count, datatype, dest, tag, comm_ptr);
    if (err == MPI_SUCCESS)
        *request_ptr = MPIR_REQUEST_COMPLETE;
    return err;
}

/* ---- attach ---------------------------------------------------------------------------------- */

static int attach(MPIR_Bsend **slot, const char *to_what, void *buffer, MPI_Count size)
{
    if (*slot)
        return MPIR_Err("**bsendattached", to_what, (*slot)->user_buffer);
    MPIR_Bsend *b = calloc(1, sizeof(*b));
    if (!b)
        return MPIR_Err("**bsendnomem", (long long) sizeof(*b));
    b->user_buffer = buffer;
    b->automatic = buffer == MPI_BUFFER_AUTOMATIC;
    b->all.next = b->all.prev = b->latest = &b->all;
    if (!b->automatic) {
        size_t skip = (size_t) (-(uintptr_t) buffer % ALIGN);
        b->user_size = size;
        b->base = (char *) buffer + skip;
        b->room = (size_t) size > skip ? (size_t) size - skip : 0;
    }
    *slot = b;
    return MPI_SUCCESS;
}

int MPIR_Buffer_attach_impl(void *buffer, MPI_Count size)
{
    return attach(&of_process, "the process", buffer, size);
}

int MPIR_Comm_attach_buffer_impl(MPIR_Comm *comm_ptr, void *buffer, MPI_Count size)
{
    return attach(&comm_ptr->bsend, "the communicator", buffer, size);
}

int MPIR_Session_attach_buffer_impl(MPIR_Session *session_ptr, void *buffer, MPI_Count size)
{
    return attach(&session_ptr->bsend, "the session", buffer, size);
}

/* ---- flush ----------------------------------------------------------------------------------- */

/* A request that completes when all that is in the buffer now has left. */
static int iflush(MPIR_Bsend *b, const char *of_what, MPIR_Request **request)
{
    if (!b)
        return MPIR_Err("**bsenddetached", of_what);
    if (b->n == 0) {
        *request = MPIR_REQUEST_COMPLETE;
        return MPI_SUCCESS;
    }
    Flush *f = malloc(sizeof(*f));
    MPIR_Request *req = f ? MPIR_Request_create(MPIR_REQUEST_OTHER, NULL) : NULL;
    if (!req) {
        free(f);
        return MPIR_Err("**requestnomem");
    }
    MPIR_Object_add_ref(&req->obj);
    atomic_store_explicit(&req->pending, b->n, memory_order_relaxed);
    *f = (Flush) { .next = b->flushes, .before = b->next_number, .req = req };
    b->flushes = f;
    *request = req;
    return MPI_SUCCESS;
}

static int flush(MPIR_Bsend *b, const char *of_what)
{
    MPIR_Request *req;
    int err = iflush(b, of_what, &req);
    if (err != MPI_SUCCESS)
        return err;
    err = MPIR_Request_wait(req, MPI_STATUS_IGNORE);
    MPIR_Request_release(req);
    return err;
}

int MPIR_Buffer_flush_impl(void)
{
    return flush(of_process, "the process");
}

int MPIR_Buffer_iflush_impl(MPIR_Request **request_ptr)
{
    return iflush(of_process, "the process", request_ptr);
}

int MPIR_Comm_flush_buffer_impl(MPIR_Comm *comm_ptr)
{
    return flush(comm_ptr->bsend, "the communicator");
}

int MPIR_Comm_iflush_buffer_impl(MPIR_Comm *comm_ptr, MPIR_Request **request_ptr)
{
    return iflush(comm_ptr->bsend, "the communicator", request_ptr);
}

int MPIR_Session_flush_buffer_impl(MPIR_Session *session_ptr)
{
    return flush(session_ptr->bsend, "the session");
}

int MPIR_Session_iflush_buffer_impl(MPIR_Session *session_ptr, MPIR_Request **request_ptr)
{
    return iflush(session_ptr->bsend, "the session", request_ptr);
}

/* ---- detach ---------------------------------------------------------------------------------- */

static bool is_empty(void *bsend)
{
    return ((const MPIR_Bsend *) bsend)->n == 0;
}

static void describe(void *bsend, char *text, size_t size)
{
    const MPIR_Bsend *b = bsend;
    snprintf(text, size, "%d buffered messages of %zu bytes to leave", b->n, b->used);
}

/* Take the buffer out of its slot first, so that no other thread uses or detaches it while this one
 * waits. */
static int detach(MPIR_Bsend **slot, void **buffer, MPI_Count *size)
{
    MPIR_Bsend *b = *slot;
    *slot = NULL;
    if (b->n > 0) {
        MPID_Wait wait = { .done = is_empty, .arg = b, .what = describe };
        int err = MPID_Progress_wait(&wait);
        if (err != MPI_SUCCESS) {
            if (!*slot)
                *slot = b;
            return err;
        }
    }
    *buffer = b->user_buffer;
    *size = b->user_size;
    free(b);
    return MPI_SUCCESS;
}

static int detach_for_user(MPIR_Bsend **slot, const char *of_what, void *buffer_addr,
                           MPI_Count *size)
{
    void *buffer;
    if (!*slot)
        return MPIR_Err("**bsenddetached", of_what);
    int err = detach(slot, &buffer, size);
    if (err == MPI_SUCCESS)
        memcpy(buffer_addr, &buffer, sizeof(buffer)); /* the address of a pointer of any type */
    return err;
}

int MPIR_Buffer_detach_impl(void *buffer_addr, MPI_Count *size)
{
    return detach_for_user(&of_process, "the process", buffer_addr, size);
}

int MPIR_Comm_detach_buffer_impl(MPIR_Comm *comm_ptr, void *buffer_addr, MPI_Count *size)
{
    return detach_for_user(&comm_ptr->bsend, "the communicator", buffer_addr, size);
}

int MPIR_Session_detach_buffer_impl(MPIR_Session *session_ptr, void *buffer_addr, MPI_Count *size)
{
    return detach_for_user(&session_ptr->bsend, "the session", buffer_addr, size);
}

int MPIR_Bsend_detach_at_free(MPIR_Bsend **bsend)
{
    void *buffer;
    MPI_Count size;
    return *bsend ? detach(bsend, &buffer, &size) : MPI_SUCCESS;
}

int MPIR_Bsend_detach_process(void)
{
    return MPIR_Bsend_detach_at_free(&of_process);
}

/* Segments and flushes are left only of messages that the device has let go of. */
void MPIR_Bsend_drop(MPIR_Bsend *b)
{
    while (b && b->flushes) {
        Flush *f = b->flushes;
        b->flushes = f->next;
        free(f);
    }
    for (Segment *s; b && b->automatic && (s = b->all.next) != &b->all;) {
        b->all.next = s->next;
        free(s);
    }
    free(b);
}
