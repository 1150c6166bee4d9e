/* Copying a few KiB or more between memory that two cores share.
 *
 * Where the C library copies with `rep movsb` (glibc does so from 2 or 4 KiB on), some processors
 * become 15 to 20 times slower when the destination lies 1 to 63 bytes behind the source modulo
 * 4096 (AMD Zen 3: 4 KiB in 1.36 us, else 0.07). That is the usual case here: pieces in shared
 * memory begin at a page or near it, and malloc() gives large buffers at 16 modulo 4096. A plain
 * vector loop is as fast as the best case everywhere.
 */
#include "mpl.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif

#define STEP 128
/* Where the other core has read what lies at the destination, each line must be got back from it:
 * this far ahead, many at a time. The processor alone asks for a few. */
#define AHEAD 512
#define LEAST 1024 /* below, memcpy() has no such gap */

/* At least 2 * STEP bytes. The last step overlaps what was copied before it. */
__attribute__((target("avx2"))) static void copy_avx2(char *dst, const char *src, size_t n)
{
    const char *src_end = src + n;
    char *dst_end = dst + n;
    size_t skip = 32 - ((uintptr_t) dst & 31); /* stores that cross no line */

    _mm256_storeu_si256((__m256i *) (void *) dst,
                        _mm256_loadu_si256((const __m256i *) (const void *) src));
    for (dst += skip, src += skip; dst < dst_end - STEP; dst += STEP, src += STEP) {
        const __m256i *from = (const __m256i *) (const void *) src;
        __m256i *to = (__m256i *) (void *) dst;
        MPL_prefetch_write(dst + AHEAD);
        MPL_prefetch_write(dst + AHEAD + MPL_CACHE_LINE);
        __m256i a = _mm256_loadu_si256(from), b = _mm256_loadu_si256(from + 1);
        __m256i c = _mm256_loadu_si256(from + 2), d = _mm256_loadu_si256(from + 3);
        _mm256_store_si256(to, a);
        _mm256_store_si256(to + 1, b);
        _mm256_store_si256(to + 2, c);
        _mm256_store_si256(to + 3, d);
    }
    for (int i = -STEP; i < 0; i += 32)
        _mm256_storeu_si256((__m256i *) (void *) (dst_end + i),
                            _mm256_loadu_si256((const __m256i *) (const void *) (src_end + i)));
}

/* The C library knows it since the process began. The compiler's way asks the processor once more in each process, which
 * a virtual machine intercepts: 80 us at each start. */
static bool has_avx2(void)
{
#ifdef CPU_FEATURE_ACTIVE
    return CPU_FEATURE_ACTIVE(AVX2);
#else
    return __builtin_cpu_supports("avx2");
#endif
}

void MPL_copy(void *dst, const void *src, size_t n)
{
    if (n >= LEAST && has_avx2())
        copy_avx2(dst, src, n);
    else
        memcpy(dst, src, n);
}

/* The processor has a fast `rep movsb`, and the destination is not where that is slow (see above). */
static inline bool may_move_string(const void *dst, const void *src)
{
#ifdef CPU_FEATURE_ACTIVE
    size_t behind = ((uintptr_t) src - (uintptr_t) dst) & 4095;
    return (behind == 0 || behind >= MPL_CACHE_LINE) && CPU_FEATURE_ACTIVE(ERMS);
#else
    (void) dst;
    (void) src;
    return false;
#endif
}

/* Measured to be faster there. It seems that `rep movsb`, which writes whole lines, only has the other
 * core's copies invalidated, where vector stores fetch each line before they change it. */
void MPL_copy_over(void *dst, const void *src, size_t n)
{
    if (n >= MPL_COPY_OVER_LEAST && may_move_string(dst, src))
        __asm__ volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(n) : : "memory");
    else
        MPL_copy(dst, src, n);
}

#else

void MPL_copy_over(void *dst, const void *src, size_t n)
{
    memcpy(dst, src, n);
}

void MPL_copy(void *dst, const void *src, size_t n)
{
    memcpy(dst, src, n);
}

#endif
