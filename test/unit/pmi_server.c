/* mpiexec's PMI server and how it judges the end of ranks, without sockets and processes. */
#include <stdlib.h>
#include <unistd.h>

#include "../../src/pm/mpiexec/kvs.h"
#include "../../src/pm/mpiexec/pmi_server.h"
#include "../../src/pm/mpiexec/verdict.h"
#include "mpl.h"
#include "utest.h"

#define SIZE 3

static const int appnum[SIZE] = { 0, 0, 1 };

static PM_pmi *make_server(void)
{
    return PM_pmi_new(&(PM_pmi_job) { .size = SIZE, .appnum = appnum, .kvsname = "kvs_test" });
}

/* Take all that waits for a rank. */
static const char *take(PM_pmi *pmi, int rank)
{
    static char text[65536];
    size_t size;
    const char *bytes = PM_pmi_output(pmi, rank, &size);

    size = MPL_MIN(size, sizeof(text) - 1);
    if (size)
        memcpy(text, bytes, size);
    text[size] = '\0';
    PM_pmi_sent(pmi, rank, size);
    return text;
}

static bool send_text(PM_pmi *pmi, int rank, const char *text)
{
    return PM_pmi_input(pmi, rank, text, strlen(text));
}

/* Send and compare the answer. */
static void talk(PM_pmi *pmi, int rank, const char *request, const char *answer)
{
    if (!send_text(pmi, rank, request))
        UT_FAIL("\"%s\" is a violation: %s", request, PM_pmi_violation(pmi, rank));
    UT_STR_EQ(take(pmi, rank), answer);
}

static PM_pmi *make_ready(void)
{
    PM_pmi *pmi = make_server();

    for (int i = 0; i < SIZE; i++) {
        send_text(pmi, i, "cmd=init pmi_version=1 pmi_subversion=1\n");
        take(pmi, i);
    }
    return pmi;
}

static void questions(void)
{
    PM_pmi *pmi = make_server();

    UT_INT_EQ(PM_pmi_state_of(pmi, 2), PM_PMI_NEW);
    talk(pmi, 2, "cmd=init pmi_version=1 pmi_subversion=1\n",
         "cmd=response_to_init pmi_version=1 pmi_subversion=2 rc=0\n");
    UT_INT_EQ(PM_pmi_state_of(pmi, 2), PM_PMI_ACTIVE);
    talk(pmi, 2, "cmd=get_maxes\n",
         "cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=1024\n");
    talk(pmi, 2, "cmd=get_appnum\ncmd=get_universe_size\ncmd=get_my_kvsname\n",
         "cmd=appnum rc=0 appnum=1\ncmd=universe_size rc=0 size=3\ncmd=my_kvsname rc=0 "
         "kvsname=kvs_test\n");
    talk(pmi, 2, "cmd=get kvsname=kvs_test key=PMI_process_mapping\n",
         "cmd=get_result rc=0 msg=success value=(vector,(0,1,3))\n");
    talk(pmi, 2, "cmd=get_", "");
    talk(pmi, 2, "appnum\n", "cmd=appnum rc=0 appnum=1\n");
    PM_pmi_free(pmi);
}

static void other_version(void)
{
    PM_pmi *pmi = make_server();

    talk(pmi, 0, "cmd=init pmi_version=2 pmi_subversion=0\n",
         "cmd=response_to_init pmi_version=1 pmi_subversion=2 rc=-1 "
         "msg=only_pmi_version_1_is_served\n");
    talk(pmi, 0, "cmd=init pmi_version=1 pmi_subversion=1\n",
         "cmd=response_to_init pmi_version=1 pmi_subversion=2 rc=0\n");
    PM_pmi_free(pmi);
}

static void put_and_get(void)
{
    PM_pmi *pmi = make_ready();

    talk(pmi, 0, "cmd=put kvsname=kvs_test key=k value=a\\ b\\\\c\n",
         "cmd=put_result rc=0 msg=success\n");
    talk(pmi, 1, "cmd=get kvsname=kvs_test key=k\n",
         "cmd=get_result rc=0 msg=success value=a\\ b\\\\c\n");
    talk(pmi, 1, "cmd=put kvsname=kvs_test key=k value=second\n",
         "cmd=put_result rc=0 msg=success\n");
    talk(pmi, 0, "cmd=get key=k kvsname=kvs_test\n",
         "cmd=get_result rc=0 msg=success value=second\n");
    talk(pmi, 0, "cmd=get kvsname=kvs_test key=absent\n",
         "cmd=get_result rc=-1 msg=key_not_found\n");
    talk(pmi, 0, "cmd=get kvsname=other key=k\n", "cmd=get_result rc=-1 msg=unknown_kvsname\n");
    talk(pmi, 0, "cmd=put kvsname=kvs_test key=PMI_x value=1\n",
         "cmd=put_result rc=-1 msg=keys_that_start_with_PMI_are_reserved\n");
    talk(pmi, 0,
         "cmd=put kvsname=kvs_test "
         "key=0123456789012345678901234567890123456789012345678901234567890123 value=1\n",
         "cmd=put_result rc=-1 msg=the_key_is_too_long\n");
    talk(pmi, 0, "cmd=put kvsname=kvs_test key=empty value=\n",
         "cmd=put_result rc=0 msg=success\n");
    talk(pmi, 0, "cmd=get kvsname=kvs_test key=empty\n",
         "cmd=get_result rc=0 msg=success value=\n");
    PM_pmi_free(pmi);
}

static void barrier_of_all(void)
{
    PM_pmi *pmi = make_ready();
    char text[200];

    for (int round = 0; round < 3; round++) {
        talk(pmi, 0, "cmd=barrier_in\n", "");
        talk(pmi, 1, "cmd=barrier_in\n", "");
        UT_CHECK(PM_pmi_awaited(pmi, 2, text, sizeof(text)) && strstr(text, "2 of 3"));
        UT_CHECK(!PM_pmi_awaited(pmi, 1, text, sizeof(text)));
        talk(pmi, 2, "cmd=barrier_in\n", "cmd=barrier_out rc=0\n");
        UT_STR_EQ(take(pmi, 0), "cmd=barrier_out rc=0\n");
        UT_STR_EQ(take(pmi, 1), "cmd=barrier_out rc=0\n");
        UT_CHECK(!PM_pmi_awaited(pmi, 2, text, sizeof(text)));
    }
    PM_pmi_free(pmi);
}

static void barriers_of_groups(void)
{
    PM_pmi *pmi = make_ready();

    talk(pmi, 0,
         "cmd=barrier_in group=0,2:7\ncmd=barrier_in group=WORLD:8\ncmd=barrier_in group=NODE:9\n",
         "");
    talk(pmi, 1, "cmd=barrier_in group=WORLD:8\n", "");
    talk(pmi, 2, "cmd=barrier_in group=0,2:7\n", "cmd=barrier_out rc=0 tag=7\n");
    UT_STR_EQ(take(pmi, 0), "cmd=barrier_out rc=0 tag=7\n");
    UT_STR_EQ(take(pmi, 1), "");
    talk(pmi, 2, "cmd=barrier_in group=WORLD:8\n", "cmd=barrier_out rc=0 tag=8\n");
    talk(pmi, 1, "cmd=barrier_in group=1:1\n",
         "cmd=barrier_out rc=0 tag=8\ncmd=barrier_out rc=0 tag=1\n");
    PM_pmi_free(pmi);
}

static void coming_back(void)
{
    PM_pmi *pmi = make_ready();

    for (int round = 0; round < 3; round++) {
        talk(pmi, 1, "cmd=put kvsname=kvs_test key=k value=v\n",
             "cmd=put_result rc=0 msg=success\n");
        talk(pmi, 1, "cmd=finalize\n", "cmd=finalize_ack\n");
        UT_INT_EQ(PM_pmi_state_of(pmi, 1), PM_PMI_FINALIZED);
        talk(pmi, 1, "cmd=init pmi_version=1 pmi_subversion=1\n",
             "cmd=response_to_init pmi_version=1 pmi_subversion=2 rc=0\n");
        talk(pmi, 1, "cmd=get kvsname=kvs_test key=k\n",
             "cmd=get_result rc=0 msg=success value=v\n");
    }
    PM_pmi_free(pmi);
}

static void services(void)
{
    PM_pmi *pmi = make_ready();

    talk(pmi, 0, "cmd=lookup_name service=s\n", "cmd=lookup_result rc=-1 msg=no_such_service\n");
    talk(pmi, 0, "cmd=publish_name service=s port=p\\ q\n",
         "cmd=publish_result rc=0 msg=success\n");
    talk(pmi, 1, "cmd=publish_name service=s port=x\n",
         "cmd=publish_result rc=-1 msg=the_service_is_already_published\n");
    talk(pmi, 1, "cmd=lookup_name service=s\n", "cmd=lookup_result rc=0 port=p\\ q\n");
    talk(pmi, 1, "cmd=unpublish_name service=s\n", "cmd=unpublish_result rc=0 msg=success\n");
    talk(pmi, 1, "cmd=unpublish_name service=s\n",
         "cmd=unpublish_result rc=-1 msg=no_such_service\n");
    PM_pmi_free(pmi);
}

static void spawn_is_refused(void)
{
    PM_pmi *pmi = make_ready();

    talk(pmi, 0,
         "mcmd=spawn\nnprocs=2\nexecname=a b c\nargcnt=1\narg1= = \\\ncmd=abort "
         "exitcode=1\nendcmd\n",
         "cmd=spawn_result rc=-1 msg=this_mpiexec_cannot_spawn_processes\n");
    talk(pmi, 0, "cmd=get_appnum\n", "cmd=appnum rc=0 appnum=0\n");
    PM_pmi_free(pmi);
}

static void aborts(void)
{
    PM_pmi *pmi = make_ready();
    const char *message;
    int code;

    UT_CHECK(!PM_pmi_abort(pmi, 1, &code, &message));
    talk(pmi, 1, "cmd=abort exitcode=-3 message=out\\ of\\ luck\n", "");
    UT_CHECK(PM_pmi_abort(pmi, 1, &code, &message));
    UT_INT_EQ(code, -3);
    UT_STR_EQ(message, "out of luck");
    PM_pmi_free(pmi);
}

static void violations(void)
{
    static const char *const wrong[] = {
        "\n",
        "garbage\n",
        "cmd=\n",
        "cmd=unknown\n",
        "cmd=init\ncmd=init\n",
        "cmd=put\n",
        "cmd=put kvsname=kvs_test key=k\n",
        "cmd=get kvsname=kvs_test\n",
        "cmd=abort exitcode=many\n",
        "cmd=barrier_in\ncmd=barrier_in\n",
        "cmd=barrier_in group=1,2:1\n",
        "cmd=barrier_in group=\n",
        "cmd=barrier_in group=0,9:1\n",
        "cmd=barrier_in group=0,,1:1\n",
        "cmd=barrier_in group=99999999999999999999:1\n",
        "cmd=publish_name service=s\n",
        "cmd=unpublish_name\n",
        "cmd=lookup_name\n",
        "cmd=get_appnum\x01\n",
        "cmd=finalize\ncmd=get_appnum\n",
        "cmd=init pmi_version=1\n",
    };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(wrong); i++) {
        PM_pmi *pmi = make_ready();
        if (send_text(pmi, 0, wrong[i]) || !PM_pmi_violation(pmi, 0))
            UT_FAIL("\"%s\" is accepted", wrong[i]);
        UT_CHECK(!send_text(pmi, 0, "cmd=get_appnum\n"));
        /* the others are not touched */
        talk(pmi, 1, "cmd=get_appnum\n", "cmd=appnum rc=0 appnum=0\n");
        PM_pmi_free(pmi);
    }
}

static void before_init(void)
{
    PM_pmi *pmi = make_server();

    UT_CHECK(!send_text(pmi, 0, "cmd=barrier_in\n"));
    UT_CHECK(send_text(pmi, 1, "cmd=abort exitcode=2\n")); /* that is always allowed */
    PM_pmi_free(pmi);
}

/* Whatever a client sends, memory has a bound. */
static void floods(void)
{
    static char block[1 << 16];
    PM_pmi *pmi = make_ready();
    char line[128];
    bool good = true;
    int i;

    for (i = 0; i < 100000 && (good = send_text(pmi, 0, "cmd=get_maxes\n")); i++)
        ; /* never reads its answers */
    UT_CHECK(!good && i < 20000);
    memset(block, 'x', sizeof(block));
    UT_CHECK(!PM_pmi_input(pmi, 1, block, sizeof(block))); /* a line without end */
    for (i = 0; i < 200000; i++) {
        snprintf(line, sizeof(line), "cmd=put kvsname=kvs_test key=k%d value=v\n", i);
        if (!send_text(pmi, 2, line) || strstr(take(pmi, 2), "rc=-1"))
            break;
    }
    UT_CHECK(i > 1000 && i < 200000);
    /* replacing still works */
    talk(pmi, 2, "cmd=put kvsname=kvs_test key=k0 value=w\n", "cmd=put_result rc=0 msg=success\n");
    PM_pmi_free(pmi);

    pmi = make_ready();
    send_text(pmi, 0, "mcmd=spawn\n");
    for (i = 0, good = true; i < 1000000 && good; i++)
        good = send_text(pmi, 0, "arg=1\n");
    UT_CHECK(!good);
    for (i = 0, good = true; i < 5000 && good; i++) {
        snprintf(line, sizeof(line), "cmd=barrier_in group=WORLD:%d\n", i);
        good = send_text(pmi, 1, line);
    }
    UT_CHECK(!good);
    PM_pmi_free(pmi);
}

static void noise(void)
{
    static const char *const words[] = { "cmd=",
                                         "init",
                                         "put",
                                         "get",
                                         "barrier_in",
                                         " kvsname=kvs_test",
                                         " key=k",
                                         " value=",
                                         " group=",
                                         "WORLD",
                                         "0,1",
                                         ":",
                                         "\n",
                                         "\n",
                                         "mcmd=spawn",
                                         "endcmd",
                                         "finalize",
                                         "\\",
                                         " ",
                                         "=",
                                         "abort",
                                         "\xff",
                                         " pmi_version=1",
                                         "publish_name",
                                         " service=s",
                                         " port=" };
    unsigned seed = 7;

    for (int round = 0; round < 300; round++) {
        PM_pmi *pmi = make_ready();
        for (int i = 0; i < 300; i++) {
            const char *word = words[(unsigned) rand_r(&seed) % MPL_ARRAY_SIZE(words)];
            int rank = rand_r(&seed) % SIZE;
            send_text(pmi, rank, word);
            take(pmi, rank);
        }
        PM_pmi_free(pmi);
    }
}

static void table(void)
{
    PM_kvs *kvs = PM_kvs_new(1 << 20);
    char key[32];

    for (int i = 0; i < 3000; i++) {
        snprintf(key, sizeof(key), "key%d", i);
        UT_CHECK(PM_kvs_set(kvs, key, key + 3));
    }
    for (int i = 0; i < 3000; i += 2) {
        snprintf(key, sizeof(key), "key%d", i);
        UT_CHECK(PM_kvs_remove(kvs, key) && !PM_kvs_remove(kvs, key));
    }
    for (int i = 0; i < 3000; i++) {
        snprintf(key, sizeof(key), "key%d", i);
        const char *value = PM_kvs_get(kvs, key);
        UT_CHECK(i % 2 ? value && strcmp(value, key + 3) == 0 : !value);
    }
    PM_kvs_free(kvs);
}

/* wait() statuses as Linux and the BSDs have them. */
#define EXITED(code) ((code) << 8)
#define SIGNALLED(signo) (signo)

static void verdicts(void)
{
    char text[200];

    /* never called MPI */
    UT_INT_EQ(PM_judge(EXITED(0), PM_PMI_NEW, MPIR_PROC_ABSENT), PM_END_CLEAN);
    UT_INT_EQ(PM_judge(EXITED(0), PM_PMI_FINALIZED, MPIR_PROC_GONE), PM_END_CLEAN);
    /* _exit between epochs */
    UT_INT_EQ(PM_judge(EXITED(0), PM_PMI_ACTIVE, MPIR_PROC_DORMANT), PM_END_CLEAN);
    UT_INT_EQ(PM_judge(EXITED(0), PM_PMI_ACTIVE, MPIR_PROC_ACTIVE), PM_END_EARLY);
    /* another MPI library */
    UT_INT_EQ(PM_judge(EXITED(0), PM_PMI_ACTIVE, MPIR_PROC_ABSENT), PM_END_EARLY);
    UT_INT_EQ(PM_judge(EXITED(3), PM_PMI_NEW, MPIR_PROC_ABSENT), PM_END_EARLY_CODE);
    UT_INT_EQ(PM_judge(EXITED(3), PM_PMI_ACTIVE, MPIR_PROC_ACTIVE), PM_END_EARLY_CODE);
    UT_INT_EQ(PM_judge(EXITED(3), PM_PMI_FINALIZED, MPIR_PROC_ABSENT), PM_END_CODE);
    UT_INT_EQ(PM_judge(EXITED(3), PM_PMI_ACTIVE, MPIR_PROC_DORMANT), PM_END_CODE);
    UT_INT_EQ(PM_judge(SIGNALLED(11), PM_PMI_FINALIZED, MPIR_PROC_GONE), PM_END_SIGNAL);
    UT_INT_EQ(PM_code_of(PM_END_SIGNAL, SIGNALLED(11)), 139);
    UT_INT_EQ(PM_code_of(PM_END_EARLY, EXITED(0)), 1);
    UT_INT_EQ(PM_code_of(PM_END_CODE, EXITED(3)), 3);
    UT_INT_EQ(PM_code_of_abort(256), 1);
    UT_INT_EQ(PM_code_of_abort(0), 0);
    UT_INT_EQ(PM_code_of_abort(-1), 255);
    UT_CHECK(strstr(PM_ending_text(PM_END_SIGNAL, SIGNALLED(11), PM_PMI_ACTIVE, text, sizeof(text)),
                    "SIGSEGV"));
}

int main(void)
{
    UT_RUN(questions);
    UT_RUN(other_version);
    UT_RUN(put_and_get);
    UT_RUN(barrier_of_all);
    UT_RUN(barriers_of_groups);
    UT_RUN(coming_back);
    UT_RUN(services);
    UT_RUN(spawn_is_refused);
    UT_RUN(aborts);
    UT_RUN(violations);
    UT_RUN(before_init);
    UT_RUN(floods);
    UT_RUN(noise);
    UT_RUN(table);
    UT_RUN(verdicts);
    return UT_REPORT();
}
