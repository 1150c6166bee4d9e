/* Threads that make communicators at the same time: from one group with tags of their own, and by
 * MPI_Comm_create_group over one communicator. */
#include <pthread.h>

#include "mpitest.h"

enum { THREADS = 4, ROUNDS = 20 };

static MPI_Group world;
static MPI_Comm parent;
static int size;

static void use(MPI_Comm *comm)
{
    int one = 1, sum = 0;
    MTEST_MPI(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, *comm));
    MTEST_CHECK(sum == size, "sum is %d", sum);
    MTEST_MPI(MPI_Comm_free(comm));
}

static void *run(void *arg)
{
    int id = (int) (size_t) arg;
    char tag[20];
    MPI_Comm comm;
    snprintf(tag, sizeof tag, "thread %d", id);
    for (int i = 0; i < ROUNDS; i++) {
        MTEST_MPI(MPI_Comm_create_from_group(world, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
        use(&comm);
        MTEST_MPI(MPI_Comm_create_group(parent, world, id, &comm));
        use(&comm);
    }
    return NULL;
}

int main(void)
{
    int rank;
    pthread_t thread[THREADS];
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
    MTEST_MPI(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    MPI_Info_free(&info);
    MTEST_MPI(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    MPI_Group_size(world, &size);
    MPI_Group_rank(world, &rank);
    MTEST_MPI(
        MPI_Comm_create_from_group(world, "parent", MPI_INFO_NULL, MPI_ERRORS_RETURN, &parent));
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, run, (void *) i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    MTEST_MPI(MPI_Comm_free(&parent));
    MTEST_MPI(MPI_Group_free(&world));
    MTEST_MPI(MPI_Session_finalize(&session));
    return MTest_report(rank);
}
