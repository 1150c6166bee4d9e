/* The node directory: create, attach, detach, and what an entry says about its process. */
#include "nodedir_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lives with the process. */
static struct {
    char why[320]; /* what *why of the last failed call points to */
} nodedir;

int MPIR_Nodedir_fail(int err, const char **why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(nodedir.why, sizeof(nodedir.why), format, args);
    va_end(args);
    *why = nodedir.why;
    return err;
}

size_t MPIR_Nodedir_used(int n_local)
{
    return sizeof(MPIR_Nodedir) + (size_t) n_local * sizeof(MPIR_Nodedir_entry);
}

size_t MPIR_Nodedir_size(int n_local)
{
    return MPL_ROUND_UP(MPIR_Nodedir_used(n_local), (size_t) NODEDIR_GRAIN);
}

int MPIR_Nodedir_map(MPIR_Nodedir_ref *ref, int n_local)
{
    void *dir =
        mmap(NULL, MPIR_Nodedir_size(n_local), PROT_READ | PROT_WRITE, MAP_SHARED, ref->fd, 0);
    if (dir == MAP_FAILED)
        return -errno;
    ref->dir = dir;
    return 0;
}

void MPIR_Nodedir_fill(MPIR_Nodedir *dir, int n_local, uint64_t job)
{
    dir->magic = MPIR_NODEDIR_MAGIC;
    dir->layout = MPIR_NODEDIR_LAYOUT;
    dir->n_local = (uint32_t) n_local;
    dir->job = job;
}

/* ---- making one ------------------------------------------------------------------------------ */

/* Nameless memory of `size` bytes with a filled-in directory at its start. 0 or -errno. */
static int create_nameless(int n_local, size_t size, uint64_t job, MPIR_Nodedir_ref *ref)
{
    int err;
    ref->fd = MPIR_Nodedir_nameless("perennial-nodedir", size);
    if (ref->fd < 0)
        return ref->fd;
    ref->sparse_ok = MPIR_Nodedir_is_unlimited(ref->fd);
    err = ref->sparse_ok ? 0 : MPL_shm_reserve(ref->fd, 0, MPIR_Nodedir_used(n_local));
    if (err == 0)
        err = MPIR_Nodedir_map(ref, n_local);
    if (err != 0)
        goto err_close;
    MPIR_Nodedir_fill(ref->dir, n_local, job);
    ref->arena_fd = ref->fd;
    ref->arena_offset = (off_t) MPIR_Nodedir_size(n_local);
    return 0;

err_close:
    close(ref->fd);
    ref->fd = -1;
    return err;
}

static void ref_clear(MPIR_Nodedir_ref *ref)
{
    memset(ref, 0, sizeof(*ref));
    ref->fd = ref->arena_fd = -1;
    ref->local_rank = -1;
}

int MPIR_Nodedir_create(int n_local, uint64_t job, MPIR_Nodedir_ref *ref)
{
    ref_clear(ref);
    if (n_local < 1 || n_local > MPIR_NODEDIR_MAX_LOCAL || job == 0)
        return -EINVAL;
    return create_nameless(n_local, MPIR_Nodedir_size(n_local), job, ref);
}

/* ---- finding one ----------------------------------------------------------------------------- */

int MPIR_Nodedir_check(int fd, const char *name, int n_local, const char **why)
{
    MPIR_Nodedir head;
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return MPIR_Nodedir_fail(-EINVAL, why, "%s is no shared memory", name);
    if (st.st_size < (off_t) MPIR_Nodedir_size(n_local))
        return MPIR_Nodedir_fail(-EINVAL, why,
                                 "%s has %lld bytes; the node directory of %d processes needs %zu",
                                 name, (long long) st.st_size, n_local, MPIR_Nodedir_size(n_local));
    /* Read, not mapped: what cannot be read gives an error here and would be a SIGBUS there. */
    ssize_t got = pread(fd, &head, sizeof(head), 0);
    if (got != (ssize_t) sizeof(head))
        return MPIR_Nodedir_fail(got < 0 ? -errno : -EIO, why, "%s cannot be read: %s", name,
                                 got < 0 ? strerror(errno) : "too short");
    if (head.magic != MPIR_NODEDIR_MAGIC || head.job == 0)
        return MPIR_Nodedir_fail(
            -EINVAL, why, "%s is no node directory (starts with %#llx, expected %#llx)", name,
            (unsigned long long) head.magic, (unsigned long long) MPIR_NODEDIR_MAGIC);
    if (head.layout != MPIR_NODEDIR_LAYOUT)
        return MPIR_Nodedir_fail(-EINVAL, why,
                                 "%s is of layout %u, this library's is %u: the job mixes "
                                 "versions of the library",
                                 name, head.layout, MPIR_NODEDIR_LAYOUT);
    if (head.n_local != (uint32_t) n_local)
        return MPIR_Nodedir_fail(-EINVAL, why,
                                 "%s is for %u processes on this node, this process was told of %d",
                                 name, head.n_local, n_local);
    return 0;
}

/* The descriptor that mpiexec handed down. */
static int attach_inherited(const char *text, const MPIR_Nodedir_want *want, MPIR_Nodedir_ref *ref,
                            const char **why)
{
    char name[96];
    long long fd;
    if (!MPL_parse_int(text, 0, INT32_MAX, &fd))
        return MPIR_Nodedir_fail(-EINVAL, why, "%s=\"%.40s\" is not the number of a descriptor",
                                 MPIR_NODEDIR_ENV, text);
    if (fcntl((int) fd, F_GETFD) < 0)
        return MPIR_Nodedir_fail(-EBADF, why,
                                 "%s=%lld: descriptor %lld is not open (closed on the way from "
                                 "mpiexec to this process?)",
                                 MPIR_NODEDIR_ENV, fd, fd);
    snprintf(name, sizeof(name), "descriptor %lld (%s)", fd, MPIR_NODEDIR_ENV);
    int err = MPIR_Nodedir_check((int) fd, name, want->n_local, why);
    if (err != 0)
        return err;
    ref->fd = (int) fd;
    ref->inherited = true;
    err = MPIR_Nodedir_map(ref, want->n_local);
    if (err != 0)
        return MPIR_Nodedir_fail(err, why, "%s cannot be mapped: %s", name, strerror(-err));
    return 0;
}

static int attach_alone(const MPIR_Nodedir_want *want, MPIR_Nodedir_ref *ref, const char **why)
{
    int err = create_nameless(1, MPIR_Nodedir_size(1), MPL_random(), ref);
    if (err != 0)
        return MPIR_Nodedir_fail(err, why, "cannot make %zu bytes of shared memory: %s",
                                 MPIR_Nodedir_size(1) + want->arena_size, strerror(-err));
    return 0;
}

/* Take this process's entry. Each rank has one process in the life of a job: rings continue
 * where the last message left them, which a successor could not know. */
static int enter(const MPIR_Nodedir_want *want, MPIR_Nodedir_ref *ref, const char **why)
{
    MPIR_Nodedir_entry *entry = &ref->dir->entry[want->local_rank];
    int32_t none = 0;
    if (!atomic_compare_exchange_strong(&entry->pid, &none, (int32_t) getpid()))
        return MPIR_Nodedir_fail(
            -EBUSY, why, "local rank %d of this job was already taken by process %d, which %s",
            want->local_rank, (int) none,
            MPIR_Nodedir_is_gone(ref->dir, want->local_rank) ? "has left" : "is running");
    entry->pid_space = MPIR_Nodedir_pid_space();
    atomic_store_explicit(&entry->birth, MPL_pid_birth(getpid()), memory_order_release);
    ref->local_rank = want->local_rank;
    return 0;
}

static void close_all(MPIR_Nodedir_ref *ref)
{
    if (ref->dir)
        munmap(ref->dir, MPIR_Nodedir_size((int) ref->dir->n_local));
    if (ref->arena_fd >= 0 && ref->arena_fd != ref->fd)
        close(ref->arena_fd);
    if (ref->fd >= 0 && !ref->inherited)
        close(ref->fd);
    ref_clear(ref);
}

int MPIR_Nodedir_attach(const MPIR_Nodedir_want *want, MPIR_Nodedir_ref *ref, const char **why)
{
    const char *handed = getenv(MPIR_NODEDIR_ENV);
    int err;

    ref_clear(ref);
    *why = "";
    if (want->n_local < 1 || want->n_local > MPIR_NODEDIR_MAX_LOCAL || want->local_rank < 0 ||
        want->local_rank >= want->n_local)
        return MPIR_Nodedir_fail(-EINVAL, why,
                                 "local rank %d of %d is out of range (at most %d on a node)",
                                 want->local_rank, want->n_local, MPIR_NODEDIR_MAX_LOCAL);
    if (handed)
        err = attach_inherited(handed, want, ref, why);
    else if (want->n_local == 1)
        err = attach_alone(want, ref, why);
    else
        err = MPIR_Nodedir_named_open(want, ref, why);
    if (err == 0)
        err = MPIR_Nodedir_arena_find(want, ref, why);
    if (err == 0)
        err = enter(want, ref, why);
    if (err != 0)
        goto err_close;

    uint32_t before = atomic_fetch_add(&ref->dir->attached, 1);
    if (ref->path[0] != '\0' && before + 1 >= ref->dir->n_local)
        MPIR_Nodedir_named_unlink(ref);
    return 0;

err_close:
    if (ref->path[0] != '\0')
        MPIR_Nodedir_named_leave(ref);
    close_all(ref);
    return err;
}

/* ---- while attached -------------------------------------------------------------------------- */

void MPIR_Nodedir_detach(MPIR_Nodedir_ref *ref)
{
    if (!ref->dir)
        return;
    /* A forked child shares the entry and the lock with its parent, and may give up neither. */
    bool owner = ref->local_rank >= 0 && atomic_load_explicit(&ref->dir->entry[ref->local_rank].pid,
                                                              memory_order_relaxed) == getpid();
    if (owner)
        atomic_store_explicit(&ref->dir->entry[ref->local_rank].state, MPIR_PROC_GONE,
                              memory_order_release);
    if (owner && ref->path[0] != '\0')
        MPIR_Nodedir_named_leave(ref);
    close_all(ref);
}

void MPIR_Nodedir_set_wait(MPIR_Nodedir_ref *ref, const char *text)
{
    if (!ref->dir || ref->local_rank < 0)
        return;
    MPIR_Nodedir_entry *entry = &ref->dir->entry[ref->local_rank];
    if (text)
        MPL_strcpy(entry->text, sizeof(entry->text), text);
    atomic_store_explicit(&entry->waiting, text != NULL, memory_order_release);
}

uint32_t MPIR_Nodedir_pid_space(void)
{
    struct stat st;
    return stat("/proc/self/ns/pid", &st) == 0 ? (uint32_t) st.st_ino : 0;
}

bool MPIR_Nodedir_same_pid_space(const MPIR_Nodedir *dir, int local_rank, uint32_t mine)
{
    uint32_t theirs = dir->entry[local_rank].pid_space;
    return mine == theirs || mine == 0 || theirs == 0;
}

bool MPIR_Nodedir_is_gone(const MPIR_Nodedir *dir, int local_rank)
{
    const MPIR_Nodedir_entry *entry = &dir->entry[local_rank];
    if (atomic_load_explicit(&entry->state, memory_order_acquire) == MPIR_PROC_GONE)
        return true;
    pid_t pid = atomic_load_explicit(&entry->pid, memory_order_relaxed);
    if (pid <= 0 || !MPIR_Nodedir_same_pid_space(dir, local_rank, MPIR_Nodedir_pid_space()))
        return false;
    if (!MPL_pid_alive(pid))
        return true;
    uint64_t birth = atomic_load_explicit(&entry->birth, memory_order_acquire);
    if (birth == 0)
        return false;
    uint64_t now = MPL_pid_birth(pid);
    return now != 0 && now != birth;
}
