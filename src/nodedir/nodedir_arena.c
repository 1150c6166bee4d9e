/* The memory behind the directory: making it large enough, and finding it when it lies in
 * another process. */
#include "mpichconf.h"

#include "nodedir_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define ARENA_LABEL "perennial-arena"

int MPIR_Nodedir_size_allowed(off_t end)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        (rlim_t) end > limit.rlim_cur)
        return -EFBIG;
    return 0;
}

int MPIR_Nodedir_nameless(const char *label, size_t size)
{
    int err = MPIR_Nodedir_size_allowed((off_t) size);
    return err != 0 ? err : MPL_shm_create(label, size);
}

bool MPIR_Nodedir_is_unlimited(int fd)
{
#ifdef MPL_PORTABLE
    (void) fd;
    return false;
#else
    /* The kernel's own tmpfs, in which memfds live, says that it has no blocks; so does one
     * mounted without a limit. */
    struct statvfs fs;
    return fstatvfs(fd, &fs) == 0 && fs.f_blocks == 0;
#endif
}

/* The nonce behind the arena serves two ends: it tells the right memory from any other that a
 * descriptor number of a process may mean, and writing it makes the file large enough without
 * ever shrinking it, which ftruncate could do when two processes grow the file at once. */
int MPIR_Nodedir_grow(int fd, off_t offset, size_t size, uint64_t job)
{
    off_t end = offset + (off_t) size;
    int err = MPIR_Nodedir_size_allowed(end + (off_t) sizeof(job));
    if (err != 0)
        return err;
    ssize_t n = pwrite(fd, &job, sizeof(job), end);
    if (n != (ssize_t) sizeof(job))
        return n < 0 ? -errno : -ENOSPC;
    return 0;
}

static bool is_arena(int fd, size_t size, uint64_t job)
{
    uint64_t nonce = 0;
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
           st.st_size >= (off_t) (size + sizeof(nonce)) &&
           pread(fd, &nonce, sizeof(nonce), (off_t) size) == (ssize_t) sizeof(nonce) &&
           nonce == job;
}

/* Descriptor `fd` of process `pid`, if it is the arena; else a -errno. */
static int open_arena_of(pid_t pid, int fd, size_t size, uint64_t job)
{
    int here = MPL_open_fd_of(pid, fd);
    if (here >= 0 && !is_arena(here, size, job)) {
        close(here);
        return -ENOENT;
    }
    return here;
}

/* Does descriptor `fd` of process `pid` look like an arena? Spares opening each file that the
 * process has open. */
static bool looks_like_arena(pid_t pid, const char *fd)
{
    char path[64], target[sizeof("/memfd:" ARENA_LABEL)];
    snprintf(path, sizeof(path), "/proc/%d/fd/%.10s", (int) pid, fd);
    ssize_t n = readlink(path, target, sizeof(target) - 1);
    return n == (ssize_t) sizeof(target) - 1 &&
           memcmp(target, "/memfd:" ARENA_LABEL, (size_t) n) == 0;
}

static int search_process(pid_t pid, size_t size, uint64_t job)
{
    char path[32];
    struct dirent *item;
    int found = -ENOENT;
    snprintf(path, sizeof(path), "/proc/%d/fd", (int) pid);
    DIR *fds = opendir(path);
    if (!fds)
        return -errno;
    while (found < 0 && (item = readdir(fds)) != NULL)
        if (looks_like_arena(pid, item->d_name))
            found = open_arena_of(pid, atoi(item->d_name), size, job);
    closedir(fds);
    return found;
}

/* The process that made the arena has gone; whoever else is attached holds it, too. */
static int search_others(const MPIR_Nodedir *dir, size_t size)
{
    int found = -ENOENT;
    for (int i = 0; found < 0 && i < (int) dir->n_local; i++) {
        pid_t pid = atomic_load_explicit(&dir->entry[i].pid, memory_order_relaxed);
        if (pid > 0 && !MPIR_Nodedir_is_gone(dir, i))
            found = search_process(pid, size, dir->job);
    }
    return found;
}

static int find_elsewhere(const MPIR_Nodedir_want *want, MPIR_Nodedir_ref *ref, const char **why)
{
    MPIR_Nodedir *dir = ref->dir;
    pid_t pid = atomic_load_explicit(&dir->arena_pid, memory_order_acquire);
    int fd = atomic_load_explicit(&dir->arena_fd, memory_order_relaxed);
    int here = open_arena_of(pid, fd, want->arena_size, dir->job);
    if (here == -EMFILE || here == -ENFILE)
        return MPIR_Nodedir_fail(here, why, "cannot open the job's shared memory: %s",
                                 strerror(-here));
    if (here < 0) {
        int first = here;
        here = search_others(dir, want->arena_size);
        if (here < 0)
            return MPIR_Nodedir_fail(
                here, why,
                "the job's shared memory, descriptor %d of process %d according to %s, "
                "cannot be opened (%s), and no other process of the job offers it",
                fd, (int) pid, ref->path, strerror(-first));
        /* The next one need not search. A mix of two updates is no harm: the nonce tells. */
        atomic_store_explicit(&dir->arena_fd, here, memory_order_relaxed);
        atomic_store_explicit(&dir->arena_pid, (int32_t) getpid(), memory_order_release);
    }
    ref->arena_fd = here;
    ref->arena_offset = 0;
    ref->sparse_ok = MPIR_Nodedir_is_unlimited(here);
    return 0;
}

int MPIR_Nodedir_arena_find(const MPIR_Nodedir_want *want, MPIR_Nodedir_ref *ref, const char **why)
{
    if (ref->arena_fd >= 0 && ref->arena_fd != ref->fd)
        return 0; /* made by this process a moment ago */
    if (atomic_load_explicit(&ref->dir->arena_pid, memory_order_acquire) != 0)
        return find_elsewhere(want, ref, why);

    ref->arena_fd = ref->fd;
    ref->arena_offset = (off_t) MPIR_Nodedir_size(want->n_local);
    ref->sparse_ok = MPIR_Nodedir_is_unlimited(ref->fd);
    int err = MPIR_Nodedir_grow(ref->fd, ref->arena_offset, want->arena_size, ref->dir->job);
    if (err != 0)
        return MPIR_Nodedir_fail(
            err, why, "cannot grow the job's shared memory%s%s to %lld bytes: %s",
            ref->path[0] ? " " : "", ref->path,
            (long long) (ref->arena_offset + (off_t) want->arena_size), strerror(-err));
    return 0;
}

/* For the maker of a named file with too little room. Descriptor or -errno. */
int MPIR_Nodedir_arena_make(size_t size, uint64_t job)
{
    int fd = MPIR_Nodedir_nameless(ARENA_LABEL, size + sizeof(job));
    if (fd < 0)
        return fd;
    int err = MPIR_Nodedir_grow(fd, 0, size, job);
    if (err != 0) {
        close(fd);
        return err;
    }
    return fd;
}
