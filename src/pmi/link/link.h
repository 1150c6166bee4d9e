/* Private to src/pmi: the socket to the launcher, which PMI-1 and PMI-2 share. Every wait has a
 * limit, except the fence's.
 *
 *   link.c    bounded reads and writes of whole messages
 *   dial.c    PMI_PORT
 *   reply.c   what is asked of every answer, and who this process is
 */
#ifndef PMI_LINK_H_INCLUDED
#define PMI_LINK_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

#include "../wire/pmi_wire.h"
#include "mpir_pmi.h"

#define PMI_NO_LIMIT UINT64_MAX

/* How messages lie in the stream: lines, or frames with a length before them. Both functions as
 * MPIR_Pmi_in_line() and MPIR_Pmi_parse(). */
typedef struct MPIR_Pmi_form {
    char *(*take)(MPIR_Pmi_in *in, const char **why);
    bool (*parse)(char *text, MPIR_Pmi_msg *msg, const char **why); /* values without escapes */
} MPIR_Pmi_form;

extern const MPIR_Pmi_form MPIR_Pmi_lines; /* PMI-1 */

typedef struct MPIR_Pmi_link {
    int fd; /* -1: not connected */
    const MPIR_Pmi_form *form;
    /* after an error the answers could be taken for those of other requests: nothing more is
     * said */
    bool dead;
    MPIR_Pmi_in in;
} MPIR_Pmi_link;

/* ---- the socket ------------------------------------------------------------------------------ */

/* The end of a wait that starts now: MPIR_CVAR_PMI_TIMEOUT from here. */
uint64_t MPIR_Pmi_link_deadline(void);

/* Is PMI_FD the number of a socket that is open here? */
bool MPIR_Pmi_link_fd_open(void);

/* Take over the inherited socket PMI_FD; its flags stay as they are. */
int MPIR_Pmi_link_inherit(MPIR_Pmi_link *link);

/* Connect to PMI_PORT=host:port. */
int MPIR_Pmi_link_dial(MPIR_Pmi_link *link);

/* Send all of it. */
int MPIR_Pmi_link_send(MPIR_Pmi_link *link, const MPIR_Pmi_out *out, uint64_t deadline);

/* The next message; `what` is what it should be, for error messages. deadline 0: what is there
 * already, *got says whether there was one. The message lives until the next call. */
int MPIR_Pmi_link_recv(MPIR_Pmi_link *link, const char *what, uint64_t deadline, MPIR_Pmi_msg *msg,
                       bool *got);

/* Say goodbye and wait for its answer for a short time; only a courtesy: nothing depends on it. */
void MPIR_Pmi_link_bye(MPIR_Pmi_link *link, const MPIR_Pmi_out *out, const char *answer);

/* Nothing more is said or heard. */
void MPIR_Pmi_link_close(MPIR_Pmi_link *link);

/* ---- answers --------------------------------------------------------------------------------- */

/* An answer that is not as it must be: makes the error, and the link is dead. */
int MPIR_Pmi_link_bad(MPIR_Pmi_link *link, const char *expected, const char *came);

/* rc of an answer; not 0 if the launcher says no. */
int MPIR_Pmi_link_rc(MPIR_Pmi_link *link, const MPIR_Pmi_msg *msg, long long *rc);

/* The launcher must not say no. */
int MPIR_Pmi_link_check_rc(MPIR_Pmi_link *link, const MPIR_Pmi_msg *msg);

/* The value of a key of an answer; it must be there. */
int MPIR_Pmi_link_need(MPIR_Pmi_link *link, const MPIR_Pmi_msg *msg, const char *key,
                       const char **value);

/* A number >= low. */
int MPIR_Pmi_link_need_int(MPIR_Pmi_link *link, const MPIR_Pmi_msg *msg, const char *key, int low,
                           int *value);

/* ---- who am I -------------------------------------------------------------------------------- */

/* PMI_SIZE and PMI_RANK. */
int MPIR_Pmi_link_env(MPIR_Pmi_job *job);

/* PMI_ID, which goes with PMI_PORT. */
int MPIR_Pmi_link_env_id(int *id);

#endif /* PMI_LINK_H_INCLUDED */
