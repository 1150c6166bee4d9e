/* The socket to the launcher: bounded reads and writes. See link.h.
 *
 * The inherited descriptor shares its flags with the launcher and with whoever forked us, so it is
 * never made non-blocking: each call asks for that by itself (MSG_DONTWAIT) and poll() does the
 * waiting.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../pmi_backend.h"
#include "link.h"
#include "mpi.h"
#include "mpir_cvar.h"
#include "mpir_err.h"
#include "mpl.h"

MPIR_CVAR_INT(PMI_TIMEOUT, 60, 1, 86400, "s", "How long an answer of the launcher is waited for.")

uint64_t MPIR_Pmi_link_deadline(void)
{
    return MPL_now_ns() + (uint64_t) MPIR_CVAR_PMI_TIMEOUT * 1000000000u;
}

static bool is_socket(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

bool MPIR_Pmi_link_fd_open(void)
{
    const char *text = getenv("PMI_FD");
    long long fd;

    return text && MPL_parse_int(text, 0, 1 << 30, &fd) && is_socket((int) fd);
}

int MPIR_Pmi_link_inherit(MPIR_Pmi_link *link)
{
    static const char form[] = "the number of a socket to the launcher, open in this process";
    int fd;
    int err = MPIR_Pmi_env_int("PMI_FD", form, 0, 1 << 30, &fd);

    if (err)
        return err;
    if (!is_socket(fd))
        return MPIR_Err("**pmi_env", "PMI_FD", getenv("PMI_FD"), form);
    link->fd = fd;
    return MPI_SUCCESS;
}

static int give_up(MPIR_Pmi_link *link, int err)
{
    link->dead = true;
    return err;
}

/* Wait until the socket is ready; deadline 0 does not wait. *ready is false if the time is over. */
static int wait_ready(MPIR_Pmi_link *link, short events, uint64_t deadline, bool *ready)
{
    for (;;) {
        uint64_t now = MPL_now_ns();
        int ms = deadline == PMI_NO_LIMIT ? -1
                 : deadline <= now        ? 0
                                          : (int) ((deadline - now) / 1000000u + 1);
        struct pollfd p = { .fd = link->fd, .events = events };
        int n = poll(&p, 1, ms);
        if (n > 0 || (n == 0 && ms == 0)) {
            *ready = n > 0;
            return MPI_SUCCESS;
        }
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return give_up(link, MPIR_Err("**pmi_io", "poll", strerror(errno)));
    }
}

int MPIR_Pmi_link_send(MPIR_Pmi_link *link, const MPIR_Pmi_out *out, uint64_t deadline)
{
    size_t sent = 0;

    if (link->dead)
        return MPIR_Err("**pmi_dead");
    while (sent < out->len) {
        bool ready;
        ssize_t n = send(link->fd, out->text + sent, out->len - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0) {
            sent += (size_t) n;
            continue;
        }
        if (errno == EINTR)
            continue;
        if (errno == EPIPE || errno == ECONNRESET)
            return give_up(link, MPIR_Err("**pmi_eof", "reading of a request"));
        if (errno != EAGAIN && errno != EWOULDBLOCK)
            return give_up(link, MPIR_Err("**pmi_io", "send", strerror(errno)));
        int err = wait_ready(link, POLLOUT, deadline, &ready);
        if (err)
            return err;
        if (!ready)
            return give_up(
                link, MPIR_Err("**pmi_timeout", "reading of a request", MPIR_CVAR_PMI_TIMEOUT));
    }
    return MPI_SUCCESS;
}

/* Read once; *more is false if nothing is there. */
static int read_some(MPIR_Pmi_link *link, const char *what, bool *more)
{
    size_t size;
    char *space = MPIR_Pmi_in_space(&link->in, &size);
    ssize_t n;

    do {
        n = recv(link->fd, space, size, MSG_DONTWAIT);
    } while (n < 0 && errno == EINTR);
    *more = n > 0;
    if (n > 0) {
        MPIR_Pmi_in_filled(&link->in, (size_t) n);
        return MPI_SUCCESS;
    }
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return MPI_SUCCESS;
    if (n == 0 || errno == ECONNRESET)
        return give_up(link, MPIR_Err("**pmi_eof", what));
    return give_up(link, MPIR_Err("**pmi_io", "recv", strerror(errno)));
}

/* Bring in bytes until there is a message; *text stays NULL if the time is over. */
static int next_message(MPIR_Pmi_link *link, const char *what, uint64_t deadline, char **text)
{
    const char *why;

    while (!(*text = link->form->take(&link->in, &why))) {
        bool more, ready;
        if (why)
            return give_up(link, MPIR_Err("**pmi_line", what, why));
        int err = read_some(link, what, &more);
        if (err)
            return err;
        if (more)
            continue;
        err = wait_ready(link, POLLIN, deadline, &ready);
        if (err || !ready)
            return err;
    }
    return MPI_SUCCESS;
}

int MPIR_Pmi_link_recv(MPIR_Pmi_link *link, const char *what, uint64_t deadline, MPIR_Pmi_msg *msg,
                       bool *got)
{
    const char *why;
    char *text = NULL, quoted[120];

    *got = false;
    if (link->dead)
        return MPIR_Err("**pmi_dead");
    int err = next_message(link, what, deadline, &text);
    if (err)
        return err;
    if (!text && deadline == 0)
        return MPI_SUCCESS;
    if (!text)
        return give_up(link, MPIR_Err("**pmi_timeout", what, MPIR_CVAR_PMI_TIMEOUT));
    MPIR_Pmi_quote(text, quoted, sizeof(quoted)); /* parsing cuts it up */
    if (!link->form->parse(text, msg, &why) || !msg->cmd)
        return give_up(link, MPIR_Err("**pmi_line", what, quoted));
    *got = true;
    return MPI_SUCCESS;
}

void MPIR_Pmi_link_bye(MPIR_Pmi_link *link, const MPIR_Pmi_out *out, const char *answer)
{
    uint64_t deadline = MPL_now_ns() + 2000000000u;
    MPIR_Pmi_msg msg = { 0 };
    bool got = true;

    if (link->fd < 0 || link->dead || MPIR_Pmi_link_send(link, out, deadline) != 0)
        return;
    while (MPIR_Pmi_link_recv(link, answer, deadline, &msg, &got) == 0 && got &&
           strcmp(msg.cmd, answer) != 0 && MPL_now_ns() < deadline)
        ; /* answers to earlier requests */
}

void MPIR_Pmi_link_close(MPIR_Pmi_link *link)
{
    if (link->fd >= 0)
        close(link->fd);
    link->fd = -1;
    link->dead = true;
}

/* ---- PMI-1's form ---------------------------------------------------------------------------- */

static bool parse_line(char *line, MPIR_Pmi_msg *msg, const char **why)
{
    if (!MPIR_Pmi_parse(line, msg, why))
        return false;
    for (int i = 0; i < msg->n; i++)
        MPIR_Pmi_unescape(msg->pair[i].value);
    return true;
}

const MPIR_Pmi_form MPIR_Pmi_lines = { .take = MPIR_Pmi_in_line, .parse = parse_line };
