/* How UCX is set up, and what it must not do to the user's process.
 *
 * What the user has set by UCX's own variables is left alone, except where it would touch the
 * process: no handlers of signals, no hooks in memory calls. The environment is not changed.
 */
#include "ucx_impl.h"

#include <dlfcn.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <ucm/api/ucm.h>
#include <ucs/config/global_opts.h>
#include <ucs/debug/debug.h>

enum { SIGNALS = 65 };

/* ---- the user's process ---------------------------------------------------------------------- */

static bool from_same_library(const void *a, const void *b)
{
    Dl_info of_a, of_b;
    return dladdr(a, &of_a) && dladdr(b, &of_b) && of_a.dli_fbase == of_b.dli_fbase;
}

/* UCX has put its handlers when it was loaded. They are taken back by UCX itself, which else would
 * do so at exit, over whatever the user has put meanwhile. */
static void disable_signals(void)
{
    struct sigaction now;
    for (int i = 1; i < SIGNALS; i++) {
        if (sigaction(i, NULL, &now) != 0)
            continue;
        const void *handler = now.sa_flags & SA_SIGINFO ? (const void *) now.sa_sigaction
                                                        : (const void *) now.sa_handler;
        if (from_same_library(handler, (const void *) ucs_debug_disable_signal))
            ucs_debug_disable_signal(i);
    }
}

/* UCX hooks memory calls while it is being loaded, as soon as it has read its options, which it
 * hands to its part for memory by this function of its interface. It is looked for in this module
 * first, the head of what is loaded together. So UCX gets ours, and its part for memory options
 * without hooks. If the program uses UCX itself, that is loaded already, and stays as it is.
 * Without hooks UCX keeps no cache of registered memory. */
__attribute__((visibility("default"))) void ucm_set_global_opts(const ucm_global_config_t *opts)
{
    void (*next)(const ucm_global_config_t *);
    *(void **) &next = dlsym(RTLD_NEXT, "ucm_set_global_opts");
    ucm_global_config_t tame = *opts;
    tame.enable_events = 0;
    tame.mmap_hook_mode = UCM_MMAP_HOOK_NONE;
    tame.enable_malloc_hooks = 0;
    tame.enable_malloc_reloc = 0;
    tame.enable_dynamic_mmap_thresh = 0;
    if (next)
        next(&tame);
}

static void set_global(const char *name, const char *value)
{
    ucs_global_opts_set_value(name, value); /* one that this version does not know needs no value */
}

void MPIDI_UCX_behave(void)
{
    if (!getenv("UCX_LOG_LEVEL"))
        set_global("LOG_LEVEL", "fatal"); /* it would write to the user's stdout */
    set_global("WARN_UNUSED_ENV_VARS", "n");
    set_global("HANDLE_ERRORS", "none");
    set_global("ERROR_SIGNALS", "");
    set_global("MEMTYPE_CACHE", "n");
    set_global("VFS_ENABLE", "n");
    disable_signals();
}

/* ---- network interface ----------------------------------------------------------------------- */

static bool has_address(const struct sockaddr *a, const char *text)
{
    char own[INET6_ADDRSTRLEN];
    const void *ip = a->sa_family == AF_INET
        ? (const void *) &((const struct sockaddr_in *) (const void *) a)->sin_addr
        : (const void *) &((const struct sockaddr_in6 *) (const void *) a)->sin6_addr;
    return inet_ntop(a->sa_family, ip, own, sizeof(own)) && strcmp(own, text) == 0;
}

void MPIDI_UCX_interface(char *name, size_t size, struct sockaddr_storage *address)
{
    const char *wanted = MPIDI_UCX.env->cvar("MPIR_CVAR_NETMOD_INTERFACE");
    struct ifaddrs *list = NULL;
    memset(address, 0, sizeof(*address));
    snprintf(name, size, "%s", wanted ? wanted : "");
    if (!wanted || !wanted[0] || getifaddrs(&list) != 0)
        return;
    for (struct ifaddrs *i = list; i; i = i->ifa_next) {
        int family = i->ifa_addr ? i->ifa_addr->sa_family : AF_UNSPEC;
        if (family != AF_INET && family != AF_INET6)
            continue;
        if (strcmp(i->ifa_name, wanted) != 0 && !has_address(i->ifa_addr, wanted))
            continue;
        snprintf(name, size, "%s", i->ifa_name);
        memcpy(address, i->ifa_addr,
               family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
        if (family == AF_INET)
            break;
    }
    freeifaddrs(list);
}

/* ---- the context ----------------------------------------------------------------------------- */

/* Unless the user has. */
static void set(ucp_config_t *config, const char *name, const char *value)
{
    char variable[64];
    snprintf(variable, sizeof(variable), "UCX_%s", name);
    if (!getenv(variable))
        ucp_config_modify(config, name, value);
}

/* With connections that tell of a peer's death, large messages over tcp go in pieces that are
 * copied once more at the receiver: with 256 KiB instead of 64 they are up to a third faster; still
 * larger pieces fall out of the cache. UCX refuses to receive less than it sends, so both are the
 * user's if one is. Here the names are without the transport, which has such options alone. */
static void enlarge_pieces(ucp_config_t *config)
{
    if (getenv("UCX_TCP_TX_SEG_SIZE") || getenv("UCX_TCP_RX_SEG_SIZE"))
        return;
    ucp_config_modify(config, "TX_SEG_SIZE", "256k");
    ucp_config_modify(config, "RX_SEG_SIZE", "256k");
}

/* Ranks of this node are reached by the library's own shared memory: UCX's would only make
 * addresses longer. */
static void configure(ucp_config_t *config)
{
    struct sockaddr_storage address;
    char interface[64];
    MPIDI_UCX_interface(interface, sizeof(interface), &address);
    set(config, "TLS", "^sm,self");
    enlarge_pieces(config);
    if (interface[0])
        set(config, "NET_DEVICES", interface);
}

int MPIDI_UCX_open_context(void)
{
    ucp_config_t *config = NULL;
    ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS
            | UCP_PARAM_FIELD_MT_WORKERS_SHARED,
        .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP,
        .estimated_num_eps = (size_t) MPIDI_UCX.env->size,
    };
    ucs_status_t s = ucp_config_read(NULL, NULL, &config);
    if (s != UCS_OK)
        return MPIDI_UCX.env->error("UCX cannot read its variables: %s", ucs_status_string(s));
    configure(config);
    s = ucp_init(&params, config, &MPIDI_UCX.context);
    ucp_config_release(config);
    if (s == UCS_OK)
        return 0;
    return MPIDI_UCX.env->error("UCX finds no network (UCX_TLS=%s, UCX_NET_DEVICES=%s): %s",
                                getenv("UCX_TLS") ? getenv("UCX_TLS") : "",
                                getenv("UCX_NET_DEVICES") ? getenv("UCX_NET_DEVICES") : "",
                                ucs_status_string(s));
}
