/* Which protocol a message takes: a pure function, so that the policy is tested without any
 * transport. */
#ifndef MPIDI_PROTOCOL_H_INCLUDED
#define MPIDI_PROTOCOL_H_INCLUDED

#include "mpid.h"

typedef enum MPIDI_Proto {
    MPIDI_PROTO_EAGER, /* the whole message at once */
    MPIDI_PROTO_EAGER_SYNC, /* the same, and the receiver says when it has matched */
    MPIDI_PROTO_RNDV, /* announce, then move the data when the receiver is ready */
} MPIDI_Proto;

static inline MPIDI_Proto MPIDI_Proto_choose(uint64_t bytes, MPID_Mode mode, size_t eager_max)
{
    if (bytes > eager_max)
        return MPIDI_PROTO_RNDV;
    return mode == MPID_SYNC ? MPIDI_PROTO_EAGER_SYNC : MPIDI_PROTO_EAGER;
}

#endif /* MPIDI_PROTOCOL_H_INCLUDED */
