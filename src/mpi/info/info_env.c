/* What MPI_INFO_ENV and MPI_Info_create_env tell about how this process was started. */
#include "mpi.h"
#include "mpir_errhandler.h"
#include "mpir_info.h"
#include "mpir_process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

typedef struct Command {
    char path[MPI_MAX_INFO_VAL];
    char args[MPI_MAX_INFO_VAL]; /* separated by blanks */
} Command;

/* Add an argument unless it no longer fits; then "..." says that something is missing. False from then on. */
static bool add_argument(Command *c, const char *arg)
{
    static const char more[] = " ...";
    size_t used = strlen(c->args);
    size_t room = sizeof(c->args) - sizeof(more) - used;

    if (strlen(arg) + 1 > room) {
        strcpy(c->args + used, used ? more : more + 1);
        return false;
    }
    sprintf(c->args + used, "%s%s", used ? " " : "", arg);
    return true;
}

static void command_of_argv(Command *c, int argc, char *const *argv)
{
    MPL_strcpy(c->path, sizeof(c->path), argv[0]);
    for (int i = 1; i < argc && argv[i]; i++) {
        if (!add_argument(c, argv[i]))
            break;
    }
}

/* Linux remembers argv: strings one behind the other, each with its zero. */
static void command_of_proc(Command *c)
{
    char text[4096];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    ssize_t n = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (n <= 0)
        return;
    text[n] = '\0';
    MPL_strcpy(c->path, sizeof(c->path), text);
    for (const char *p = text + strlen(text) + 1; p < text + n; p += strlen(p) + 1) {
        if (!add_argument(c, p))
            break;
    }
}

static int put_command(MPIR_Info *info, int argc, char *const *argv)
{
    Command c = { "", "" };

    if (argc > 0 && argv && argv[0])
        command_of_argv(&c, argc, argv);
    else
        command_of_proc(&c);
    if (!c.path[0])
        return MPI_SUCCESS;
    int rc = MPIR_Info_put(info, "command", c.path);
    if (rc == MPI_SUCCESS && c.args[0])
        rc = MPIR_Info_put(info, "argv", c.args);
    return rc;
}

static int put_place(MPIR_Info *info)
{
    char text[MPI_MAX_INFO_VAL] = "";
    struct utsname uts;
    int rc = MPI_SUCCESS;

    if (gethostname(text, sizeof(text) - 1) == 0 && text[0])
        rc = MPIR_Info_put(info, "host", text);
    if (rc == MPI_SUCCESS && uname(&uts) == 0)
        rc = MPIR_Info_put(info, "arch", uts.machine);
    if (rc == MPI_SUCCESS && getcwd(text, sizeof(text)))
        rc = MPIR_Info_put(info, "wdir", text);
    return rc;
}

/* Under which terms it was started; the thread level is that of MPI_Init_thread, since no launcher asks for one. */
static int put_terms(MPIR_Info *info)
{
    char text[16];
    const char *level = MPIR_World_level_name();
    int rc = MPI_SUCCESS;

    if (atomic_load(&MPIR_Process.state) != MPIR_STATE_COLD) {
        snprintf(text, sizeof(text), "%d", MPIR_Process.size);
        rc = MPIR_Info_put(info, "maxprocs", text); /* the launcher is known, so the size is, too */
    }
    if (rc == MPI_SUCCESS && level)
        rc = MPIR_Info_put(info, "thread_level", level);
    if (rc == MPI_SUCCESS)
        rc = MPIR_Info_put(info, "mpi_initial_errhandler", MPIR_Errhandler_initial_name());
    return rc;
}

int MPIR_Info_fill_env(MPIR_Info *info, int argc, char *const *argv)
{
    int rc = put_command(info, argc, argv);

    if (rc == MPI_SUCCESS)
        rc = put_terms(info);
    if (rc == MPI_SUCCESS)
        rc = put_place(info);
    if (rc == MPI_SUCCESS)
        rc = MPIR_Info_put(info, "mpi_memory_alloc_kinds", "mpi,system");
    return rc;
}
