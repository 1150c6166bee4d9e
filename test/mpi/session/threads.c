/* Threads that know nothing of each other: each opens sessions of a level of its own and communicates on its own
 * communicators, while the main thread uses the world that it opened without threads in mind. */
#include <pthread.h>

#include "ring.h"

enum { T = 4, ROUNDS = 30 };

static void *worker(void *arg)
{
    int id = (int) (size_t) arg;
    const char *level[] = { "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE" };
    char tag[32];
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", level[id % 3]);
    snprintf(tag, sizeof(tag), "thread %d", id);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Session s;
        MTEST_MPI(MPI_Session_init(info, MPI_ERRORS_RETURN, &s));
        MPI_Comm c = MTest_session_comm(s, "mpi://WORLD", tag);
        ring_check(c, i + 10 * id);
        MTEST_MPI(MPI_Comm_free(&c));
        MTEST_MPI(MPI_Session_finalize(&s));
    }
    MPI_Info_free(&info);
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, size;
    pthread_t t[T];
    MTest_init_world(&argc, &argv, &rank, &size);
    for (size_t i = 0; i < T; i++)
        pthread_create(&t[i], NULL, worker, (void *) i);
    for (int i = 0; i < 10 * ROUNDS; i++)
        ring_check(MPI_COMM_WORLD, i);
    for (int i = 0; i < T; i++)
        pthread_join(t[i], NULL);
    ring_check(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return MTest_report(rank);
}
