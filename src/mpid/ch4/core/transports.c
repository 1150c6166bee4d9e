/* The tables of the transports, and what the core gives them. */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpidi_core.h"
#include "mpir_cvar.h"
#include "mpir_err.h"

static MPIDI_Transports *const ts = &MPIDI_core.transports;

/* ---- what a transport that does not serve a slot does ---------------------------------------- */

static int nothing_to_do(void)
{
    return MPI_SUCCESS;
}

static void nothing(void)
{
}

static bool never(void)
{
    return false;
}

static bool always(void)
{
    return true;
}

static int no_get(MPIDI_Ep *ep, void *local, uint64_t addr, size_t n)
{
    (void) ep, (void) local, (void) addr, (void) n;
    return -ENOSYS;
}

static uint64_t no_claim_open(MPIDI_Ep *ep)
{
    (void) ep;
    return 0;
}

static uint64_t no_claim(MPIDI_Ep *ep, uint64_t token, bool mine)
{
    (void) ep, (void) token, (void) mine;
    return MPIDI_NO_PIECE;
}

static size_t no_expose(MPIDI_Ep *ep, const void *base, size_t size, void *handle,
                        MPIDI_Region **region)
{
    (void) ep, (void) base, (void) size, (void) handle, (void) region;
    return 0;
}

static void no_hide(MPIDI_Ep *ep, MPIDI_Region *region)
{
    (void) ep, (void) region;
}

static void no_claim_close(MPIDI_Ep *ep, uint64_t token)
{
    (void) ep, (void) token;
}

static bool no_shortcut(MPIDI_Ep *ep, const MPIDI_Am_hdr *hdr, const void *data, size_t n)
{
    (void) ep, (void) hdr, (void) data, (void) n;
    return false;
}

static MPIDI_Peer_state always_active(MPIDI_Ep *ep)
{
    (void) ep;
    return MPIDI_PEER_ACTIVE;
}

static void no_sleep(int64_t timeout_ns)
{
    (void) timeout_ns;
}

static int no_fd(void)
{
    return -1;
}

static const char *no_host(MPIDI_Ep *ep)
{
    (void) ep;
    return NULL;
}

#define DEFAULT(slot, fn) (t->slot = t->slot ? t->slot : (fn))

static void fill_in_defaults(MPIDI_Transport *t)
{
    DEFAULT(suspend, nothing_to_do);
    DEFAULT(resume, nothing_to_do);
    DEFAULT(shutdown, nothing);
    DEFAULT(send_short, no_shortcut);
    DEFAULT(peer_state, always_active);
    DEFAULT(get, no_get);
    DEFAULT(claim_open, no_claim_open);
    DEFAULT(claim, no_claim);
    DEFAULT(claim_close, no_claim_close);
    DEFAULT(progress, never);
    DEFAULT(sleep_prepare, always);
    DEFAULT(sleep, no_sleep);
    DEFAULT(sleep_finish, nothing);
    DEFAULT(wait_fd, no_fd);
    DEFAULT(expose, no_expose);
    DEFAULT(hide, no_hide);
    DEFAULT(flushed, always);
    DEFAULT(host, no_host);
}

/* ---- the environment of a transport ---------------------------------------------------------- */

static int error_for_transport(const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return MPIR_Err("**transport", text);
}

static const char *cvar_as_text(const char *name)
{
    static char number[24]; /* lives until the next call */
    for (int i = 0; i < MPIR_cvar_count; i++) {
        const MPIR_Cvar *v = MPIR_cvar_table[i];
        if (strcmp(v->name, name) != 0)
            continue;
        if (v->type == MPIR_CVAR_TYPE_STRING)
            return *(const char *const *) v->value;
        snprintf(number, sizeof number, "%d", *(const int *) v->value);
        return number;
    }
    return NULL;
}

/* The address card goes into the launcher's key-value space once; that everybody has put theirs is
 * awaited only by who needs one. It says which transport it is for, since all must use the same. */
static const char card_key[] = "perennial-card";
#define CARD_PAUSE_NS UINT64_C(1000000)

static int card_put(const char *value)
{
    char card[MPIR_PMI_VALUE_MAX];
    const char *name = ts->adding->name;
    int n = snprintf(card, sizeof card, "%s:%s", name, value);
    if (ts->card_is_put)
        return MPIR_Err("**card_twice", name);
    if (n >= (int) sizeof card)
        return MPIR_Err("**card_size", name, n, sizeof card - 1);
    int err = MPIR_Pmi_put(card_key, card);
    ts->card_is_put = !err;
    return err;
}

static const MPIDI_Transport *card_owner(void)
{
    return &ts->table[ts->card_of];
}

/* What is on a card that another process has put. */
static int open_card(int world_rank, const char *card, char *value, size_t size)
{
    const char *name = card_owner()->name;
    size_t n = strlen(name);
    if (strncmp(card, name, n) != 0 || card[n] != ':')
        return MPIR_Err("**card_other", world_rank, (int) strcspn(card, ":"), card, name);
    return MPL_strcpy(value, size, card + n + 1)
        ? MPI_SUCCESS
        : MPIR_Err("**card_size", name, (int) strlen(card), size - 1);
}

static int card_get(int world_rank, char *value, size_t size)
{
    char card[MPIR_PMI_VALUE_MAX];
    int err = MPIR_Pmi_fence_end();
    if (!err)
        err = MPIR_Pmi_get(world_rank, card_key, card, sizeof card);
    return err ? err : open_card(world_rank, card, value, size);
}

/* A question to the launcher may be a round trip, and a message that waits for the answer asks in
 * each round of progress. */
static bool asked_lately(MPIDI_Peer *peer)
{
    uint64_t now = MPL_now_ns();
    if (!peer)
        return false;
    if (peer->card_asked && now - peer->card_asked < CARD_PAUSE_NS)
        return true;
    peer->card_asked = now;
    return false;
}

static int card_try(int world_rank, char *value, size_t size, bool *there)
{
    char card[MPIR_PMI_VALUE_MAX];
    *there = false;
    if (asked_lately(MPIDI_core.peers[world_rank]))
        return MPI_SUCCESS;
    int err = MPIR_Pmi_try(world_rank, card_key, card, sizeof card, there);
    return err || !*there ? err : open_card(world_rank, card, value, size);
}

/* A transport has found out, in its progress, that it cannot send to a process any more. */
static void peer_gone(int world_rank)
{
    MPIDI_Peer *peer = MPIDI_core.peers[world_rank];
    if (!peer || peer->gone)
        return;
    peer->gone = true;
    int error = MPIDI_Peer_gone_error(peer);
    MPIDI_Out_fail_peer(peer, error);
    MPIDI_Xfers_fail_peer(peer, error);
}

void MPIDI_Transports_env_init(const char *job_name)
{
    ts->polled[0] = never;
    ts->env = (MPIDI_Transport_env) {
        .version = MPIDI_TRANSPORT_VERSION,
        .rank = MPIR_Process.rank,
        .size = MPIR_Process.size,
        .local_rank = MPIR_Process.local_rank,
        .local_size = MPIR_Process.local_size,
        .local_ranks = ts->local_ranks,
        .job_name = job_name,
        .deliver = MPIDI_Deliver,
        .card_put = card_put,
        .card_get = card_get,
        .card_try = card_try,
        .peer_gone = peer_gone,
        .error = error_for_transport,
        .warn = MPIR_Warn,
        .cvar = cvar_as_text,
        .shared = &MPIDI_core.node,
    };
}

/* ---- the list -------------------------------------------------------------------------------- */

static int check(const MPIDI_Transport *t)
{
    const char *name = t->name ? t->name : "(no name)";
    if (t->version != MPIDI_TRANSPORT_VERSION)
        return MPIR_Err("**transport_version", name, t->version, MPIDI_TRANSPORT_VERSION);
    if (!t->init || !t->reaches || !t->connect || !t->send)
        return MPIR_Err("**transport_slots", name);
    if (t->piece_max < MPIDI_PIECE_UNIT || t->eager_max < sizeof(MPID_Boot_key))
        return MPIR_Err("**transport_sizes", name, t->eager_max, sizeof(MPID_Boot_key),
                        t->piece_max, (size_t) MPIDI_PIECE_UNIT);
    return MPI_SUCCESS;
}

int MPIDI_Transport_add(const MPIDI_Transport *t)
{
    if (ts->n == MPIDI_TRANSPORTS_MAX)
        return MPIR_Err("**transport", "there is no room for another transport");
    int err = check(t);
    unsigned caps = 0;
    bool had_card = ts->card_is_put;
    ts->adding = t;
    if (!err)
        err = t->init(&ts->env, &caps);
    if (err)
        return err;
    if (ts->card_is_put && !had_card)
        ts->card_of = ts->n;
    MPIDI_Transport *own = &ts->table[ts->n];
    *own = *t;
    fill_in_defaults(own);
    ts->caps[ts->n++] = caps;
    if (t->progress)
        ts->polled[ts->n_polled++] = t->progress;
    if (t->sleep)
        ts->sleepers[ts->n_sleepers++] = own;
    return MPI_SUCCESS;
}

int MPIDI_Transport_load(const char *path)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module)
        return MPIR_Err("**transport_load", path, dlerror());
    const MPIDI_Transport *t = dlsym(module, MPIDI_TRANSPORT_SYMBOL);
    int err = t ? MPIDI_Transport_add(t)
                : MPIR_Err("**transport_load", path, "it exports no " MPIDI_TRANSPORT_SYMBOL);
    if (err)
        dlclose(module); /* else it stays for the life of the process */
    return err;
}

int MPIDI_Transports_suspend(void)
{
    int err = MPI_SUCCESS;
    for (int i = 0; i < ts->n; i++) {
        int e = ts->table[i].suspend();
        err = err ? err : e;
    }
    return err;
}

int MPIDI_Transports_resume(void)
{
    for (int i = 0; i < ts->n; i++) {
        int err = ts->table[i].resume();
        if (err)
            return err;
    }
    return MPI_SUCCESS;
}

bool MPIDI_Transports_flushed(void)
{
    bool all = true;
    for (int i = 0; i < ts->n; i++)
        all &= ts->table[i].flushed();
    return all;
}

void MPIDI_Transports_shutdown(void)
{
    while (ts->n > 0)
        ts->table[--ts->n].shutdown();
    ts->n_polled = 0;
    ts->polled[0] = never;
    ts->n_sleepers = 0;
}
