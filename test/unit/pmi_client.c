/* The PMI-1 client against servers that are played by this test: recorded ones (transcripts/), and
 * hostile ones.
 *
 * The link lives as long as a process, so each case runs the client in a process of its own.
 * `pmi_client client` runs the client alone, which is how transcripts/record.py records it under a
 * real launcher.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpir_cvar.h"
#include "mpir_err.h"
#include "mpir_pmi.h"
#include "mpl.h"
#include "utest.h"

extern int MPIR_CVAR_PMI_TIMEOUT;

/* ---- the client ------------------------------------------------------------------------------ */

static int client_fail(int err, const char *where)
{
    char text[512];

    MPIR_Err_text(err, text, sizeof(text));
    printf("%s: %s\n", where, text);
    fflush(stdout);
    return 1;
}

/* One process's whole dealings with its launcher. */
static int client(void)
{
    char value[MPIR_PMI_VALUE_MAX];
    MPIR_Pmi_job job;
    int ranks[8], err;
    bool done;

    if ((err = MPIR_Pmi_init(&job)))
        return client_fail(err, "init");
    snprintf(value, sizeof(value), "card-of-%d", job.rank);
    if ((err = MPIR_Pmi_put("card", value)))
        return client_fail(err, "put");
    if ((err = MPIR_Pmi_fence_begin()))
        return client_fail(err, "fence");
    if (getenv("GET_EARLY") && (err = MPIR_Pmi_get(job.rank, "card", value, sizeof(value))))
        return client_fail(err, "early get");
    if ((err = MPIR_Pmi_fence_test(&done)) || (err = MPIR_Pmi_fence_end()))
        return client_fail(err, "fence");
    if ((err = MPIR_Pmi_get((job.rank + 1) % job.size, "card", value, sizeof(value))))
        return client_fail(err, "get");
    int n = MPIR_Pmi_local_ranks(ranks, 8);
    printf("rank %d of %d, app %d, universe %d, local %d of %d (%d), job %s, got %s\n", job.rank,
           job.size, job.appnum, job.universe_size, job.local_rank, job.local_size, n, job.name,
           value);
    fflush(stdout);
    MPIR_Pmi_finalize();
    return 0;
}

/* ---- a case ---------------------------------------------------------------------------------- */

typedef struct Case {
    pid_t pid;
    int fd; /* the server's end */
    int out; /* what the client prints */
    char said[1024];
    char text[4096]; /* what the client sent and was not looked at yet */
    size_t len;
} Case;

/* Variables "A=b C=d" for the client; PMI_FD is set besides. */
static void set_env(const char *env)
{
    char copy[512];

    strcpy(copy, env);
    for (char *item = strtok(copy, " "); item; item = strtok(NULL, " "))
        putenv(strdup(item));
}

static void start(Case *c, const char *env)
{
    int link[2], out[2];
    char number[16];

    memset(c, 0, sizeof(*c));
    fflush(stdout);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, link) != 0 || pipe(out) != 0)
        abort();
    c->pid = fork();
    if (c->pid == 0) {
        close(link[0]);
        close(out[0]);
        dup2(out[1], 1);
        snprintf(number, sizeof(number), "%d", link[1]);
        setenv("PMI_FD", number, 1);
        set_env(env);
        MPIR_CVAR_PMI_TIMEOUT = 1;
        alarm(20);
        _exit(client());
    }
    close(link[1]);
    close(out[1]);
    c->fd = link[0];
    c->out = out[0];
}

/* The client's next line; "" if it has gone, or says nothing for 5 s. */
static const char *hear(Case *c)
{
    static char line[4096];
    char *newline;

    while (!(newline = memchr(c->text, '\n', c->len))) {
        struct pollfd p = { .fd = c->fd, .events = POLLIN };
        ssize_t n =
            poll(&p, 1, 5000) > 0 ? read(c->fd, c->text + c->len, sizeof(c->text) - c->len) : 0;
        if (n <= 0)
            return "";
        c->len += (size_t) n;
    }
    size_t size = (size_t) (newline - c->text);
    memcpy(line, c->text, size);
    line[size] = '\0';
    c->len -= size + 1;
    memmove(c->text, newline + 1, c->len);
    return line;
}

static void hear_until(Case *c, const char *last)
{
    for (const char *line = "x"; *line && strcmp(line, last) != 0;)
        line = hear(c);
}

static void say(Case *c, const char *bytes, size_t size)
{
    if (send(c->fd, bytes, size, MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET)
        UT_FAIL("send: %s", strerror(errno));
}

/* Wait for the client; what it printed is in c->said. Returns its exit code, or 1000 + the signal
 * that killed it. */
static int finish(Case *c)
{
    size_t len = 0;
    ssize_t n;
    int status;

    while ((n = read(c->out, c->said + len, sizeof(c->said) - 1 - len)) > 0)
        len += (size_t) n;
    c->said[len] = '\0';
    close(c->out);
    if (c->fd >= 0)
        close(c->fd); /* not earlier: the client may still have something to say */
    waitpid(c->pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* ---- recorded servers ------------------------------------------------------------------------ */

/* Lines: "E variables", "C what the client sends", "S what the server answers", "= what the client
 * must print". */
static void replay(const char *path)
{
    char line[4096], expected[1024] = "";
    FILE *file = fopen(path, "r");
    Case c = { .fd = -1 };

    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == 'E') {
            start(&c, line + 2);
        } else if (line[0] == 'C') {
            UT_STR_EQ(hear(&c), line + 2);
        } else if (line[0] == 'S') {
            strcat(line, "\n");
            say(&c, line + 2, strlen(line + 2));
        } else if (line[0] == '=') {
            snprintf(expected, sizeof(expected), "%.1000s\n", line + 2);
        }
    }
    if (!file || !expected[0]) {
        UT_FAIL("%s is not there or is incomplete", path);
        return;
    }
    fclose(file);
    UT_INT_EQ(finish(&c), 0);
    UT_STR_EQ(c.said, expected);
}

static void recorded_servers(void)
{
    char folder[1024], path[2048];
    const char *srcdir = getenv("SRCDIR");
    int n = 0;

    snprintf(folder, sizeof(folder), "%s", srcdir ? srcdir : __FILE__);
    if (!srcdir && strrchr(folder, '/'))
        *strrchr(folder, '/') = '\0';
    strcat(folder, "/transcripts");
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (!strstr(e->d_name, ".txt"))
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        ut_state.test = path;
        replay(path);
        n++;
    }
    ut_state.test = "recorded_servers";
    if (dir)
        closedir(dir);
    UT_CHECK(n >= 3);
}

/* ---- hostile servers ------------------------------------------------------------------------- */

#define ENV "PMI_RANK=0 PMI_SIZE=2 MPI_LOCALRANKID=0 MPI_LOCALNRANKS=2"
#define HELLO                                                                                      \
    "cmd=response_to_init pmi_version=1 pmi_subversion=2 rc=0\ncmd=my_kvsname kvsname=k\n"         \
    "cmd=appnum appnum=0\ncmd=universe_size size=2\n"
#define SIZED(text) (text), sizeof(text) - 1

/* The server says all of this at once and closes, or keeps still if `stay`. The client must end
 * with an error that has this in its text. */
static void expect_error(const char *env, const char *bytes, size_t size, bool stay,
                         const char *error)
{
    Case c;

    start(&c, env);
    say(&c, bytes, size);
    if (!stay)
        shutdown(c.fd, SHUT_WR);
    int link = c.fd;
    c.fd = -1; /* stays open until the client has ended */
    int code = finish(&c);
    close(link);
    if (code != 1 || !strstr(c.said, error))
        UT_FAIL("after \"%.60s\": exit code %d, \"%s\", expected an error with \"%s\"", bytes, code,
                c.said, error);
}

static void garbage(void)
{
    static char flood[100000];

    memset(flood, 'x', sizeof(flood));
    expect_error(ENV, SIZED(""), false, "init: ");
    expect_error(ENV, SIZED("cmd=response_to_in"), false, "init: ");
    expect_error(ENV, SIZED("\n"), false, "init: ");
    expect_error(ENV, SIZED("\x7f" "ELF\x01\x02\n"), false, "init: ");
    expect_error(ENV, SIZED("cmd=response\0_to_init\n"), false, "init: ");
    expect_error(ENV, flood, sizeof(flood), false, "init: ");
    expect_error(ENV, SIZED("cmd=finalize_ack\n"), false, "init: ");
    expect_error(ENV, SIZED("cmd=barrier_out\n"), false, "init: ");
    expect_error(ENV, SIZED("HTTP/1.1 400 Bad Request\r\n\r\n"), false, "init: ");
}

static void wrong_answers(void)
{
    expect_error(ENV, SIZED("cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1 msg=no\n"),
                 true, "init: ");
    expect_error(ENV, SIZED("cmd=response_to_init pmi_version=2 rc=0\n"), true, "init: ");
    expect_error(ENV, SIZED("cmd=response_to_init rc=0\n"), true, "init: ");
    expect_error(ENV, SIZED("cmd=response_to_init pmi_version=1 rc=zero\n"), true, "init: ");
    expect_error(ENV, SIZED("cmd=response_to_init pmi_version=1 rc=0\ncmd=my_kvsname kvsname=\n"),
                 true, "init: ");
    expect_error(ENV,
                 SIZED("cmd=response_to_init pmi_version=1 rc=0\ncmd=my_kvsname "
                       "kvsname=k\ncmd=appnum appnum=x\n"),
                 true, "init: ");
    expect_error(ENV, SIZED(HELLO "cmd=put_result rc=-1 msg=full\n"), true, "put: ");
    expect_error(ENV, SIZED(HELLO "cmd=get_result rc=0\n"), true, "put: ");
    expect_error(ENV, SIZED(HELLO "cmd=put_result rc=0\ncmd=get_result rc=0 value=x\n"), true,
                 "fence: ");
    expect_error(ENV,
                 SIZED(HELLO "cmd=put_result rc=0\ncmd=barrier_out rc=0\ncmd=get_result rc=-1\n"),
                 true, "get: ");
    expect_error(ENV,
                 SIZED(HELLO "cmd=put_result rc=0\ncmd=barrier_out rc=0\ncmd=get_result rc=0\n"),
                 true, "get: ");
    expect_error(ENV, SIZED(HELLO "cmd=put_result rc=0\n"), false, "fence: ");
}

static void silence_has_a_limit(void)
{
    uint64_t start_ns = MPL_now_ns();

    expect_error(ENV, SIZED(""), true, "init: ");
    expect_error(ENV, SIZED(HELLO "cmd=put_res"), true, "put: ");
    UT_CHECK(MPL_now_ns() - start_ns < 8000000000u);
}

static void wrong_variables(void)
{
    static const char *const wrong[] = {
        "PMI_RANK=0",
        "PMI_SIZE=2",
        "PMI_RANK=2 PMI_SIZE=2",
        "PMI_RANK=-1 PMI_SIZE=2",
        "PMI_RANK=0 PMI_SIZE=0",
        "PMI_RANK=0 PMI_SIZE=two",
        "PMI_RANK= PMI_SIZE=",
        "PMI_RANK=0 PMI_SIZE=99999999999",
        "PMI_RANK=0 PMI_SIZE=2 PMI_FD=999",
        "PMI_RANK=0 PMI_SIZE=2 PMI_FD=-1",
        "PMI_RANK=0 PMI_SIZE=2 PMI_FD=x",
        "PMI_RANK=0 PMI_SIZE=2 PMI_FD=1",
        "PMI_RANK=0 PMI_SIZE=2 MPI_LOCALRANKID=1",
        "PMI_RANK=0 PMI_SIZE=2 MPI_LOCALRANKID=2 MPI_LOCALNRANKS=2",
        "PMI_RANK=0 PMI_SIZE=2 MPI_LOCALRANKID=0 MPI_LOCALNRANKS=3",
        ENV " PERENNIAL_PSETS=x",
        ENV " PERENNIAL_PSETS=a=0;",
        ENV " PERENNIAL_PSETS=a=2",
        ENV " PERENNIAL_PSETS==0",
        ENV " PERENNIAL_PSETS=mpi://mine=0",
    };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(wrong); i++)
        expect_error(wrong[i], SIZED(HELLO "cmd=finalize_ack\n"), true, "init: ");
}

static void psets_of_the_environment(void)
{
    setenv("PERENNIAL_PSETS", "app://a=b=0,2-3;other=1", 1);
    pid_t pid = fork();
    if (pid == 0) {
        MPIR_Pmi_job job;
        unsetenv("PERENNIAL_PSETS");
        if (MPIR_Pmi_init(&job) != 0 || MPIR_Pmi_pset_count() != 0 || !job.singleton ||
            job.size != 1)
            _exit(1);
        MPIR_Pmi_finalize();
        setenv("PERENNIAL_PSETS", "app://a=b=0;other=0-0", 1);
        if (MPIR_Pmi_init(&job) != 0 || MPIR_Pmi_pset_count() != 2 ||
            strcmp(MPIR_Pmi_pset_name(0), "app://a=b") != 0 ||
            strcmp(MPIR_Pmi_pset_ranks(1), "0-0") != 0 || MPIR_Pmi_pset_name(2))
            _exit(2);
        _exit(0);
    }
    int status;
    waitpid(pid, &status, 0);
    UT_INT_EQ(status, 0);
    unsetenv("PERENNIAL_PSETS");
}

static void an_early_barrier_out(void)
{
    Case c;

    /* the fence's end comes while the answer to a get is waited for */
    start(&c, ENV " GET_EARLY=1");
    say(&c, SIZED(HELLO "cmd=put_result rc=0\n"));
    hear_until(&c, "cmd=barrier_in");
    say(&c, SIZED("cmd=barrier_out rc=0\ncmd=get_result rc=0 value=early\n"));
    say(&c, SIZED("cmd=get_result rc=0 value=hello\\ there\ncmd=finalize_ack\n"));
    UT_INT_EQ(finish(&c), 0);
    UT_CHECK(strstr(c.said, "got hello there"));
    /* but only one that was asked for, and only once */
    expect_error(ENV " GET_EARLY=1",
                 SIZED(HELLO "cmd=put_result rc=0\ncmd=barrier_out\ncmd=barrier_out\n"), true,
                 "early get: ");
}

/* Such as one that was told to start more ranks than it has places for. */
static void a_universe_smaller_than_the_job(void)
{
    Case c;

    start(&c, ENV);
    say(&c, SIZED("cmd=response_to_init pmi_version=1 pmi_subversion=2 rc=0\ncmd=my_kvsname kvsname=k\n"
                  "cmd=appnum appnum=0\ncmd=universe_size size=1\ncmd=put_result rc=0\n"));
    hear_until(&c, "cmd=barrier_in");
    say(&c, SIZED("cmd=barrier_out\ncmd=get_result value=v rc=0\ncmd=finalize_ack\n"));
    UT_INT_EQ(finish(&c), 0);
    UT_CHECK(strstr(c.said, "universe 2,"));
}

/* Neither is anything put nor a barrier entered, and a name that is not there yet is asked for again. */
static void names_alone(void)
{
    Case c;

    start(&c, ENV);
    say(&c, SIZED("cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\ncmd=my_kvsname kvsname=kvs_1\n"
                  "cmd=appnum appnum=0\ncmd=universe_size size=2\n"));
    hear_until(&c, "cmd=get_universe_size");
    UT_STR_EQ(hear(&c), "cmd=publish_name service=perennial:kvs_1:0-card port=card-of-0");
    say(&c, SIZED("cmd=publish_result info=ok rc=0\n"));
    for (int i = 0; i < 3; i++) {
        UT_STR_EQ(hear(&c), "cmd=lookup_name service=perennial:kvs_1:1-card");
        if (i < 2)
            say(&c, SIZED("cmd=lookup_result rc=1 msg=service_not_found\n"));
    }
    say(&c, SIZED("cmd=lookup_result rc=0 port=v\n"));
    UT_STR_EQ(hear(&c), "cmd=finalize");
    say(&c, SIZED("cmd=finalize_ack\n"));
    UT_INT_EQ(finish(&c), 0);
    UT_CHECK(strstr(c.said, "got v"));
}

static void byte_by_byte(void)
{
    static const char all[] = HELLO "cmd=put_result rc=0\n";
    static const char rest[] = "cmd=barrier_out\ncmd=get_result value=v rc=0\ncmd=finalize_ack\n";
    Case c;

    start(&c, ENV);
    for (size_t i = 0; i < sizeof(all) - 1; i++) {
        say(&c, all + i, 1);
        usleep(200);
    }
    hear_until(&c, "cmd=barrier_in");
    for (size_t i = 0; i < sizeof(rest) - 1; i++)
        say(&c, rest + i, 1);
    UT_INT_EQ(finish(&c), 0);
    UT_CHECK(strstr(c.said, "got v"));
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    if (argc > 1 && strcmp(argv[1], "client") == 0) {
        MPIR_Cvar_init();
        return client();
    }
    UT_RUN(recorded_servers);
    UT_RUN(garbage);
    UT_RUN(wrong_answers);
    UT_RUN(silence_has_a_limit);
    UT_RUN(wrong_variables);
    UT_RUN(psets_of_the_environment);
    UT_RUN(an_early_barrier_out);
    UT_RUN(a_universe_smaller_than_the_job);
    UT_RUN(names_alone);
    UT_RUN(byte_by_byte);
    return UT_REPORT();
}
