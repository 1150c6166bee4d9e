/* memcpy in one pinned process, by size: microseconds for a copy (`latency`), or GB/s (`bandwidth`,
 * `pack`). No MPI. */
#include "bare.h"

#define LARGEST (4 << 20)

static char *from, *to;
static size_t size;

static double copy(long n)
{
    double start = bare_now();

    for (long i = 0; i < n; i++) {
        memcpy(to, from, size);
        __asm__ volatile("" ::: "memory"); /* or the compiler copies only once */
    }
    return bare_now() - start;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "latency";
    int packing = strcmp(what, "pack") == 0;

    bare_pin(0);
    from = bare_share(LARGEST);
    to = bare_share(LARGEST);
    for (size = packing ? 1024 : 64; size <= LARGEST; size *= packing ? 32 : 2) {
        double t = bare_time(copy), rate = (double) size / t / 1e9;
        if (packing) {
            bare_print("pack_contiguous", (double) size, rate);
            bare_print("unpack_contiguous", (double) size, rate);
        } else {
            bare_print(what, (double) size, strcmp(what, "latency") == 0 ? t * 1e6 : rate);
        }
    }
    return 0;
}
