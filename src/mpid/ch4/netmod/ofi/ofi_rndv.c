/* Large messages: the receiver reads them from the sender's memory. */
#include "ofi_impl.h"

#include <stdlib.h>

/* What the handle says. */
typedef struct Handle {
    uint64_t addr;
    uint64_t key;
} Handle;
_Static_assert(sizeof(Handle) <= MPIDI_HANDLE_MAX, "travels with RTS");

struct MPIDI_Region {
    struct fid_mr *mr;
};

static int enable(struct fid_mr *mr)
{
    if (!MPIDI_OFI.mr_endpoint)
        return 0;
    int r = fi_mr_bind(mr, &MPIDI_OFI.ep->fid, 0);
    return r ? r : fi_mr_enable(mr);
}

size_t MPIDI_OFI_expose(MPIDI_Ep *ep, const void *base, size_t size, void *handle, MPIDI_Region **region)
{
    (void) ep;
    MPIDI_Region *r = MPIDI_OFI.rma ? malloc(sizeof(*r)) : NULL;
    if (!r)
        return 0;
    uint64_t key = MPIDI_OFI.mr_prov_key ? 0 : ++MPIDI_OFI.next_key;
    if (fi_mr_reg(MPIDI_OFI.domain, base, size, FI_REMOTE_READ, 0, key, 0, &r->mr, NULL) != 0) {
        free(r);
        return 0;
    }
    if (enable(r->mr) != 0) {
        MPIDI_OFI_hide(ep, r);
        return 0;
    }
    Handle h = { .addr = MPIDI_OFI.mr_virt ? (uint64_t) (uintptr_t) base : 0, .key = fi_mr_key(r->mr) };
    memcpy(handle, &h, sizeof(h));
    *region = r;
    return sizeof(h);
}

void MPIDI_OFI_hide(MPIDI_Ep *ep, MPIDI_Region *region)
{
    (void) ep;
    fi_close(&region->mr->fid);
    free(region);
}

MPIDI_Send_result MPIDI_OFI_read(MPIDI_Ep *ep, const MPIDI_Read *read)
{
    Handle h;
    MPIDI_OFI_Ep_state state = MPIDI_OFI_resolve(ep);
    if (state != MPIDI_OFI_READY)
        return state == MPIDI_OFI_NEW ? MPIDI_SEND_AGAIN : MPIDI_SEND_GONE;
    if (read->handle_size != sizeof(h))
        return MPIDI_SEND_GONE; /* none of ours: it will be pushed */
    MPIDI_OFI_Op *op = MPIDI_OFI_op_new(ep, MPIDI_OFI_OP_READ, false);
    if (!op)
        return MPIDI_SEND_AGAIN;
    memcpy(&h, read->handle, sizeof(h));
    op->read_complete = read->complete;
    op->complete_arg = read->complete_arg;
    ssize_t e = fi_read(MPIDI_OFI.ep, read->local, read->n, NULL, ep->addr, h.addr + read->offset, h.key, op);
    if (e == 0)
        return MPIDI_SEND_PENDING;
    MPIDI_OFI_op_free(op);
    return e == -FI_EAGAIN || e == -FI_EBUSY || e == -FI_ENOMEM ? MPIDI_SEND_AGAIN : MPIDI_SEND_GONE;
}
