/* Output that stdio still holds when the library ends the process. Arguments: how it ends, and what is in the way.
 * Run by last_output.py. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sem_t held;

static void *hold_stdout(void *arg)
{
    flockfile(stdout);
    sem_post(&held);
    sem_wait(arg); /* never posted */
    return NULL;
}

/* A handler of the user's is not to hear of what the library does in the end. */
static void on_child(int sig)
{
    static const char text[] = "a signal that is not the program's\n";
    if (sig && write(2, text, sizeof(text) - 1) < 0)
        _exit(99);
}

static void mind_signals(void)
{
    signal(SIGCHLD, on_child);
    signal(SIGALRM, SIG_IGN);
}

static void *hold_stdin(void *arg)
{
    char line[100];
    flockfile(stdin);
    sem_post(&held);
    return fgets(line, sizeof(line), stdin) ? arg : NULL; /* nothing comes */
}

static void put_in_the_way(const char *what)
{
    static sem_t never;
    pthread_t t;
    sem_init(&held, 0, 0);
    sem_init(&never, 0, 0);
    if (strcmp(what, "stdout") == 0)
        pthread_create(&t, NULL, hold_stdout, &never);
    else if (strcmp(what, "stdin") == 0)
        pthread_create(&t, NULL, hold_stdin, NULL);
    else
        return;
    sem_wait(&held);
}

static void end(const char *how)
{
    MPI_Session session;
    if (strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(how, "fatal") == 0)
        MPI_Send(NULL, 0, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    if (strcmp(how, "session") == 0) {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ABORT, &session);
        MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
    }
}

int main(int argc, char **argv)
{
    static char buffer[1 << 18], text[1 << 17];
    setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
    MPI_Init(&argc, &argv);
    FILE *file = fopen("last_output.txt", "w");
    fputs("in the file", file);
    fputs("on stdout\n", stdout);
    if (strcmp(argv[2], "pipe") == 0) { /* which nobody reads: more than there is room for */
        memset(text, 'x', sizeof(text) - 1);
        fputs(text, stdout);
    }
    mind_signals();
    put_in_the_way(argv[2]);
    end(argv[1]);
    return 0;
}
