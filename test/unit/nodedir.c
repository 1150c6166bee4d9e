/* The node directory: each way to find it, and what others may have put in its place. Processes
 * are forked, no launcher. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpichconf.h"
#include "mpir_nodedir.h"
#include "utest.h"

#define ARENA (8u << 20)

static char job_name[64];
static char path[128];
static MPIR_Nodedir_ref ref;
static const char *why;

static int attach(int me, int n)
{
    MPIR_Nodedir_want want = {
        .job_name = job_name, .local_rank = me, .n_local = n, .arena_size = ARENA
    };
    int err = MPIR_Nodedir_attach(&want, &ref, &why);
    if (err != 0)
        UT_CHECK(ref.fd == -1 && ref.dir == NULL && why[0] != '\0');
    return err;
}

/* A name that no other test uses, and the file that belongs to it. */
static void new_job(void)
{
    static int jobs;
    unsetenv(MPIR_NODEDIR_ENV);
    snprintf(job_name, sizeof(job_name), "unit-%d-%d", (int) getpid(), jobs++);
    snprintf(path, sizeof(path), "%s/perennial-%u-%016llx", MPL_shm_dir(), (unsigned) geteuid(),
             (unsigned long long) MPL_hash(job_name, strlen(job_name), MPL_HASH_SEED));
}

static bool exists(const char *name)
{
    struct stat st;
    return lstat(name, &st) == 0;
}

/* Run body in a child; its exit code, or 1000 + signal. */
static int in_child(int (*body)(void))
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(30);
        ut_state.failures = 0;
        int code = body();
        fflush(NULL);
        _exit(ut_state.failures ? 99 : code);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* ---- the ways to find it --------------------------------------------------------------------- */

static void handed_down(void)
{
    MPIR_Nodedir_ref made;
    char fd[16];
    new_job();
    UT_INT_EQ(MPIR_Nodedir_create(3, 42, &made), 0);
    UT_INT_EQ(fcntl(made.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    snprintf(fd, sizeof(fd), "%d", made.fd);
    setenv(MPIR_NODEDIR_ENV, fd, 1);
    UT_INT_EQ(attach(1, 3), 0);
    UT_CHECK(ref.inherited && ref.fd == made.fd && ref.path[0] == '\0');
    UT_INT_EQ(made.dir->entry[1].pid, getpid());
    UT_INT_EQ(made.dir->attached, 1);
    MPIR_Nodedir_set_wait(&ref, "MPI_Recv: from rank 3");
    UT_STR_EQ(made.dir->entry[1].text, "MPI_Recv: from rank 3");
    UT_INT_EQ(made.dir->entry[1].waiting, 1);
    MPIR_Nodedir_set_wait(&ref, NULL);
    UT_INT_EQ(made.dir->entry[1].waiting, 0);
    UT_CHECK(!MPIR_Nodedir_is_gone(made.dir, 1) && !MPIR_Nodedir_is_gone(made.dir, 0));
    MPIR_Nodedir_detach(&ref);
    UT_CHECK(MPIR_Nodedir_is_gone(made.dir, 1));
    UT_CHECK(fcntl(made.fd, F_GETFD) >= 0); /* not ours to close */
    UT_INT_EQ(attach(1, 3), -EBUSY);        /* a rank has one process */
    UT_INT_EQ(attach(1, 4), -EINVAL);
    UT_INT_EQ(attach(3, 3), -EINVAL);
    MPIR_Nodedir_detach(&made);
}

static void handed_down_badly(void)
{
    char fd[16];
    new_job();
    static const char *const text[] = { "", "x", "-1", "3x", "99999999999999", "1000000" };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(text); i++) {
        setenv(MPIR_NODEDIR_ENV, text[i], 1);
        UT_CHECK(attach(0, 2) < 0);
        UT_CHECK(strstr(why, MPIR_NODEDIR_ENV) != NULL);
    }
    int null = open("/dev/null", O_RDWR);
    snprintf(fd, sizeof(fd), "%d", null);
    setenv(MPIR_NODEDIR_ENV, fd, 1);
    UT_INT_EQ(attach(0, 2), -EINVAL);
    close(null);
    int zeros = MPL_shm_create("zeros", 1 << 20);
    snprintf(fd, sizeof(fd), "%d", zeros);
    setenv(MPIR_NODEDIR_ENV, fd, 1);
    UT_INT_EQ(attach(0, 2), -EINVAL);
    UT_CHECK(strstr(why, "no node directory") != NULL);
    close(zeros);
    unsetenv(MPIR_NODEDIR_ENV);
}

static void alone(void)
{
    new_job();
    UT_INT_EQ(attach(0, 1), 0);
    UT_CHECK(ref.path[0] == '\0' && !exists(path));
    struct stat st;
    fstat(ref.arena_fd, &st);
    UT_CHECK(st.st_size >= (off_t) (MPIR_Nodedir_size(1) + ARENA));
    MPIR_Nodedir_detach(&ref);
}

static int rank1_of_2(void)
{
    UT_INT_EQ(attach(1, 2), 0);
    UT_CHECK(!exists(path)); /* the last to come removes the name */
    UT_INT_EQ(ref.dir->attached, 2);
    MPIR_Nodedir_detach(&ref);
    return 0;
}

static void named(void)
{
    new_job();
    UT_INT_EQ(attach(0, 2), 0);
    struct stat st;
    UT_CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
    UT_INT_EQ(in_child(rank1_of_2), 0);
    UT_CHECK(MPIR_Nodedir_is_gone(ref.dir, 1));
    MPIR_Nodedir_detach(&ref);
    UT_CHECK(!exists(path));
}

static void last_to_leave_removes_the_name(void)
{
    new_job();
    UT_INT_EQ(attach(0, 2), 0);
    UT_CHECK(exists(path));
    MPIR_Nodedir_detach(&ref);
    UT_CHECK(!exists(path));
}

static int detach_only(void)
{
    MPIR_Nodedir_detach(&ref);
    return 0;
}

static void forked_child_takes_nothing_away(void)
{
    new_job();
    UT_INT_EQ(attach(0, 2), 0);
    UT_INT_EQ(in_child(detach_only), 0);
    UT_CHECK(exists(path));
    UT_CHECK(!MPIR_Nodedir_is_gone(ref.dir, 0));
    MPIR_Nodedir_detach(&ref);
}

/* All at once, many times: exactly one directory comes of it. */
static void races_to_open(void)
{
    enum { N = 8 };
    for (int round = 0; round < 30; round++) {
        int go[2], bad = 0;
        pid_t pid[N];
        char byte;
        new_job();
        UT_CHECK(pipe(go) == 0);
        for (int i = 0; i < N; i++) {
            pid[i] = fork();
            if (pid[i] == 0) {
                alarm(30);
                close(go[1]);
                UT_CHECK(read(go[0], &byte, 1) == 0);
                int err = attach(i, N);
                if (err != 0)
                    fprintf(stderr, "rank %d: %s\n", i, why);
                while (err == 0 && ref.dir->attached < N)
                    usleep(100);
                MPIR_Nodedir_detach(&ref);
                _exit(err != 0);
            }
        }
        close(go[0]);
        close(go[1]);
        for (int i = 0; i < N; i++) {
            int status;
            waitpid(pid[i], &status, 0);
            bad += status != 0;
        }
        UT_INT_EQ(bad, 0);
        UT_CHECK(!exists(path));
    }
}

/* ---- hostile files --------------------------------------------------------------------------- */

static void make_file(mode_t mode, size_t size, const void *head, size_t head_size)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    UT_CHECK(fd >= 0 && ftruncate(fd, (off_t) size) == 0 && fchmod(fd, mode) == 0);
    UT_CHECK(pwrite(fd, head, head_size, 0) == (ssize_t) head_size);
    UT_CHECK(flock(fd, LOCK_SH) == 0);
    /* Left open and locked: else it would count as a dead job's file. Closed by the end of the
     * test's child. */
}

static int file_is_refused(const char *expected)
{
    UT_CHECK(attach(0, 2) < 0);
    UT_CHECK(strstr(why, path) != NULL && strstr(why, expected) != NULL);
    if (!strstr(why, expected))
        fprintf(stderr, "text was: %s\n", why);
    UT_CHECK(exists(path));
    unlink(path);
    rmdir(path);
    return 0;
}

static int garbage(void)
{
    make_file(0600, 1 << 20, "garbage garbage", 16);
    return file_is_refused("no node directory");
}

static int too_short(void)
{
    make_file(0600, 100, "x", 1);
    return file_is_refused("100 bytes");
}

static int open_to_all(void)
{
    make_file(0666, 1 << 20, "x", 1);
    return file_is_refused("mode 0666");
}

static int other_size(void)
{
    MPIR_Nodedir head = {
        .magic = MPIR_NODEDIR_MAGIC, .layout = MPIR_NODEDIR_LAYOUT, .n_local = 7, .job = 1
    };
    make_file(0600, 1 << 20, &head, sizeof(head));
    return file_is_refused("for 7 processes");
}

static int other_layout(void)
{
    MPIR_Nodedir head = { .magic = MPIR_NODEDIR_MAGIC, .layout = 99, .n_local = 2, .job = 1 };
    make_file(0600, 1 << 20, &head, sizeof(head));
    return file_is_refused("layout 99");
}

static int symbolic_link(void)
{
    UT_CHECK(symlink("/etc/passwd", path) == 0);
    return file_is_refused("symbolic link");
}

static int named_pipe(void)
{
    UT_CHECK(mkfifo(path, 0600) == 0);
    return file_is_refused("regular file");
}

static int folder(void)
{
    UT_CHECK(mkdir(path, 0700) == 0);
    return file_is_refused("directory");
}

static int other_owner(void)
{
    if (geteuid() != 0)
        return 0;
    make_file(0600, 1 << 20, "x", 1);
    UT_CHECK(chown(path, 12345, 12345) == 0);
    return file_is_refused("user 12345");
}

static void hostile_files_are_refused(void)
{
    static int (*const hostile[])(void) = { garbage,    too_short,    open_to_all,
                                            other_size, other_layout, symbolic_link,
                                            named_pipe, folder,       other_owner };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(hostile); i++) {
        new_job();
        UT_INT_EQ(in_child(hostile[i]), 0);
    }
}

/* ---- dead jobs ------------------------------------------------------------------------------- */

static int attach_and_die(void)
{
    UT_INT_EQ(attach(0, 2), 0);
    return 0; /* _exit: nothing is cleaned up */
}

static void file_of_a_dead_job_is_replaced(void)
{
    new_job();
    UT_INT_EQ(in_child(attach_and_die), 0);
    UT_CHECK(exists(path));
    UT_INT_EQ(attach(0, 2), 0);
    UT_INT_EQ(ref.dir->attached, 1);
    MPIR_Nodedir_detach(&ref);
}

static void files_of_dead_jobs_are_swept(void)
{
    char dead[128], alive[128];
    MPIR_Nodedir_ref living;
    new_job();
    UT_INT_EQ(in_child(attach_and_die), 0);
    strcpy(dead, path);
    new_job();
    UT_INT_EQ(attach(0, 2), 0);
    strcpy(alive, path);
    living = ref;
    new_job();
    UT_INT_EQ(attach(0, 2), 0);
    UT_CHECK(!exists(dead));
    UT_CHECK(exists(alive));
    MPIR_Nodedir_detach(&ref);
    MPIR_Nodedir_detach(&living);
}

/* ---- messages for who has not come yet ------------------------------------------------------- */

static int send_and_leave(void)
{
    UT_INT_EQ(attach(0, 2), 0);
    UT_CHECK(MPIR_Nodedir_expect(&ref, 1));
    UT_CHECK(pwrite(ref.arena_fd, "hello", 5, ref.arena_offset) == 5);
    MPIR_Nodedir_detach(&ref);
    UT_CHECK(exists(path));
    return 0;
}

static int sweep_for_another_job(void)
{
    new_job();
    UT_INT_EQ(attach(0, 2), 0);
    MPIR_Nodedir_detach(&ref);
    return 0;
}

static void file_waits_for_who_is_expected(void)
{
    char text[5];
    new_job();
    UT_INT_EQ(in_child(send_and_leave), 0);
    UT_INT_EQ(in_child(sweep_for_another_job), 0);
    UT_CHECK(exists(path));
    UT_INT_EQ(attach(1, 2), 0);
    UT_INT_EQ(ref.dir->attached, 2);
    UT_CHECK(pread(ref.arena_fd, text, 5, ref.arena_offset) == 5 && memcmp(text, "hello", 5) == 0);
    UT_CHECK(!exists(path));
    MPIR_Nodedir_detach(&ref);
}

/* Somebody else of the job may come and go meanwhile. */
static void file_waits_on(void)
{
    new_job();
    UT_INT_EQ(attach(0, 3), 0);
    UT_CHECK(MPIR_Nodedir_expect(&ref, 2));
    MPIR_Nodedir_detach(&ref);
    UT_INT_EQ(attach(1, 3), 0);
    UT_INT_EQ(ref.dir->attached, 2);
    MPIR_Nodedir_detach(&ref);
    UT_CHECK(exists(path));
    UT_INT_EQ(attach(2, 3), 0);
    UT_INT_EQ(ref.dir->attached, 3);
    MPIR_Nodedir_detach(&ref);
    UT_CHECK(!exists(path));
}

static int launch_sender(void)
{
    return in_child(send_and_leave);
}

/* The process that launched the sender has ended, and so the job. */
static void file_of_an_ended_job_waits_for_nobody(void)
{
    new_job();
    UT_INT_EQ(in_child(launch_sender), 0);
    UT_CHECK(exists(path));
    UT_INT_EQ(in_child(sweep_for_another_job), 0);
    UT_CHECK(!exists(path));

    UT_INT_EQ(in_child(launch_sender), 0);
    UT_INT_EQ(attach(1, 2), 0); /* of a later job with the same name */
    UT_INT_EQ(ref.dir->attached, 1);
    MPIR_Nodedir_detach(&ref);
}

static int send_and_be_killed(void)
{
    UT_INT_EQ(attach(0, 2), 0);
    atomic_store(&ref.dir->entry[0].state, MPIR_PROC_ACTIVE);
    UT_CHECK(MPIR_Nodedir_expect(&ref, 1));
    return 0;
}

static void file_of_a_broken_job_waits_for_nobody(void)
{
    new_job();
    UT_INT_EQ(in_child(send_and_be_killed), 0);
    UT_CHECK(exists(path));
    UT_INT_EQ(attach(1, 2), 0);
    UT_INT_EQ(ref.dir->attached, 1);
    MPIR_Nodedir_detach(&ref);
}

/* Who has come already is not waited for. */
static void nobody_is_expected_twice(void)
{
    new_job();
    UT_INT_EQ(attach(0, 3), 0);
    UT_CHECK(MPIR_Nodedir_expect(&ref, 0));
    MPIR_Nodedir_detach(&ref);
    UT_CHECK(!exists(path));
}

/* ---- little room ----------------------------------------------------------------------------- */

static bool tiny_shm(const char *size)
{
    char options[32];
    snprintf(options, sizeof(options), "size=%s", size);
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tmpfs", "/dev/shm", "tmpfs", 0, options) == 0;
}

#ifndef MPL_PORTABLE
static int wait_for_end(int fd)
{
    char byte;
    return read(fd, &byte, 1) == 0 ? 0 : 1;
}

/* Rank 0 makes it and leaves after rank 1 has come; rank 2 must find the memory in rank 1. */
static int tiny(void)
{
    int to_rank1[2], from_rank1[2];
    char byte = 0;
    if (!tiny_shm("1m"))
        return 77;
    UT_INT_EQ(attach(0, 3), 0);
    UT_CHECK(ref.arena_fd != ref.fd && ref.arena_offset == 0);
    UT_CHECK(pwrite(ref.arena_fd, "hello", 5, 1 << 20) == 5);
    UT_CHECK(pipe(to_rank1) == 0 && pipe(from_rank1) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(to_rank1[1]);
        /* This child stands for another process: what it inherited must not serve. */
        close(ref.arena_fd);
        close(ref.fd);
        int err = attach(1, 3);
        UT_CHECK(write(from_rank1[1], &byte, 1) == 1);
        err |= wait_for_end(to_rank1[0]);
        _exit(err != 0 || ut_state.failures);
    }
    UT_CHECK(read(from_rank1[0], &byte, 1) == 1);
    MPIR_Nodedir_detach(&ref);
    UT_INT_EQ(attach(2, 3), 0);
    char text[5];
    UT_CHECK(pread(ref.arena_fd, text, 5, 1 << 20) == 5 && memcmp(text, "hello", 5) == 0);
    UT_INT_EQ(ref.dir->attached, 3);
    UT_CHECK(!exists(path));
    close(to_rank1[1]);
    int status;
    waitpid(pid, &status, 0);
    UT_INT_EQ(status, 0);
    MPIR_Nodedir_detach(&ref);
    return 0;
}
#endif

static int full(void)
{
    if (!tiny_shm("4k"))
        return 77;
    int fd = open("/dev/shm/filler", O_RDWR | O_CREAT, 0600);
    UT_CHECK(write(fd, why, 1) == 1);
    UT_INT_EQ(attach(0, 2), -ENOSPC);
    UT_CHECK(strstr(why, path) && strstr(why, "No space left"));
    UT_CHECK(!exists(path));
    return 0;
}

static void little_room(void)
{
    if (geteuid() != 0)
        return; /* needs a mount of its own */
    new_job();
#ifndef MPL_PORTABLE
    int code = in_child(tiny);
    UT_CHECK(code == 0 || code == 77);
#endif
    int result = in_child(full);
    UT_CHECK(result == 0 || result == 77);
}

static int no_descriptors(void)
{
    int fds[64], n = 0;
    struct rlimit limit = { 32, 32 };
    setrlimit(RLIMIT_NOFILE, &limit);
    while (n < 64 && (fds[n] = dup(0)) >= 0)
        n++;
    for (; n >= 0; n--) { /* with none free, one, two, ... */
        int err = attach(0, 2);
        if (err == 0)
            break;
        UT_INT_EQ(err, -EMFILE);
        UT_CHECK(strstr(why, "Too many open files") != NULL);
        if (n > 0)
            close(fds[n - 1]);
    }
    MPIR_Nodedir_detach(&ref);
    return 0;
}

static int no_descriptors_alone(void)
{
    struct rlimit limit = { 3, 3 };
    setrlimit(RLIMIT_NOFILE, &limit);
    UT_INT_EQ(attach(0, 1), -EMFILE);
    return 0;
}

static int file_size_limit(void)
{
    struct rlimit limit = { 1 << 20, 1 << 20 };
    setrlimit(RLIMIT_FSIZE, &limit);
    UT_INT_EQ(attach(0, 1), -EFBIG); /* and no SIGXFSZ */
    return 0;
}

static void limits_are_told_of(void)
{
    new_job();
    UT_INT_EQ(in_child(no_descriptors), 0);
    UT_INT_EQ(in_child(no_descriptors_alone), 0);
    UT_INT_EQ(in_child(file_size_limit), 0);
}

int main(void)
{
    why = "";
    UT_RUN(handed_down);
    UT_RUN(handed_down_badly);
    UT_RUN(alone);
    UT_RUN(named);
    UT_RUN(last_to_leave_removes_the_name);
    UT_RUN(forked_child_takes_nothing_away);
    UT_RUN(races_to_open);
    UT_RUN(hostile_files_are_refused);
    UT_RUN(file_of_a_dead_job_is_replaced);
    UT_RUN(files_of_dead_jobs_are_swept);
    UT_RUN(file_waits_for_who_is_expected);
    UT_RUN(file_waits_on);
    UT_RUN(file_of_an_ended_job_waits_for_nobody);
    UT_RUN(file_of_a_broken_job_waits_for_nobody);
    UT_RUN(nobody_is_expected_twice);
    UT_RUN(little_room);
    UT_RUN(limits_are_told_of);
    return UT_REPORT();
}
