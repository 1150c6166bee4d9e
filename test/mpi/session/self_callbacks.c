/* MPI_Finalize begins with MPI_COMM_SELF's attributes: newest first, MPI_Finalized says false, MPI works, no other
 * communicator's callbacks run, and other threads can ask. */
#include <pthread.h>

#include "ring.h"

static int order[3], n_called, world_called;

static void *ask(void *arg)
{
    int *flag = arg, level;
    MPI_Finalized(flag);
    MPI_Query_thread(&level);
    return NULL;
}

static int on_self(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void) keyval;
    (void) extra;
    int finalized = -1, elsewhere = -1;
    pthread_t t;
    MTEST_CHECK(comm == MPI_COMM_SELF, "%x", (unsigned) comm);
    if (n_called < 3)
        order[n_called] = (int) (size_t) value;
    n_called++;
    MPI_Finalized(&finalized);
    MTEST_INT_EQ(finalized, 0);
    pthread_create(&t, NULL, ask, &elsewhere);
    pthread_join(t, NULL);
    MTEST_INT_EQ(elsewhere, 0);
    ring_check(MPI_COMM_WORLD, 9);
    MPI_Session s = MTest_session(); /* and sessions come and go inside */
    MTEST_MPI(MPI_Session_finalize(&s));
    return MPI_SUCCESS;
}

static int on_world(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void) comm;
    (void) keyval;
    (void) value;
    (void) extra;
    world_called++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank, size, key[3], world_key, flag;
    MTest_init_world(&argc, &argv, &rank, &size);
    for (int i = 0; i < 3; i++) {
        MTEST_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_self, &key[i], NULL));
        MTEST_MPI(MPI_Comm_set_attr(MPI_COMM_SELF, key[i], (void *) (size_t) (i + 1)));
    }
    MTEST_MPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_world, &world_key, NULL));
    MTEST_MPI(MPI_Comm_set_attr(MPI_COMM_WORLD, world_key, NULL));
    MTEST_MPI(MPI_Comm_free_keyval(&key[1]));
    MPI_Finalize();
    MTEST_INT_EQ(n_called, 3);
    for (int i = 0; i < 3; i++)
        MTEST_INT_EQ(order[i], 3 - i);
    MTEST_INT_EQ(world_called, 0);
    MPI_Finalized(&flag);
    MTEST_INT_EQ(flag, 1);
    return MTest_report(rank);
}
