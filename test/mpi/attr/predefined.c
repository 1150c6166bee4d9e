/* The attributes that MPI sets: on MPI_COMM_WORLD, and on a session's communicator only
 * MPI_TAG_UB. */
#include "mpitest.h"

static int *value(MPI_Comm comm, int keyval)
{
    int *v = NULL, flag = -1;
    MTEST_MPI(MPI_Comm_get_attr(comm, keyval, &v, &flag));
    return flag == 1 ? v : NULL;
}

static void of_world(int size)
{
    int *v = value(MPI_COMM_WORLD, MPI_TAG_UB), code;
    MTEST_CHECK(v && *v >= 32767, "MPI_TAG_UB");
    v = value(MPI_COMM_WORLD, MPI_HOST);
    MTEST_CHECK(v && *v == MPI_PROC_NULL, "MPI_HOST");
    v = value(MPI_COMM_WORLD, MPI_IO);
    MTEST_CHECK(v && *v == MPI_ANY_SOURCE, "MPI_IO");
    v = value(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL);
    MTEST_CHECK(v && (*v == 0 || *v == 1), "MPI_WTIME_IS_GLOBAL");
    v = value(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE);
    MTEST_CHECK(!v || *v >= size, "MPI_UNIVERSE_SIZE is %d", v ? *v : 0);
    v = value(MPI_COMM_WORLD, MPI_APPNUM);
    MTEST_CHECK(!v || *v >= 0, "MPI_APPNUM is %d", v ? *v : 0);
    v = value(MPI_COMM_WORLD, MPI_LASTUSEDCODE);
    MTEST_CHECK(v && *v >= MPI_ERR_LASTCODE, "MPI_LASTUSEDCODE");
    MTEST_MPI(MPI_Add_error_class(&code));
    v = value(MPI_COMM_WORLD, MPI_LASTUSEDCODE);
    MTEST_CHECK(v && *v >= code, "MPI_LASTUSEDCODE after a new class");
}

static void cannot_be_changed(void)
{
    int x = 1, tag_ub = MPI_TAG_UB;
    MTEST_FAILS(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, &x), MPI_ERR_KEYVAL);
    MTEST_FAILS(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_HOST), MPI_ERR_KEYVAL);
    MTEST_FAILS(MPI_Comm_free_keyval(&tag_ub), MPI_ERR_KEYVAL);
    MTEST_INT_EQ(tag_ub, MPI_TAG_UB);
}

static void of_a_session(void)
{
    MPI_Session session = MTest_session();
    MPI_Comm comm = MTest_session_comm(session, "mpi://WORLD", "predefined");
    int *v = value(comm, MPI_TAG_UB);
    MTEST_CHECK(v && *v >= 32767, "MPI_TAG_UB");
    MTEST_CHECK(!value(comm, MPI_HOST), "MPI_HOST");
    MTEST_CHECK(!value(comm, MPI_UNIVERSE_SIZE), "MPI_UNIVERSE_SIZE");
    MTEST_CHECK(!value(comm, MPI_APPNUM), "MPI_APPNUM");
    MTEST_MPI(MPI_Comm_free(&comm));
    MTEST_MPI(MPI_Session_finalize(&session));
}

int main(int argc, char **argv)
{
    int rank, size;
    MTest_init_world(&argc, &argv, &rank, &size);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    of_world(size);
    cannot_be_changed();
    of_a_session();
    MPI_Finalize();
    return MTest_report(rank);
}
