/* PMI-1 over a socket that the launcher handed down (PMI_FD) or that we open (PMI_PORT, PMI_ID).
 *
 * Requests are answered in order, so what init needs is asked in one write and costs one round
 * trip. The one line that may come out of order is barrier_out.
 *
 * There is no barrier where it is not needed to see a key: our mpiexec shows each when it is put, and
 * Hydra as the name that it is published under.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../link/link.h"
#include "../link/names.h"
#include "../pmi_backend.h"
#include "mpi.h"
#include "mpir_err.h"
#include "mpl.h"

/* Lives with the process. */
static struct {
    MPIR_Pmi_link link;
    bool escapes; /* the server is PMI 1.2 or later and takes escaped values */
    bool keys_at_once; /* our mpiexec: keys are there when they are put */
    bool fence_begun, fence_done;
    char kvs[256];
    MPIR_Pmi_names names;
    MPIR_Pmi_out out; /* the request being made */
} simple = { .link = { .fd = -1, .form = &MPIR_Pmi_lines } };

/* ---- requests and replies -------------------------------------------------------------------- */

/* A message that nobody waits for right now: the barrier's end. */
static int take_aside(const MPIR_Pmi_msg *msg, const char *expected)
{
    if (strcmp(msg->cmd, "barrier_out") == 0 && simple.fence_begun && !simple.fence_done) {
        simple.fence_done = true;
        return MPIR_Pmi_link_check_rc(&simple.link, msg);
    }
    return MPIR_Pmi_link_bad(&simple.link, expected, msg->cmd);
}

/* The next message, which must be `expected`; others may come on the way. */
static int recv_reply(const char *expected, MPIR_Pmi_msg *msg)
{
    uint64_t deadline = MPIR_Pmi_link_deadline();

    for (;;) {
        bool got;
        int err = MPIR_Pmi_link_recv(&simple.link, expected, deadline, msg, &got);
        if (err || strcmp(msg->cmd, expected) == 0)
            return err;
        if ((err = take_aside(msg, expected)))
            return err;
    }
}

static int send_out(void)
{
    return MPIR_Pmi_link_send(&simple.link, &simple.out, MPIR_Pmi_link_deadline());
}

/* ---- connecting ------------------------------------------------------------------------------ */

/* One `cmd=set key=...` of the three that follow initack. */
static int recv_set(const char *key, int low, int *value)
{
    MPIR_Pmi_msg msg;
    int err = recv_reply("set", &msg);

    return err ? err : MPIR_Pmi_link_need_int(&simple.link, &msg, key, low, value);
}

static int identify(MPIR_Pmi_job *job)
{
    MPIR_Pmi_msg msg;
    int id, debug;
    int err = MPIR_Pmi_link_env_id(&id);

    if (err)
        return err;
    MPIR_Pmi_out_clear(&simple.out);
    MPIR_Pmi_out_cmd(&simple.out, "initack");
    MPIR_Pmi_out_int(&simple.out, "pmiid", id);
    MPIR_Pmi_out_end(&simple.out);
    if ((err = send_out()) || (err = recv_reply("initack", &msg)) ||
        (err = MPIR_Pmi_link_check_rc(&simple.link, &msg)) ||
        (err = recv_set("size", 1, &job->size)) || (err = recv_set("rank", 0, &job->rank)) ||
        (err = recv_set("debug", 0, &debug)))
        return err;
    return job->rank < job->size
               ? MPI_SUCCESS
               : MPIR_Pmi_link_bad(&simple.link, "a rank below the size", "a larger one");
}

static int take_version(MPIR_Pmi_job *job)
{
    MPIR_Pmi_msg msg;
    int version, sub = 1;
    int err = recv_reply("response_to_init", &msg);

    (void) job;
    if (err || (err = MPIR_Pmi_link_check_rc(&simple.link, &msg)) ||
        (err = MPIR_Pmi_link_need_int(&simple.link, &msg, "pmi_version", 0, &version)))
        return err;
    if (version != 1)
        return MPIR_Pmi_link_bad(&simple.link, "pmi_version=1", MPIR_Pmi_find(&msg, "pmi_version"));
    if (MPIR_Pmi_find(&msg, "pmi_subversion"))
        err = MPIR_Pmi_link_need_int(&simple.link, &msg, "pmi_subversion", 0, &sub);
    simple.escapes = sub >= 2;
    simple.keys_at_once = MPIR_Pmi_find(&msg, "keys_at_once") != NULL;
    return err;
}

static int take_name(MPIR_Pmi_job *job)
{
    MPIR_Pmi_msg msg;
    const char *name;
    int err = recv_reply("my_kvsname", &msg);

    if (err || (err = MPIR_Pmi_link_need(&simple.link, &msg, "kvsname", &name)))
        return err;
    if (!*name || !MPL_strcpy(simple.kvs, sizeof(simple.kvs), name))
        return MPIR_Pmi_link_bad(&simple.link, "a kvsname of 1 to 255 bytes", name);
    MPL_strcpy(job->name, sizeof(job->name), name);
    return MPI_SUCCESS;
}

static int take_number(const char *cmd, const char *key, int *value)
{
    MPIR_Pmi_msg msg;
    int err = recv_reply(cmd, &msg);

    return err ? err : MPIR_Pmi_link_need_int(&simple.link, &msg, key, -1, value);
}

static int take_appnum(MPIR_Pmi_job *job)
{
    return take_number("appnum", "appnum", &job->appnum);
}

static int take_universe(MPIR_Pmi_job *job)
{
    return take_number("universe_size", "size", &job->universe_size);
}

static const struct {
    const char *cmd;
    int (*take)(MPIR_Pmi_job *job);
} questions[] = {
    { "init pmi_version=1 pmi_subversion=1", take_version },
    { "get_my_kvsname", take_name },
    { "get_appnum", take_appnum },
    { "get_universe_size", take_universe },
};

/* All in one write: one round trip. Slurm's server takes one line at a time, and ends itself if
 * anything comes with init. */
static int ask_all(MPIR_Pmi_job *job)
{
    size_t n = MPL_ARRAY_SIZE(questions), step = getenv("PMI_JOBID") ? 1 : n;
    int err = MPI_SUCCESS;

    for (size_t first = 0; first < n && !err; first += step) {
        MPIR_Pmi_out_clear(&simple.out);
        for (size_t i = first; i < first + step; i++) {
            MPIR_Pmi_out_cmd(&simple.out, questions[i].cmd);
            MPIR_Pmi_out_end(&simple.out);
        }
        err = send_out();
        for (size_t i = first; i < first + step && !err; i++)
            err = questions[i].take(job);
    }
    return err;
}

/* Over a port the launcher says who we are, over an inherited socket the environment does. */
static int open_link(MPIR_Pmi_job *job)
{
    int err;

    if (getenv("PMI_FD"))
        return (err = MPIR_Pmi_link_env(job)) ? err : MPIR_Pmi_link_inherit(&simple.link);
    if (!getenv("PMI_ID"))
        return MPIR_Err("**pmi_unset", "PMI_ID",
                        "the number that the launcher of PMI_PORT gave to this process");
    return (err = MPIR_Pmi_link_dial(&simple.link)) ? err : identify(job);
}

static int simple_connect(MPIR_Pmi_job *job)
{
    int err = open_link(job);

    if (!err)
        err = ask_all(job);
    /* not beside the barrier: Slurm here takes one line at a time, so that nothing can follow barrier_in */
    if (!err && !simple.keys_at_once && MPIR_Pmi_names_known(job->name) == PMI_NAMES_ALONE)
        simple.names.use = PMI_NAMES_ALONE;
    return err;
}

/* ---- keys and fence -------------------------------------------------------------------------- */

/* Send the request that stands in simple.out, if all of it could be said. */
static int send_request(const char *key)
{
    MPIR_Pmi_out_end(&simple.out);
    return simple.out.bad ? MPIR_Err("**pmi_unsayable", key) : send_out();
}

static void begin_service(const char *cmd, const char *key)
{
    char service[MPIR_PMI_SERVICE_MAX];

    MPIR_Pmi_names_service(simple.kvs, key, service);
    MPIR_Pmi_out_clear(&simple.out);
    MPIR_Pmi_out_cmd(&simple.out, cmd);
    MPIR_Pmi_out_str(&simple.out, "service", service);
}

/* A launcher that refuses (it was given a name server that is not there) refuses all ranks. */
static int publish(const char *key, const char *value)
{
    MPIR_Pmi_msg msg;
    long long rc;

    begin_service("publish_name", key);
    MPIR_Pmi_out_str(&simple.out, "port", value);
    int err = send_request(key);
    if (!err)
        err = recv_reply("publish_result", &msg);
    if (!err)
        err = MPIR_Pmi_link_rc(&simple.link, &msg, &rc);
    if (!err && rc != 0)
        simple.names.use = PMI_NAMES_NONE;
    return err;
}

static int lookup(int rank, const char *key, char *value, size_t size, bool *found)
{
    MPIR_Pmi_msg msg;
    long long rc;

    begin_service("lookup_name", key);
    int err = send_request(key);
    if (!err)
        err = recv_reply("lookup_result", &msg);
    if (!err)
        err = MPIR_Pmi_link_rc(&simple.link, &msg, &rc);
    if (err)
        return err;
    const char *port = rc == 0 ? MPIR_Pmi_find(&msg, "port") : NULL;
    if (!port)
        MPIR_Pmi_names_missed(&simple.names, rank);
    else if (!MPL_strcpy(value, size, port))
        return MPIR_Err("**pmi_value", key, (int) strlen(port), (int) size - 1);
    *found = port != NULL;
    return MPI_SUCCESS;
}

static int put(const char *key, const char *value)
{
    MPIR_Pmi_msg msg;

    MPIR_Pmi_out_clear(&simple.out);
    MPIR_Pmi_out_cmd(&simple.out, "put");
    MPIR_Pmi_out_str(&simple.out, "kvsname", simple.kvs);
    MPIR_Pmi_out_str(&simple.out, "key", key);
    MPIR_Pmi_out_str(&simple.out, "value", value);
    int err = send_request(key);
    if (!err)
        err = recv_reply("put_result", &msg);
    return err ? err : MPIR_Pmi_link_check_rc(&simple.link, &msg);
}

static int simple_put(const char *key, const char *value)
{
    int err = MPI_SUCCESS;

    if (!*value || (!simple.escapes && !MPIR_Pmi_is_plain(value)))
        return MPIR_Err("**pmi_unsayable", key);
    if (simple.names.use == PMI_NAMES_ALONE)
        err = publish(key, value);
    return err || simple.names.use == PMI_NAMES_ALONE ? err : put(key, value);
}

static int get(const char *key, char *value, size_t size, bool *found)
{
    MPIR_Pmi_msg msg;
    const char *text;
    long long rc;

    MPIR_Pmi_out_clear(&simple.out);
    MPIR_Pmi_out_cmd(&simple.out, "get");
    MPIR_Pmi_out_str(&simple.out, "kvsname", simple.kvs);
    MPIR_Pmi_out_str(&simple.out, "key", key);
    int err = send_request(key);
    if (!err)
        err = recv_reply("get_result", &msg);
    if (!err)
        err = MPIR_Pmi_link_rc(&simple.link, &msg, &rc);
    if (err)
        return err;
    *found = rc == 0;
    if (!*found)
        return MPI_SUCCESS;
    err = MPIR_Pmi_link_need(&simple.link, &msg, "value", &text);
    if (!err && !MPL_strcpy(value, size, text))
        err = MPIR_Err("**pmi_value", key, (int) strlen(text), (int) size - 1);
    return err;
}

static int simple_get(int rank, const char *key, char *value, size_t size, bool *found)
{
    if (simple.names.use != PMI_NAMES_ALONE)
        return get(key, value, size, found);
    *found = false;
    return MPIR_Pmi_names_may_ask(&simple.names, rank) ? lookup(rank, key, value, size, found)
                                                       : MPI_SUCCESS;
}

static bool simple_keys_at_once(void)
{
    return simple.keys_at_once || simple.names.use == PMI_NAMES_ALONE;
}

static int simple_fence_begin(void)
{
    if (simple.fence_begun)
        return MPI_SUCCESS;
    if (simple_keys_at_once()) {
        simple.fence_begun = simple.fence_done = true;
        return MPI_SUCCESS;
    }
    MPIR_Pmi_out_clear(&simple.out);
    MPIR_Pmi_out_cmd(&simple.out, "barrier_in");
    int err = send_request("barrier_in");
    simple.fence_begun = err == MPI_SUCCESS;
    return err;
}

/* Waiting has no limit of its own here: the other ranks may take as long as they like to come. If
 * one of them dies, or the launcher does, the launcher's end of the socket closes. */
static int simple_fence_end(bool wait, bool *done)
{
    MPIR_Pmi_msg msg;
    bool got = true;

    while (got && !simple.fence_done) {
        int err =
            MPIR_Pmi_link_recv(&simple.link, "barrier_out", wait ? PMI_NO_LIMIT : 0, &msg, &got);
        if (!err && got)
            err = take_aside(&msg, "barrier_out");
        if (err)
            return err;
    }
    *done = simple.fence_done;
    return MPI_SUCCESS;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void simple_abort(int exit_code, const char *message)
{
    MPIR_Pmi_out_clear(&simple.out);
    MPIR_Pmi_out_cmd(&simple.out, "abort");
    MPIR_Pmi_out_int(&simple.out, "exitcode", exit_code);
    size_t len = simple.out.len;
    if (message && simple.escapes) /* PMI 1.1 servers take a blank for the end of the value */
        MPIR_Pmi_out_str(&simple.out, "message", message);
    if (simple.out.bad) {
        simple.out.len = len;
        simple.out.bad = false;
    }
    MPIR_Pmi_out_end(&simple.out);
    if (simple.link.fd >= 0)
        MPIR_Pmi_link_send(&simple.link, &simple.out, 0); /* best effort: no waiting */
}

static void simple_finalize(void)
{
    MPIR_Pmi_out_clear(&simple.out);
    MPIR_Pmi_out_cmd(&simple.out, "finalize");
    MPIR_Pmi_out_end(&simple.out);
    MPIR_Pmi_link_bye(&simple.link, &simple.out, "finalize_ack");
    MPIR_Pmi_link_close(&simple.link);
    MPIR_Pmi_names_free(&simple.names);
}

const MPIR_Pmi_backend MPIR_Pmi_simple = {
    .name = "PMI-1",
    .connect = simple_connect,
    .put = simple_put,
    .fence_begin = simple_fence_begin,
    .fence_end = simple_fence_end,
    .get = simple_get,
    .keys_at_once = simple_keys_at_once,
    .attr = get,
    .abort = simple_abort,
    .finalize = simple_finalize,
};
