/* MPIR_CVAR_DEBUG_INIT: every transition on stderr. */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "mpir_cvar.h"
#include "mpir_init.h"
#include "mpir_process.h"

MPIR_CVAR_BOOL(DEBUG_INIT, 0, "Print each transition of the init layer on stderr.")

void MPII_Debug(const char *format, ...)
{
    char line[256];
    if (!MPIR_CVAR_DEBUG_INIT)
        return;
    int n = snprintf(line, sizeof(line), "perennial: rank %d (pid %ld): init: ", MPIR_Process.rank,
                     (long) getpid());
    va_list args;
    va_start(args, format);
    vsnprintf(line + n, sizeof(line) - (size_t) n, format, args);
    va_end(args);
    fprintf(stderr, "%s\n", line);
}
