/* Hashes and random numbers. */
#include "mpl.h"
#include "mpl_os.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#if MPL_LINUX && defined(HAVE_GETRANDOM)
#include <sys/random.h>
#endif

uint64_t MPL_hash(const void *data, size_t size, uint64_t seed)
{
    const unsigned char *p = data;

    for (size_t i = 0; i < size; i++)
        seed = (seed ^ p[i]) * UINT64_C(0x100000001b3);
    return seed;
}

static bool system_random(uint64_t *value)
{
#if MPL_LINUX && defined(HAVE_GETRANDOM)
    if (getrandom(value, sizeof(*value), GRND_NONBLOCK) == (ssize_t) sizeof(*value))
        return true;
#endif
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = read(fd, value, sizeof(*value)) == (ssize_t) sizeof(*value);
    close(fd);
    return ok;
}

uint64_t MPL_random(void)
{
    /* Lives with the process: two calls in one tick of the clock differ. */
    static _Atomic uint64_t calls;
    uint64_t value = 0;
    int saved = errno;

    do {
        if (!system_random(&value)) {
            uint64_t mix[3] = { MPL_now_ns(), (uint64_t) getpid(), atomic_fetch_add(&calls, 1) };
            value = MPL_hash(mix, sizeof(mix), MPL_HASH_SEED);
        }
    } while (value == 0);
    errno = saved;
    return value;
}
