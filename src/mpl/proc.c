/* Other processes: are they there, and are they who we think. */
#include "mpl.h"
#include "mpl_os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#if MPL_LINUX

/* What follows the program's name in /proc/PID/stat ("S 1 2 ..."), or NULL. The name is in parentheses and may
 * hold anything, so the last ')' counts. */
static const char *read_stat(pid_t pid, char *text, size_t size)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%ld/stat", (long) pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    ssize_t n = read(fd, text, size - 1);
    close(fd);
    if (n <= 0)
        return NULL;
    text[n] = '\0';
    char *end = strrchr(text, ')');
    return end && end[1] == ' ' ? end + 2 : NULL;
}

static bool is_zombie(pid_t pid)
{
    char text[1024];
    const char *stat = read_stat(pid, text, sizeof(text));

    return stat && (*stat == 'Z' || *stat == 'X');
}

uint64_t MPL_pid_birth(pid_t pid)
{
    char text[1024];
    const char *field = read_stat(pid, text, sizeof(text)); /* field 3, the state */

    for (int i = 3; field && i < 22; i++) {
        field = strchr(field, ' ');
        if (field)
            field++;
    }
    return field ? strtoull(field, NULL, 10) : 0;
}

pid_t MPL_pid_parent(pid_t pid)
{
    char text[1024];
    const char *stat = read_stat(pid, text, sizeof(text));

    return stat && stat[0] && stat[1] == ' ' ? (pid_t) atoi(stat + 2) : 0;
}

pid_t MPL_socket_maker(int fd)
{
    struct ucred maker;
    socklen_t size = sizeof(maker);

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &maker, &size) == 0 ? maker.pid : 0;
}

#else

static bool is_zombie(pid_t pid)
{
    (void) pid;
    return false;
}

uint64_t MPL_pid_birth(pid_t pid)
{
    (void) pid;
    return 0;
}

pid_t MPL_pid_parent(pid_t pid)
{
    (void) pid;
    return 0;
}

pid_t MPL_socket_maker(int fd)
{
    (void) fd;
    return 0;
}

#endif

bool MPL_pid_alive(pid_t pid)
{
    if (pid <= 0)
        return false;
    int saved = errno;
    bool exists = kill(pid, 0) == 0 || errno == EPERM;
    errno = saved;
    return exists && !is_zombie(pid);
}
