/* The PMI-1 server. See pmi_server.h. One function a command, found in a table. */
#include "pmi_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "barrier.h"
#include "kvs.h"
#include "mpir_pmi.h"
#include "mpl.h"
#include "../../pmi/wire/pmi_wire.h"

#define OUTPUT_MAX (1u << 20) /* unread answers of one rank */
#define KVS_BYTES_PER_RANK (1u << 20)
#define NAMES_BYTES (1u << 20) /* published services */
#define SPAWN_LINES_MAX 100000 /* of one request; skipped, not kept */

typedef struct Client {
    PM_pmi_state state;
    MPIR_Pmi_in *in; /* made at the first byte: a rank that never speaks costs nothing */
    char *out;
    size_t out_len, out_max;
    int spawn_lines; /* > 0: in the middle of a spawn request */
    bool aborted;
    int abort_code;
    char text[256]; /* the violation, or the abort's message */
} Client;

struct PM_pmi {
    PM_pmi_job job;
    char kvsname[256];
    PM_kvs *kvs, *names;
    PM_barriers barriers;
    MPIR_Pmi_out line; /* the answer being made */
    Client client[];
};

typedef struct Request {
    PM_pmi *pmi;
    int rank;
    Client *client;
    const MPIR_Pmi_msg *msg;
} Request;

/* ---- life ------------------------------------------------------------------------------------ */

PM_pmi *PM_pmi_new(const PM_pmi_job *job)
{
    PM_pmi *pmi = calloc(1, sizeof(*pmi) + (size_t) job->size * sizeof(pmi->client[0]));
    char mapping[48];

    if (!pmi)
        return NULL;
    pmi->job = *job;
    pmi->barriers.size = job->size;
    MPL_strcpy(pmi->kvsname, sizeof(pmi->kvsname), job->kvsname);
    pmi->kvs = PM_kvs_new((size_t) job->size * KVS_BYTES_PER_RANK);
    pmi->names = PM_kvs_new(NAMES_BYTES);
    snprintf(mapping, sizeof(mapping), "(vector,(0,1,%d))", job->size);
    if (!pmi->kvs || !pmi->names || !PM_kvs_set(pmi->kvs, "PMI_process_mapping", mapping)) {
        PM_pmi_free(pmi);
        return NULL;
    }
    return pmi;
}

void PM_pmi_free(PM_pmi *pmi)
{
    if (!pmi)
        return;
    for (int i = 0; i < pmi->job.size; i++) {
        free(pmi->client[i].in);
        free(pmi->client[i].out);
    }
    PM_barriers_free(&pmi->barriers);
    PM_kvs_free(pmi->kvs);
    PM_kvs_free(pmi->names);
    free(pmi);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Always false, to end a handler. `came` may be NULL. */
static bool violate(Client *client, const char *what, const char *came)
{
    char quoted[120];

    client->state = PM_PMI_BROKEN;
    if (came)
        snprintf(client->text, sizeof(client->text), "%s: \"%s\"", what,
                 MPIR_Pmi_quote(came, quoted, sizeof(quoted)));
    else
        snprintf(client->text, sizeof(client->text), "%s", what);
    return false;
}

static bool reserve(Client *client, size_t more)
{
    size_t need = client->out_len + more;

    if (need > OUTPUT_MAX)
        return violate(client, "a megabyte of answers that it does not read", NULL);
    if (need <= client->out_max)
        return true;
    size_t max = MPL_MAX(need, client->out_max * 2);
    char *grown = realloc(client->out, max);
    if (!grown)
        return violate(client, "a request for which mpiexec has no memory", NULL);
    client->out = grown;
    client->out_max = max;
    return true;
}

/* Queue the line that stands in pmi->line for a rank. */
static bool answer(PM_pmi *pmi, int rank)
{
    Client *client = &pmi->client[rank];

    MPIR_Pmi_out_end(&pmi->line);
    if (pmi->line.bad)
        return violate(client, "a request whose answer does not fit into a line", NULL);
    if (!reserve(client, pmi->line.len))
        return false;
    memcpy(client->out + client->out_len, pmi->line.text, pmi->line.len);
    client->out_len += pmi->line.len;
    if (pmi->job.output)
        pmi->job.output(pmi->job.arg, rank);
    return true;
}

static MPIR_Pmi_out *begin(PM_pmi *pmi, const char *cmd)
{
    MPIR_Pmi_out_clear(&pmi->line);
    MPIR_Pmi_out_cmd(&pmi->line, cmd);
    return &pmi->line;
}

/* An answer that consists of rc and msg. */
static bool answer_rc(const Request *r, const char *cmd, bool good, const char *why)
{
    MPIR_Pmi_out *out = begin(r->pmi, cmd);

    MPIR_Pmi_out_int(out, "rc", good ? 0 : -1);
    MPIR_Pmi_out_raw(out, "msg", good ? "success" : why);
    return answer(r->pmi, r->rank);
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool do_init(const Request *r)
{
    const char *version = MPIR_Pmi_find(r->msg, "pmi_version");
    bool good = version && strcmp(version, "1") == 0;
    MPIR_Pmi_out *out = begin(r->pmi, "response_to_init");

    if (r->client->state == PM_PMI_ACTIVE)
        return violate(r->client, "init twice without finalize between", NULL);
    r->client->state = good ? PM_PMI_ACTIVE : r->client->state;
    MPIR_Pmi_out_int(out, "pmi_version", 1);
    MPIR_Pmi_out_int(out, "pmi_subversion", 2);
    MPIR_Pmi_out_int(out, "rc", good ? 0 : -1);
    if (good)
        MPIR_Pmi_out_int(out, "keys_at_once", 1); /* a put is seen by the next get, without a barrier */
    else
        MPIR_Pmi_out_raw(out, "msg", "only_pmi_version_1_is_served");
    return answer(r->pmi, r->rank);
}

static bool do_get_maxes(const Request *r)
{
    MPIR_Pmi_out *out = begin(r->pmi, "maxes");

    MPIR_Pmi_out_int(out, "rc", 0);
    MPIR_Pmi_out_int(out, "kvsname_max", sizeof(r->pmi->kvsname));
    MPIR_Pmi_out_int(out, "keylen_max", MPIR_PMI_KEY_MAX);
    MPIR_Pmi_out_int(out, "vallen_max", MPIR_PMI_VALUE_MAX);
    return answer(r->pmi, r->rank);
}

static bool do_get_appnum(const Request *r)
{
    MPIR_Pmi_out *out = begin(r->pmi, "appnum");

    MPIR_Pmi_out_int(out, "rc", 0);
    MPIR_Pmi_out_int(out, "appnum", r->pmi->job.appnum[r->rank]);
    return answer(r->pmi, r->rank);
}

static bool do_get_universe_size(const Request *r)
{
    MPIR_Pmi_out *out = begin(r->pmi, "universe_size");

    MPIR_Pmi_out_int(out, "rc", 0);
    MPIR_Pmi_out_int(out, "size", r->pmi->job.size);
    return answer(r->pmi, r->rank);
}

static bool do_get_my_kvsname(const Request *r)
{
    MPIR_Pmi_out *out = begin(r->pmi, "my_kvsname");

    MPIR_Pmi_out_int(out, "rc", 0);
    MPIR_Pmi_out_str(out, "kvsname", r->pmi->kvsname);
    return answer(r->pmi, r->rank);
}

/* Is it our (only) space of keys? */
static bool is_my_kvs(const Request *r)
{
    const char *name = MPIR_Pmi_find(r->msg, "kvsname");

    return name && strcmp(name, r->pmi->kvsname) == 0;
}

static bool do_put(const Request *r)
{
    const char *key = MPIR_Pmi_find(r->msg, "key"), *value = MPIR_Pmi_find(r->msg, "value");

    if (!key || !*key || !value)
        return violate(r->client, "a put without key and value", NULL);
    if (!is_my_kvs(r))
        return answer_rc(r, "put_result", false, "unknown_kvsname");
    if (strncmp(key, "PMI_", 4) == 0)
        return answer_rc(r, "put_result", false, "keys_that_start_with_PMI_are_reserved");
    if (strlen(key) >= MPIR_PMI_KEY_MAX)
        return answer_rc(r, "put_result", false, "the_key_is_too_long");
    if (strlen(value) >= 2 * MPIR_PMI_VALUE_MAX) /* it may be escaped */
        return answer_rc(r, "put_result", false, "the_value_is_too_long");
    return answer_rc(r, "put_result", PM_kvs_set(r->pmi->kvs, key, value),
                     "the_key_value_space_is_full");
}

static bool do_get(const Request *r)
{
    const char *key = MPIR_Pmi_find(r->msg, "key");
    const char *value = key && is_my_kvs(r) ? PM_kvs_get(r->pmi->kvs, key) : NULL;

    if (!key)
        return violate(r->client, "a get without key", NULL);
    if (!value)
        return answer_rc(r, "get_result", false,
                         is_my_kvs(r) ? "key_not_found" : "unknown_kvsname");
    MPIR_Pmi_out *out = begin(r->pmi, "get_result");
    MPIR_Pmi_out_int(out, "rc", 0);
    MPIR_Pmi_out_raw(out, "msg", "success");
    MPIR_Pmi_out_raw(out, "value", value);
    return answer(r->pmi, r->rank);
}

/* All have come: tell each. */
static void release(PM_pmi *pmi, const PM_barrier *b)
{
    for (int rank = 0; rank < pmi->job.size; rank++) {
        if (!b->place[rank] || pmi->client[rank].state == PM_PMI_BROKEN)
            continue;
        MPIR_Pmi_out *out = begin(pmi, "barrier_out");
        MPIR_Pmi_out_int(out, "rc", 0);
        if (b->tag)
            MPIR_Pmi_out_raw(out, "tag", b->tag);
        if (!answer(pmi, rank) && pmi->job.output)
            /* so that its violation is seen, though another rank spoke */
            pmi->job.output(pmi->job.arg, rank);
    }
}

static bool do_barrier_in(const Request *r)
{
    const char *group = MPIR_Pmi_find(r->msg, "group"), *why;
    PM_barrier *b = PM_barrier_enter(&r->pmi->barriers, r->rank, group ? group : "WORLD", &why);

    if (!b)
        return violate(r->client, why, group);
    if (b->entered < b->needed)
        return true;
    release(r->pmi, b);
    PM_barrier_done(&r->pmi->barriers, b);
    return true;
}

static bool do_publish(const Request *r)
{
    const char *service = MPIR_Pmi_find(r->msg, "service"), *port = MPIR_Pmi_find(r->msg, "port");

    if (!service || !*service || !port)
        return violate(r->client, "publish_name without service and port", NULL);
    if (PM_kvs_get(r->pmi->names, service))
        return answer_rc(r, "publish_result", false, "the_service_is_already_published");
    return answer_rc(r, "publish_result", PM_kvs_set(r->pmi->names, service, port),
                     "too_many_services");
}

static bool do_unpublish(const Request *r)
{
    const char *service = MPIR_Pmi_find(r->msg, "service");

    if (!service)
        return violate(r->client, "unpublish_name without service", NULL);
    return answer_rc(r, "unpublish_result", PM_kvs_remove(r->pmi->names, service),
                     "no_such_service");
}

static bool do_lookup(const Request *r)
{
    const char *service = MPIR_Pmi_find(r->msg, "service");
    const char *port = service ? PM_kvs_get(r->pmi->names, service) : NULL;

    if (!service)
        return violate(r->client, "lookup_name without service", NULL);
    if (!port)
        return answer_rc(r, "lookup_result", false, "no_such_service");
    MPIR_Pmi_out *out = begin(r->pmi, "lookup_result");
    MPIR_Pmi_out_int(out, "rc", 0);
    MPIR_Pmi_out_raw(out, "port", port);
    return answer(r->pmi, r->rank);
}

static bool do_abort(const Request *r)
{
    const char *code = MPIR_Pmi_find(r->msg, "exitcode");
    const char *message = MPIR_Pmi_find(r->msg, "message");
    long long number = 1;
    char copy[200];

    if (code && !MPL_parse_int(code, -2147483647LL - 1, 2147483647, &number))
        return violate(r->client, "an abort whose exitcode is no number", code);
    if (!message)
        message = MPIR_Pmi_find(r->msg, "error_msg");
    MPL_strcpy(copy, sizeof(copy), message ? message : "");
    MPIR_Pmi_quote(MPIR_Pmi_unescape(copy), r->client->text, sizeof(copy));
    r->client->aborted = true;
    r->client->abort_code = (int) number;
    return true;
}

static bool do_finalize(const Request *r)
{
    r->client->state = PM_PMI_FINALIZED;
    begin(r->pmi, "finalize_ack");
    return answer(r->pmi, r->rank);
}

static bool do_spawn(const Request *r)
{
    r->client->spawn_lines = 1;
    return true;
}

static const struct {
    const char *name;
    bool (*run)(const Request *r);
} commands[] = {
    { "init", do_init },
    { "get_maxes", do_get_maxes },
    { "get_appnum", do_get_appnum },
    { "get_universe_size", do_get_universe_size },
    { "get_my_kvsname", do_get_my_kvsname },
    { "put", do_put },
    { "get", do_get },
    { "barrier_in", do_barrier_in },
    { "publish_name", do_publish },
    { "unpublish_name", do_unpublish },
    { "lookup_name", do_lookup },
    { "abort", do_abort },
    { "finalize", do_finalize },
    { "spawn", do_spawn },
};

/* ---- lines ----------------------------------------------------------------------------------- */

/* A line of a spawn request: skipped up to its end, then refused. */
static bool skip_spawn(const Request *r, const char *line)
{
    if (strcmp(line, "endcmd") != 0) {
        if (++r->client->spawn_lines > SPAWN_LINES_MAX)
            return violate(r->client, "a spawn request without end", NULL);
        return true;
    }
    r->client->spawn_lines = 0;
    return answer_rc(r, "spawn_result", false, "this_mpiexec_cannot_spawn_processes");
}

static bool run_line(Request *r, char *line)
{
    MPIR_Pmi_msg msg;
    const char *why;
    char quoted[120];

    if (r->client->spawn_lines)
        return skip_spawn(r, line);
    MPIR_Pmi_quote(line, quoted, sizeof(quoted)); /* parsing cuts it up */
    if (!MPIR_Pmi_parse(line, &msg, &why))
        return violate(r->client, why, quoted);
    if (!msg.cmd)
        return violate(r->client, "a line without command", quoted);
    r->msg = &msg;
    for (size_t i = 0; i < MPL_ARRAY_SIZE(commands); i++) {
        if (strcmp(commands[i].name, msg.cmd) != 0)
            continue;
        if (r->client->state != PM_PMI_ACTIVE && commands[i].run != do_init &&
            commands[i].run != do_abort)
            return violate(r->client, "a request outside init and finalize", quoted);
        return commands[i].run(r);
    }
    return violate(r->client, "an unknown command", quoted);
}

bool PM_pmi_input(PM_pmi *pmi, int rank, const char *bytes, size_t size)
{
    Client *client = &pmi->client[rank];
    Request r = { .pmi = pmi, .rank = rank, .client = client };

    if (!client->in)
        client->in = calloc(1, sizeof(*client->in));
    if (!client->in)
        return violate(client, "a request for which mpiexec has no memory", NULL);
    while (client->state != PM_PMI_BROKEN) {
        size_t space;
        char *line, *to = MPIR_Pmi_in_space(client->in, &space);
        const char *why;
        space = MPL_MIN(space, size);
        memcpy(to, bytes, space);
        MPIR_Pmi_in_filled(client->in, space);
        bytes += space;
        size -= space;
        while (client->state != PM_PMI_BROKEN && (line = MPIR_Pmi_in_line(client->in, &why)))
            run_line(&r, line);
        if (client->state != PM_PMI_BROKEN && why)
            violate(client, why, NULL);
        if (size == 0)
            break;
    }
    return client->state != PM_PMI_BROKEN;
}

/* ---- what the keeper of the job asks --------------------------------------------------------- */

const char *PM_pmi_output(const PM_pmi *pmi, int rank, size_t *size)
{
    *size = pmi->client[rank].out_len;
    return pmi->client[rank].out;
}

void PM_pmi_sent(PM_pmi *pmi, int rank, size_t size)
{
    Client *client = &pmi->client[rank];

    client->out_len -= size;
    if (client->out_len)
        memmove(client->out, client->out + size, client->out_len);
}

PM_pmi_state PM_pmi_state_of(const PM_pmi *pmi, int rank)
{
    return pmi->client[rank].state;
}

const char *PM_pmi_violation(const PM_pmi *pmi, int rank)
{
    return pmi->client[rank].state == PM_PMI_BROKEN ? pmi->client[rank].text : NULL;
}

bool PM_pmi_abort(const PM_pmi *pmi, int rank, int *exit_code, const char **message)
{
    const Client *client = &pmi->client[rank];

    if (!client->aborted)
        return false;
    *exit_code = client->abort_code;
    *message = client->text;
    return true;
}

bool PM_pmi_awaited(const PM_pmi *pmi, int rank, char *text, size_t size)
{
    const PM_barrier *b = PM_barrier_missing(&pmi->barriers, rank);

    if (b)
        snprintf(text, size, "PMI barrier %.40s, in which %d of %d wait", b->name, b->entered,
                 b->needed);
    return b != NULL;
}
