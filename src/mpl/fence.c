/* The asymmetric fence: membarrier(2), which only Linux has. */
#include "mpl.h"
#include "mpl_os.h"

#if MPL_LINUX && defined(HAVE_LINUX_MEMBARRIER_H)

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static long membarrier(int command)
{
    return syscall(SYS_membarrier, command, 0, 0);
}

/* Lives with the process. */
static struct {
    pid_t tried; /* by whom: a forked child has to register anew */
    bool works;
} registered;

static bool try_to_register(void)
{
    long known = membarrier(MEMBARRIER_CMD_QUERY);

    if (known < 0 || !(known & MEMBARRIER_CMD_GLOBAL_EXPEDITED))
        return false;
    /* Try the heavy one, too: a seccomp filter may let one command pass and not the other. */
    return membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0 &&
           membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) == 0;
}

bool MPL_fence_register(void)
{
    pid_t me = getpid();

    if (registered.tried != me)
        registered.works = try_to_register();
    registered.tried = me;
    return registered.works;
}

void MPL_fence_heavy(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    /* Refused only if a filter came up after registration. Then the best left is to let the others run; a
     * sleeper that missed a wake-up for that reason is saved by the limit of its sleep. */
    if (membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0)
        sched_yield();
    atomic_thread_fence(memory_order_seq_cst);
}

#else

bool MPL_fence_register(void)
{
    return false;
}

void MPL_fence_heavy(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

#endif
