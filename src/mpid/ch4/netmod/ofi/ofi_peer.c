/* Cards and peers. */
#include "ofi_impl.h"

#include <stdio.h>
#include <stdlib.h>

#include "../common/netmod_card.h"

/* ---- the own card ------------------------------------------------------------------------------ */

static const struct sockaddr *internet_address(const void *name)
{
    uint32_t format = MPIDI_OFI.info->addr_format;
    return format == FI_SOCKADDR_IN || format == FI_SOCKADDR_IN6 || format == FI_SOCKADDR ? name : NULL;
}

int MPIDI_OFI_card_put(void)
{
    const MPIDI_Transport_env *env = MPIDI_OFI.env;
    MPIDI_OFI_Card card = { .provider = "" };
    char text[1024];
    size_t n = sizeof(card.name);
    int r = fi_getname(&MPIDI_OFI.ep->fid, card.name, &n);
    if (r != 0)
        return env->error("libfabric does not tell the address of the endpoint (%zu bytes; expected at most %zu): %s", n,
                          sizeof(card.name), fi_strerror(-r));
    strncpy(card.provider, MPIDI_OFI.info->fabric_attr->prov_name, sizeof(card.provider) - 1);
    MPIDI_OFI.life_fd = Netmod_life_listen(internet_address(card.name), &card.life);
    if (MPIDI_OFI.life_fd < 0)
        env->warn("no socket by which others could find out that this process has left: %s",
                  strerror(-MPIDI_OFI.life_fd));
    if (!Netmod_card_encode(&card, offsetof(MPIDI_OFI_Card, name) + n, text, sizeof(text)))
        return env->error("the address of the endpoint has %zu bytes, which no card can hold", n);
    return env->card_put(text);
}

/* ---- peers ------------------------------------------------------------------------------------- */

int MPIDI_OFI_connect(int world_rank, MPIDI_Ep **ep)
{
    struct MPIDI_Ep *e = calloc(1, sizeof(*e));
    if (!e)
        return MPIDI_OFI.env->error("out of memory: %zu bytes for a peer", sizeof(*e));
    e->rank = world_rank;
    e->life.fd = -1;
    e->next = MPIDI_OFI.all;
    MPIDI_OFI.all = e;
    *ep = e;
    return 0;
}

static MPIDI_OFI_Ep_state refuse(struct MPIDI_Ep *ep, const char *why)
{
    MPIDI_OFI.env->warn("rank %d cannot be reached: %s", ep->rank, why);
    MPIDI_OFI_break(ep, false);
    return ep->state;
}

static MPIDI_OFI_Ep_state use_card(struct MPIDI_Ep *ep, const char *text)
{
    MPIDI_OFI_Card card;
    char why[160];
    memset(&card, 0, sizeof(card));
    if (Netmod_card_decode(text, &card, sizeof(card)) <= (long) offsetof(MPIDI_OFI_Card, name))
        return refuse(ep, "its card is malformed");
    card.provider[sizeof(card.provider) - 1] = card.life.host[sizeof(card.life.host) - 1] = '\0';
    ep->life.to = card.life;
    if (strcmp(card.provider, MPIDI_OFI.info->fabric_attr->prov_name) != 0) {
        snprintf(why, sizeof(why), "it uses libfabric's provider %s, this process %s (MPIR_CVAR_OFI_USE_PROVIDER)",
                 card.provider, MPIDI_OFI.info->fabric_attr->prov_name);
        return refuse(ep, why);
    }
    int n = fi_av_insert(MPIDI_OFI.av, card.name, 1, &ep->addr, 0, NULL);
    if (n != 1)
        return refuse(ep, n < 0 ? fi_strerror(-n) : "libfabric refuses its address");
    return ep->state = MPIDI_OFI_READY;
}

MPIDI_OFI_Ep_state MPIDI_OFI_resolve(struct MPIDI_Ep *ep)
{
    char text[1024];
    bool there = false;
    if (ep->state != MPIDI_OFI_NEW)
        return ep->state;
    int err = MPIDI_OFI.env->card_try(ep->rank, text, sizeof(text), &there);
    if (err)
        return refuse(ep, "the launcher gives no address for it, or one of another network module");
    return there ? use_card(ep, text) : MPIDI_OFI_NEW;
}

void MPIDI_OFI_break(struct MPIDI_Ep *ep, bool tell)
{
    if (ep->state == MPIDI_OFI_BROKEN)
        return;
    ep->state = MPIDI_OFI_BROKEN;
    MPIDI_OFI.in_flight -= ep->in_flight;
    ep->in_flight = 0;
    if (tell)
        MPIDI_OFI.env->peer_gone(ep->rank);
}

MPIDI_Peer_state MPIDI_OFI_peer_state(MPIDI_Ep *ep)
{
    MPIDI_OFI_Ep_state state = MPIDI_OFI_resolve(ep);
    if (state == MPIDI_OFI_NEW)
        return MPIDI_PEER_ABSENT;
    if (state == MPIDI_OFI_READY && Netmod_life_is_gone(&ep->life, MPIDI_OFI.life_timeout))
        MPIDI_OFI_break(ep, false);
    return ep->state == MPIDI_OFI_BROKEN ? MPIDI_PEER_GONE : MPIDI_PEER_ACTIVE;
}

const char *MPIDI_OFI_host(MPIDI_Ep *ep)
{
    return ep->life.to.host[0] ? ep->life.to.host : NULL;
}

void MPIDI_OFI_peers_free(void)
{
    while (MPIDI_OFI.all) {
        struct MPIDI_Ep *ep = MPIDI_OFI.all;
        MPIDI_OFI.all = ep->next;
        Netmod_life_close(&ep->life);
        free(ep);
    }
}
