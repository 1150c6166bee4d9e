/* Notes the time in BENCH_START and becomes another program, which can then tell how long ago it
 * was started. No MPI. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct timespec t;
    char text[64];

    if (argc < 2) {
        fprintf(stderr, "usage: starter PROGRAM [ARGUMENT ...]\n");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &t);
    snprintf(text, sizeof(text), "%.9f", (double) t.tv_sec + 1e-9 * (double) t.tv_nsec);
    setenv("BENCH_START", text, 1);
    execv(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
