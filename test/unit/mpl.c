/* src/mpl: strings and hashes, and what the system gives, also when it gives less than usual. */
#include "mpl.h"
#include "../../src/mpl/mpl_os.h"
#include "utest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if MPL_LINUX
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

/* ---- strings and numbers --------------------------------------------------------------------- */

static void strings_are_cut_and_terminated(void)
{
    char text[4];

    UT_CHECK(MPL_strcpy(text, sizeof(text), "abc"));
    UT_STR_EQ(text, "abc");
    UT_CHECK(!MPL_strcpy(text, sizeof(text), "abcd"));
    UT_STR_EQ(text, "abc");
    UT_CHECK(!MPL_strcpy(text, 1, "x"));
    UT_STR_EQ(text, "");
}

static void integers_are_parsed_whole(void)
{
    static const char *const bad[] = { "",  " 1",  "1 ", "1x", "0x10", "-",
                                       "+", "1.0", "11", "-1", "--1",  "99999999999999999999" };
    long long v = 77;

    UT_CHECK(MPL_parse_int("7", 0, 10, &v) && v == 7);
    UT_CHECK(MPL_parse_int("-5", -5, 0, &v) && v == -5);
    UT_CHECK(MPL_parse_int("+010", 0, 10, &v) && v == 10);
    UT_CHECK(MPL_parse_int("9223372036854775807", 0, LLONG_MAX, &v) && v == LLONG_MAX);
    v = 77;
    for (size_t i = 0; i < MPL_ARRAY_SIZE(bad); i++) {
        UT_CHECK(!MPL_parse_int(bad[i], 0, 10, &v));
        UT_INT_EQ(v, 77);
    }
}

static void edit_distances(void)
{
    char longer[1000];

    UT_INT_EQ(MPL_edit_distance("", ""), 0);
    UT_INT_EQ(MPL_edit_distance("abc", ""), 3);
    UT_INT_EQ(MPL_edit_distance("kitten", "sitting"), 3);
    UT_INT_EQ(MPL_edit_distance("flaw", "lawn"), 2);
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    UT_INT_EQ(MPL_edit_distance(longer, "x"), 254);
}

static void hashes(void)
{
    /* Published values of 64-bit FNV-1a. */
    UT_CHECK(MPL_hash("", 0, MPL_HASH_SEED) == UINT64_C(0xcbf29ce484222325));
    UT_CHECK(MPL_hash("a", 1, MPL_HASH_SEED) == UINT64_C(0xaf63dc4c8601ec8c));
    UT_CHECK(MPL_hash("foobar", 6, MPL_HASH_SEED) == UINT64_C(0x85944171f73967e8));
    UT_CHECK(MPL_hash("bar", 3, MPL_hash("foo", 3, MPL_HASH_SEED)) == UINT64_C(0x85944171f73967e8));
    uint64_t a = MPL_random(), b = MPL_random();
    UT_CHECK(a != 0 && b != 0 && a != b);
}

/* Whatever way is taken for a length and for where both lie: neither less nor more is written. */
static void copies_of_any_length_and_place(void)
{
    enum { MOST = 9000, MARGIN = 128 };
    static unsigned char from[MOST + 64], to[MOST + 64 + MARGIN];
    static const size_t lengths[] = { 0, 1, 63, 1023, 1024, 1500, 2048, 4095, 4096, 4097, MOST };
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char) (1 + i % 251);
    for (size_t i = 0; i < MPL_ARRAY_SIZE(lengths); i++) {
        for (size_t k = 0; k < 64 * 64 * 2; k += 7) {
            size_t n = lengths[i], src = k % 64, dst = k / 64 % 64;
            memset(to, 0, sizeof to);
            (k < 64 * 64 ? MPL_copy : MPL_copy_over)(to + dst, from + src, n);
            UT_CHECK(memcmp(to + dst, from + src, n) == 0);
            UT_CHECK(dst == 0 || to[dst - 1] == 0);
            UT_CHECK(to[dst + n] == 0);
        }
    }
}

static void time_goes_on(void)
{
    uint64_t start = MPL_now_ns();
    usleep(2000);
    uint64_t passed = MPL_now_ns() - start;
    UT_CHECK(passed >= 2000000 && passed < UINT64_C(60000000000));
}

/* ---- shared memory --------------------------------------------------------------------------- */

static void shared_memory_is_nameless_and_zero(void)
{
    int fd = MPL_shm_create("utest", 8192);
    struct stat st;

    UT_CHECK(fd >= 0);
    UT_CHECK(fstat(fd, &st) == 0 && st.st_size == 8192);
    UT_CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    UT_INT_EQ(MPL_shm_reserve(fd, 4096, 8192), 0);
    char *p = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    UT_CHECK(p != MAP_FAILED);
    UT_CHECK(p[0] == 0 && p[8191] == 0 &&
             p[12287] == 0); /* the last page came with the reservation */
    p[12287] = 1;
    munmap(p, 12288);
    close(fd);
    UT_INT_EQ(MPL_shm_reserve(fd, 0, 1), -EBADF);
}

static void what_cannot_be_reserved_is_an_error(void)
{
    char path[] = "/tmp/utest-mpl-XXXXXX";
    int fd = mkstemp(path);

    unlink(path);
    UT_CHECK(MPL_shm_reserve(fd, 0, (size_t) 1 << 60) < 0); /* and no SIGBUS later */
    UT_INT_EQ(MPL_shm_reserve(fd, 0, 0), 0);
    close(fd);
    UT_CHECK(strcmp(MPL_shm_dir(), "/dev/shm") == 0 || strcmp(MPL_shm_dir(), "/tmp") == 0);
}

/* Two pages that a child shares. */
typedef struct Shared {
    _Atomic uint32_t word, seen;
    char data[6000];
} Shared;

static Shared *new_shared(void)
{
    void *p = mmap(NULL, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    UT_CHECK(p != MAP_FAILED);
    return p;
}

static int wait_for(pid_t pid)
{
    int status = -1;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- sleeping -------------------------------------------------------------------------------- */

static void a_sleeper_is_woken(void)
{
    Shared *s = new_shared();
    pid_t child = fork();

    if (child == 0) {
        while (atomic_load(&s->word) == 0)
            MPL_sleep_on(&s->word, 0, -1);
        atomic_store(&s->seen, atomic_load(&s->word));
        _exit(0);
    }
    usleep(20000);
    atomic_store(&s->word, 42);
    MPL_wake(&s->word, 1);
    UT_INT_EQ(wait_for(child), 0);
    UT_INT_EQ(s->seen, 42);
    munmap(s, sizeof(*s));
}

static void a_sleep_ends(void)
{
    _Atomic uint32_t word = 5;
    uint64_t start = MPL_now_ns();

    MPL_sleep_on(&word, 4, -1); /* the word has changed: no sleep at all */
    MPL_sleep_on(&word, 5, 5000000);
    uint64_t passed = MPL_now_ns() - start;
    UT_CHECK(passed >= 4000000 && passed < UINT64_C(60000000000));
}

static void fences(void)
{
    bool works = MPL_fence_register();
    UT_CHECK(MPL_fence_register() == works);
    if (works)
        MPL_fence_heavy();
    MPL_fence_light();
}

/* ---- processes ------------------------------------------------------------------------------- */

static void processes_live_and_die(void)
{
    UT_CHECK(MPL_pid_alive(getpid()));
    UT_CHECK(MPL_pid_alive(1));
    UT_CHECK(!MPL_pid_alive(0) && !MPL_pid_alive(-1));
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    UT_CHECK(MPL_pid_alive(child));
#if MPL_LINUX
    UT_CHECK(MPL_pid_birth(child) >= MPL_pid_birth(getpid()) && MPL_pid_birth(getpid()) > 0);
#endif
    kill(child, SIGKILL);
    siginfo_t info;
    waitid(P_PID, (id_t) child, &info, WEXITED | WNOWAIT); /* now it is a zombie */
#if MPL_LINUX
    UT_CHECK(!MPL_pid_alive(child));
#endif
    wait_for(child);
    UT_CHECK(!MPL_pid_alive(child));
    UT_INT_EQ(MPL_pid_birth(child), 0);
}

#if MPL_LINUX

static void another_process_s_memory(void)
{
    static const size_t size = 3 << 20;
    char *theirs = malloc(size), *mine = malloc(size);
    int ready[2];

    memset(theirs, 'a', size);
    memset(mine, 'b', size);
    UT_INT_EQ(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        memset(theirs, 'c', size);
        theirs[size - 1] = 'z';
        (void) !write(ready[1], "", 1);
        pause();
        _exit(0);
    }
    char byte;
    UT_INT_EQ(read(ready[0], &byte, 1), 1);
    uint64_t address = (uint64_t) (uintptr_t) theirs;
    int rc = MPL_cma_read(child, mine, address, size);
    if (rc != -EPERM && rc != -ENOSYS) { /* refused here: nothing to see */
        UT_INT_EQ(rc, 0);
        UT_CHECK(mine[0] == 'c' && mine[size - 2] == 'c' && mine[size - 1] == 'z');
        UT_CHECK(theirs[0] == 'a');
        mine[0] = 'x';
        UT_INT_EQ(MPL_cma_write(child, mine, address, 1), 0);
        UT_INT_EQ(MPL_cma_read(child, mine + 1, address, 1), 0);
        UT_INT_EQ(mine[1], 'x');
        UT_INT_EQ(MPL_cma_read(child, mine, 16, 8), -EFAULT);
    }
    kill(child, SIGKILL);
    wait_for(child);
    UT_INT_EQ(MPL_cma_read(child, mine, address, 1), -ESRCH);
    close(ready[0]);
    close(ready[1]);
    free(theirs);
    free(mine);
}

static void another_process_s_descriptor(void)
{
    int fd = MPL_shm_create("utest", 100);
    UT_CHECK(pwrite(fd, "hello", 5, 0) == 5);
    int copy = MPL_open_fd_of(getpid(), fd);
    char text[6] = "";

    UT_CHECK(copy >= 0 && copy != fd);
    UT_CHECK(pread(copy, text, 5, 0) == 5);
    UT_STR_EQ(text, "hello");
    UT_CHECK(fcntl(copy, F_GETFD) & FD_CLOEXEC);
    close(copy);
    close(fd);
    UT_INT_EQ(MPL_open_fd_of(getpid(), fd), -ENOENT);
}

/* From now on these calls fail with `error`. */
static bool refuse(const int *calls, unsigned n, unsigned error)
{
    struct sock_filter code[32];
    unsigned at = 0;

    code[at++] =
        (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < n; i++) {
        code[at++] =
            (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned) calls[i], 0, 1);
        code[at++] = (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
    }
    code[at++] = (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = { (unsigned short) at, code };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* In a child: what is refused is an error or done in another way, never a crash. */
static void check_refused(unsigned error)
{
    static const int calls[] = {
        SYS_process_vm_readv, SYS_process_vm_writev, SYS_memfd_create, SYS_membarrier, SYS_futex,
        SYS_getrandom,        SYS_fallocate
    };
    pid_t child = fork();

    if (child == 0) {
        char byte = 0;
        _Atomic uint32_t word = 0;
        if (!refuse(calls, MPL_ARRAY_SIZE(calls), error))
            _exit(0); /* no seccomp here */
        ut_state.failures = 0;
        UT_INT_EQ(MPL_cma_read(getppid(), &byte, (uint64_t) (uintptr_t) &byte, 1), -(int) error);
        UT_INT_EQ(MPL_cma_write(getppid(), &byte, (uint64_t) (uintptr_t) &byte, 1), -(int) error);
        UT_CHECK(!MPL_fence_register());
        UT_CHECK(MPL_random() != 0);
        int fd = MPL_shm_create("utest", 4096);
        UT_CHECK(fd >= 0);
        UT_INT_EQ(MPL_shm_reserve(fd, 0, 4096),
                  error == EPERM || error == ENOSYS ? -(int) error : 0);
        MPL_sleep_on(&word, 0, 2000000);
        MPL_wake(&word, 1);
        _exit(ut_state.failures == 0 ? 0 : 1);
    }
    UT_INT_EQ(wait_for(child), 0);
}

static void refused_system_calls(void)
{
    check_refused(EPERM);
    check_refused(ENOSYS);
}

/* ---- cores ----------------------------------------------------------------------------------- */

static void put_file(const char *top, const char *name, const char *text)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", top, name);
    for (char *p = path + strlen(top) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
    FILE *f = fopen(path, "w");
    UT_CHECK(f != NULL);
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static void quotas_of_control_groups(void)
{
    char top[] = "/tmp/utest-cgroup-XXXXXX", command[64];

    UT_CHECK(mkdtemp(top) != NULL);
    UT_INT_EQ(MPL_cgroup_cores("0::/a/b\n", top), 0);
    put_file(top, "a/cpu.max", "300000 100000\n");
    put_file(top, "a/b/cpu.max", "max 100000\n");
    put_file(top, "c/cpu.max", "50000 100000\n");
    UT_INT_EQ(MPL_cgroup_cores("0::/a/b\n", top), 3); /* the parent's */
    UT_INT_EQ(MPL_cgroup_cores("0::/a/not/seen/from/here\n", top), 3);
    UT_INT_EQ(MPL_cgroup_cores("0::/c", top), 1); /* never 0 */
    UT_INT_EQ(MPL_cgroup_cores("0::/", top), 0);
    put_file(top, "unified/u/cpu.max", "250000 100000\n");
    UT_INT_EQ(MPL_cgroup_cores("0::/u\n", top), 2);
    put_file(top, "cpu,cpuacct/x/cpu.cfs_quota_us", "400000\n");
    put_file(top, "cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
    put_file(top, "cpu,cpuacct/y/cpu.cfs_quota_us", "-1\n");
    put_file(top, "cpu,cpuacct/y/cpu.cfs_period_us", "100000\n");
    UT_INT_EQ(MPL_cgroup_cores("3:memory:/x\n2:cpu,cpuacct:/x\n0::/a/b", top), 3);
    UT_INT_EQ(MPL_cgroup_cores("2:cpu,cpuacct:/x\n", top), 4);
    UT_INT_EQ(MPL_cgroup_cores("2:cpu,cpuacct:/y\n", top), 0);
    UT_INT_EQ(MPL_cgroup_cores("2:cpuset,cpuacct:/x\nnonsense\n:\n::\n", top), 0);
    put_file(top, "cpu/cpu.cfs_quota_us", "500000\n");
    put_file(top, "cpu/cpu.cfs_period_us", "100000\n");
    UT_INT_EQ(MPL_cgroup_cores("2:cpu:/\n", top), 5);
    UT_INT_EQ(MPL_cgroup_cores("2:cpu:/z\n", top), 5);
    UT_INT_EQ(MPL_cgroup_cores("2:cpu,cpuacct:/\n", top), 5);
    snprintf(command, sizeof(command), "rm -rf %s", top);
    UT_INT_EQ(system(command), 0);
}

#endif /* MPL_LINUX */

static void there_is_a_core(void)
{
    int n = MPL_cores_available();
    UT_CHECK(n >= 1 && n <= sysconf(_SC_NPROCESSORS_CONF));
}

/* Zeros, whatever the memory was before, and each place for itself. */
static void sparse_tables(void)
{
    static const size_t size[] = { 0, 1, 1000, 64 * 1024, 100u << 20 };
    for (size_t i = 0; i < MPL_ARRAY_SIZE(size); i++) {
        size_t n = size[i];
        char *table = MPL_sparse_alloc(n);
        UT_CHECK(table != NULL);
        for (size_t at = 0; table && at < n; at += n / 7 + 1) {
            UT_INT_EQ(table[at], 0);
            table[at] = 1;
        }
        UT_CHECK(n == 0 || (table && table[n - 1] == (n == 1)));
        MPL_sparse_free(table, n);
    }
    MPL_sparse_free(NULL, 5);
}

int main(void)
{
    UT_RUN(strings_are_cut_and_terminated);
    UT_RUN(integers_are_parsed_whole);
    UT_RUN(edit_distances);
    UT_RUN(hashes);
    UT_RUN(copies_of_any_length_and_place);
    UT_RUN(time_goes_on);
    UT_RUN(shared_memory_is_nameless_and_zero);
    UT_RUN(what_cannot_be_reserved_is_an_error);
    UT_RUN(a_sleeper_is_woken);
    UT_RUN(a_sleep_ends);
    UT_RUN(fences);
    UT_RUN(processes_live_and_die);
#if MPL_LINUX
    UT_RUN(another_process_s_memory);
    UT_RUN(another_process_s_descriptor);
    UT_RUN(refused_system_calls);
    UT_RUN(quotas_of_control_groups);
#endif
    UT_RUN(there_is_a_core);
    UT_RUN(sparse_tables);
    return UT_REPORT();
}
