/* Watching peers; see netmod_life.h. */
#include "netmod_life.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GRACE_NS UINT64_C(1000000000)

typedef union Address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} Address;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static socklen_t size_of(const Address *a)
{
    return a->any.sa_family == AF_INET ? sizeof(a->v4) : sizeof(a->v6);
}

/* ---- the own socket ---------------------------------------------------------------------------- */

/* The first IPv4 address of an interface that is up, loopback only if there is no other. */
static void first_of_host(Address *a)
{
    struct ifaddrs *list = NULL;
    a->v4 = (struct sockaddr_in) { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    if (getifaddrs(&list) != 0)
        return;
    for (struct ifaddrs *i = list; i; i = i->ifa_next) {
        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || !(i->ifa_flags & IFF_UP)
            || (i->ifa_flags & IFF_LOOPBACK))
            continue;
        memcpy(&a->v4, i->ifa_addr, sizeof(a->v4));
        break;
    }
    freeifaddrs(list);
}

static void to_card(const Address *a, Netmod_life_address *card)
{
    bool v4 = a->any.sa_family == AF_INET;
    memcpy(card->port, v4 ? &a->v4.sin_port : &a->v6.sin6_port, 2);
    memcpy(card->ip, v4 ? (const void *) &a->v4.sin_addr : &a->v6.sin6_addr, v4 ? 4 : 16);
    card->family = v4 ? 4 : 6;
}

static void from_card(const Netmod_life_address *card, Address *a)
{
    bool v4 = card->family == 4;
    memset(a, 0, sizeof(*a));
    a->any.sa_family = v4 ? AF_INET : AF_INET6;
    memcpy(v4 ? &a->v4.sin_port : &a->v6.sin6_port, card->port, 2);
    memcpy(v4 ? (void *) &a->v4.sin_addr : &a->v6.sin6_addr, card->ip, v4 ? 4 : 16);
}

static int listen_on(Address *a)
{
    socklen_t n = size_of(a);
    int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (bind(fd, &a->any, n) == 0 && listen(fd, SOMAXCONN) == 0 && getsockname(fd, &a->any, &n) == 0)
        return fd;
    int err = -errno;
    close(fd);
    return err;
}

int Netmod_life_listen(const struct sockaddr *near, Netmod_life_address *address)
{
    Address a = { .any = { 0 } };
    memset(address, 0, sizeof(*address));
    gethostname(address->host, sizeof(address->host) - 1);
    if (near && near->sa_family == AF_INET) {
        memcpy(&a.v4, near, sizeof(a.v4));
        a.v4.sin_port = 0;
    } else if (near && near->sa_family == AF_INET6) {
        memcpy(&a.v6, near, sizeof(a.v6));
        a.v6.sin6_port = 0;
    } else {
        first_of_host(&a);
        a.v4.sin_port = 0;
    }
    int fd = listen_on(&a);
    if (fd >= 0)
        to_card(&a, address);
    return fd;
}

/* ---- a peer ------------------------------------------------------------------------------------ */

void Netmod_life_close(Netmod_life_line *line)
{
    if (line->fd >= 0)
        close(line->fd);
    line->fd = -1;
}

static void probe_often(int fd, int timeout_s)
{
    int on = 1, idle = timeout_s / 3 > 0 ? timeout_s / 3 : 1, n = 2;
    unsigned ms = (unsigned) timeout_s * 1000u;
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &idle, sizeof(idle));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &n, sizeof(n));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}

/* 0, or the error that a connection met at once. */
static int dial(Netmod_life_line *line, int timeout_s)
{
    Address a;
    from_card(&line->to, &a);
    line->fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (line->fd < 0)
        return 0; /* out of descriptors here says nothing of the peer */
    probe_often(line->fd, timeout_s);
    if (connect(line->fd, &a.any, size_of(&a)) == 0 || errno == EINPROGRESS || errno == EINTR)
        return 0;
    return errno;
}

/* What the connection says: 0 all is well, EINPROGRESS nothing yet, or an error. */
static int look(Netmod_life_line *line)
{
    struct pollfd p = { .fd = line->fd, .events = POLLIN | POLLOUT };
    int err = 0;
    socklen_t n = sizeof(err);
    char c;
    if (poll(&p, 1, 0) <= 0)
        return EINPROGRESS;
    if (getsockopt(line->fd, SOL_SOCKET, SO_ERROR, &err, &n) == 0 && err)
        return err;
    ssize_t got = recv(line->fd, &c, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got == 0)
        return ECONNRESET;
    if (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        return errno;
    line->was_there = true;
    return 0;
}

/* The time for which trouble must last before it is believed. A host that refuses says for sure that nobody is there; one
 * that cannot be reached may be again. */
static uint64_t patience(const Netmod_life_line *line, int err, int timeout_s)
{
    bool left = err == ECONNREFUSED || err == ECONNRESET || err == EPIPE;
    bool probed = err == ETIMEDOUT && line->was_there; /* TCP has waited that long already */
    return left || probed ? GRACE_NS : (uint64_t) timeout_s * 1000000000u;
}

bool Netmod_life_is_gone(Netmod_life_line *line, int timeout_s)
{
    if (line->to.family == 0)
        return false;
    int err = line->fd < 0 ? dial(line, timeout_s) : 0;
    if (!err && line->fd >= 0)
        err = look(line);
    if (err == 0) {
        line->since = 0;
        return false;
    }
    if (err != EINPROGRESS)
        Netmod_life_close(line); /* the next look tries again */
    uint64_t now = now_ns();
    if (!line->since)
        line->since = now;
    return now - line->since >= patience(line, err, timeout_s);
}
