/* The whole life of a program, seen from outside: milliseconds from fork to its end, and the most
 * memory it had, in MB.
 *
 *     life PROGRAM [ARGUMENT ...]
 *
 * Runs it many times and shows medians. Small itself, since Linux counts what the parent had at the
 * fork as memory of the child. No MPI.
 */
#include "bare.h"

#include <fcntl.h>
#include <sys/resource.h>

#define RUNS 11

static void child(char **argv)
{
    int null = open("/dev/null", O_WRONLY);

    dup2(null, 1);
    execv(argv[0], argv);
    perror(argv[0]);
    _exit(127);
}

static void live(char **argv, double *ms, double *mb)
{
    struct rusage usage;
    int status = 0;
    double start = bare_now();
    pid_t pid = fork();

    if (pid == 0)
        child(argv);
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
        bare_die("fork");
    *ms = (bare_now() - start) * 1e3;
    *mb = (double) usage.ru_maxrss * 1024 / 1e6;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "%s ended with wait status 0x%x\n", argv[0], (unsigned) status);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    double ms[RUNS], mb[RUNS], start = bare_now();
    int n = 0;

    if (argc < 2) {
        fprintf(stderr, "usage: life PROGRAM [ARGUMENT ...]\n");
        return 2;
    }
    while (n < 3 || (n < RUNS && bare_now() - start < 5 * bare_budget())) {
        live(argv + 1, &ms[n], &mb[n]);
        n++;
    }
    bare_print("life", 0, bare_typical(ms, n));
    bare_print("memory", 0, bare_typical(mb, n));
    return 0;
}
