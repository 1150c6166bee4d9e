/* Which wire: a decision about the environment alone, without a word to anybody. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/link.h"
#include "mpi.h"
#include "mpir_cvar.h"
#include "mpir_err.h"
#include "mpl.h"
#include "pmi_backend.h"

MPIR_CVAR_STRING(PMI_VERSION, "auto", "auto|1|2|x",
                 "How to talk to the launcher: 1 (PMI-1), 2 (PMI-2), x (PMIx), or auto: as the "
                 "variables of the launcher say.")

int MPIR_Pmi_env_int(const char *name, const char *form, int low, int high, int *value)
{
    const char *text = getenv(name);
    long long number;
    char quoted[80];

    if (!text)
        return MPIR_Err("**pmi_unset", name, form);
    if (!MPL_parse_int(text, low, high, &number))
        return MPIR_Err("**pmi_env", name, MPIR_Pmi_quote(text, quoted, sizeof(quoted)), form);
    *value = (int) number;
    return MPI_SUCCESS;
}

/* ---- what the environment offers ------------------------------------------------------------- */

static bool offers_pmi(void)
{
    return getenv("PMI_FD") || getenv("PMI_PORT");
}

static bool offers_pmix(void)
{
    return getenv("PMIX_NAMESPACE") && getenv("PMIX_RANK");
}

/* Slurm's step of several tasks, of which each would think that it is alone. */
static int refuse_bare_step(void)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    long long n;
    bool in_step = tasks && getenv("SLURM_PROCID") && getenv("SLURM_STEP_ID");

    return in_step && MPL_parse_int(tasks, 2, 1 << 30, &n) ? MPIR_Err("**pmi_slurm", (int) n)
                                                           : MPI_SUCCESS;
}

/* Variables that say "you are one of several", but give no way to reach the launcher. */
static int refuse_half_launcher(void)
{
    static const char *const half[] = { "PMI_RANK", "PMI_SIZE", "PMI_ID" };
    static const char *const pmix[] = { "PMIX_RANK", "PMIX_NAMESPACE" };

    for (size_t i = 0; i < MPL_ARRAY_SIZE(half); i++) {
        if (getenv(half[i]))
            return MPIR_Err("**pmi_half", half[i], getenv(half[i]));
    }
    for (size_t i = 0; i < MPL_ARRAY_SIZE(pmix); i++) {
        if (getenv(pmix[i]))
            return MPIR_Err("**pmi_pmix_half", pmix[i], getenv(pmix[i]), pmix[1 - i]);
    }
    return refuse_bare_step();
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* PMI-1 unless the launcher says 2; Slurm does so by a variable that no other has. */
static int choose_pmi(const MPIR_Pmi_backend **wire)
{
    int version = getenv("PMI_JOBID") ? 2 : 1;
    int err = getenv("PMI_VERSION")
                  ? MPIR_Pmi_env_int("PMI_VERSION", "the launcher's version of PMI, 1 or 2", 1, 2,
                                     &version)
                  : MPI_SUCCESS;

    *wire = version == 2 ? &MPIR_Pmi_pmi2 : &MPIR_Pmi_simple;
    return err;
}

/* One launcher was started by another. A PMI_FD that is not open here is from the outer one. */
static int choose_of_both(const MPIR_Pmi_backend **wire)
{
    if (!getenv("PMI_PORT") && !MPIR_Pmi_link_fd_open()) {
        *wire = &MPIR_Pmi_pmix;
        return MPI_SUCCESS;
    }
    return MPIR_Err("**pmi_both", getenv("PMI_FD") ? "PMI_FD" : "PMI_PORT");
}

static int choose_auto(const MPIR_Pmi_backend **wire)
{
    if (offers_pmi() && offers_pmix())
        return choose_of_both(wire);
    if (offers_pmi())
        return choose_pmi(wire);
    *wire = offers_pmix() ? &MPIR_Pmi_pmix : &MPIR_Pmi_alone;
    return offers_pmix() ? MPI_SUCCESS : refuse_half_launcher();
}

/* Without any launcher a program runs alone, whatever the control variable says. */
static int choose_asked(bool offered, const char *expected, const MPIR_Pmi_backend *asked,
                        const MPIR_Pmi_backend **wire)
{
    const char *version = MPIR_CVAR_PMI_VERSION;

    *wire = asked;
    if (offered)
        return MPI_SUCCESS;
    if (offers_pmi() || offers_pmix())
        return MPIR_Err("**pmi_version", version, expected);
    *wire = &MPIR_Pmi_alone;
    return refuse_half_launcher();
}

int MPIR_Pmi_choose(const MPIR_Pmi_backend **wire)
{
    switch (MPIR_CVAR_PMI_VERSION[0]) {
    case '1':
        return choose_asked(offers_pmi(), "PMI_FD or PMI_PORT", &MPIR_Pmi_simple, wire);
    case '2':
        return choose_asked(offers_pmi(), "PMI_FD or PMI_PORT", &MPIR_Pmi_pmi2, wire);
    case 'x':
        return choose_asked(offers_pmix(), "PMIX_NAMESPACE and PMIX_RANK", &MPIR_Pmi_pmix, wire);
    default:
        return choose_auto(wire);
    }
}
