/* Communicators. */
#ifndef MPIR_COMM_H_INCLUDED
#define MPIR_COMM_H_INCLUDED

#include "mpi.h"
#include "mpir_attr.h"
#include "mpir_group.h"
#include "mpir_handle.h"
#include "mpir_info.h"
#include "mpir_session.h"

struct MPIDI_Peer;
struct MPIR_Bsend;

/* Context ids: bits 63-40 the leader's world rank, 39-2 the leader's counter (from 16 on), 1-0 which traffic.
 * The first counters are set aside for what every process knows without asking. No id is used twice in the
 * life of a process. */
typedef uint64_t MPIR_Context_id;
#define MPIR_CTX_PT2PT 0u
#define MPIR_CTX_COLL 1u
#define MPIR_CTX_PART 2u /* creation of communicators by a part of the members; the user's tag */
#define MPIR_CTX_WORLD ((MPIR_Context_id) 1 << 2)
#define MPIR_CTX_SELF ((MPIR_Context_id) 2 << 2)

/* What the device keeps with a communicator. */
typedef struct MPID_Comm {
    struct MPIDI_Peer **peer; /* by rank, filled at first use; zero pages until then */
    struct MPIDI_Meet *meet; /* the place in shared memory where the members meet, or NULL */
} MPID_Comm;

/* Do the members do small collectives at a place in shared memory (src/mpi/coll/shared.c)? */
enum {
    MPIR_COMM_MEETS_LATER, /* not decided */
    MPIR_COMM_MEETS_SOON, /* they can, and agree on a place with the next operation that fits */
    MPIR_COMM_MEETS,
    MPIR_COMM_MEETS_NEVER,
};

typedef struct MPIR_Comm {
    MPIR_Object obj; /* a reference for the user's handle and one for each request in flight */
    int rank, size;
    MPIR_Context_id ctx; /* | MPIR_CTX_* in messages; 0: not agreed yet (MPI_Comm_idup) */
    MPID_Comm dev;
    uint32_t coll_seq; /* tag of the next collective: the same order at every member */
    MPIR_Group *group; /* a counted reference */
    MPIR_Session *session; /* a counted reference; NULL: the world */
    MPIR_Errhandler *errhandler; /* a counted reference, never NULL while in use */
    MPIR_Attr *attrs; /* newest first */
    MPIR_Info *info; /* hints, owned; NULL: none */
    struct MPIR_Bsend *bsend; /* buffer attached to the communicator, or NULL */
    uint8_t meets; /* MPIR_COMM_MEETS_*: the same at all members */
    bool freed; /* by the user; lives on until its last request ends */
    char name[MPI_MAX_OBJECT_NAME];
} MPIR_Comm;

extern MPIR_Pool MPIR_Comm_pool;
enum { MPIR_COMM_WORLD_INDEX, MPIR_COMM_SELF_INDEX };
extern MPIR_Comm MPIR_Comm_builtin[2]; /* ref == 0 while the world is not active */

static inline MPIR_Comm *MPIR_Comm_get(int handle)
{
    if (MPL_LIKELY((unsigned) handle - 0x44000000u < 2u)) {
        MPIR_Comm *c = &MPIR_Comm_builtin[handle & 1];
        return MPL_LIKELY(atomic_load_explicit(&c->obj.ref, memory_order_relaxed) > 0) ? c : NULL;
    }
    MPIR_Comm *c = MPIR_Pool_get(&MPIR_Comm_pool, handle);
    return c && !c->freed ? c : NULL;
}

/* A fresh id of which this process is the leader. Thread safe. */
MPIR_Context_id MPIR_Context_new(void);

/* Make a communicator of `group` (a reference is added) with id ctx; local. It inherits session and error
 * handler from the arguments (errhandler NULL: MPI_ERRORS_ARE_FATAL; references are added). */
int MPIR_Comm_create_local(MPIR_Group *group, MPIR_Context_id ctx, MPIR_Session *session,
                           MPIR_Errhandler *errhandler, MPIR_Comm **comm);

/* Fill in MPI_COMM_WORLD and MPI_COMM_SELF (src/mpi/init calls these for the world model). _free drops what
 * hangs on them; COMM_SELF's attributes have been deleted before. */
int MPIR_Comm_init_world(void);
void MPIR_Comm_free_world(void);

/* Let one reference go; the last one frees everything but the attributes, which are deleted at MPI_Comm_free. */
void MPIR_Comm_release(MPIR_Comm *comm);

/* End of an epoch: free every communicator that the user left (no callbacks; MPI-5.0 11.3.1). */
void MPIR_Comm_drop_all(void);

/* MPI_Comm_create_from_group's way to agree on an id (in src/mpi/comm): the group's first member makes it and it
 * travels down a binomial tree of bootstrap messages, matched on the full tag and the group's identity. */

#endif /* MPIR_COMM_H_INCLUDED */
