/* Is a peer on another host still there? Network libraries do not say it reliably: many try for ever to reach a process that
 * has left.
 *
 * Each process has a listening TCP socket, whose address is on its card. Who waits long for a peer connects to it, once, and
 * keeps the connection. Nobody accepts or writes anything: the peer's kernel answers, so that a peer which computes, is
 * stopped or between epochs counts as there, and one that has left or died in whatever way resets the connection. TCP's
 * own probes find out that the host cannot be reached.
 *
 * The kernel keeps net.core.somaxconn (4096) such connections for each process; who comes when there is no more room takes
 * the peer for unreachable after the timeout.
 */
#ifndef NETMOD_LIFE_H_INCLUDED
#define NETMOD_LIFE_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Travels on the card. */
typedef struct Netmod_life_address {
    uint8_t family; /* 4 or 6; 0: none, then the process counts as there always */
    uint8_t port[2];
    uint8_t ip[16];
    char host[61];
} Netmod_life_address;
_Static_assert(sizeof(Netmod_life_address) == 80, "no padding: it travels as bytes");

/* What is known of one peer. Zero with fd -1 to begin with; lives with the process. */
typedef struct Netmod_life_line {
    Netmod_life_address to;
    int fd;
    bool was_there; /* a connection was made */
    uint64_t since; /* when it could not be reached first; 0: it can */
} Netmod_life_line;

/* Listen on the address that `near` has (any port), or on the host's first one if near is not of the Internet or NULL. Returns
 * the descriptor, or -errno. Fills in host in any case. */
int Netmod_life_listen(const struct sockaddr *near, Netmod_life_address *address);

/* Looks anew. A peer that has left counts as gone a second later, when what it sent last has arrived. Not for fast paths. */
bool Netmod_life_is_gone(Netmod_life_line *line, int timeout_s);

void Netmod_life_close(Netmod_life_line *line);

#endif /* NETMOD_LIFE_H_INCLUDED */
