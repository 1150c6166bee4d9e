/* A thread is in the library when a second one opens a session of MPI_THREAD_MULTIPLE. The second is not inside the
 * library before the first is out, however long that takes, or blocked in a call; opening the session itself waits
 * for nobody. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "ring.h"

enum { LONG_MS = 400 };

static sem_t opened;
static _Atomic bool in_callback;
static pthread_t second;

static void nap(long ms)
{
    nanosleep(&(struct timespec) { .tv_nsec = ms * 1000000 }, NULL);
}

static MPI_Session open_multiple(void)
{
    MPI_Session session;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
    MTEST_MPI(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
    MPI_Info_free(&info);
    return session;
}

/* While the first thread is in its callback. */
static void *come_second(void *arg)
{
    MPI_Session session = open_multiple();
    sem_post(&opened);
    MPI_Group group;
    MTEST_MPI(MPI_Group_from_session_pset(session, "mpi://SELF", &group));
    MTEST_CHECK(!in_callback, "two threads are in the library");
    MPI_Group_free(&group);
    MPI_Comm comm = MTest_session_comm(session, "mpi://SELF", "second");
    ring_check(comm, 3);
    MTEST_MPI(MPI_Comm_free(&comm));
    MTEST_MPI(MPI_Session_finalize(&session));
    return arg;
}

static void stay_inside(void)
{
    in_callback = true;
    pthread_create(&second, NULL, come_second, NULL);
    sem_wait(&opened);
    nap(LONG_MS);
    in_callback = false;
}

/* ---- callbacks ------------------------------------------------------------------------------------------- */

static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    int rank;
    (void) keyval;
    (void) value;
    if (extra) /* a call inside a call: it may take what the outer one did not need */
        MTEST_MPI(MPI_Comm_rank(comm, &rank));
    stay_inside();
    if (extra)
        MTEST_MPI(MPI_Comm_rank(comm, &rank));
    return MPI_SUCCESS;
}

static void delete_slowly(bool call_again)
{
    int keyval;
    MPI_Session session = MTest_session();
    MPI_Comm comm = MTest_session_comm(session, "mpi://SELF", "first");
    MTEST_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, call_again ? &keyval : NULL));
    MTEST_MPI(MPI_Comm_set_attr(comm, keyval, NULL));
    MTEST_MPI(MPI_Comm_free(&comm));
    pthread_join(second, NULL);
    MTEST_MPI(MPI_Comm_free_keyval(&keyval));
    MTEST_MPI(MPI_Session_finalize(&session));
}

static void add_slowly(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void) type;
    for (int i = 0; i < *n; i++)
        ((int *) inout)[i] += ((int *) in)[i];
    stay_inside();
}

static void reduce_slowly(void)
{
    int a = 3, b = 4;
    MPI_Op op;
    MPI_Session session = MTest_session();
    MTEST_MPI(MPI_Op_create(add_slowly, 1, &op));
    MTEST_MPI(MPI_Reduce_local(&a, &b, 1, MPI_INT, op));
    MTEST_INT_EQ(b, 7);
    pthread_join(second, NULL);
    MTEST_MPI(MPI_Op_free(&op));
    MTEST_MPI(MPI_Session_finalize(&session));
}

/* ---- blocked in a call ----------------------------------------------------------------------------------- */

/* Its message to rank 1 is what ends the receive of the first thread. */
static void *release_first(void *arg)
{
    nap((long) (size_t) arg); /* 0: the receive spins; later it sleeps */
    MPI_Session session = open_multiple();
    MPI_Comm comm = MTest_session_comm(session, "mpi://WORLD", "second");
    MTEST_MPI(MPI_Send(NULL, 0, MPI_INT, 1, 0, comm));
    MTEST_MPI(MPI_Comm_free(&comm));
    MTEST_MPI(MPI_Session_finalize(&session));
    return NULL;
}

static void receive_blocked(MPI_Comm comm, int delay_ms)
{
    pthread_create(&second, NULL, release_first, (void *) (size_t) delay_ms);
    MTEST_MPI(MPI_Recv(NULL, 0, MPI_INT, 1, 0, comm, MPI_STATUS_IGNORE));
    pthread_join(second, NULL);
}

static void answer(MPI_Comm first, int rank)
{
    MPI_Session session = MTest_session();
    MPI_Comm comm = MTest_session_comm(session, "mpi://WORLD", "second");
    if (rank == 1) {
        MTEST_MPI(MPI_Recv(NULL, 0, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE));
        MTEST_MPI(MPI_Send(NULL, 0, MPI_INT, 0, 0, first));
    }
    MTEST_MPI(MPI_Comm_free(&comm));
    MTEST_MPI(MPI_Session_finalize(&session));
}

static int block(int delay_ms)
{
    int rank, size;
    MPI_Session session = MTest_session();
    MPI_Comm comm = MTest_session_comm(session, "mpi://WORLD", "first");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (size > 1)
        rank == 0 ? receive_blocked(comm, delay_ms) : answer(comm, rank);
    MTEST_MPI(MPI_Comm_free(&comm));
    MTEST_MPI(MPI_Session_finalize(&session));
    return rank;
}

int main(void)
{
    sem_init(&opened, 0, 0);
    delete_slowly(false);
    delete_slowly(true);
    reduce_slowly();
    block(0);
    return MTest_report(block(300));
}
