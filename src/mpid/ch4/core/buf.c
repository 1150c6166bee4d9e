/* A message's data in the user's memory. */
#include "mpidi_core.h"
#include "mpir_err.h"

void MPIDI_Buf_set_slow(MPIR_Buf *b, const MPID_Msg *msg)
{
    MPI_Aint start = 0;
    b->count = msg->count;
    b->datatype = msg->datatype;
    b->bytes = MPIR_Datatype_bytes(msg->datatype, msg->count);
    b->contiguous = b->bytes == 0 || MPIR_Datatype_is_run(msg->datatype, msg->count, &start);
    b->base = (char *) msg->buf + start;
}

void MPIDI_Buf_put(const MPIR_Buf *b, uint64_t offset, const void *data, size_t n)
{
    if (offset >= (uint64_t) b->bytes)
        return;
    n = MPL_MIN(n, (size_t) b->bytes - offset);
    if (n == 0)
        return;
    if (MPL_LIKELY(b->contiguous))
        MPL_copy(b->base + offset, data, n);
    else
        MPIR_Datatype_unpack(b->base, b->count, b->datatype, (MPI_Count) offset, data, n);
}

static void pack(const MPIDI_Data *d, size_t offset, void *dst, size_t n)
{
    MPIR_Datatype_pack(d->base, d->count, (MPI_Datatype) d->datatype,
                       d->offset + (MPI_Count) offset, dst, n);
}

MPIDI_Data MPIDI_Buf_data(const MPIR_Buf *b, uint64_t offset, size_t n)
{
    if (MPL_LIKELY(b->contiguous))
        return (MPIDI_Data) { .base = b->base + offset, .size = n };
    return (MPIDI_Data) { .base = b->base,
                          .size = n,
                          .pack = pack,
                          .count = b->count,
                          .datatype = (int) b->datatype,
                          .offset = (int64_t) offset };
}
