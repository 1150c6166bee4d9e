/* Reading and writing another process's memory (Linux: cross-memory attach). */
#include "mpl.h"
#include "mpl_os.h"

#include <errno.h>

#if MPL_LINUX && defined(HAVE_PROCESS_VM_READV)

typedef ssize_t (*Mover)(pid_t, const struct iovec *, unsigned long, const struct iovec *,
                         unsigned long, unsigned long);

/* The kernel moves at most 2 GiB a call and stops early at the first page that it cannot reach, so go on until
 * it says why. */
static int move(Mover mover, pid_t pid, char *local, uint64_t remote, size_t size)
{
    while (size > 0) {
        struct iovec here = { local, size };
        struct iovec there = { (void *) (uintptr_t) remote, size };
        ssize_t n = mover(pid, &here, 1, &there, 1, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EFAULT;
        local += n;
        remote += (uint64_t) n;
        size -= (size_t) n;
    }
    return 0;
}

int MPL_cma_read(pid_t pid, void *local, uint64_t remote, size_t size)
{
    return move(process_vm_readv, pid, local, remote, size);
}

int MPL_cma_write(pid_t pid, const void *local, uint64_t remote, size_t size)
{
    return move(process_vm_writev, pid, (char *) (uintptr_t) local, remote, size);
}

#else

int MPL_cma_read(pid_t pid, void *local, uint64_t remote, size_t size)
{
    (void) pid;
    (void) local;
    (void) remote;
    return size == 0 ? 0 : -ENOSYS;
}

int MPL_cma_write(pid_t pid, const void *local, uint64_t remote, size_t size)
{
    (void) pid;
    (void) local;
    (void) remote;
    return size == 0 ? 0 : -ENOSYS;
}

#endif
