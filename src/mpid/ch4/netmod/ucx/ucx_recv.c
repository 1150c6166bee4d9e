/* Messages in.
 *
 * UCX does not promise that active messages stay in order, though on one connection they do. So
 * they are numbered, and one that comes before its turn waits.
 */
#include "ucx_impl.h"

#include <stdlib.h>

static bool parse(const void *header, size_t n, MPIDI_UCX_Arrival *a)
{
    const char *at = header;
    if (n < sizeof(a->head))
        return false;
    memcpy(&a->head, at, sizeof(a->head));
    size_t ext = a->head.hdr.ext_size;
    if (ext > MPIDI_AM_EXT_MAX || a->head.from < 0 || a->head.from >= MPIDI_UCX.env->size
        || n != sizeof(a->head) + ext + (a->large ? sizeof(a->serial) : 0))
        return false;
    memcpy(a->ext, at + sizeof(a->head), ext);
    if (a->large)
        memcpy(&a->serial, at + sizeof(a->head) + ext, sizeof(a->serial));
    return true;
}

static void deliver(const MPIDI_UCX_Arrival *a)
{
    const MPIDI_Am_hdr *hdr = &a->head.hdr;
    MPIDI_UCX_Serial serial;
    if (a->large) {
        MPIDI_UCX_offer(a);
    } else if (hdr->kind == MPIDI_UCX_WITHDRAW) {
        memcpy(&serial, a->ext, sizeof(serial));
        MPIDI_UCX_withdraw(a->head.from, serial);
    } else {
        MPIDI_UCX.env->deliver(a->head.from, hdr, a->ext, a->data, a->size);
    }
}

/* ---- before their turn ----------------------------------------------------------------------- */

static void keep(const MPIDI_UCX_Arrival *a)
{
    MPIDI_UCX_Early *e = malloc(sizeof(*e) + (a->large ? 0 : a->size));
    if (!e) {
        MPIDI_UCX.env->warn("out of memory: a message of rank %d that came before its turn is lost",
                            a->head.from);
        return;
    }
    e->arrival = *a;
    if (!a->large) {
        memcpy(e->data, a->data, a->size);
        e->arrival.data = e->data;
    }
    e->next = MPIDI_UCX.early;
    MPIDI_UCX.early = e;
}

/* Take the one whose turn it is. */
static MPIDI_UCX_Early *take_next(int from)
{
    for (MPIDI_UCX_Early **at = &MPIDI_UCX.early; *at; at = &(*at)->next) {
        MPIDI_UCX_Early *e = *at;
        if (e->arrival.head.from == from && e->arrival.head.number == MPIDI_UCX.expected[from]) {
            *at = e->next;
            return e;
        }
    }
    return NULL;
}

static void deliver_early(int from)
{
    for (MPIDI_UCX_Early *e; MPIDI_UCX.early && (e = take_next(from)) != NULL; free(e)) {
        MPIDI_UCX.expected[from]++;
        deliver(&e->arrival);
    }
}

/* ---- UCX's callback -------------------------------------------------------------------------- */

static void receive(const MPIDI_UCX_Arrival *a)
{
    const int from = a->head.from;
    if (a->head.hdr.kind == MPIDI_AM_DATA) {
        deliver(a);
        return;
    }
    if (a->head.number != MPIDI_UCX.expected[from]) {
        keep(a);
        return;
    }
    MPIDI_UCX.expected[from]++;
    deliver(a);
    deliver_early(from);
}

static ucs_status_t arrived(void *arg, const void *header, size_t header_size, void *data,
                            size_t size, const ucp_am_recv_param_t *param)
{
    MPIDI_UCX_Arrival a;
    (void) arg;
    a.large = (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
    a.data = data;
    a.size = size;
    if (MPIDI_UCX.closing)
        return UCS_OK;
    if (!parse(header, header_size, &a)) {
        MPIDI_UCX.env->warn("dropped a message of %zu bytes that is none of this job's", size);
        return UCS_OK;
    }
    receive(&a);
    return a.large ? UCS_INPROGRESS : UCS_OK;
}

int MPIDI_UCX_recv_start(void)
{
    ucp_am_handler_param_t param = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB,
        .id = MPIDI_UCX_AM_ID,
        .cb = arrived,
    };
    MPIDI_UCX.expected = calloc((size_t) MPIDI_UCX.env->size, sizeof(*MPIDI_UCX.expected));
    if (!MPIDI_UCX.expected)
        return MPIDI_UCX.env->error("out of memory: the order of messages of %d ranks",
                                    MPIDI_UCX.env->size);
    ucs_status_t s = ucp_worker_set_am_recv_handler(MPIDI_UCX.worker, &param);
    if (s != UCS_OK)
        return MPIDI_UCX.env->error("UCX takes no handler of messages: %s", ucs_status_string(s));
    return 0;
}

void MPIDI_UCX_recv_end(void)
{
    while (MPIDI_UCX.early) {
        MPIDI_UCX_Early *e = MPIDI_UCX.early;
        MPIDI_UCX.early = e->next;
        free(e);
    }
    free(MPIDI_UCX.expected);
}
