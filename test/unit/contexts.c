/* No context id is used twice in the life of a process: through many communicators, made in every way, freed and kept, in many
 * epochs. */
#include <stdlib.h>

#include "mpi.h"
#include "mpir_comm.h"
#include "utest.h"

enum { EPOCHS = 40, PER_EPOCH = 500, WAYS = 4, MAX = EPOCHS * PER_EPOCH };

static MPIR_Context_id seen[MAX];
static int n_seen;

static int compare(const void *a, const void *b)
{
    MPIR_Context_id x = *(const MPIR_Context_id *) a, y = *(const MPIR_Context_id *) b;
    return (x > y) - (x < y);
}

static MPI_Comm from_group(MPI_Session session)
{
    MPI_Group group;
    MPI_Comm comm = MPI_COMM_NULL;
    UT_INT_EQ(MPI_Group_from_session_pset(session, "mpi://WORLD", &group), 0);
    UT_INT_EQ(MPI_Comm_create_from_group(group, "contexts", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), 0);
    UT_INT_EQ(MPI_Group_free(&group), 0);
    return comm;
}

static MPI_Comm make(MPI_Session session, MPI_Comm parent, int way)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request req;
    switch (way) {
        case 0:
            UT_INT_EQ(MPI_Comm_dup(parent, &comm), 0);
            break;
        case 1:
            UT_INT_EQ(MPI_Comm_split(parent, 0, 0, &comm), 0);
            break;
        case 2:
            UT_INT_EQ(MPI_Comm_idup(parent, &comm, &req), 0);
            UT_INT_EQ(MPI_Wait(&req, MPI_STATUS_IGNORE), 0);
            break;
        default:
            comm = from_group(session);
    }
    return comm;
}

static void note(MPI_Comm comm)
{
    const MPIR_Comm *ptr = MPIR_Comm_get(comm);
    UT_CHECK(ptr && ptr->ctx != 0 && n_seen < MAX);
    seen[n_seen++] = ptr->ctx;
}

/* Every other one is freed at once; the rest stays to the end of the epoch, which frees it. */
static void epoch(void)
{
    MPI_Session session;
    UT_INT_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), 0);
    MPI_Comm parent = from_group(session);
    note(parent);
    for (int i = 1; i < PER_EPOCH; i++) {
        MPI_Comm comm = make(session, parent, i % WAYS);
        note(comm);
        if (i % 2)
            UT_INT_EQ(MPI_Comm_free(&comm), 0);
    }
    UT_INT_EQ(MPI_Session_finalize(&session), 0);
}

static void no_context_comes_twice(void)
{
    for (int i = 0; i < EPOCHS; i++)
        epoch();
    qsort(seen, (size_t) n_seen, sizeof(seen[0]), compare);
    int twice = 0;
    for (int i = 1; i < n_seen; i++)
        twice += seen[i] == seen[i - 1];
    UT_INT_EQ(twice, 0);
    UT_INT_EQ(n_seen, MAX);
}

int main(void)
{
    UT_RUN(no_context_comes_twice);
    return UT_REPORT();
}
