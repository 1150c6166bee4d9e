/* Groups: ordered sets of processes, each named by its world rank. */
#ifndef MPIR_GROUP_H_INCLUDED
#define MPIR_GROUP_H_INCLUDED

#include "mpir_handle.h"

struct MPIR_Session;

/* Immutable once made; counted references. The i-th member is list[i], or first + i * stride where list is
 * NULL, so that a group of a million processes in order costs nothing. */
typedef struct MPIR_Group {
    MPIR_Object obj;
    int size;
    int rank; /* of this process, or MPI_UNDEFINED */
    int first, stride;
    int *list; /* owned; world ranks */
    int *sorted; /* owned; ranks in the order of their world ranks, made by MPIR_Group_rank_of() when first needed */
    struct MPIR_Session *session; /* it came from (a counted reference), or NULL: the world */
} MPIR_Group;

extern MPIR_Pool MPIR_Group_pool;
extern MPIR_Group MPIR_Group_builtin[1]; /* [0] MPI_GROUP_EMPTY */

static inline MPIR_Group *MPIR_Group_get(int handle)
{
    return MPIR_Pool_get(&MPIR_Group_pool, handle);
}

/* World rank of member i; 0 <= i < size. */
static inline int MPIR_Group_world_rank(const MPIR_Group *g, int i)
{
    return g->list ? g->list[i] : g->first + i * g->stride;
}

/* Rank in g of the process with this world rank, or MPI_UNDEFINED. O(1) for ranges. */
int MPIR_Group_rank_of(const MPIR_Group *g, int world_rank);

/* A group of `size` processes. _range: first, first + stride, ...; _list: takes a copy of list and
 * recognises ranges. size 0 gives MPI_GROUP_EMPTY with a reference more. Adds a reference to session. */
int MPIR_Group_create_range(int size, int first, int stride, struct MPIR_Session *session,
                            MPIR_Group **group);
int MPIR_Group_create_list(int size, const int *list, struct MPIR_Session *session,
                           MPIR_Group **group);

/* Let one reference go; frees with the last. MPI_GROUP_EMPTY is never freed. */
void MPIR_Group_release(MPIR_Group *group);

/* MPI_SUCCESS if objects that belong to these sessions (NULL: the world) may meet in one call, else an error code.
 * `what` names the call's operands ("group1 and group2"). MPI_GROUP_EMPTY meets everyone: do not ask for it. */
int MPIR_Group_check_session(const struct MPIR_Session *a, const struct MPIR_Session *b,
                             const char *what);

/* End of an epoch: free every group that the user left. After MPIR_Comm_drop_all(). */
void MPIR_Group_drop_all(void);

/* End of an epoch: free every group that the user left. After MPIR_Comm_drop_all(). */
void MPIR_Group_drop_all(void);

#endif /* MPIR_GROUP_H_INCLUDED */
