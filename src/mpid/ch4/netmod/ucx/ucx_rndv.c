/* Large messages in contiguous memory.
 *
 * The core exposes the memory, sends RTS with the handle as payload, and the receiver's core reads
 * with the handle that it got. Here the RTS is a UCP message by rendezvous whose data is the whole
 * memory. The receiver's core gets as handle where UCX's descriptor is kept (an offer), and its
 * read receives into the user's buffer. An offer that is not taken, since the receive buffer is
 * not contiguous and the data is pushed, is withdrawn when the sender hides the memory.
 */
#include "ucx_impl.h"

#include <stdlib.h>

/* ---- the sender's end ------------------------------------------------------------------------ */

size_t MPIDI_UCX_expose(MPIDI_Ep *ep, const void *base, size_t size, void *handle,
                        MPIDI_Region **region)
{
    (void) ep;
    MPIDI_UCX_Handle h = { .region = malloc(sizeof(*h.region)) };
    if (!h.region)
        return 0;
    *h.region = (struct MPIDI_Region) { .base = base, .size = size, .serial = ++MPIDI_UCX.serial };
    *region = h.region;
    memcpy(handle, &h, sizeof(h));
    return sizeof(h);
}

/* The core is done at once: it keeps the memory until hide(). */
MPIDI_Send_result MPIDI_UCX_send_large(struct MPIDI_Ep *ep, const MPIDI_Am *am)
{
    MPIDI_UCX_Handle h;
    MPIDI_UCX_Op *op = MPIDI_UCX_op_new(ep);
    if (!op)
        return MPIDI_SEND_AGAIN;
    memcpy(&h, am->data.base, sizeof(h));
    op->region = h.region;
    size_t n = MPIDI_UCX_put_head(op, am);
    memcpy(op->head + n, &h.region->serial, sizeof(h.region->serial));
    ep->number++;
    MPIDI_Send_result r = MPIDI_UCX_start(op, n + sizeof(h.region->serial), h.region->base,
                                          h.region->size);
    h.region->in_flight = r == MPIDI_SEND_PENDING;
    return r == MPIDI_SEND_PENDING ? MPIDI_SEND_DONE : r;
}

void MPIDI_UCX_region_sent(struct MPIDI_Region *region)
{
    region->in_flight = false;
    if (region->hidden)
        free(region);
}

void MPIDI_UCX_hide(MPIDI_Ep *ep, MPIDI_Region *region)
{
    if (!region->in_flight) {
        free(region);
        return;
    }
    region->hidden = true;
    MPIDI_UCX_Op *op = ep->state == MPIDI_UCX_READY ? MPIDI_UCX_op_new(ep) : NULL;
    if (!op)
        return;
    MPIDI_Am am = { .hdr = { .kind = MPIDI_UCX_WITHDRAW, .ext_size = sizeof(region->serial) },
                    .ext = &region->serial };
    size_t n = MPIDI_UCX_put_head(op, &am);
    ep->number++;
    MPIDI_UCX_start(op, n, NULL, 0);
}

/* ---- the receiver's end ---------------------------------------------------------------------- */

/* The handle that the core gets. */
typedef struct Ticket {
    MPIDI_UCX_Offer *offer;
    uint64_t id;
} Ticket;
_Static_assert(sizeof(Ticket) <= MPIDI_HANDLE_MAX, "the core keeps it");

static MPIDI_UCX_Offer *new_offer(void)
{
    MPIDI_UCX_Offer *o = MPIDI_UCX.free_offers;
    if (o)
        MPIDI_UCX.free_offers = o->next;
    else if (!(o = malloc(sizeof(*o))))
        return NULL;
    o->id = ++MPIDI_UCX.n_offers;
    o->prev = NULL;
    o->next = MPIDI_UCX.offers;
    if (o->next)
        o->next->prev = o;
    MPIDI_UCX.offers = o;
    return o;
}

static void end_offer(MPIDI_UCX_Offer *o)
{
    if (o->prev)
        o->prev->next = o->next;
    else
        MPIDI_UCX.offers = o->next;
    if (o->next)
        o->next->prev = o->prev;
    o->id = 0;
    o->next = MPIDI_UCX.free_offers;
    MPIDI_UCX.free_offers = o;
}

/* Without memory for it the core is told of no handle, and asks for the data to be pushed. */
void MPIDI_UCX_offer(const MPIDI_UCX_Arrival *a)
{
    MPIDI_UCX_Offer *o = new_offer();
    Ticket t = { .offer = o };
    if (o) {
        o->from = a->head.from;
        o->serial = a->serial;
        o->data = a->data;
        o->size = a->size;
        t.id = o->id;
    }
    MPIDI_UCX.env->deliver(a->head.from, &a->head.hdr, a->ext, &t, o ? sizeof(t) : 0);
}

void MPIDI_UCX_withdraw(int from, MPIDI_UCX_Serial serial)
{
    for (MPIDI_UCX_Offer *o = MPIDI_UCX.offers; o; o = o->next) {
        if (o->from != from || o->serial != serial)
            continue;
        ucp_am_data_release(MPIDI_UCX.worker, o->data);
        end_offer(o);
        return;
    }
}

void MPIDI_UCX_offers_free(void)
{
    while (MPIDI_UCX.offers)
        end_offer(MPIDI_UCX.offers);
    while (MPIDI_UCX.free_offers) {
        MPIDI_UCX_Offer *o = MPIDI_UCX.free_offers;
        MPIDI_UCX.free_offers = o->next;
        free(o);
    }
}

static void enter(MPIDI_UCX_Reading *r)
{
    r->prev = NULL;
    r->next = r->ep->readings;
    if (r->next)
        r->next->prev = r;
    r->ep->readings = r;
}

static void leave(MPIDI_UCX_Reading *r)
{
    if (r->prev)
        r->prev->next = r->next;
    else
        r->ep->readings = r->next;
    if (r->next)
        r->next->prev = r->prev;
}

void MPIDI_UCX_readings_give_up(struct MPIDI_Ep *ep)
{
    for (MPIDI_UCX_Reading *r = ep->readings; r; r = r->next) {
        void (*complete)(void *, bool) = r->complete;
        r->complete = NULL;
        if (complete)
            complete(r->complete_arg, false);
    }
}

static void finish(MPIDI_UCX_Reading *r, bool ok)
{
    if (r->whole && ok)
        memcpy(r->local, r->whole, r->n);
    free(r->whole);
    free(r);
}

static void has_read(void *request, ucs_status_t status, size_t length, void *user_data)
{
    MPIDI_UCX_Reading *const reading = user_data, r = *reading;
    (void) length;
    ucp_request_free(request);
    leave(reading);
    finish(reading, status == UCS_OK && r.complete && !MPIDI_UCX.closing);
    if (MPIDI_UCX.closing)
        return;
    if (status != UCS_OK) {
        MPIDI_UCX_break(r.ep, true);
        MPIDI_UCX_tell(r.ep);
    }
    if (r.complete)
        r.complete(r.complete_arg, status == UCS_OK);
}

static MPIDI_UCX_Reading *new_reading(MPIDI_Ep *ep, const MPIDI_Read *read, size_t size)
{
    MPIDI_UCX_Reading *r = malloc(sizeof(*r));
    if (!r)
        return NULL;
    *r = (MPIDI_UCX_Reading) { .ep = ep, .complete = read->complete,
                               .complete_arg = read->complete_arg, .local = read->local,
                               .n = read->n };
    if (read->n < size && !(r->whole = malloc(size))) {
        free(r);
        return NULL;
    }
    return r;
}

/* UCX receives all of it or nothing. */
static MPIDI_Send_result start(MPIDI_UCX_Reading *r, MPIDI_UCX_Offer *o)
{
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA
            | UCP_OP_ATTR_FIELD_MEMORY_TYPE,
        .cb.recv_am = has_read,
        .user_data = r,
        .memory_type = UCS_MEMORY_TYPE_HOST,
    };
    void *request = ucp_am_recv_data_nbx(MPIDI_UCX.worker, o->data, r->whole ? r->whole : r->local,
                                         o->size, &param);
    end_offer(o);
    if (request && !UCS_PTR_IS_ERR(request)) {
        enter(r);
        return MPIDI_SEND_PENDING;
    }
    finish(r, !request);
    return request ? MPIDI_SEND_GONE : MPIDI_SEND_DONE;
}

/* GONE: it cannot be read, and is to be pushed. */
MPIDI_Send_result MPIDI_UCX_read(MPIDI_Ep *ep, const MPIDI_Read *read)
{
    Ticket t;
    MPIDI_UCX_Ep_state state = MPIDI_UCX_resolve(ep);
    if (state != MPIDI_UCX_READY)
        return state == MPIDI_UCX_NEW ? MPIDI_SEND_AGAIN : MPIDI_SEND_GONE;
    memcpy(&t, read->handle, sizeof(t));
    MPIDI_UCX_Reading *r = t.offer->id == t.id ? new_reading(ep, read, t.offer->size) : NULL;
    return r ? start(r, t.offer) : MPIDI_SEND_GONE;
}
