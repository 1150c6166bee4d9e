/* The named file: how processes find each other when no launcher of ours handed a descriptor down.
 *
 * Made whole under a private name, locked (flock, shared), then linked into place, so that whoever
 * opens the final name sees a finished and locked file. Everybody attached holds a shared lock to
 * the end of its life, however that comes; a file that can be locked exclusively therefore belongs
 * to nobody: it is a dead job's, and is removed.
 */
#include "mpichconf.h"

#include "nodedir_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define NAME_PREFIX "perennial-%u-"

/* A lock is held exclusively for a few microseconds by who removes a stale file; it may be
 * preempted meanwhile. */
#define LOCK_TRIES 5000
#define LOCK_PAUSE_NS 1000000

enum { TRY_AGAIN = 1 };

static void pause_shortly(void)
{
    struct timespec t = { .tv_nsec = LOCK_PAUSE_NS };
    nanosleep(&t, NULL);
}

/* Does the name still mean the open file? */
static bool name_means(const char *path, int fd)
{
    struct stat by_name, by_fd;
    return lstat(path, &by_name) == 0 && fstat(fd, &by_fd) == 0 && by_name.st_dev == by_fd.st_dev &&
           by_name.st_ino == by_fd.st_ino;
}

void MPIR_Nodedir_named_unlink(MPIR_Nodedir_ref *ref)
{
    if (name_means(ref->path, ref->fd))
        unlink(ref->path);
}

void MPIR_Nodedir_named_leave(MPIR_Nodedir_ref *ref)
{
    /* The conversion may lose the lock when it fails, which is as good: this process is leaving. */
    if (flock(ref->fd, LOCK_EX | LOCK_NB) == 0 && !(ref->dir && MPIR_Nodedir_awaits(ref->dir)))
        MPIR_Nodedir_named_unlink(ref);
}

/* ---- sweeping -------------------------------------------------------------------------------- */

/* Remove the file if it is ours and nobody holds it. */
static void sweep_one(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0 && name_means(path, fd) && !MPIR_Nodedir_is_kept(fd))
        unlink(path);
    close(fd);
}

/* Remove what dead jobs of this user have left. Done by the maker of a new file only, so once a
 * job. */
static void sweep(void)
{
    char prefix[32], path[sizeof(((MPIR_Nodedir_ref *) 0)->path)];
    struct dirent *item;
    snprintf(prefix, sizeof(prefix), NAME_PREFIX, (unsigned) geteuid());
    DIR *dir = opendir(MPL_shm_dir());
    if (!dir)
        return;
    while ((item = readdir(dir)) != NULL) {
        int n = 0;
        if (strncmp(item->d_name, prefix, strlen(prefix)) == 0)
            n = snprintf(path, sizeof(path), "%s/%s", MPL_shm_dir(), item->d_name);
        if (n > 0 && n < (int) sizeof(path))
            sweep_one(path);
    }
    closedir(dir);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Has the file system room for everything, should every ring be used? */
static bool has_room(int fd, size_t size)
{
    struct statvfs fs;
    if (fstatvfs(fd, &fs) != 0)
        return false;
    return fs.f_blocks == 0 || fs.f_bavail >= size / fs.f_frsize + 1;
}

/* Fill the fresh file: directory, and a pointer to nameless memory if the rest has no room. 0 or
 * -errno. */
static int fill(const MPIR_Nodedir_want *want, MPIR_Nodedir_ref *ref)
{
    size_t size = MPIR_Nodedir_size(want->n_local);
    bool room = has_room(ref->fd, size + want->arena_size) &&
                MPIR_Nodedir_size_allowed((off_t) (size + want->arena_size + NODEDIR_GRAIN)) == 0;
    int err = MPIR_Nodedir_size_allowed((off_t) size);
    if (err == 0 && ftruncate(ref->fd, (off_t) size) != 0)
        err = -errno;
    if (err == 0)
        err = MPL_shm_reserve(ref->fd, 0, MPIR_Nodedir_used(want->n_local));
    if (err == 0)
        err = MPIR_Nodedir_map(ref, want->n_local);
    if (err != 0)
        return err;
    MPIR_Nodedir_fill(ref->dir, want->n_local, MPL_random());
    MPIR_Nodedir_launcher_note(ref->dir);
#ifndef MPL_PORTABLE
    int arena = room ? -1 : MPIR_Nodedir_arena_make(want->arena_size, ref->dir->job);
    if (arena >= 0) {
        ref->arena_fd = arena;
        ref->sparse_ok = MPIR_Nodedir_is_unlimited(arena);
        atomic_store_explicit(&ref->dir->arena_fd, arena, memory_order_relaxed);
        atomic_store_explicit(&ref->dir->arena_pid, (int32_t) getpid(), memory_order_release);
    }
#else
    (void) room; /* what is missing is told when a ring is first reserved */
#endif
    return 0;
}

static void undo(MPIR_Nodedir_ref *ref, int n_local)
{
    if (ref->dir)
        munmap(ref->dir, MPIR_Nodedir_size(n_local));
    if (ref->arena_fd >= 0)
        close(ref->arena_fd);
    close(ref->fd);
    ref->dir = NULL;
    ref->fd = ref->arena_fd = -1;
}

/* 0, -errno, or TRY_AGAIN when somebody else was faster. */
static int make(const MPIR_Nodedir_want *want, MPIR_Nodedir_ref *ref, const char **why)
{
    char private[sizeof(ref->path) + 40];
    snprintf(private, sizeof(private), "%s.%d.%08x", ref->path, (int) getpid(),
             (unsigned) MPL_random());
    sweep();
    ref->fd = open(private, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (ref->fd < 0)
        return MPIR_Nodedir_fail(-errno, why, "cannot create %s: %s", private, strerror(errno));

    int err = fchmod(ref->fd, 0600) == 0 ? 0 : -errno; /* whatever the umask is */
    if (err == 0)
        err = flock(ref->fd, LOCK_SH | LOCK_NB) == 0 ? fill(want, ref) : TRY_AGAIN;
    if (err == 0 && link(private, ref->path) != 0)
        /* ENOENT: a sweeper took the private file for a dead one's before it was locked. */
        err = errno == EEXIST || errno == ENOENT ? TRY_AGAIN : -errno;
    unlink(private);
    if (err == 0)
        return 0;
    undo(ref, want->n_local);
    if (err < 0)
        return MPIR_Nodedir_fail(err, why, "cannot make the node directory %s (%zu bytes): %s",
                                 ref->path, MPIR_Nodedir_used(want->n_local), strerror(-err));
    return TRY_AGAIN;
}

/* ---- joining --------------------------------------------------------------------------------- */

static int check_owner(const char *path, int fd, const char **why)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return MPIR_Nodedir_fail(-errno, why, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return MPIR_Nodedir_fail(-EINVAL, why, "%s is not a regular file", path);
    if (st.st_uid != geteuid())
        return MPIR_Nodedir_fail(-EPERM, why, "%s belongs to user %u, this process runs as user %u",
                                 path, (unsigned) st.st_uid, (unsigned) geteuid());
    if ((st.st_mode & 07777) != 0600)
        return MPIR_Nodedir_fail(-EPERM, why,
                                 "%s has mode %04o, expected 0600: others could have written to it",
                                 path, (unsigned) (st.st_mode & 07777));
    return 0;
}

/* Take the shared lock. TRY_AGAIN: the file was stale or is just being removed. One that is kept
 * may lose the exclusive lock to somebody else before it has the shared one: he keeps it, too. */
static int lock(const char *path, int fd, const char **why)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && !MPIR_Nodedir_is_kept(fd)) {
        if (name_means(path, fd))
            unlink(path);
        return TRY_AGAIN;
    }
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_SH | LOCK_NB) == 0)
            return name_means(path, fd) ? 0 : TRY_AGAIN;
        if (errno != EWOULDBLOCK && errno != EINTR)
            return MPIR_Nodedir_fail(-errno, why, "cannot lock %s: %s", path, strerror(errno));
        pause_shortly();
    }
    return MPIR_Nodedir_fail(-EBUSY, why, "%s is locked by another program", path);
}

static int join(const MPIR_Nodedir_want *want, MPIR_Nodedir_ref *ref, const char **why)
{
    int err = check_owner(ref->path, ref->fd, why);
    if (err == 0)
        err = lock(ref->path, ref->fd, why);
    if (err == 0)
        err = MPIR_Nodedir_check(ref->fd, ref->path, want->n_local, why);
    if (err == 0) {
        err = MPL_shm_reserve(ref->fd, 0, MPIR_Nodedir_used(want->n_local));
        if (err == 0)
            err = MPIR_Nodedir_map(ref, want->n_local);
        if (err != 0)
            MPIR_Nodedir_fail(err, why, "%s cannot be mapped: %s", ref->path, strerror(-err));
    }
    if (err != 0) {
        close(ref->fd);
        ref->fd = -1;
    }
    return err;
}

static int open_error(const char *path, int err, const char **why)
{
    if (err == ELOOP)
        return MPIR_Nodedir_fail(-err, why, "%s is a symbolic link, which this library never makes",
                                 path);
    return MPIR_Nodedir_fail(-err, why, "cannot open %s: %s", path, strerror(err));
}

int MPIR_Nodedir_named_open(const MPIR_Nodedir_want *want, MPIR_Nodedir_ref *ref, const char **why)
{
    snprintf(ref->path, sizeof(ref->path), "%.80s/" NAME_PREFIX "%016llx", MPL_shm_dir(),
             (unsigned) geteuid(),
             (unsigned long long) MPL_hash(want->job_name, strlen(want->job_name), MPL_HASH_SEED));
    int err = TRY_AGAIN;
    for (int i = 0; err == TRY_AGAIN && i < LOCK_TRIES; i++) {
        ref->fd = open(ref->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        if (ref->fd >= 0)
            err = join(want, ref, why);
        else if (errno == ENOENT)
            err = make(want, ref, why);
        else
            err = open_error(ref->path, errno, why);
    }
    if (err == TRY_AGAIN)
        err = MPIR_Nodedir_fail(-EBUSY, why, "%s vanished %d times while this process was joining",
                                ref->path, LOCK_TRIES);
    if (err != 0)
        ref->path[0] = '\0'; /* not ours to remove */
    return err;
}
