/* src/mpi_t: its own count, control and performance variables, categories, and handles that are garbage. */
#include "mpir_cvar.h"
#include "mpir_impl.h"
#include "mpir_pvar.h"
#include "utest.h"

#include <stdlib.h>

static void start(void)
{
    int provided = -1;
    UT_INT_EQ(MPIR_T_init_thread_impl(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    UT_INT_EQ(provided, MPI_THREAD_MULTIPLE);
}

static void stop(void)
{
    UT_INT_EQ(MPIR_T_finalize_impl(), MPI_SUCCESS);
}

static void it_counts_its_users(void)
{
    int n = 77, provided = 77;

    UT_INT_EQ(MPIR_T_finalize_impl(), MPI_T_ERR_NOT_INITIALIZED);
    UT_INT_EQ(MPIR_T_cvar_get_num_impl(&n), MPI_T_ERR_NOT_INITIALIZED);
    UT_INT_EQ(MPIR_T_pvar_get_num_impl(&n), MPI_T_ERR_NOT_INITIALIZED);
    UT_INT_EQ(MPIR_T_category_get_num_impl(&n), MPI_T_ERR_NOT_INITIALIZED);
    UT_INT_EQ(MPIR_T_cvar_get_index_impl("x", &n), MPI_T_ERR_NOT_INITIALIZED);
    UT_INT_EQ(n, 77);
    UT_INT_EQ(MPIR_T_init_thread_impl(99, &provided), MPI_T_ERR_INVALID);
    UT_INT_EQ(provided, 77);
    for (int round = 0; round < 3; round++) {
        start();
        start();
        stop();
        UT_INT_EQ(MPIR_T_cvar_get_num_impl(&n), MPI_SUCCESS);
        stop();
        UT_INT_EQ(MPIR_T_cvar_get_num_impl(&n), MPI_T_ERR_NOT_INITIALIZED);
        UT_INT_EQ(MPIR_T_finalize_impl(), MPI_T_ERR_NOT_INITIALIZED);
    }
}

/* ---- control variables ----------------------------------------------------------------------- */

static void check_cvar(int i)
{
    const MPIR_Cvar *c = MPIR_cvar_table[i];
    char name[128], help[1024];
    int name_len = sizeof(name), help_len = sizeof(help), verbosity, bind, scope, index, count;
    MPI_Datatype type;
    MPI_T_enum items;
    MPI_T_cvar_handle handle;

    UT_INT_EQ(MPIR_T_cvar_get_info_impl(i, name, &name_len, &verbosity, &type, &items, help,
                                        &help_len, &bind, &scope),
              MPI_SUCCESS);
    UT_STR_EQ(name, c->name);
    UT_STR_EQ(help, c->help);
    UT_INT_EQ(name_len, strlen(name) + 1);
    UT_INT_EQ(verbosity, MPI_T_VERBOSITY_USER_BASIC);
    UT_INT_EQ(bind, MPI_T_BIND_NO_OBJECT);
    UT_INT_EQ(scope, MPI_T_SCOPE_CONSTANT);
    UT_INT_EQ(type, c->type == MPIR_CVAR_TYPE_STRING ? MPI_CHAR : MPI_INT);
    UT_CHECK((items != MPI_T_ENUM_NULL) == (c->type == MPIR_CVAR_TYPE_BOOL));
    UT_INT_EQ(MPIR_T_cvar_get_index_impl(c->name, &index), MPI_SUCCESS);
    UT_INT_EQ(index, i);
    UT_INT_EQ(MPIR_T_cvar_handle_alloc_impl(i, NULL, &handle, &count), MPI_SUCCESS);
    if (c->type == MPIR_CVAR_TYPE_STRING) {
        const char *value = *(const char **) c->value;
        char *text = malloc((size_t) count);
        UT_INT_EQ(count, strlen(value ? value : "") + 1);
        UT_INT_EQ(MPIR_T_cvar_read_impl(handle, text), MPI_SUCCESS);
        UT_STR_EQ(text, value ? value : "");
        free(text);
    } else {
        int value = *(int *) c->value + 1;
        UT_INT_EQ(count, 1);
        UT_INT_EQ(MPIR_T_cvar_read_impl(handle, &value), MPI_SUCCESS);
        UT_INT_EQ(value, *(int *) c->value);
        value++;
        UT_INT_EQ(MPIR_T_cvar_write_impl(handle, &value), MPI_T_ERR_CVAR_SET_NEVER);
        UT_CHECK(value != *(int *) c->value);
    }
    MPI_T_cvar_handle copy = handle;
    UT_INT_EQ(MPIR_T_cvar_handle_free_impl(&handle), MPI_SUCCESS);
    UT_CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
    UT_INT_EQ(MPIR_T_cvar_handle_free_impl(&copy), MPI_T_ERR_INVALID_HANDLE);
}

static void control_variables(void)
{
    int n = -1, index = 77;

    start();
    UT_INT_EQ(MPIR_T_cvar_get_num_impl(&n), MPI_SUCCESS);
    UT_INT_EQ(n, MPIR_cvar_count);
    UT_CHECK(n > 0);
    for (int i = 0; i < n; i++)
        check_cvar(i);
    UT_INT_EQ(MPIR_T_cvar_get_index_impl("MPIR_CVAR_NO_SUCH", &index), MPI_T_ERR_INVALID_NAME);
    UT_INT_EQ(MPIR_T_cvar_get_info_impl(-1, 0, 0, 0, 0, 0, 0, 0, 0, 0), MPI_T_ERR_INVALID_INDEX);
    UT_INT_EQ(MPIR_T_cvar_get_info_impl(n, 0, 0, 0, 0, 0, 0, 0, 0, 0), MPI_T_ERR_INVALID_INDEX);
    UT_INT_EQ(MPIR_T_cvar_get_info_impl(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), MPI_SUCCESS);
    stop();
}

static void strings_are_cut(void)
{
    char text[6] = "zzzzz";
    int len = 0;

    start();
    UT_INT_EQ(MPIR_T_cvar_get_info_impl(0, text, &len, 0, 0, 0, 0, 0, 0, 0), MPI_SUCCESS);
    UT_INT_EQ(len, strlen(MPIR_cvar_table[0]->name) + 1);
    UT_STR_EQ(text, "zzzzz");
    len = 5;
    UT_INT_EQ(MPIR_T_cvar_get_info_impl(0, text, &len, 0, 0, 0, 0, 0, 0, 0), MPI_SUCCESS);
    UT_STR_EQ(text, "MPIR");
    UT_INT_EQ(len, 5);
    len = 1000;
    UT_INT_EQ(MPIR_T_cvar_get_info_impl(0, NULL, &len, 0, 0, 0, 0, 0, 0, 0), MPI_SUCCESS);
    UT_INT_EQ(len, strlen(MPIR_cvar_table[0]->name) + 1);
    stop();
}

static void the_boolean_enumeration(void)
{
    MPI_T_enum items = MPI_T_ENUM_NULL;
    char name[32];
    int n, value, len = sizeof(name);

    start();
    for (int i = 0; i < MPIR_cvar_count && items == MPI_T_ENUM_NULL; i++)
        MPIR_T_cvar_get_info_impl(i, 0, 0, 0, 0, &items, 0, 0, 0, 0);
    UT_INT_EQ(MPIR_T_enum_get_info_impl(items, &n, name, &len), MPI_SUCCESS);
    UT_INT_EQ(n, 2);
    len = sizeof(name);
    UT_INT_EQ(MPIR_T_enum_get_item_impl(items, 1, &value, name, &len), MPI_SUCCESS);
    UT_INT_EQ(value, 1);
    UT_STR_EQ(name, "on");
    UT_INT_EQ(MPIR_T_enum_get_item_impl(items, 2, &value, name, &len), MPI_T_ERR_INVALID_INDEX);
    UT_INT_EQ(MPIR_T_enum_get_info_impl(MPI_T_ENUM_NULL, &n, name, &len), MPI_T_ERR_INVALID_HANDLE);
    UT_INT_EQ(MPIR_T_enum_get_info_impl((MPI_T_enum) &n, &n, name, &len), MPI_T_ERR_INVALID_HANDLE);
    stop();
}

/* ---- performance variables ------------------------------------------------------------------- */

static const int mpi_class[] = { MPI_T_PVAR_CLASS_COUNTER, MPI_T_PVAR_CLASS_LEVEL,
                                 MPI_T_PVAR_CLASS_TIMER };

static void check_pvar(MPI_T_pvar_session session, int i)
{
    const MPIR_Pvar *p = MPIR_pvar_table[i];
    bool timer = p->kind == MPIR_PVAR_KIND_TIMER;
    int var_class, readonly, continuous, atomic, index = -1, count, len = 0;
    MPI_Datatype type;
    MPI_T_pvar_handle handle;
    union {
        unsigned long long number;
        double seconds;
    } value = { 0 };

    UT_INT_EQ(MPIR_T_pvar_get_info_impl(i, NULL, &len, NULL, &var_class, &type, NULL, NULL, NULL,
                                        NULL, &readonly, &continuous, &atomic),
              MPI_SUCCESS);
    UT_INT_EQ(len, strlen(p->name) + 1);
    UT_INT_EQ(var_class, mpi_class[p->kind]);
    UT_INT_EQ(type, timer ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG);
    UT_CHECK(readonly == 1 && continuous == 1 && atomic == 0);
    UT_INT_EQ(MPIR_T_pvar_get_index_impl(p->name, var_class, &index), MPI_SUCCESS);
    UT_INT_EQ(index, i);
    UT_INT_EQ(MPIR_T_pvar_get_index_impl(p->name, MPI_T_PVAR_CLASS_STATE, &index),
              MPI_T_ERR_INVALID_NAME);
    UT_INT_EQ(MPIR_T_pvar_handle_alloc_impl(session, i, NULL, &handle, &count), MPI_SUCCESS);
    UT_INT_EQ(count, 1);
    UT_INT_EQ(MPIR_T_pvar_read_impl(session, handle, &value), MPI_SUCCESS);
    if (timer)
        UT_CHECK(value.seconds >= 0 && value.seconds <= p->read_seconds());
    else
        UT_INT_EQ(value.number, p->read ? p->read() : *p->variable);
    UT_INT_EQ(MPIR_T_pvar_start_impl(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
    UT_INT_EQ(MPIR_T_pvar_stop_impl(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
    UT_INT_EQ(MPIR_T_pvar_reset_impl(session, handle), MPI_T_ERR_PVAR_NO_WRITE);
    UT_INT_EQ(MPIR_T_pvar_write_impl(session, handle, &value), MPI_T_ERR_PVAR_NO_WRITE);
    UT_INT_EQ(MPIR_T_pvar_readreset_impl(session, handle, &value), MPI_T_ERR_PVAR_NO_ATOMIC);
    UT_INT_EQ(MPIR_T_pvar_handle_free_impl(session, &handle), MPI_SUCCESS);
    UT_CHECK(handle == MPI_T_PVAR_HANDLE_NULL);
}

static void performance_variables(void)
{
    MPI_T_pvar_session session;
    int n = -1;

    start();
    UT_INT_EQ(MPIR_T_pvar_get_num_impl(&n), MPI_SUCCESS);
    UT_INT_EQ(n, MPIR_pvar_count);
    UT_CHECK(n > 0);
    UT_INT_EQ(MPIR_T_pvar_session_create_impl(&session), MPI_SUCCESS);
    for (int i = 0; i < n; i++)
        check_pvar(session, i);
    UT_INT_EQ(MPIR_T_pvar_start_impl(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    UT_INT_EQ(MPIR_T_pvar_stop_impl(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    UT_INT_EQ(MPIR_T_pvar_reset_impl(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    UT_INT_EQ(MPIR_T_pvar_read_impl(session, MPI_T_PVAR_ALL_HANDLES, &n), MPI_T_ERR_INVALID_HANDLE);
    UT_INT_EQ(MPIR_T_pvar_session_free_impl(&session), MPI_SUCCESS);
    UT_CHECK(session == MPI_T_PVAR_SESSION_NULL);
    stop();
}

static void handles_belong_to_sessions(void)
{
    MPI_T_pvar_session one, two, copy;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL, later;
    unsigned long long value[2];
    int count;

    start();
    UT_INT_EQ(MPIR_T_pvar_session_create_impl(&one), MPI_SUCCESS);
    UT_INT_EQ(MPIR_T_pvar_session_create_impl(&two), MPI_SUCCESS);
    UT_INT_EQ(MPIR_T_pvar_handle_alloc_impl(one, -1, NULL, &handle, &count),
              MPI_T_ERR_INVALID_INDEX);
    UT_INT_EQ(MPIR_T_pvar_handle_alloc_impl(one, MPIR_pvar_count, NULL, &handle, &count),
              MPI_T_ERR_INVALID_INDEX);
    UT_INT_EQ(MPIR_T_pvar_handle_alloc_impl(one, 0, NULL, &handle, &count), MPI_SUCCESS);
    UT_INT_EQ(MPIR_T_pvar_handle_alloc_impl(two, 0, NULL, &later, &count), MPI_SUCCESS);
    UT_INT_EQ(MPIR_T_pvar_read_impl(two, handle, value), MPI_T_ERR_INVALID_HANDLE);
    UT_INT_EQ(MPIR_T_pvar_read_impl(one, handle, value), MPI_SUCCESS);
    copy = one;
    UT_INT_EQ(MPIR_T_pvar_session_free_impl(&one), MPI_SUCCESS); /* its handle goes with it */
    UT_INT_EQ(MPIR_T_pvar_session_free_impl(&copy), MPI_T_ERR_INVALID_SESSION);
    UT_INT_EQ(MPIR_T_pvar_read_impl(copy, handle, value), MPI_T_ERR_INVALID_SESSION);
    UT_INT_EQ(MPIR_T_pvar_read_impl(two, handle, value), MPI_T_ERR_INVALID_HANDLE);
    UT_INT_EQ(MPIR_T_pvar_read_impl(two, later, value), MPI_SUCCESS);
    stop(); /* the last one frees what is left */
    start();
    UT_INT_EQ(MPIR_T_pvar_read_impl(two, later, value), MPI_T_ERR_INVALID_SESSION);
    stop();
}

static void garbage_is_an_error(void)
{
    static void *const garbage[] = { NULL,
                                     (void *) 1,
                                     (void *) -1,
                                     (void *) 0xc0000000,
                                     (void *) 0xe8000000,
                                     (void *) 0xb0000000,
                                     (void *) 0xffffffff,
                                     (void *) &garbage };
    int value;

    start();
    for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
        MPI_T_cvar_handle c = garbage[i];
        MPI_T_pvar_session s = garbage[i];
        MPI_T_pvar_handle p = garbage[i];
        UT_INT_EQ(MPIR_T_cvar_read_impl(c, &value), MPI_T_ERR_INVALID_HANDLE);
        UT_INT_EQ(MPIR_T_cvar_write_impl(c, &value), MPI_T_ERR_INVALID_HANDLE);
        UT_INT_EQ(MPIR_T_cvar_handle_free_impl(&c), MPI_T_ERR_INVALID_HANDLE);
        UT_INT_EQ(MPIR_T_pvar_read_impl(s, p, &value), MPI_T_ERR_INVALID_SESSION);
        UT_INT_EQ(MPIR_T_pvar_start_impl(s, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_INVALID_SESSION);
        UT_INT_EQ(MPIR_T_pvar_session_free_impl(&s), MPI_T_ERR_INVALID_SESSION);
    }
    stop();
}

/* ---- categories ------------------------------------------------------------------------------ */

static void every_variable_is_in_one_category(void)
{
    int n = 0, cvars = 0, pvars = 0, index, changed = -1;

    start();
    UT_INT_EQ(MPIR_T_category_get_num_impl(&n), MPI_SUCCESS);
    for (int i = 0; i < n; i++) {
        char name[128];
        int len = sizeof(name), n_cvars, n_pvars, n_categories, list[64];
        UT_INT_EQ(MPIR_T_category_get_info_impl(i, name, &len, NULL, NULL, &n_cvars, &n_pvars,
                                                &n_categories),
                  MPI_SUCCESS);
        UT_INT_EQ(n_categories, 0);
        UT_INT_EQ(MPIR_T_category_get_index_impl(name, &index), MPI_SUCCESS);
        UT_INT_EQ(index, i);
        UT_INT_EQ(MPIR_T_category_get_cvars_impl(i, 64, list), MPI_SUCCESS);
        for (int k = 0; k < n_cvars && k < 64; k++)
            UT_CHECK(list[k] >= 0 && list[k] < MPIR_cvar_count &&
                     (k == 0 || list[k] > list[k - 1]));
        UT_INT_EQ(MPIR_T_category_get_pvars_impl(i, 0, NULL), MPI_SUCCESS);
        UT_INT_EQ(MPIR_T_category_get_categories_impl(i, 64, list), MPI_SUCCESS);
        cvars += n_cvars;
        pvars += n_pvars;
    }
    UT_INT_EQ(cvars, MPIR_cvar_count);
    UT_INT_EQ(pvars, MPIR_pvar_count);
    UT_INT_EQ(MPIR_T_category_get_cvars_impl(n, 0, NULL), MPI_T_ERR_INVALID_INDEX);
    UT_INT_EQ(MPIR_T_category_get_index_impl("no such", &index), MPI_T_ERR_INVALID_NAME);
    UT_INT_EQ(MPIR_T_category_changed_impl(&changed), MPI_SUCCESS);
    UT_INT_EQ(changed, 0);
    stop();
}

int main(void)
{
    UT_RUN(it_counts_its_users);
    UT_RUN(control_variables);
    UT_RUN(strings_are_cut);
    UT_RUN(the_boolean_enumeration);
    UT_RUN(performance_variables);
    UT_RUN(handles_belong_to_sessions);
    UT_RUN(garbage_is_an_error);
    UT_RUN(every_variable_is_in_one_category);
    return UT_REPORT();
}
