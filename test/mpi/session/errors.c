/* Which handler an error of a session goes to, and what is an error: null and stale handles, calls between epochs. */
#include "ring.h"

static int session_calls, last_class;

static void on_session(MPI_Session *s, int *code, ...)
{
    (void) s;
    session_calls++;
    MPI_Error_class(*code, &last_class);
}

static void routed_to_the_session(void)
{
    MPI_Session s;
    MPI_Errhandler eh, got;
    MPI_Group g;
    int len = 0;
    char tag[MPI_MAX_STRINGTAG_LEN + 2];
    MPI_Comm c;
    MTEST_MPI(MPI_Session_create_errhandler(on_session, &eh));
    MTEST_MPI(MPI_Session_init(MPI_INFO_NULL, eh, &s));
    session_calls = 0;
    MPI_Session_get_nth_pset(s, MPI_INFO_NULL, 99, &len, NULL);
    MTEST_INT_EQ(session_calls, 1);
    MTEST_INT_EQ(last_class, MPI_ERR_ARG);
    MTEST_MPI(MPI_Group_from_session_pset(s, "mpi://SELF", &g));
    memset(tag, 'a', sizeof(tag) - 1);
    tag[sizeof(tag) - 1] = '\0';
    MPI_Comm_create_from_group(g, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &c);
    MTEST_INT_EQ(session_calls, 2); /* the group's session, not the handler for the new communicator */
    MPI_Group_rank(g, NULL);
    MTEST_INT_EQ(session_calls, 3);
    MTEST_MPI(MPI_Session_call_errhandler(s, MPI_ERR_OTHER));
    MTEST_INT_EQ(session_calls, 4);
    MTEST_MPI(MPI_Session_get_errhandler(s, &got));
    MTEST_CHECK(got == eh, "%x", (unsigned) got);
    MTEST_MPI(MPI_Errhandler_free(&got));
    MTEST_MPI(MPI_Session_set_errhandler(s, MPI_ERRORS_RETURN));
    MTEST_FAILS(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, 99, &len, NULL), MPI_ERR_ARG);
    MTEST_INT_EQ(session_calls, 4);
    MTEST_MPI(MPI_Group_free(&g));
    MTEST_MPI(MPI_Errhandler_free(&eh));
    MTEST_MPI(MPI_Session_finalize(&s));
}

/* Errors of Session_init itself go to its argument. */
static void init_error(void)
{
    MPI_Info info;
    MPI_Session s = MPI_SESSION_NULL;
    MPI_Errhandler eh;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "?");
    MPI_Session_create_errhandler(on_session, &eh);
    session_calls = 0;
    MTEST_CHECK(MPI_Session_init(info, eh, &s) != MPI_SUCCESS, "a wrong level was taken");
    MTEST_INT_EQ(session_calls, 1);
    MPI_Errhandler_free(&eh);
    MPI_Info_free(&info);
}

/* No object: the initial error handler serves, which the launcher set to return. */
static void no_object(void)
{
    MPI_Session s = MPI_SESSION_NULL;
    int n, rank;
    MTEST_FAILS(MPI_Session_finalize(&s), MPI_ERR_SESSION);
    MTEST_FAILS(MPI_Session_finalize(NULL), MPI_ERR_ARG);
    MTEST_FAILS(MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n), MPI_ERR_SESSION);
    s = (MPI_Session) 0x12345678;
    MTEST_FAILS(MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n), MPI_ERR_SESSION);
    s = MTest_session();
    MPI_Session stale = s;
    MTEST_MPI(MPI_Session_finalize(&s));
    MTEST_FAILS(MPI_Session_get_num_psets(stale, MPI_INFO_NULL, &n), MPI_ERR_SESSION);
    MTEST_CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS, "a call between epochs worked");
    s = MTest_session(); /* the world is no communicator while only sessions are open */
    MTEST_FAILS(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_ERR_COMM);
    MTEST_MPI(MPI_Session_finalize(&s));
}

static void mixed(void)
{
    MPI_Session a = MTest_session(), b = MTest_session();
    MPI_Group ga, gb, g;
    MTEST_MPI(MPI_Group_from_session_pset(a, "mpi://WORLD", &ga));
    MTEST_MPI(MPI_Group_from_session_pset(b, "mpi://WORLD", &gb));
    MTEST_CHECK(MPI_Group_union(ga, gb, &g) != MPI_SUCCESS, "groups of two sessions were mixed");
    MPI_Group_free(&ga);
    MPI_Group_free(&gb);
    MTEST_MPI(MPI_Session_finalize(&a));
    MTEST_MPI(MPI_Session_finalize(&b));
}

int main(void)
{
    for (int epoch = 0; epoch < 3; epoch++) {
        routed_to_the_session();
        init_error();
        no_object();
        mixed();
    }
    return MTest_report(ring_epoch("errors", 1));
}
