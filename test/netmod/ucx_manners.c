/* UCX puts handlers on SIGSEGV and others and hooks memory calls when it is loaded, and writes to stdout. In a process that uses
 * MPI none of that may be seen: not after init, not after messages, not after finalize. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpitest.h"

extern char **environ;

enum { SIGNALS = 65, CODE = 32, SLOTS = 512, LARGE = 1 << 20 };

static const char *const hooked[] = { "mmap", "munmap", "mremap", "madvise", "shmat", "shmdt", "brk", "sbrk", "malloc", "free",
                                      "realloc", "calloc", "memalign", "posix_memalign", "dlopen", "sigaction", "signal" };
enum { HOOKED = sizeof(hooked) / sizeof(hooked[0]) };

/* What a library could change behind the program's back. */
typedef struct Process {
    struct sigaction action[SIGNALS];
    stack_t stack;
    sigset_t blocked;
    unsigned char code[HOOKED][CODE];
    void *slot[SLOTS]; /* of the program's table of functions of other libraries */
    char environment[8192];
} Process;

/* ---- looking ----------------------------------------------------------------------------------- */

static const unsigned char *code_of(int i)
{
    return dlsym(RTLD_DEFAULT, hooked[i]);
}

/* The program comes first in the list of objects. It is linked so that all slots are filled when it starts. */
static int copy_slots(struct dl_phdr_info *info, size_t size, void *to)
{
    (void) size;
    const ElfW(Dyn) *dyn = NULL;
    const ElfW(Rela) *rela = NULL;
    size_t bytes = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dyn = (const void *) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
        if (dyn->d_tag == DT_JMPREL)
            rela = (const void *) dyn->d_un.d_ptr;
        if (dyn->d_tag == DT_PLTRELSZ)
            bytes = dyn->d_un.d_val;
    }
    for (size_t i = 0; rela && i < bytes / sizeof(*rela) && i < SLOTS; i++)
        memcpy(&((void **) to)[i], (const void *) (info->dlpi_addr + rela[i].r_offset), sizeof(void *));
    return 1;
}

static void look(Process *p)
{
    memset(p, 0, sizeof(*p));
    for (int i = 1; i < SIGNALS; i++)
        sigaction(i, NULL, &p->action[i]);
    sigaltstack(NULL, &p->stack);
    pthread_sigmask(SIG_SETMASK, NULL, &p->blocked);
    for (int i = 0; i < HOOKED; i++)
        memcpy(p->code[i], code_of(i), CODE);
    dl_iterate_phdr(copy_slots, p->slot);
    for (char **e = environ; *e; e++)
        strncat(p->environment, *e, sizeof(p->environment) - strlen(p->environment) - 1);
}

/* The C library sets a flag of its own wherever an action was set once. */
static bool same_action(const struct sigaction *a, const struct sigaction *b)
{
    const int own = 0x04000000;
    return a->sa_handler == b->sa_handler && ((a->sa_flags ^ b->sa_flags) & ~own) == 0;
}

static void compare(const Process *before, const char *when)
{
    static Process now;
    look(&now);
    for (int i = 1; i < SIGNALS; i++)
        MTEST_CHECK(same_action(&now.action[i], &before->action[i]), "%s: signal %d has another action", when, i);
    MTEST_CHECK(now.stack.ss_sp == before->stack.ss_sp && now.stack.ss_flags == before->stack.ss_flags,
                "%s: signals are handled on another stack", when);
    MTEST_CHECK(memcmp(&now.blocked, &before->blocked, sizeof(now.blocked)) == 0, "%s: other signals are blocked", when);
    for (int i = 0; i < HOOKED; i++)
        MTEST_CHECK(memcmp(now.code[i], before->code[i], CODE) == 0, "%s: %s() has been patched", when, hooked[i]);
    MTEST_CHECK(memcmp(now.slot, before->slot, sizeof(now.slot)) == 0, "%s: the program calls another function", when);
    MTEST_CHECK(strcmp(now.environment, before->environment) == 0, "%s: the environment has changed", when);
}

/* Code that can be written is what a hook leaves behind. */
static void check_maps(const char *when)
{
    char line[512];
    bool ucx = false;
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && fgets(line, sizeof(line), file)) {
        MTEST_CHECK(!strstr(line, " rwx"), "%s: code that can be written: %s", when, line);
        ucx |= strstr(line, "libucp") != NULL;
    }
    if (file)
        fclose(file);
    MTEST_CHECK(ucx, "%s: UCX is not there", when);
}

/* Threads of UCX must not take the user's signals. */
static void check_threads(void)
{
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[300], line[256];
        unsigned long long blocked = ~0ull;
        snprintf(path, sizeof(path), "/proc/self/task/%s/status", e->d_name);
        FILE *file = atoi(e->d_name) > 0 && atoi(e->d_name) != getpid() ? fopen(path, "r") : NULL;
        while (file && fgets(line, sizeof(line), file))
            sscanf(line, "SigBlk: %llx", &blocked);
        if (file)
            fclose(file);
        MTEST_CHECK(blocked >> (SIGUSR1 - 1) & blocked >> (SIGTERM - 1) & blocked >> (SIGALRM - 1) & 1,
                    "thread %s takes signals: blocked are %llx", e->d_name, blocked);
    }
    if (dir)
        closedir(dir);
}

/* ---- doing ------------------------------------------------------------------------------------- */

static void talk(int rank, int size)
{
    static char in[LARGE], out[LARGE];
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int n = 1; n <= LARGE; n *= 32)
        MTEST_MPI(MPI_Sendrecv(out, n, MPI_CHAR, to, 1, in, n, MPI_CHAR, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* A child that ends in order runs UCX's destructors, too. */
static void check_fork(void)
{
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(7);
    MTEST_CHECK(child > 0 && waitpid(child, &status, 0) == child, "no child");
    MTEST_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7, "the child's status is %x", (unsigned) status);
}

static void on_segv(int signo)
{
    (void) signo;
}

int main(int argc, char **argv)
{
    static Process before;
    static char stack[65536];
    int rank, size;
    if (argc > 1) { /* the user has handlers of his own */
        stack_t s = { .ss_sp = stack, .ss_size = sizeof(stack) };
        sigaltstack(&s, NULL);
        signal(SIGSEGV, on_segv);
        signal(SIGHUP, SIG_IGN);
    }
    look(&before);
    MTest_init_world(&argc, &argv, &rank, &size);
    compare(&before, "after init");
    talk(rank, size);
    compare(&before, "after messages");
    check_maps("after messages");
    check_threads();
    check_fork();
    MPI_Finalize();
    compare(&before, "after finalize");
    return MTest_report(rank);
}
