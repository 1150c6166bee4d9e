/* PMI-2 over a socket that the launcher handed down (PMI_FD) or that we open (PMI_PORT, PMI_ID).
 *
 * The first exchange is a PMI-1 line each way; frames follow. Requests are answered in order, except
 * kvs-fence, whose answer may come at any later time.
 *
 * What a fence is differs. Slurm answers it when all have entered it. Hydra answers at once, and
 * makes a kvs-get of a key that is not there wait instead. So after the answer a key that nobody
 * ever puts is asked for: when that is answered, everyone is there under both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../link/link.h"
#include "../link/names.h"
#include "../pmi_backend.h"
#include "frame.h"
#include "mpi.h"
#include "mpir_err.h"
#include "mpl.h"

static const char nobodys_key[] = "perennial-nobody-puts-this";

typedef enum Fence { FENCE_NONE, FENCE_SENT, FENCE_ANSWERED, FENCE_DONE } Fence;

static const MPIR_Pmi_form frames = { .take = MPIR_Pmi2_take, .parse = MPIR_Pmi2_parse };

/* Lives with the process. */
static struct {
    MPIR_Pmi_link link;
    Fence fence;
    char job[256];
    MPIR_Pmi_names names;
    MPIR_Pmi_out out; /* the request being made */
} pmi2 = { .link = { .fd = -1, .form = &MPIR_Pmi_lines } };

/* ---- requests and replies -------------------------------------------------------------------- */

static int send_out(const char *about)
{
    if (pmi2.out.bad)
        return MPIR_Err("**pmi_unsayable", about);
    return MPIR_Pmi_link_send(&pmi2.link, &pmi2.out, MPIR_Pmi_link_deadline());
}

/* A request with one key, or with none; appended to what stands in pmi2.out. */
static void add_request(const char *cmd, const char *key, const char *value)
{
    size_t start = MPIR_Pmi2_begin(&pmi2.out, cmd);

    if (key)
        MPIR_Pmi2_str(&pmi2.out, key, value);
    MPIR_Pmi2_end(&pmi2.out, start);
}

static void add_get(const char *key, int rank)
{
    size_t start = MPIR_Pmi2_begin(&pmi2.out, "kvs-get");

    MPIR_Pmi2_str(&pmi2.out, "jobid", pmi2.job);
    MPIR_Pmi2_int(&pmi2.out, "srcid", rank); /* a hint: who put it */
    MPIR_Pmi2_str(&pmi2.out, "key", key);
    MPIR_Pmi2_end(&pmi2.out, start);
}

static int send_get(const char *key, int rank)
{
    MPIR_Pmi_out_clear(&pmi2.out);
    add_get(key, rank);
    return send_out(key);
}

/* A message that nobody waits for right now: the fence's. */
static int take_aside(const MPIR_Pmi_msg *msg, const char *expected)
{
    if (pmi2.fence == FENCE_SENT && strcmp(msg->cmd, "kvs-fence-response") == 0) {
        int err = MPIR_Pmi_link_check_rc(&pmi2.link, msg);
        pmi2.fence = FENCE_ANSWERED;
        return err ? err : send_get(nobodys_key, -1);
    }
    if (pmi2.fence == FENCE_ANSWERED && strcmp(msg->cmd, "kvs-get-response") == 0) {
        pmi2.fence = FENCE_DONE; /* that it says "not found" was expected */
        return MPI_SUCCESS;
    }
    return MPIR_Pmi_link_bad(&pmi2.link, expected, msg->cmd);
}

/* The next message, which must be `expected`; others may come on the way. No kvs-get is
 * sent while the fence's own is out, so that their answers are not mistaken for each other. */
static int recv_reply(const char *expected, MPIR_Pmi_msg *msg)
{
    uint64_t deadline = MPIR_Pmi_link_deadline();

    for (;;) {
        bool got;
        int err = MPIR_Pmi_link_recv(&pmi2.link, expected, deadline, msg, &got);
        if (err || strcmp(msg->cmd, expected) == 0)
            return err;
        if ((err = take_aside(msg, expected)))
            return err;
    }
}

/* The value of a reply with found=TRUE or FALSE. */
static int take_found(const MPIR_Pmi_msg *msg, const char **value)
{
    const char *found = MPIR_Pmi_find(msg, "found");
    long long rc;
    int err = MPIR_Pmi_link_rc(&pmi2.link, msg, &rc);

    *value = NULL;
    if (err || rc != 0 || (found && strcmp(found, "FALSE") == 0))
        return err;
    if (found && strcmp(found, "TRUE") != 0)
        return MPIR_Pmi_link_bad(&pmi2.link, "found=TRUE or found=FALSE", found);
    return MPIR_Pmi_link_need(&pmi2.link, msg, "value", value);
}

static int take_value(const char *key, const MPIR_Pmi_msg *msg, char *value, size_t size,
                      bool *found)
{
    const char *text;
    int err = take_found(msg, &text);

    if (err)
        return err;
    if (text && !MPL_strcpy(value, size, text))
        return MPIR_Err("**pmi_value", key, (int) strlen(text), (int) size - 1);
    *found = text != NULL;
    return MPI_SUCCESS;
}

/* ---- connecting ------------------------------------------------------------------------------ */

/* In PMI-1's form; what follows is not. */
static int exchange_versions(void)
{
    MPIR_Pmi_msg msg;
    int version, err;

    MPIR_Pmi_out_clear(&pmi2.out);
    MPIR_Pmi_out_cmd(&pmi2.out, "init");
    MPIR_Pmi_out_int(&pmi2.out, "pmi_version", 2);
    MPIR_Pmi_out_int(&pmi2.out, "pmi_subversion", 0);
    MPIR_Pmi_out_end(&pmi2.out);
    if ((err = send_out("init")) || (err = recv_reply("response_to_init", &msg)) ||
        (err = MPIR_Pmi_link_check_rc(&pmi2.link, &msg)) ||
        (err = MPIR_Pmi_link_need_int(&pmi2.link, &msg, "pmi_version", 0, &version)))
        return err;
    if (version != 2)
        return MPIR_Pmi_link_bad(&pmi2.link, "pmi_version=2", MPIR_Pmi_find(&msg, "pmi_version"));
    pmi2.link.form = &frames;
    return MPI_SUCCESS;
}

/* All that init needs, in one write. Who came by the port says pmiid; Hydra 4.0 wants pmirank all the
 * same, which is the same number there. */
static int ask_all(bool port, int id)
{
    MPIR_Pmi_out_clear(&pmi2.out);
    size_t start = MPIR_Pmi2_begin(&pmi2.out, "fullinit");
    if (port)
        MPIR_Pmi2_int(&pmi2.out, "pmiid", id);
    MPIR_Pmi2_int(&pmi2.out, "pmirank", id);
    if (getenv("PMI_JOBID")) /* Slurm checks it */
        MPIR_Pmi2_str(&pmi2.out, "pmijobid", getenv("PMI_JOBID"));
    MPIR_Pmi2_str(&pmi2.out, "threaded", "FALSE");
    MPIR_Pmi2_end(&pmi2.out, start);
    add_request("job-getid", NULL, NULL);
    add_request("info-getjobattr", "key", "universeSize");
    return send_out("fullinit");
}

/* Who we are is said by the launcher, and over an inherited socket by the environment as well: they
 * must agree. */
static int take_identity(MPIR_Pmi_job *job, bool from_env)
{
    MPIR_Pmi_msg msg;
    int rank, size, err;

    if ((err = recv_reply("fullinit-response", &msg)) ||
        (err = MPIR_Pmi_link_check_rc(&pmi2.link, &msg)) ||
        (err = MPIR_Pmi_link_need_int(&pmi2.link, &msg, "rank", 0, &rank)) ||
        (err = MPIR_Pmi_link_need_int(&pmi2.link, &msg, "size", 1, &size)))
        return err;
    if (from_env && (rank != job->rank || size != job->size))
        return MPIR_Pmi_link_bad(&pmi2.link, "the rank and size of PMI_RANK and PMI_SIZE",
                                 "fullinit-response with others");
    if (rank >= size)
        return MPIR_Pmi_link_bad(&pmi2.link, "a rank below the size", MPIR_Pmi_find(&msg, "rank"));
    job->rank = rank;
    job->size = size;
    if (MPIR_Pmi_find(&msg, "appnum"))
        err = MPIR_Pmi_link_need_int(&pmi2.link, &msg, "appnum", -1, &job->appnum);
    return err;
}

static int take_name(MPIR_Pmi_job *job)
{
    MPIR_Pmi_msg msg;
    const char *name;
    int err;

    if ((err = recv_reply("job-getid-response", &msg)) ||
        (err = MPIR_Pmi_link_check_rc(&pmi2.link, &msg)) ||
        (err = MPIR_Pmi_link_need(&pmi2.link, &msg, "jobid", &name)))
        return err;
    if (!*name || !MPL_strcpy(pmi2.job, sizeof(pmi2.job), name))
        return MPIR_Pmi_link_bad(&pmi2.link, "a jobid of 1 to 255 bytes", name);
    MPL_strcpy(job->name, sizeof(job->name), name);
    return MPI_SUCCESS;
}

static int take_universe(MPIR_Pmi_job *job)
{
    MPIR_Pmi_msg msg;
    const char *text;
    long long number;
    int err;

    if ((err = recv_reply("info-getjobattr-response", &msg)) || (err = take_found(&msg, &text)) ||
        !text)
        return err;
    if (!MPL_parse_int(text, -1, 0x7fffffff, &number))
        return MPIR_Pmi_link_bad(&pmi2.link, "universeSize=<number>", text);
    job->universe_size = (int) number;
    return MPI_SUCCESS;
}

static int pmi2_connect(MPIR_Pmi_job *job)
{
    bool port = !getenv("PMI_FD");
    int id, err;

    if ((err = port ? MPIR_Pmi_link_env_id(&id) : MPIR_Pmi_link_env(job)) ||
        (err = port ? MPIR_Pmi_link_dial(&pmi2.link) : MPIR_Pmi_link_inherit(&pmi2.link)) ||
        (err = exchange_versions()) || (err = ask_all(port, port ? id : job->rank)) ||
        (err = take_identity(job, !port)) || (err = take_name(job)) || (err = take_universe(job)))
        return err;
    pmi2.names.use = MPIR_Pmi_names_known(pmi2.job);
    return MPI_SUCCESS;
}

/* ---- keys and fence -------------------------------------------------------------------------- */

static int send_service(const char *cmd, const char *key, const char *port)
{
    char service[MPIR_PMI_SERVICE_MAX];

    MPIR_Pmi_names_service(pmi2.job, key, service);
    MPIR_Pmi_out_clear(&pmi2.out);
    size_t start = MPIR_Pmi2_begin(&pmi2.out, cmd);
    MPIR_Pmi2_str(&pmi2.out, "name", service);
    if (port)
        MPIR_Pmi2_str(&pmi2.out, "port", port);
    MPIR_Pmi2_end(&pmi2.out, start);
    return send_out(key);
}

/* A launcher that refuses one rank refuses all: the fence is left. */
static int publish(const char *key, const char *value)
{
    MPIR_Pmi_msg msg;
    long long rc;
    int err = send_service("name-publish", key, value);

    if (err || (err = recv_reply("name-publish-response", &msg)) ||
        (err = MPIR_Pmi_link_rc(&pmi2.link, &msg, &rc)))
        return err;
    if (rc != 0)
        pmi2.names.use = PMI_NAMES_NONE;
    return MPI_SUCCESS;
}

static int lookup(int rank, const char *key, char *value, size_t size, bool *found)
{
    MPIR_Pmi_msg msg;
    long long rc;
    int err = send_service("name-lookup", key, NULL);

    if (err || (err = recv_reply("name-lookup-response", &msg)) ||
        (err = MPIR_Pmi_link_rc(&pmi2.link, &msg, &rc)))
        return err;
    const char *port = MPIR_Pmi_find(&msg, "port");
    if (!port)
        port = MPIR_Pmi_find(&msg, "value"); /* so Slurm calls it */
    if (rc != 0 || !port)
        MPIR_Pmi_names_missed(&pmi2.names, rank);
    else if (!MPL_strcpy(value, size, port))
        return MPIR_Err("**pmi_value", key, (int) strlen(port), (int) size - 1);
    *found = rc == 0 && port;
    return MPI_SUCCESS;
}

static int put(const char *key, const char *value)
{
    MPIR_Pmi_msg msg;

    MPIR_Pmi_out_clear(&pmi2.out);
    size_t start = MPIR_Pmi2_begin(&pmi2.out, "kvs-put");
    MPIR_Pmi2_str(&pmi2.out, "key", key);
    MPIR_Pmi2_str(&pmi2.out, "value", value);
    MPIR_Pmi2_end(&pmi2.out, start);
    int err = send_out(key);
    if (!err)
        err = recv_reply("kvs-put-response", &msg);
    return err ? err : MPIR_Pmi_link_check_rc(&pmi2.link, &msg);
}

static int pmi2_put(const char *key, const char *value)
{
    int err = MPI_SUCCESS;

    if (!*value || !MPIR_Pmi_is_plain(value) || strchr(value, ';'))
        return MPIR_Err("**pmi_unsayable", key); /* not every server knows of doubled semicolons */
    if (pmi2.names.use != PMI_NAMES_NONE)
        err = publish(key, value);
    return err || pmi2.names.use == PMI_NAMES_ALONE ? err : put(key, value);
}

static bool pmi2_keys_at_once(void)
{
    return pmi2.names.use == PMI_NAMES_ALONE;
}

static int pmi2_fence_begin(void)
{
    if (pmi2.fence != FENCE_NONE || pmi2_keys_at_once())
        return MPI_SUCCESS;
    MPIR_Pmi_out_clear(&pmi2.out);
    add_request("kvs-fence", NULL, NULL);
    int err = send_out("kvs-fence");
    if (!err)
        pmi2.fence = FENCE_SENT;
    return err;
}

/* Waiting has no limit of its own here: the other ranks may take as long as they like to come. If
 * one of them dies, or the launcher does, the launcher's end of the socket closes. */
static int pmi2_fence_end(bool wait, bool *done)
{
    MPIR_Pmi_msg msg;
    bool got = true;

    while (got && pmi2.fence != FENCE_DONE && !pmi2_keys_at_once()) {
        const char *what =
            pmi2.fence == FENCE_SENT ? "kvs-fence-response" : "kvs-get-response after the fence";
        int err = MPIR_Pmi_link_recv(&pmi2.link, what, wait ? PMI_NO_LIMIT : 0, &msg, &got);
        if (!err && got)
            err = take_aside(&msg, what);
        if (err)
            return err;
    }
    *done = pmi2.fence == FENCE_DONE || pmi2_keys_at_once();
    return MPI_SUCCESS;
}

static int by_name(int rank, const char *key, char *value, size_t size, bool *found)
{
    *found = false;
    return MPIR_Pmi_names_may_ask(&pmi2.names, rank) ? lookup(rank, key, value, size, found)
                                                     : MPI_SUCCESS;
}

/* Before the fence is over a key could be missing, and Hydra would keep the answer back, or end
 * itself if this process has not even entered: so the fence is awaited first. */
static int pmi2_get(int rank, const char *key, char *value, size_t size, bool *found)
{
    MPIR_Pmi_msg msg;
    bool done;

    if (pmi2_keys_at_once())
        return by_name(rank, key, value, size, found);
    if (pmi2.fence == FENCE_NONE)
        return MPIR_Err("**pmi_early", key);
    int err = pmi2_fence_end(true, &done);
    if (err || (err = send_get(key, rank)) || (err = recv_reply("kvs-get-response", &msg)))
        return err;
    return take_value(key, &msg, value, size, found);
}

/* A key as soon as it is there: under its name, or after the fence. */
static int pmi2_try(int rank, const char *key, char *value, size_t size, bool *found)
{
    bool done = false;
    int err = pmi2_fence_begin();

    if (!err)
        err = pmi2_fence_end(false, &done);
    if (!err && (!done || pmi2_keys_at_once()))
        return by_name(rank, key, value, size, found);
    *found = false;
    if (err)
        return err;
    err = pmi2_get(rank, key, value, size, found);
    return err || *found ? err : MPIR_Err("**pmi_nokey", key);
}

static int pmi2_attr(const char *name, char *value, size_t size, bool *found)
{
    MPIR_Pmi_msg msg;
    int err;

    MPIR_Pmi_out_clear(&pmi2.out);
    add_request("info-getjobattr", "key", name);
    if ((err = send_out(name)) || (err = recv_reply("info-getjobattr-response", &msg)))
        return err;
    return take_value(name, &msg, value, size, found);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The wire has no place for an exit code: the launcher takes that from the process. */
static void pmi2_abort(int exit_code, const char *message)
{
    (void) exit_code;
    for (int with_text = 1; with_text >= 0; with_text--) {
        MPIR_Pmi_out_clear(&pmi2.out);
        size_t start = MPIR_Pmi2_begin(&pmi2.out, "abort");
        MPIR_Pmi2_str(&pmi2.out, "isworld", "TRUE");
        MPIR_Pmi2_str(&pmi2.out, "msg", with_text && message ? message : "");
        MPIR_Pmi2_end(&pmi2.out, start);
        if (!pmi2.out.bad)
            break;
    }
    if (pmi2.link.fd >= 0 && pmi2.link.form == &frames)
        MPIR_Pmi_link_send(&pmi2.link, &pmi2.out, 0); /* best effort: no waiting */
}

static void pmi2_finalize(void)
{
    MPIR_Pmi_out_clear(&pmi2.out);
    add_request("finalize", NULL, NULL);
    if (pmi2.link.form == &frames)
        MPIR_Pmi_link_bye(&pmi2.link, &pmi2.out, "finalize-response");
    MPIR_Pmi_link_close(&pmi2.link);
    MPIR_Pmi_names_free(&pmi2.names);
}

const MPIR_Pmi_backend MPIR_Pmi_pmi2 = {
    .name = "PMI-2",
    .connect = pmi2_connect,
    .put = pmi2_put,
    .fence_begin = pmi2_fence_begin,
    .fence_end = pmi2_fence_end,
    .get = pmi2_get,
    .keys_at_once = pmi2_keys_at_once,
    .try = pmi2_try,
    .attr = pmi2_attr,
    .abort = pmi2_abort,
    .finalize = pmi2_finalize,
};
