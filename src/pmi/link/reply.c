/* What every answer of the launcher must fulfil, and who this process is. See link.h. */
#include <stdlib.h>

#include "../pmi_backend.h"
#include "link.h"
#include "mpi.h"
#include "mpir_err.h"
#include "mpl.h"

int MPIR_Pmi_link_bad(MPIR_Pmi_link *link, const char *expected, const char *came)
{
    char quoted[80];

    link->dead = true;
    return MPIR_Err("**pmi_reply", expected, MPIR_Pmi_quote(came, quoted, sizeof(quoted)));
}

int MPIR_Pmi_link_rc(MPIR_Pmi_link *link, const MPIR_Pmi_msg *msg, long long *rc)
{
    const char *text = MPIR_Pmi_find(msg, "rc");

    *rc = 0; /* some servers leave it out where all is well */
    if (!text || MPL_parse_int(text, -1000000, 1000000, rc))
        return MPI_SUCCESS;
    return MPIR_Pmi_link_bad(link, "rc=<number>", text);
}

int MPIR_Pmi_link_check_rc(MPIR_Pmi_link *link, const MPIR_Pmi_msg *msg)
{
    char quoted[80];
    long long rc;
    int err = MPIR_Pmi_link_rc(link, msg, &rc);

    if (err || rc == 0)
        return err;
    const char *text = MPIR_Pmi_find(msg, "msg"); /* PMI-1 */
    if (!text)
        text = MPIR_Pmi_find(msg, "errmsg"); /* PMI-2 */
    return MPIR_Err("**pmi_rc", msg->cmd, (int) rc,
                    MPIR_Pmi_quote(text ? text : "", quoted, sizeof(quoted)));
}

int MPIR_Pmi_link_need(MPIR_Pmi_link *link, const MPIR_Pmi_msg *msg, const char *key,
                       const char **value)
{
    *value = MPIR_Pmi_find(msg, key);
    return *value ? MPI_SUCCESS : MPIR_Pmi_link_bad(link, key, "a message without it");
}

int MPIR_Pmi_link_need_int(MPIR_Pmi_link *link, const MPIR_Pmi_msg *msg, const char *key, int low,
                           int *value)
{
    const char *text;
    long long number;
    int err = MPIR_Pmi_link_need(link, msg, key, &text);

    if (err)
        return err;
    if (!MPL_parse_int(text, low, 0x7fffffff, &number))
        return MPIR_Pmi_link_bad(link, key, text);
    *value = (int) number;
    return MPI_SUCCESS;
}

int MPIR_Pmi_link_env(MPIR_Pmi_job *job)
{
    int err =
        MPIR_Pmi_env_int("PMI_SIZE", "a number of ranks, at least 1", 1, 0x7fffffff, &job->size);

    return err ? err
               : MPIR_Pmi_env_int("PMI_RANK", "a number from 0 to PMI_SIZE - 1", 0, job->size - 1,
                                  &job->rank);
}

int MPIR_Pmi_link_env_id(int *id)
{
    return MPIR_Pmi_env_int("PMI_ID",
                            "the number that the launcher of PMI_PORT gave to this process", 0,
                            0x7fffffff, id);
}
