/* Cards and peers. */
#include "ucx_impl.h"

#include <stdio.h>
#include <stdlib.h>

#include "../common/netmod_card.h"

/* ---- the own card ---------------------------------------------------------------------------- */

/* The worker's address into the card; returns its size, 0 if there is none. */
static size_t get_address(uint32_t flags, MPIDI_UCX_Card *card)
{
    ucp_worker_attr_t attr = {
        .field_mask = UCP_WORKER_ATTR_FIELD_ADDRESS | UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS,
        .address_flags = flags,
    };
    if (ucp_worker_query(MPIDI_UCX.worker, &attr) != UCS_OK)
        return 0;
    size_t n = attr.address_length;
    if (n <= sizeof(card->address))
        memcpy(card->address, attr.address, n);
    ucp_worker_release_address(MPIDI_UCX.worker, attr.address);
    return n;
}

static void open_life(Netmod_life_address *life)
{
    struct sockaddr_storage near;
    char name[64];
    MPIDI_UCX_interface(name, sizeof(name), &near);
    MPIDI_UCX.life_fd = Netmod_life_listen((const struct sockaddr *) &near, life);
    if (MPIDI_UCX.life_fd < 0)
        MPIDI_UCX.env->warn("no socket by which others could find out that this process "
                            "has left: %s", strerror(-MPIDI_UCX.life_fd));
}

/* An address names each device. Those of shared memory are dropped first where there are many. */
int MPIDI_UCX_card_put(void)
{
    MPIDI_UCX_Card card = { .address = "" };
    char text[MPIDI_UCX_TEXT_MAX + 1];
    size_t whole = get_address(0, &card), n = whole;
    if (n == 0)
        return MPIDI_UCX.env->error("UCX does not tell the address of its worker");
    if (n > sizeof(card.address))
        n = get_address(UCP_WORKER_ADDRESS_FLAG_NET_ONLY, &card);
    if (n == 0 || n > sizeof(card.address))
        return MPIDI_UCX.env->error(
            "UCX uses so many devices that its address has %zu bytes; expected at most %zu. Choose "
            "some by MPIR_CVAR_NETMOD_INTERFACE or UCX_NET_DEVICES", whole, sizeof(card.address));
    open_life(&card.life);
    if (!Netmod_card_encode(&card, offsetof(MPIDI_UCX_Card, address) + n, text, sizeof(text)))
        return MPIDI_UCX.env->error("UCX's address has %zu bytes, which no card can hold", n);
    return MPIDI_UCX.env->card_put(text);
}

/* ---- peers ----------------------------------------------------------------------------------- */

int MPIDI_UCX_connect(int world_rank, MPIDI_Ep **ep)
{
    struct MPIDI_Ep *e = calloc(1, sizeof(*e));
    if (!e)
        return MPIDI_UCX.env->error("out of memory: %zu bytes for a peer", sizeof(*e));
    e->rank = world_rank;
    e->life.fd = -1;
    e->next = MPIDI_UCX.all;
    MPIDI_UCX.all = e;
    *ep = e;
    return 0;
}

static void failed(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    (void) ep, (void) status;
    MPIDI_UCX_break(arg, true);
}

static MPIDI_UCX_Ep_state refuse(struct MPIDI_Ep *ep, const char *why)
{
    MPIDI_UCX.env->warn("rank %d cannot be reached: %s", ep->rank, why);
    MPIDI_UCX_break(ep, false);
    return ep->state;
}

/* UCX's shared memory (1.13) does not say that a peer has left; then only the line does. */
static ucs_status_t create(struct MPIDI_Ep *ep, const void *address)
{
    ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE
            | UCP_EP_PARAM_FIELD_ERR_HANDLER,
        .address = address,
        .err_mode = UCP_ERR_HANDLING_MODE_PEER,
        .err_handler = { .cb = failed, .arg = ep },
    };
    ucs_status_t s = ucp_ep_create(MPIDI_UCX.worker, &params, &ep->ep);
    ep->fails = s == UCS_OK;
    if (s == UCS_ERR_UNREACHABLE) {
        params.err_mode = UCP_ERR_HANDLING_MODE_NONE;
        s = ucp_ep_create(MPIDI_UCX.worker, &params, &ep->ep);
    }
    if (s != UCS_OK)
        ep->ep = NULL;
    return s;
}

#define RETRY_NS UINT64_C(50000000)
#define PATIENCE_NS UINT64_C(5000000000)

/* Some transports of UCX connect at once, which fails if the peer has left. Nothing is said of
 * that: whoever needs the peer gets an error. Other reasons are said if they stay. */
static MPIDI_UCX_Ep_state try_later(struct MPIDI_Ep *ep, ucs_status_t why)
{
    uint64_t now = MPIDI_UCX_now_ns();
    char text[160];
    ep->tried_at = now;
    if (!ep->failed_at)
        ep->failed_at = now;
    if (Netmod_life_is_gone(&ep->life, MPIDI_UCX.life_timeout))
        MPIDI_UCX_break(ep, false);
    if (ep->state == MPIDI_UCX_BROKEN || now - ep->failed_at <= PATIENCE_NS)
        return ep->state;
    snprintf(text, sizeof(text), "UCX says \"%s\"; UCX_TLS, UCX_NET_DEVICES and "
             "MPIR_CVAR_NETMOD_INTERFACE must leave both a network in common",
             ucs_status_string(why));
    refuse(ep, text);
    return ep->state;
}

static MPIDI_UCX_Ep_state use_card(struct MPIDI_Ep *ep, const char *text)
{
    MPIDI_UCX_Card card;
    memset(&card, 0, sizeof(card));
    if (Netmod_card_decode(text, &card, sizeof(card)) <= (long) offsetof(MPIDI_UCX_Card, address))
        return refuse(ep, "its card is malformed");
    card.life.host[sizeof(card.life.host) - 1] = '\0';
    ep->life.to = card.life;
    ucs_status_t s = create(ep, card.address);
    return s == UCS_OK ? (ep->state = MPIDI_UCX_READY) : try_later(ep, s);
}

MPIDI_UCX_Ep_state MPIDI_UCX_resolve(struct MPIDI_Ep *ep)
{
    char text[MPIDI_UCX_TEXT_MAX + 1];
    bool there = false;
    if (ep->state != MPIDI_UCX_NEW
        || (ep->tried_at && MPIDI_UCX_now_ns() - ep->tried_at < RETRY_NS))
        return ep->state;
    int err = MPIDI_UCX.env->card_try(ep->rank, text, sizeof(text), &there);
    if (err)
        return refuse(ep, "the launcher gives no address for it, or one of another network module");
    return there ? use_card(ep, text) : MPIDI_UCX_NEW;
}

MPIDI_Peer_state MPIDI_UCX_peer_state(MPIDI_Ep *ep)
{
    MPIDI_UCX_Ep_state state = MPIDI_UCX_resolve(ep);
    if (state == MPIDI_UCX_NEW)
        return MPIDI_PEER_ABSENT;
    if (state == MPIDI_UCX_READY && Netmod_life_is_gone(&ep->life, MPIDI_UCX.life_timeout))
        MPIDI_UCX_break(ep, false);
    return ep->state == MPIDI_UCX_BROKEN ? MPIDI_PEER_GONE : MPIDI_PEER_ACTIVE;
}

const char *MPIDI_UCX_host(MPIDI_Ep *ep)
{
    return ep->life.to.host[0] ? ep->life.to.host : NULL;
}

/* ---- peers that are gone --------------------------------------------------------------------- */

void MPIDI_UCX_break(struct MPIDI_Ep *ep, bool tell)
{
    if (ep->state == MPIDI_UCX_BROKEN || MPIDI_UCX.closing)
        return;
    ep->state = MPIDI_UCX_BROKEN;
    ep->untold = tell;
    ep->next_broken = MPIDI_UCX.broken;
    MPIDI_UCX.broken = ep;
}

void MPIDI_UCX_tell(struct MPIDI_Ep *ep)
{
    if (!ep->untold)
        return;
    ep->untold = false;
    MPIDI_UCX.env->peer_gone(ep->rank);
}

static void closed(void *request, ucs_status_t status, void *user_data)
{
    (void) status, (void) user_data;
    ucp_request_free(request);
}

/* By force: what UCX still holds for the peer comes back with an error. It is not allowed for an
 * endpoint that does not fail, which just stays. */
static void close_by_force(ucp_ep_h ep)
{
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK,
        .flags = UCP_EP_CLOSE_FLAG_FORCE,
        .cb.send = closed,
    };
    ucp_ep_close_nbx(ep, &param);
}

bool MPIDI_UCX_close_broken(void)
{
    bool any = false;
    while (MPIDI_UCX.broken) {
        struct MPIDI_Ep *ep = MPIDI_UCX.broken;
        MPIDI_UCX.broken = ep->next_broken;
        MPIDI_UCX_tell(ep);
        if (ep->ep && ep->fails) {
            close_by_force(ep->ep);
        } else {
            MPIDI_UCX_ops_give_up(ep);
            MPIDI_UCX_readings_give_up(ep);
        }
        ep->ep = NULL;
        any = true;
    }
    return any;
}

void MPIDI_UCX_peers_free(void)
{
    while (MPIDI_UCX.all) {
        struct MPIDI_Ep *ep = MPIDI_UCX.all;
        MPIDI_UCX.all = ep->next;
        Netmod_life_close(&ep->life);
        free(ep);
    }
}
