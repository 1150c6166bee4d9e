/* Thread levels by session: each gets what it asks for, whatever came before; a session that does not ask gets a level that it
 * can read; wrong names are errors. */
#include "ring.h"

static const char *const level[] = { "MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                     "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE" };

static void info_string(MPI_Info info, const char *key, char *value, int size)
{
    int flag = 0;
    MTEST_MPI(MPI_Info_get_string(info, key, &size, value, &flag));
    MTEST_CHECK(flag, "the session's info has no %s", key);
}

static MPI_Session session_of(const char *key, const char *value, int expect_class)
{
    MPI_Session s = MPI_SESSION_NULL;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    int err = MPI_Session_init(info, MPI_ERRORS_RETURN, &s), c = MPI_SUCCESS;
    if (err)
        MPI_Error_class(err, &c);
    MTEST_INT_EQ(c, expect_class);
    MPI_Info_free(&info);
    return s;
}

static void levels(void)
{
    MPI_Session s[4];
    char got[64];
    for (int i = 0; i < 4; i++) {
        MPI_Info info;
        s[i] = session_of("thread_level", level[i], MPI_SUCCESS);
        MTEST_MPI(MPI_Session_get_info(s[i], &info));
        info_string(info, "thread_level", got, sizeof(got));
        MTEST_STR_EQ(got, level[i]);
        MPI_Info_free(&info);
    }
    for (int i = 0; i < 4; i++)
        MTEST_MPI(MPI_Session_finalize(&s[i]));
}

static void kinds(const char *asked, const char *expected)
{
    MPI_Info info;
    char got[128];
    MPI_Session s = session_of("mpi_memory_alloc_kinds", asked, MPI_SUCCESS);
    MTEST_MPI(MPI_Session_get_info(s, &info));
    info_string(info, "mpi_memory_alloc_kinds", got, sizeof(got));
    MTEST_STR_EQ(got, expected);
    MPI_Info_free(&info);
    MTEST_MPI(MPI_Session_finalize(&s));
}

int main(void)
{
    MPI_Info info;
    char got[64];
    for (int epoch = 0; epoch < 3; epoch++) {
        levels();
        kinds("system", "system,mpi");
        kinds("cuda,mpi:alloc_mem,system", "mpi:alloc_mem,system,mpi");
        kinds("mpi:nonsense", "mpi,system");
        MPI_Session bad = session_of("thread_level", "MPI_THREAD_PLENTY", MPI_ERR_INFO_VALUE);
        MTEST_CHECK(bad == MPI_SESSION_NULL, "%x", (unsigned) bad);
        MPI_Session s = MTest_session();
        MTEST_MPI(MPI_Session_get_info(s, &info));
        info_string(info, "thread_level", got, sizeof(got));
        MTEST_STR_EQ(got, "MPI_THREAD_SERIALIZED");
        info_string(info, "mpi_memory_alloc_kinds", got, sizeof(got));
        MTEST_STR_EQ(got, "mpi,system");
        MPI_Info_free(&info);
        MTEST_MPI(MPI_Session_finalize(&s));
    }
    return MTest_report(ring_epoch("levels", 1));
}
