/* The PMI-1 server: bytes of each rank in, bytes for each rank out. No sockets, no processes, so it
 * is tested alone.
 *
 * Speaks PMI 1.2. A rank that has finalized may initialise again. What a client sends is taken for
 * hostile: lines are bounded, the table of keys is bounded, answers that nobody reads are bounded;
 * what breaks a bound or the protocol is a violation, after which the rank's link is unusable.
 */
#ifndef PM_PMI_SERVER_H_INCLUDED
#define PM_PMI_SERVER_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

typedef struct PM_pmi PM_pmi;

typedef enum PM_pmi_state {
    PM_PMI_NEW, /* has not said a word */
    PM_PMI_ACTIVE, /* has initialised */
    PM_PMI_FINALIZED,
    PM_PMI_BROKEN, /* violated the protocol */
} PM_pmi_state;

typedef struct PM_pmi_job {
    int size;
    const int *appnum; /* by rank; must live as long as the server */
    const char *kvsname;
    /* the rank has bytes waiting, or broke a rule; may be NULL */
    void (*output)(void *arg, int rank);
    void *arg;
} PM_pmi_job;

/* NULL: out of memory. */
PM_pmi *PM_pmi_new(const PM_pmi_job *job);
void PM_pmi_free(PM_pmi *pmi);

/* Take bytes that the rank sent. False: a violation, see PM_pmi_violation(). */
bool PM_pmi_input(PM_pmi *pmi, int rank, const char *bytes, size_t size);

/* What the rank should get next, and that so much of it was sent. */
const char *PM_pmi_output(const PM_pmi *pmi, int rank, size_t *size);
void PM_pmi_sent(PM_pmi *pmi, int rank, size_t size);

PM_pmi_state PM_pmi_state_of(const PM_pmi *pmi, int rank);

/* What the rank did against the protocol, or NULL. */
const char *PM_pmi_violation(const PM_pmi *pmi, int rank);

/* Did the rank call for an abort? Then its exit code and message ("" if none). */
bool PM_pmi_abort(const PM_pmi *pmi, int rank, int *exit_code, const char **message);

/* Does someone wait in a barrier for this rank? Then for people: in which, and how many have come.
 */
bool PM_pmi_awaited(const PM_pmi *pmi, int rank, char *text, size_t size);

#endif /* PM_PMI_SERVER_H_INCLUDED */
