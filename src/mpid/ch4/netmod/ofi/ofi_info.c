/* Which provider. */
#include "ofi_impl.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>

/* By what serves messages best where several are there. A name stands for the layered forms, too ("tcp" for "tcp;ofi_rxm"),
 * which come after the plain one: ofi_rxm takes 70 MB and 40 ms more. "net" is libfabric 1.17's name for what is the plain tcp
 * of later ones. Those that are not here come last, in libfabric's order; never shm, which reaches nobody on another node. */
static const char *const preference[] = { "cxi", "efa", "psm3", "psm2", "opx", "gni", "verbs", "ucx", "net",
                                          "tcp", "sockets", "udp" };

static struct fi_info *make_hints(uint64_t caps)
{
    struct fi_info *h = fi_allocinfo();
    if (!h)
        return NULL;
    h->ep_attr->type = FI_EP_RDM;
    h->caps = caps;
    h->mode = FI_CONTEXT | FI_CONTEXT2;
    h->tx_attr->msg_order = h->rx_attr->msg_order = FI_ORDER_SAS;
    h->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    h->domain_attr->control_progress = h->domain_attr->data_progress = FI_PROGRESS_MANUAL; /* no threads that spin */
    h->domain_attr->threading = FI_THREAD_DOMAIN;
    h->domain_attr->resource_mgmt = FI_RM_ENABLED;
    return h;
}

bool MPIDI_OFI_is_provider(const struct fi_info *info, const char *name)
{
    const char *full = info->fabric_attr->prov_name;
    size_t n = strlen(name);
    return strncmp(full, name, n) == 0 && (full[n] == '\0' || full[n] == ';');
}

static bool is_loopback(const struct fi_info *info)
{
    const struct sockaddr_in *v4 = info->src_addr;
    const struct sockaddr_in6 *v6 = info->src_addr;
    if (!info->src_addr)
        return false;
    if (info->addr_format == FI_SOCKADDR_IN)
        return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
    return info->addr_format == FI_SOCKADDR_IN6 && IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

/* Is this the interface that the user asked for, by its name or address? */
static bool is_interface(const struct fi_info *info, const char *wanted)
{
    char text[INET6_ADDRSTRLEN] = "";
    const struct sockaddr_in *v4 = info->src_addr;
    const struct sockaddr_in6 *v6 = info->src_addr;
    if (!wanted[0])
        return true;
    if (v4 && info->addr_format == FI_SOCKADDR_IN)
        inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text));
    if (v6 && info->addr_format == FI_SOCKADDR_IN6)
        inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text));
    return strcmp(info->domain_attr->name, wanted) == 0 || strcmp(text, wanted) == 0;
}

/* The place in the order of preference; less is better. An address of this host alone is the last resort. */
static size_t place(const struct fi_info *info)
{
    const size_t n = sizeof(preference) / sizeof(preference[0]);
    size_t i = 0;
    while (i < n && !MPIDI_OFI_is_provider(info, preference[i]))
        i++;
    bool layered = strchr(info->fabric_attr->prov_name, ';') != NULL;
    return 2 * i + layered + (is_loopback(info) ? 4 * n : 0);
}

static const struct fi_info *best_of(const struct fi_info *list, bool named, const char *interface)
{
    const struct fi_info *best = NULL;
    for (const struct fi_info *i = list; i; i = i->next) {
        if (!is_interface(i, interface) || (!named && MPIDI_OFI_is_provider(i, "shm")))
            continue;
        if (!best || place(i) < place(best))
            best = i;
    }
    return best;
}

static const char *setting(const char *name)
{
    const char *value = MPIDI_OFI.env->cvar(name);
    return value ? value : "";
}

static bool same_domain(const struct fi_info *a, const struct fi_info *b)
{
    return strcmp(a->fabric_attr->prov_name, b->fabric_attr->prov_name) == 0
        && strcmp(a->domain_attr->name, b->domain_attr->name) == 0 && a->addr_format == b->addr_format;
}

/* The same domain with more abilities, if the provider has them. Hints narrow little: tcp (libfabric 1.17) answers with all
 * interfaces, whichever domain they name. */
static struct fi_info *with_caps(const struct fi_info *like, uint64_t caps)
{
    struct fi_info *h = make_hints(caps), *found = NULL;
    if (!h)
        return NULL;
    h->fabric_attr->prov_name = strdup(like->fabric_attr->prov_name);
    h->fabric_attr->name = strdup(like->fabric_attr->name);
    h->domain_attr->name = strdup(like->domain_attr->name);
    h->addr_format = like->addr_format;
    int r = fi_getinfo(MPIDI_OFI_VERSION, NULL, NULL, 0, h, &found);
    fi_freeinfo(h);
    const struct fi_info *i = r == 0 ? found : NULL;
    while (i && !same_domain(i, like))
        i = i->next;
    struct fi_info *same = i ? fi_dupinfo(i) : NULL;
    if (r == 0)
        fi_freeinfo(found);
    return same;
}

static struct fi_info *richest(const struct fi_info *like)
{
    static const uint64_t wish[] = {
        FI_MSG | FI_MULTI_RECV | FI_RMA | FI_READ | FI_REMOTE_READ,
        FI_MSG | FI_RMA | FI_READ | FI_REMOTE_READ,
        FI_MSG | FI_MULTI_RECV,
        FI_MSG,
    };
    struct fi_info *info = NULL;
    for (size_t i = 0; i < sizeof(wish) / sizeof(wish[0]) && !info; i++)
        info = with_caps(like, wish[i]);
    return info;
}

/* What there is, narrowed to a provider if `name` is not "". */
static int list_providers(const char *name, struct fi_info **list)
{
    struct fi_info *h = make_hints(FI_MSG);
    if (!h)
        return -FI_ENOMEM;
    if (name[0])
        h->fabric_attr->prov_name = strdup(name);
    int r = fi_getinfo(MPIDI_OFI_VERSION, NULL, NULL, 0, h, list);
    fi_freeinfo(h);
    return r;
}

int MPIDI_OFI_choose_provider(void)
{
    const char *name = setting("MPIR_CVAR_OFI_USE_PROVIDER");
    const char *interface = setting("MPIR_CVAR_NETMOD_INTERFACE");
    struct fi_info *list = NULL;
    int r = list_providers(name, &list);
    if (r != 0)
        return MPIDI_OFI.env->error("libfabric %u.%u has no provider%s%s for reliable datagrams with messages in "
                                    "order: %s",
                                    FI_MAJOR(fi_version()), FI_MINOR(fi_version()), name[0] ? " " : "", name,
                                    fi_strerror(-r));
    const struct fi_info *best = best_of(list, name[0] != '\0', interface);
    MPIDI_OFI.info = best ? richest(best) : NULL;
    fi_freeinfo(list);
    if (MPIDI_OFI.info)
        return 0;
    return MPIDI_OFI.env->error("libfabric has no provider%s%s on the interface \"%s\" "
                                "(MPIR_CVAR_NETMOD_INTERFACE)", name[0] ? " " : "", name, interface);
}
