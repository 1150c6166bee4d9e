/* Private to bind.c and bind_hwloc.c. */
#ifndef PM_BIND_IMPL_H_INCLUDED
#define PM_BIND_IMPL_H_INCLUDED

#include "bind.h"

#define PM_CPUS_MAX 8192 /* the most that Linux can be built for */

bool PM_cpus_add(PM_cpus **cpus, unsigned cpu); /* false: out of memory */
/* takes over cpus, also when it fails (out of memory) */
bool PM_bind_add(PM_bind *plan, PM_cpus *cpus);

/* Bind to objects of kind `what`, dealt out over objects of kind `over` (NULL: in their own order).
 */
bool PM_bind_plan_hwloc(const char *what, const char *over, PM_bind *plan, char *error,
                        size_t size);

#endif /* PM_BIND_IMPL_H_INCLUDED */
