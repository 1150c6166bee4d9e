/* Private to src/mpl: which of the two sets of implementations is compiled. */
#ifndef MPL_OS_H_INCLUDED
#define MPL_OS_H_INCLUDED

#include "mpichconf.h"

#if defined(__linux__) && !defined(MPL_PORTABLE)
#define MPL_LINUX 1
#else
#define MPL_LINUX 0
#endif

/* Cores that the quota of a control group leaves, 0 for no limit. `groups` is the text of /proc/PID/cgroup,
 * `mount` the directory in which the hierarchies are mounted. Split off so that it can be tested. */
int MPL_cgroup_cores(const char *groups, const char *mount);

#endif /* MPL_OS_H_INCLUDED */
