/* Private to src/pmi/simple: the socket to the launcher. Every wait has a limit, except the fence's. */
#ifndef SIMPLE_LINK_H_INCLUDED
#define SIMPLE_LINK_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

#include "../wire/pmi_wire.h"

#define PMI_NO_LIMIT UINT64_MAX

typedef struct MPIR_Pmi_link {
    int fd; /* -1: not connected */
    bool dead; /* after an error the answers could be taken for those of other requests: nothing more is said */
    MPIR_Pmi_in in;
} MPIR_Pmi_link;

/* The end of a wait that starts now: MPIR_CVAR_PMI_TIMEOUT from here. */
uint64_t MPIR_Pmi_link_deadline(void);

/* Take over the inherited socket PMI_FD; its flags stay as they are. */
int MPIR_Pmi_link_inherit(MPIR_Pmi_link *link);

/* Connect to PMI_PORT=host:port. */
int MPIR_Pmi_link_dial(MPIR_Pmi_link *link);

/* Send all of it. */
int MPIR_Pmi_link_send(MPIR_Pmi_link *link, const MPIR_Pmi_out *out, uint64_t deadline);

/* The next message; `what` is what it should be, for error messages. deadline 0: what is there already, *got says
 * whether there was one. The message lives until the next call. */
int MPIR_Pmi_link_recv(MPIR_Pmi_link *link, const char *what, uint64_t deadline, MPIR_Pmi_msg *msg, bool *got);

/* Nothing more is said or heard. */
void MPIR_Pmi_link_close(MPIR_Pmi_link *link);

#endif /* SIMPLE_LINK_H_INCLUDED */
