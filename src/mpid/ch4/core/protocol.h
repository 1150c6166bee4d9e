/* Which protocol a message takes: a pure function, so that the policy is tested without any
 * transport. */
#ifndef MPIDI_PROTOCOL_H_INCLUDED
#define MPIDI_PROTOCOL_H_INCLUDED

#include "mpid.h"

typedef enum MPIDI_Proto {
    MPIDI_PROTO_EAGER, /* the whole message at once */
    MPIDI_PROTO_STREAM, /* the same in pieces, so that both ends copy at the same time */
    MPIDI_PROTO_EAGER_SYNC, /* the same, and the receiver says when it has matched */
    MPIDI_PROTO_RNDV, /* announce, then move the data when the receiver is ready */
} MPIDI_Proto;

/* What the peer's transport likes best (mpidi_transport.h). */
typedef struct MPIDI_Sizes {
    size_t eager_max, stream_min;
} MPIDI_Sizes;

static inline MPIDI_Proto MPIDI_Proto_choose(uint64_t bytes, MPID_Mode mode,
                                             const MPIDI_Sizes *sizes)
{
    if (bytes > sizes->eager_max)
        return MPIDI_PROTO_RNDV;
    if (mode == MPID_SYNC)
        return MPIDI_PROTO_EAGER_SYNC;
    return bytes >= sizes->stream_min ? MPIDI_PROTO_STREAM : MPIDI_PROTO_EAGER;
}

#endif /* MPIDI_PROTOCOL_H_INCLUDED */
