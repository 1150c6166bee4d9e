/* How many cores this job may really use here: what the scheduler allows and what a container's quota leaves. */
#include "mpl.h"
#include "mpl_os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- control groups -------------------------------------------------------------------------- */

static bool read_text(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "re");

    if (!f)
        return false;
    size_t n = fread(text, 1, size - 1, f);
    fclose(f);
    text[n] = '\0';
    return n > 0;
}

/* Whole cores in a quota of `quota` us each `period` us; 0: no limit. A fraction is dropped: two processes that
 * spin on 1.5 cores would be throttled. */
static int whole_cores(long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return 0;
    return (int) MPL_MAX(1, MPL_MIN(quota / period, 1 << 20));
}

static int quota_v2(const char *dir)
{
    char path[4200], text[64];
    long long quota, period;

    snprintf(path, sizeof(path), "%s/cpu.max", dir);
    if (!read_text(path, text, sizeof(text)) || sscanf(text, "%lld %lld", &quota, &period) != 2)
        return 0; /* "max 100000" */
    return whole_cores(quota, period);
}

static int quota_v1(const char *dir)
{
    char path[4200], quota[32], period[32];

    snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", dir);
    if (!read_text(path, quota, sizeof(quota)) || strtoll(quota, NULL, 10) <= 0)
        return 0; /* -1: no limit */
    snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", dir);
    if (!read_text(path, period, sizeof(period)))
        return 0;
    return whole_cores(strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

static int tighter(int a, int b)
{
    return a == 0 ? b : b == 0 ? a : MPL_MIN(a, b);
}

/* The tightest quota from `group` (like "/a/b") up to the root of the hierarchy at `top`. A group that cannot be
 * seen from inside a container is skipped; its visible parents count. */
static int walk_up(const char *top, const char *group, int (*quota_of)(const char *))
{
    char dir[4096];
    size_t top_len = strlen(top), group_len = strlen(group);

    if (group_len == 1) /* "/" is the top itself, and that is looked at anyhow */
        group_len = 0;
    if (top_len + group_len + 1 > sizeof(dir))
        return 0;
    memcpy(dir, top, top_len);
    memcpy(dir + top_len, group, group_len);
    dir[top_len + group_len] = '\0';
    int cores = 0;
    for (;;) {
        cores = tighter(cores, quota_of(dir));
        char *slash = strrchr(dir, '/');
        if (!slash || slash < dir + top_len)
            return cores;
        *slash = '\0';
    }
}

/* Is "cpu" one of the names in "cpu,cpuacct"? */
static bool lists_cpu(const char *names)
{
    for (const char *p = names; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ',')) {
        if (strcspn(p, ",") == 3 && strncmp(p, "cpu", 3) == 0)
            return true;
    }
    return false;
}

/* One line of /proc/PID/cgroup, "id:controllers:path"; v2 has no controllers. */
static int line_cores(char *line, const char *mount)
{
    char top[1024];
    char *names = strchr(line, ':');
    char *group = names ? strchr(names + 1, ':') : NULL;

    if (!group)
        return 0;
    *group++ = '\0';
    names++;
    if (*names == '\0') {
        snprintf(top, sizeof(top), "%s/unified", mount); /* both versions mounted */
        int cores = walk_up(top, group, quota_v2);
        return tighter(cores, walk_up(mount, group, quota_v2));
    }
    if (!lists_cpu(names))
        return 0;
    snprintf(top, sizeof(top), "%s/%s", mount, names);
    int cores = walk_up(top, group, quota_v1);
    if (strcmp(names, "cpu") == 0)
        return cores;
    snprintf(top, sizeof(top), "%s/cpu", mount);
    return tighter(cores, walk_up(top, group, quota_v1));
}

int MPL_cgroup_cores(const char *groups, const char *mount)
{
    char line[4096];
    int cores = 0;

    while (*groups) {
        size_t len = strcspn(groups, "\n");
        if (len < sizeof(line)) {
            memcpy(line, groups, len);
            line[len] = '\0';
            cores = tighter(cores, line_cores(line, mount));
        }
        groups += len + (groups[len] == '\n');
    }
    return cores;
}

/* ---- affinity -------------------------------------------------------------------------------- */

static int online(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int) n : 1;
}

#if MPL_LINUX && defined(HAVE_SCHED_GETAFFINITY)

#include <sched.h>

/* How many cores may this process use (0: we cannot know)? The kernel refuses a mask that is smaller than its own, whose
 * size it does not tell. */
static int allowed(pid_t pid)
{
    for (int room = 1024; room <= 1 << 20; room *= 4) {
        size_t bytes = CPU_ALLOC_SIZE(room);
        cpu_set_t *mask = CPU_ALLOC(room);
        if (!mask)
            break;
        bool known = sched_getaffinity(pid, bytes, mask) == 0;
        int n = known ? CPU_COUNT_S(bytes, mask) : 0;
        CPU_FREE(mask);
        if (n > 0)
            return n;
    }
    return 0;
}

/* Launchers put each rank into a process group of its own. So ancestors of the same group are scripts and tools that the
 * rank was started through; they are bound as it is. */
static pid_t launcher(void)
{
    enum { LEVELS = 8 };
    pid_t pid = getppid(), group = getpgrp();

    for (int i = 0; i < LEVELS && pid > 1 && getpgid(pid) == group; i++)
        pid = MPL_pid_parent(pid);
    return pid > 0 ? pid : getppid();
}

int MPL_cores_available(void)
{
    static const char mount[] = "/sys/fs/cgroup";
    char groups[8192];
    int mine = allowed(0), launchers = allowed(launcher());
    /* A launcher that binds each rank to a core of its own does not bind itself: what it may use is the job's. */
    int cores = MPL_MAX(mine, launchers);

    if (cores == 0)
        cores = online();
    if (read_text("/proc/self/cgroup", groups, sizeof(groups)))
        cores = tighter(cores, MPL_cgroup_cores(groups, mount));
    return MPL_MAX(cores, 1);
}

#else

int MPL_cores_available(void)
{
    return online();
}

#endif
