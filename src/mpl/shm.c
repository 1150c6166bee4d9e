/* Memory from the system: what processes share, and tables of which little is used. */
#include "mpl.h"
#include "mpl_os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- tables ---------------------------------------------------------------------------------- */

/* A smaller table is what calloc() gives; with the address sanitizer each is, since what only a table of
 * another kind points to counts as lost there. */
#if defined(__SANITIZE_ADDRESS__)
#define SPARSE_MIN SIZE_MAX
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPARSE_MIN SIZE_MAX
#endif
#endif
#ifndef SPARSE_MIN
#define SPARSE_MIN ((size_t) 64 * 1024)
#endif

/* calloc() may reuse memory, all of which it writes then; and a system that backs large memory with
 * huge pages makes one place cost 2 MiB. */
void *MPL_sparse_alloc(size_t size)
{
    if (size < SPARSE_MIN)
        return calloc(1, size ? size : 1);
    void *table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED)
        return NULL;
#ifdef MADV_NOHUGEPAGE
    madvise(table, size, MADV_NOHUGEPAGE);
#endif
    return table;
}

void MPL_sparse_free(void *table, size_t size)
{
    if (!table)
        return;
    if (size < SPARSE_MIN)
        free(table);
    else
        munmap(table, size);
}

/* ---- shared memory --------------------------------------------------------------------------- */

const char *MPL_shm_dir(void)
{
    struct stat st;

    if (stat("/dev/shm", &st) == 0 && S_ISDIR(st.st_mode) && access("/dev/shm", W_OK | X_OK) == 0)
        return "/dev/shm";
    return "/tmp";
}

/* POSIX shared memory under a random name that is gone before anyone can find it. */
static int create_unlinked(void)
{
    for (int attempt = 0; attempt < 16; attempt++) {
        char name[32]; /* macOS allows 31 characters */
        snprintf(name, sizeof(name), "/prn-%016llx", (unsigned long long) MPL_random());
        int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd >= 0) {
            shm_unlink(name);
            fcntl(fd, F_SETFD, FD_CLOEXEC);
            return fd;
        }
        if (errno != EEXIST)
            return -errno;
    }
    return -EEXIST;
}

static int create_nameless(const char *label)
{
#if MPL_LINUX && defined(HAVE_MEMFD_CREATE)
    int fd = memfd_create(label, MFD_CLOEXEC);
    if (fd >= 0)
        return fd;
    if (errno != ENOSYS && errno != EPERM && errno != EACCES)
        return -errno;
#else
    (void) label;
#endif
    return create_unlinked();
}

int MPL_shm_create(const char *label, size_t size)
{
    int fd = create_nameless(label);

    if (fd < 0)
        return fd;
    while (ftruncate(fd, (off_t) size) != 0) {
        if (errno == EINTR)
            continue;
        int err = errno;
        close(fd);
        return -err;
    }
    return fd;
}

int MPL_shm_reserve(int fd, off_t offset, size_t size)
{
    if (size == 0)
        return 0;
#if MPL_LINUX
    while (fallocate(fd, 0, offset, (off_t) size) != 0) {
        if (errno == EINTR)
            continue;
        if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EPERM)
            return -errno;
        return -posix_fallocate(fd, offset, (off_t) size);
    }
    return 0;
#elif defined(__APPLE__)
    /* Objects of shm_open() there are swap-backed up to their size, and nothing else reserves. */
    struct stat st;
    if (fstat(fd, &st) != 0)
        return -errno;
    return st.st_size >= offset + (off_t) size ? 0 : -ENOSPC;
#else
    int rc;
    do
        rc = posix_fallocate(fd, offset, (off_t) size);
    while (rc == EINTR);
    return -rc;
#endif
}

#if MPL_LINUX

int MPL_open_fd_of(pid_t pid, int fd)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%ld/fd/%d", (long) pid, fd);
    int copy = open(path, O_RDWR | O_CLOEXEC);
    return copy >= 0 ? copy : -errno;
}

#else

int MPL_open_fd_of(pid_t pid, int fd)
{
    (void) pid;
    (void) fd;
    return -ENOSYS;
}

#endif
