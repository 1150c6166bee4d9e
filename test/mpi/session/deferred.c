/* What the performance variables say of epochs, with MPIR_CVAR_FINALIZE_ATEXIT as it is; and that a call between epochs is an
 * error though everything is alive. */
#include "ring.h"

static unsigned long long pvar(const char *name)
{
    int provided, index = -1, count = 0;
    unsigned long long value = ~0ull;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    for (int c = 0, n = 0; MPI_T_pvar_get_num(&n) == MPI_SUCCESS && c < n; c++) {
        char got[128];
        int len = sizeof(got), verbosity, varclass, bind, ro, continuous, atomic, dlen = 0;
        MPI_Datatype dt;
        MPI_T_enum e;
        MPI_T_pvar_get_info(c, got, &len, &verbosity, &varclass, &dt, &e, NULL, &dlen, &bind, &ro,
                            &continuous, &atomic);
        if (strcmp(got, name) == 0)
            index = c;
    }
    if (index < 0) {
        MTEST_ERROR("there is no performance variable %s", name);
    } else {
        MPI_T_pvar_session_create(&session);
        MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
        MTEST_MPI(MPI_T_pvar_read(session, handle, &value));
        MPI_T_pvar_handle_free(session, &handle);
        MPI_T_pvar_session_free(&session);
    }
    MPI_T_finalize();
    return value;
}

int main(void)
{
    int deferring = MTest_cvar_int("MPIR_CVAR_FINALIZE_ATEXIT"), rank = -1, n;
    MTEST_INT_EQ(pvar("init_epoch"), 0);
    for (int i = 1; i <= 20; i++) {
        MPI_Session a = MTest_session();
        MTEST_INT_EQ(pvar("init_users"), 1);
        MPI_Session b = MTest_session();
        MTEST_INT_EQ(pvar("init_users"), 2);
        MTEST_INT_EQ(pvar("init_epoch"), i);
        MTEST_INT_EQ(pvar("init_reinits"), i - 1);
        MPI_Comm c = MTest_session_comm(a, "mpi://WORLD", "deferred");
        MPI_Comm_rank(c, &rank);
        ring_check(c, i);
        MPI_Comm_free(&c);
        MTEST_MPI(MPI_Session_finalize(&a));
        MTEST_MPI(MPI_Session_finalize(&b));
        MTEST_INT_EQ(pvar("init_users"), 0);
        MTEST_INT_EQ(pvar("init_deferred_finalizes"), deferring ? i : 0);
        MTEST_CHECK(MPI_Type_size(MPI_INT, &n) != MPI_SUCCESS, "a call between epochs worked");
    }
    return MTest_report(rank);
}
