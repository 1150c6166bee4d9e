/* Sizes and ways, from what the provider can and what it cannot be trusted with. */
#include "ofi_impl.h"

/* Other providers receive from several peers into one buffer at once, and the message that ends the buffer, which is then
 * given back, may be complete before one that began earlier. (Seen in net and udp;ofi_rxd of libfabric 1.17.) ofi_rxm has a
 * message of our sizes in a buffer of its own until it is there as a whole. */
static bool fills_in_order(const struct fi_info *info)
{
    return strstr(info->fabric_attr->prov_name, ";ofi_rxm") != NULL;
}

/* Some stop for ever under load (libfabric 1.17). sockets looks for the head of a message by peeking; if half of one lies there
 * and the rest of the kernel's buffer is charged to what was already read, no more will ever come. ofi_rxd loses a peer that
 * has too much to take. */
static bool is_weak(const struct fi_info *info)
{
    return MPIDI_OFI_is_provider(info, "sockets") || MPIDI_OFI_is_provider(info, "udp");
}

/* Neither happens if a peer is sent one message at a time, and has it before the next. */
static void spare(struct fi_info *info)
{
    MPIDI_OFI.per_peer_max = 1;
    MPIDI_OFI.inject_max = 0; /* nobody knows when that has arrived */
    MPIDI_OFI.rma = false;
    info->tx_attr->op_flags |= FI_TRANSMIT_COMPLETE;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void set_ways(const struct fi_info *info)
{
    int mr = info->domain_attr->mr_mode;
    MPIDI_OFI.multi_recv = (info->caps & FI_MULTI_RECV) && fills_in_order(info);
    MPIDI_OFI.rma = (info->caps & FI_RMA) != 0 && (info->caps & FI_REMOTE_READ);
    MPIDI_OFI.mr_virt = (mr & FI_MR_VIRT_ADDR) || mr == FI_MR_BASIC;
    MPIDI_OFI.mr_prov_key = (mr & FI_MR_PROV_KEY) || mr == FI_MR_BASIC;
    MPIDI_OFI.mr_endpoint = (mr & FI_MR_ENDPOINT) != 0;
}

static void set_sizes(MPIDI_Transport *table, const struct fi_info *info)
{
    bool layered = strchr(info->fabric_attr->prov_name, ';') != NULL;
    size_t payload = layered || is_weak(info) ? MPIDI_OFI_EAGER_LAYERED : MPIDI_OFI_EAGER;
    size_t message = smaller(payload + MPIDI_OFI_HEAD_MAX, info->ep_attr->max_msg_size);
    table->eager_max = table->piece_max = message - MPIDI_OFI_HEAD_MAX;
    MPIDI_OFI.message_max = message;
    MPIDI_OFI.inject_max = smaller(info->tx_attr->inject_size, MPIDI_OFI_INLINE_MAX);
    MPIDI_OFI.zcopy_min = info->tx_attr->iov_limit >= 2 ? 8192 : SIZE_MAX;
    MPIDI_OFI.per_peer_max = MPIDI_OFI_OPS_MAX;
    MPIDI_OFI.small.buf_size = MPIDI_OFI_SMALL;
    MPIDI_OFI.small.max = MPIDI_OFI_OPS_MAX;
    MPIDI_OFI.big.max = MPIDI_OFI_COPIES_MAX;
    MPIDI_OFI.big.buf_size = message;
}

void MPIDI_OFI_settle(MPIDI_Transport *table)
{
    struct fi_info *info = MPIDI_OFI.info;
    set_ways(info);
    set_sizes(table, info);
    if (is_weak(info))
        spare(info);
}
