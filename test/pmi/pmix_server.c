/* A PMIx launcher for one machine that is played: pmix_server SIZE MODE PROGRAM [ARGUMENTS].
 *
 * Starts SIZE ranks and prints what they have asked for: "connected N finalized N fences N aborts N". MODE "psets"
 * knows the sets app://even and app://first and tells their names as a list, "psets-array" as an array; "alone" starts
 * rank 0 only; "plain" does nothing besides.
 */
#include <pmix_server.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NSPACE "played-job"
enum { SIZE_MAX_RANKS = 32 };

static struct {
    int size, connected, finalized, fences, aborts;
    const char *mode;
    pthread_mutex_t lock;
} server = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void count(int *counter)
{
    pthread_mutex_lock(&server.lock);
    ++*counter;
    pthread_mutex_unlock(&server.lock);
}

/* ---- what clients ask ----------------------------------------------------------------------- */

static pmix_status_t connected(const pmix_proc_t *proc, void *object, pmix_info_t info[], size_t n,
                               pmix_op_cbfunc_t done, void *arg)
{
    (void) proc, (void) object, (void) info, (void) n, (void) done, (void) arg;
    count(&server.connected);
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t finalized(const pmix_proc_t *proc, void *object, pmix_op_cbfunc_t done, void *arg)
{
    (void) proc, (void) object, (void) done, (void) arg;
    count(&server.finalized);
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t aborted(const pmix_proc_t *proc, void *object, int status, const char text[], pmix_proc_t procs[],
                             size_t n, pmix_op_cbfunc_t done, void *arg)
{
    (void) proc, (void) object, (void) status, (void) text, (void) procs, (void) n, (void) done, (void) arg;
    count(&server.aborts);
    return PMIX_OPERATION_SUCCEEDED;
}

static pmix_status_t fence(const pmix_proc_t procs[], size_t n, const pmix_info_t info[], size_t n_info, char *data,
                           size_t size, pmix_modex_cbfunc_t done, void *arg)
{
    (void) procs, (void) n, (void) info, (void) n_info, (void) size;
    count(&server.fences);
    free(data);
    if (done)
        done(PMIX_SUCCESS, NULL, 0, arg, NULL, NULL);
    return PMIX_SUCCESS;
}

static void free_results(void *arg)
{
    pmix_info_t *results = arg;
    PMIX_INFO_FREE(results, 1);
}

static void add_members(pmix_info_t *result, const char *pset)
{
    pmix_data_array_t array;
    int step = strcmp(pset, "app://even") == 0 ? 2 : server.size;
    size_t n = (size_t) ((server.size + step - 1) / step);
    PMIX_DATA_ARRAY_CONSTRUCT(&array, n, PMIX_PROC);
    pmix_proc_t *member = array.array;
    for (size_t i = 0; i < n; i++) /* backwards: no order is promised */
        PMIX_LOAD_PROCID(&member[i], NSPACE, (pmix_rank_t) ((n - 1 - i) * (size_t) step));
    PMIX_INFO_LOAD(result, PMIX_QUERY_PSET_MEMBERSHIP, &array, PMIX_DATA_ARRAY);
    PMIX_DATA_ARRAY_DESTRUCT(&array);
}

/* With two that the standard does not let a launcher name. */
static void add_names(pmix_info_t *result)
{
    static const char list[] = "mpi://WORLD,app://even,mpi://mine,app://first";
    pmix_data_array_t array;
    char copy[sizeof(list)], *rest = strcpy(copy, list);
    if (strcmp(server.mode, "psets") == 0) {
        PMIX_INFO_LOAD(result, PMIX_QUERY_PSET_NAMES, list, PMIX_STRING);
        return;
    }
    PMIX_DATA_ARRAY_CONSTRUCT(&array, 4, PMIX_STRING);
    for (size_t i = 0; i < 4; i++)
        ((char **) array.array)[i] = strdup(strsep(&rest, ","));
    PMIX_INFO_LOAD(result, PMIX_QUERY_PSET_NAMES, &array, PMIX_DATA_ARRAY);
    PMIX_DATA_ARRAY_DESTRUCT(&array);
}

static pmix_status_t query(pmix_proc_t *proc, pmix_query_t *queries, size_t n, pmix_info_cbfunc_t done, void *arg)
{
    (void) proc;
    if (n != 1 || strncmp(server.mode, "psets", 5) != 0)
        return PMIX_ERR_NOT_SUPPORTED;
    pmix_info_t *result;
    PMIX_INFO_CREATE(result, 1);
    if (strcmp(queries->keys[0], PMIX_QUERY_PSET_NAMES) == 0)
        add_names(result);
    else if (strcmp(queries->keys[0], PMIX_QUERY_PSET_MEMBERSHIP) == 0 && queries->nqual == 1)
        add_members(result, queries->qualifiers[0].value.data.string);
    else
        return PMIX_ERR_NOT_SUPPORTED;
    done(PMIX_SUCCESS, result, 1, arg, free_results, result);
    return PMIX_SUCCESS;
}

static pmix_server_module_t module = {
    .client_connected2 = connected,
    .client_finalized = finalized,
    .abort = aborted,
    .fence_nb = fence,
    .query = query,
};

/* ---- the job -------------------------------------------------------------------------------- */

typedef struct Wait {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    int done;
} Wait;

static void over(pmix_status_t status, void *arg)
{
    Wait *w = arg;
    (void) status;
    pthread_mutex_lock(&w->lock);
    w->done = 1;
    pthread_cond_signal(&w->cond);
    pthread_mutex_unlock(&w->lock);
}

static void await(Wait *w)
{
    pthread_mutex_lock(&w->lock);
    while (!w->done)
        pthread_cond_wait(&w->cond, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

#define WAIT_INIT { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 }

static void check(pmix_status_t status, const char *what)
{
    if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED)
        return;
    fprintf(stderr, "pmix_server: %s: %s\n", what, PMIx_Error_string(status));
    exit(2);
}

static void describe_job(void)
{
    char host[256] = "", peers[SIZE_MAX_RANKS * 3 + 1] = "", *nodes, *ranks;
    Wait wait = WAIT_INIT;
    uint32_t size = (uint32_t) server.size;
    pmix_info_t *info;
    gethostname(host, sizeof(host) - 1);
    for (int i = 0; i < server.size; i++)
        sprintf(peers + strlen(peers), "%s%d", i ? "," : "", i);
    check(PMIx_generate_regex(host, &nodes), "PMIx_generate_regex");
    check(PMIx_generate_ppn(peers, &ranks), "PMIx_generate_ppn");
    PMIX_INFO_CREATE(info, 6);
    PMIX_INFO_LOAD(&info[0], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[1], PMIX_UNIV_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[2], PMIX_LOCAL_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[3], PMIX_LOCAL_PEERS, peers, PMIX_STRING);
    PMIX_INFO_LOAD(&info[4], PMIX_NODE_MAP, nodes, PMIX_REGEX);
    PMIX_INFO_LOAD(&info[5], PMIX_PROC_MAP, ranks, PMIX_REGEX);
    pmix_status_t status = PMIx_server_register_nspace(NSPACE, server.size, info, 6, over, &wait);
    check(status, "PMIx_server_register_nspace");
    if (status == PMIX_SUCCESS)
        await(&wait);
    PMIX_INFO_FREE(info, 6);
    free(nodes);
    free(ranks);
}

static pid_t start(int rank, char **argv)
{
    char **env = NULL;
    pmix_proc_t proc;
    Wait wait = WAIT_INIT;
    PMIX_LOAD_PROCID(&proc, NSPACE, (pmix_rank_t) rank);
    pmix_status_t status = PMIx_server_register_client(&proc, getuid(), getgid(), NULL, over, &wait);
    check(status, "PMIx_server_register_client");
    if (status == PMIX_SUCCESS)
        await(&wait);
    check(PMIx_server_setup_fork(&proc, &env), "PMIx_server_setup_fork");
    pid_t pid = fork();
    if (pid == 0) {
        for (char **e = env; e && *e; e++)
            putenv(*e);
        execvp(argv[0], argv);
        _exit(127);
    }
    return pid;
}

int main(int argc, char **argv)
{
    int status, failed = 0, n = 0;
    if (argc < 4 || (server.size = atoi(argv[1])) < 1 || server.size > SIZE_MAX_RANKS) {
        fprintf(stderr, "usage: pmix_server SIZE plain|psets|psets-array|alone PROGRAM [ARGUMENTS]\n");
        return 2;
    }
    server.mode = argv[2];
    check(PMIx_server_init(&module, NULL, 0), "PMIx_server_init");
    describe_job();
    int ranks = strcmp(server.mode, "alone") == 0 ? 1 : server.size;
    for (int i = 0; i < ranks; i++)
        start(i, argv + 3);
    for (; n < ranks && wait(&status) > 0; n++)
        failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    usleep(100 * 1000); /* the server's thread may not have seen the last goodbye */
    printf("connected %d finalized %d fences %d aborts %d\n", server.connected, server.finalized, server.fences,
           server.aborts);
    fflush(stdout);
    PMIx_server_finalize();
    return failed;
}
