/* forbid CALL=ERROR... -- PROGRAM ARGUMENTS: run a program for which system calls fail, by a seccomp filter that its children inherit.
 * Linked without MPI. Exit code 77: this kernel has no such filters. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct Name {
    const char *name;
    long number;
} Name;

static const Name calls[] = {
    { "process_vm_readv", SYS_process_vm_readv },
    { "process_vm_writev", SYS_process_vm_writev },
    { "memfd_create", SYS_memfd_create },
    { "membarrier", SYS_membarrier },
    { "fallocate", SYS_fallocate },
    { "sched_yield", SYS_sched_yield },
    { "sched_getaffinity", SYS_sched_getaffinity },
    { "flock", SYS_flock },
    { NULL, 0 },
};
static const Name errors[] = {
    { "EPERM", EPERM }, { "ENOSYS", ENOSYS }, { "EACCES", EACCES }, { "EOPNOTSUPP", EOPNOTSUPP }, { NULL, 0 },
};

enum { MAX_FILTER = 64 };

static struct sock_filter filter[MAX_FILTER];
static unsigned short n_filter;

static long look_up(const Name *table, const char *name, size_t size)
{
    for (; table->name; table++)
        if (strlen(table->name) == size && memcmp(table->name, name, size) == 0)
            return table->number;
    fprintf(stderr, "forbid: %.*s is not in its table\n", (int) size, name);
    exit(2);
}

static void add(unsigned short code, unsigned jump_true, unsigned jump_false, unsigned value)
{
    filter[n_filter++] = (struct sock_filter) { code, (unsigned char) jump_true, (unsigned char) jump_false, value };
}

static long add_rule(const char *rule)
{
    size_t size = strcspn(rule, "=");
    long call = look_up(calls, rule, size);
    long error = look_up(errors, rule + size + 1, strlen(rule + size + 1));
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (unsigned) call);
    add(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | (unsigned) error);
    return call;
}

int main(int argc, char **argv)
{
    long call = 0;
    int i = 1;
    add(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
    for (; i < argc && strcmp(argv[i], "--") != 0; i++)
        call = add_rule(argv[i]);
    if (i < 2 || i + 1 >= argc) {
        fprintf(stderr, "usage: forbid CALL=ERROR... -- PROGRAM ARGUMENTS\n");
        return 2;
    }
    add(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
    struct sock_fprog program = { n_filter, filter };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("forbid: prctl");
        return 77;
    }
    if (syscall(call, 0, 0, 0, 0, 0, 0) >= 0) {
        fprintf(stderr, "forbid: the filter has no effect\n");
        return 2;
    }
    execvp(argv[i + 1], argv + i + 1);
    perror(argv[i + 1]);
    return 127;
}
