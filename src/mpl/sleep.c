/* Sleeping on a word of shared memory and waking who sleeps there. */
#include "mpl.h"
#include "mpl_os.h"

#include <errno.h>
#include <time.h>

/* Without a futex: look again and again, less and less often. 1 ms is the longest nap, since that is how late
 * the sleeper may notice. */
static void poll_word(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns)
{
    const long longest = 1000000;
    long nap = 1000;
    uint64_t start = MPL_now_ns();

    while (atomic_load_explicit(word, memory_order_acquire) == expected) {
        if (timeout_ns >= 0) {
            int64_t left = timeout_ns - (int64_t) (MPL_now_ns() - start);
            if (left <= 0)
                return;
            nap = (long) MPL_MIN((int64_t) nap, left);
        }
        struct timespec t = { 0, nap };
        nanosleep(&t, NULL);
        nap = MPL_MIN(nap * 2, longest);
    }
}

#if MPL_LINUX

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void MPL_sleep_on(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns)
{
    struct timespec t = { (time_t) (timeout_ns / 1000000000), (long) (timeout_ns % 1000000000) };

    /* Not FUTEX_PRIVATE: the waker is another process. */
    long rc = syscall(SYS_futex, word, FUTEX_WAIT, expected, timeout_ns < 0 ? NULL : &t, NULL, 0);
    if (rc < 0 && (errno == ENOSYS || errno == EPERM || errno == EACCES))
        poll_word(word, expected, timeout_ns);
}

void MPL_wake(_Atomic uint32_t *word, int n)
{
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE, n, NULL, NULL, 0);
    errno = saved;
}

#else

void MPL_sleep_on(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns)
{
    poll_word(word, expected, timeout_ns);
}

void MPL_wake(_Atomic uint32_t *word, int n)
{
    /* The sleeper sees the changed word by itself. */
    (void) word;
    (void) n;
}

#endif
