/* shm/posix, as the core sees it: the transport between processes of one node. */
#ifndef POSIX_H_INCLUDED
#define POSIX_H_INCLUDED

#include "mpidi_transport.h"

/* env->shared must be the MPIR_Nodedir_ref of an attached directory with
 * MPIDI_POSIX_arena_size() bytes behind it; shutdown() detaches it. */
extern const MPIDI_Transport MPIDI_POSIX_transport;

/* What to ask of MPIR_Nodedir_attach() for a job with n_local processes on this node. */
size_t MPIDI_POSIX_arena_size(int n_local);

/* ---- places where the members of a communicator meet (posix_layout.h) ------------------------ */

struct MPIDI_POSIX_Place;

/* Can the places of this process (world rank, on this node) be seen from here? Maps them. */
bool MPIDI_POSIX_places_of(int world_rank);
/* A place of one's own for this many members, as if new; its number, or -1: there is none left. */
int MPIDI_POSIX_place_give(int n_members);
/* A place that was given, of a process whose places can be seen. */
struct MPIDI_POSIX_Place *MPIDI_POSIX_place(int world_rank, int number);
/* The inbox in which a process of this node sleeps. */
struct MPIDI_POSIX_Inbox *MPIDI_POSIX_bed(int world_rank);

#endif /* POSIX_H_INCLUDED */
