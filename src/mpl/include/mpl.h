/* Perennial MPI, the portability layer: what the operating system gives, each behind one small function.
 *
 * Owns nothing but thin wrappers; called by every layer and by mpiexec; calls only the C library.
 * Linux is served first (futex, memfd, CMA, membarrier, /proc). With `configure --enable-portable`
 * (MPL_PORTABLE defined) the POSIX counterparts are compiled instead.
 */
#ifndef MPL_H_INCLUDED
#define MPL_H_INCLUDED

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define MPL_CACHE_LINE 64

#define MPL_LIKELY(x) __builtin_expect(!!(x), 1)
#define MPL_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define MPL_ALIGNED(n) __attribute__((aligned(n)))
#define MPL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define MPL_MIN(a, b) ((a) < (b) ? (a) : (b))
#define MPL_MAX(a, b) ((a) > (b) ? (a) : (b))
#define MPL_ROUND_UP(n, to) (((n) + (to) - 1) / (to) * (to))
#define MPL_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MPL_CONTAINER_OF(ptr, type, member) ((type *) ((char *) (ptr) - offsetof(type, member)))

/* ---- time ------------------------------------------------------------------------------------ */

/* Nanoseconds of the monotonic clock. */
uint64_t MPL_now_ns(void);

/* Tell the core that this is a spin loop. */
static inline void MPL_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#endif
}

/* This core will soon write the line at p: fetch it, and for writing. gcc's own means just fetches on x86-64 unless told
 * of the processor. */
static inline void MPL_prefetch_write(const void *p)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *) p));
#else
    __builtin_prefetch(p, 1);
#endif
}

/* ---- sleeping and waking across processes ---------------------------------------------------- */

/* Sleep while *word == expected, for at most timeout_ns (< 0: no limit); may return early.
 * `word` lies in memory shared between processes. */
void MPL_sleep_on(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns);

/* Wake up to n sleepers on `word`. */
void MPL_wake(_Atomic uint32_t *word, int n);

/* ---- asymmetric fence ------------------------------------------------------------------------
 * A sleeper and a waker need a store-load fence on both sides. The sleeper can pay for both:
 * MPL_fence_heavy() makes every registered process pass a fence, MPL_fence_light() then costs nothing.
 */

/* Register this process; true if heavy fences work here. Idempotent; repeat in a forked child. */
bool MPL_fence_register(void);

/* Full fence here and in each registered process. Only after MPL_fence_register() said true. */
void MPL_fence_heavy(void);

/* Compiler fence; pairs with MPL_fence_heavy() of another process. */
static inline void MPL_fence_light(void) { atomic_signal_fence(memory_order_seq_cst); }

/* ---- memory shared between processes --------------------------------------------------------- */

/* A descriptor of fresh, nameless, close-on-exec shared memory of size bytes, zero-filled and sparse.
 * `label` is for people (/proc). Returns the descriptor or -errno. */
int MPL_shm_create(const char *label, size_t size);

/* Make sure that the bytes of fd from offset on exist, so that touching them cannot raise SIGBUS.
 * 0 or -errno (-ENOSPC: no room). */
int MPL_shm_reserve(int fd, off_t offset, size_t size);

/* A table of zeros of which perhaps only a few places are used: a page costs memory when it is written
 * first, and only itself. NULL: no memory. */
void *MPL_sparse_alloc(size_t size);
void MPL_sparse_free(void *table, size_t size);

/* The directory in which named segments live ("/dev/shm", or "/tmp" where that is not there). */
const char *MPL_shm_dir(void);

/* Open what descriptor `fd` of process `pid` refers to; the new descriptor (close-on-exec) or -errno. */
int MPL_open_fd_of(pid_t pid, int fd);

/* memcpy() for payloads: as fast where memcpy() is at its worst (see copy.c). Must not overlap. */
void MPL_copy(void *dst, const void *src, size_t n);

/* The same where another core has just read what lies at the destination, and nobody needs it. It is
 * fastest where both addresses are the same modulo a cache line. */
void MPL_copy_over(void *dst, const void *src, size_t n);
#define MPL_COPY_OVER_LEAST 4096u /* bytes from which on it differs from MPL_copy() */

/* The same for a handful of bytes, where a call of memcpy() costs more than the copy. */
static inline void MPL_copy_short(void *dst, const void *src, size_t n)
{
    unsigned char *to = (unsigned char *) dst;
    const unsigned char *from = (const unsigned char *) src;
    if (n == 8) {
        __builtin_memcpy(to, from, 8);
    } else if (n > 8) {
        /* Words from the front, the last one from the end; they may overlap. */
        for (size_t i = 0; i + 8 < n; i += 8)
            __builtin_memcpy(to + i, from + i, 8);
        __builtin_memcpy(to + n - 8, from + n - 8, 8);
    } else if (n >= 4) {
        __builtin_memcpy(to, from, 4);
        __builtin_memcpy(to + n - 4, from + n - 4, 4);
    } else {
        for (size_t i = 0; i < n; i++)
            to[i] = from[i];
    }
}

/* ---- another process's memory ---------------------------------------------------------------- */

/* Read from / write to the memory of process `pid`; moves local->iov_len bytes in full.
 * 0 or -errno (-ENOSYS, -EPERM: not to be had here). */
int MPL_cma_read(pid_t pid, void *local, uint64_t remote, size_t size);
int MPL_cma_write(pid_t pid, const void *local, uint64_t remote, size_t size);

/* ---- processes and cores --------------------------------------------------------------------- */

/* Does process `pid` exist (and is no zombie)? */
bool MPL_pid_alive(pid_t pid);

/* A number that tells two processes with the same pid apart (its start time), 0 if unknown. */
uint64_t MPL_pid_birth(pid_t pid);

/* The parent of process `pid`, 0 if unknown. */
pid_t MPL_pid_parent(pid_t pid);

/* Who made this connected socket or pair of sockets, 0 if unknown. */
pid_t MPL_socket_maker(int fd);

/* Cores that this job may use here at once: affinity masks of this process and of what launched it (which may have
 * bound each rank to a core of its own), and cgroup quota; at least 1. */
int MPL_cores_available(void);

/* Before _exit(): write out what stdio has buffered. Takes a second at most, whoever holds a stream's lock. */
void MPL_flush_stdio(void);

/* ---- strings --------------------------------------------------------------------------------- */

/* Copy with truncation; always terminates; true if all fitted. size > 0. */
bool MPL_strcpy(char *dst, size_t size, const char *src);

/* Parse the whole of `text` as a decimal integer in [low, high]; false on anything else. */
bool MPL_parse_int(const char *text, long long low, long long high, long long *value);

/* Edit distance, for "did you mean". */
int MPL_edit_distance(const char *a, const char *b);

/* FNV-1a over bytes, continued from `seed` (start with MPL_HASH_SEED). */
#define MPL_HASH_SEED UINT64_C(0xcbf29ce484222325)
uint64_t MPL_hash(const void *data, size_t size, uint64_t seed);

/* A random 64-bit number, never 0. */
uint64_t MPL_random(void);

/* For qsort() and bsearch() over ints, ascending. */
static inline int MPL_compare_ints(const void *a, const void *b)
{
    int x = *(const int *) a, y = *(const int *) b;
    return (x > y) - (x < y);
}

#endif /* MPL_H_INCLUDED */
