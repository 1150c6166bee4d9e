/* shm/posix, as the core sees it: the transport between processes of one node. */
#ifndef POSIX_H_INCLUDED
#define POSIX_H_INCLUDED

#include "mpidi_transport.h"

/* env->shared must be the MPIR_Nodedir_ref of an attached directory with
 * MPIDI_POSIX_arena_size() bytes behind it; shutdown() detaches it. */
extern const MPIDI_Transport MPIDI_POSIX_transport;

/* What to ask of MPIR_Nodedir_attach() for a job with n_local processes on this node. */
size_t MPIDI_POSIX_arena_size(int n_local);

#endif /* POSIX_H_INCLUDED */
