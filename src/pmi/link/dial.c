/* PMI_PORT=host:port: connect to the launcher by TCP. Names are looked up only if there is no way
 * without. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link.h"
#include "mpi.h"
#include "mpir_err.h"
#include "mpl.h"

typedef struct Target {
    char host[256];
    char port[8];
} Target;

static int parse_target(Target *target)
{
    const char *text = getenv("PMI_PORT"), *colon = strrchr(text, ':');
    char quoted[80];
    long long port;

    if (!colon || colon == text || (size_t) (colon - text) >= sizeof(target->host) ||
        !MPL_parse_int(colon + 1, 1, 65535, &port))
        return MPIR_Err("**pmi_env", "PMI_PORT", MPIR_Pmi_quote(text, quoted, sizeof(quoted)),
                        "host:port of the launcher");
    memcpy(target->host, text, (size_t) (colon - text));
    target->host[colon - text] = '\0';
    snprintf(target->port, sizeof(target->port), "%lld", port);
    return MPI_SUCCESS;
}

/* Wait for a connect that was begun; 0 or an errno. */
static int finish_connect(int fd, uint64_t deadline)
{
    int err = 0;
    socklen_t size = sizeof(err);

    for (;;) {
        uint64_t now = MPL_now_ns();
        if (now >= deadline)
            return ETIMEDOUT;
        struct pollfd p = { .fd = fd, .events = POLLOUT };
        int n = poll(&p, 1, (int) ((deadline - now) / 1000000u + 1));
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return errno;
        if (n > 0)
            break;
    }
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size) == 0 ? err : errno;
}

/* A connected socket or -errno. This one is ours, so its flags are ours to set. */
static int connect_one(const struct addrinfo *ai, uint64_t deadline)
{
    int fd = socket(ai->ai_family, ai->ai_socktype, ai->ai_protocol);

    if (fd < 0)
        return -errno;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    int err = connect(fd, ai->ai_addr, ai->ai_addrlen) == 0 ? 0 : errno;
    if (err == EINPROGRESS || err == EINTR)
        err = finish_connect(fd, deadline);
    if (err == 0)
        return fd;
    close(fd);
    return -err;
}

/* Try all addresses of a host; a descriptor or -errno. `flags` AI_NUMERICHOST keeps the resolver
 * out of it. */
static int connect_host(const char *host, const char *port, int flags, uint64_t deadline)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV },
                    *list;
    int fd = -EHOSTUNREACH;

    if (getaddrinfo(host, port, &hints, &list) != 0)
        return -EHOSTUNREACH;
    for (const struct addrinfo *ai = list; ai && fd < 0; ai = ai->ai_next)
        fd = connect_one(ai, deadline);
    freeaddrinfo(list);
    return fd;
}

static bool is_this_host(const char *host)
{
    char name[256] = "";

    gethostname(name, sizeof(name) - 1);
    return strcmp(host, "localhost") == 0 || strcmp(host, name) == 0;
}

int MPIR_Pmi_link_dial(MPIR_Pmi_link *link)
{
    uint64_t deadline = MPIR_Pmi_link_deadline();
    Target target;
    int err = parse_target(&target);

    if (err)
        return err;
    int fd = is_this_host(target.host)
                 ? connect_host("127.0.0.1", target.port, AI_NUMERICHOST, deadline)
                 : connect_host(target.host, target.port, AI_NUMERICHOST, deadline);
    if (fd < 0)
        fd = connect_host(target.host, target.port, 0, deadline);
    if (fd < 0)
        return MPIR_Err("**pmi_connect", target.host, target.port, strerror(-fd));
    link->fd = fd;
    return MPI_SUCCESS;
}
