/* A backtrace by libunwind, where there is no gdb. Opened at run time: linked, it would cost each
 * start of mpiexec. */
#include "trace.h"

#include "mpichconf.h"

#ifdef HAVE_LIBUNWIND

#include <dlfcn.h>
#include <errno.h>
#include <libunwind-ptrace.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define STRING_(x) #x
#define STRING(x) STRING_(x) /* the names of libunwind's functions are macros */
#define FRAMES_MAX 50

typedef struct Unwind {
    void *lib, *ptrace_lib;
    __typeof__(unw_create_addr_space) *create_addr_space;
    __typeof__(unw_init_remote) *init_remote;
    __typeof__(unw_get_reg) *get_reg;
    __typeof__(unw_get_proc_name) *get_proc_name;
    __typeof__(unw_step) *step;
    __typeof__(_UPT_create) *upt_create;
    unw_accessors_t *accessors;
} Unwind;

static bool open_unwind(Unwind *u)
{
    u->lib = dlopen("libunwind-" STRING(UNW_TARGET) ".so.8", RTLD_NOW | RTLD_GLOBAL);
    u->ptrace_lib = u->lib ? dlopen("libunwind-ptrace.so.0", RTLD_NOW) : NULL;
    if (!u->ptrace_lib)
        return false;
    *(void **) &u->create_addr_space = dlsym(u->lib, STRING(unw_create_addr_space));
    *(void **) &u->init_remote = dlsym(u->lib, STRING(unw_init_remote));
    *(void **) &u->get_reg = dlsym(u->lib, STRING(unw_get_reg));
    *(void **) &u->get_proc_name = dlsym(u->lib, STRING(unw_get_proc_name));
    *(void **) &u->step = dlsym(u->lib, STRING(unw_step));
    *(void **) &u->upt_create = dlsym(u->ptrace_lib, "_UPT_create");
    u->accessors = dlsym(u->ptrace_lib, "_UPT_accessors");
    return u->create_addr_space && u->init_remote && u->get_reg && u->get_proc_name && u->step &&
           u->upt_create && u->accessors;
}

static bool attach(pid_t pid)
{
    int status;

    if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) != 0)
        return false;
    for (int i = 0; i < 100; i++) { /* a second; who sleeps in the kernel for good does not stop */
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid)
            return WIFSTOPPED(status);
        if (got < 0 && errno != EINTR)
            return false;
        usleep(10000);
    }
    return false;
}

static void print_frames(const Unwind *u, unw_cursor_t *cursor)
{
    for (int i = 0; i < FRAMES_MAX; i++) {
        unw_word_t ip = 0, offset = 0;
        char name[256];
        u->get_reg(cursor, UNW_REG_IP, &ip);
        if (u->get_proc_name(cursor, name, sizeof(name), &offset) < 0 || !name[0])
            strcpy(name, "??");
        printf("#%-2d 0x%016lx in %s+0x%lx\n", i, (unsigned long) ip, name, (unsigned long) offset);
        if (u->step(cursor) <= 0)
            break;
    }
    fflush(stdout);
}

bool PM_trace_unwind(pid_t pid)
{
    unw_cursor_t cursor;
    Unwind u;

    if (!open_unwind(&u) || !attach(pid))
        return false;
    unw_addr_space_t space = u.create_addr_space(u.accessors, 0);
    void *upt = u.upt_create(pid);
    bool good = space && upt && u.init_remote(&cursor, space, upt) == 0;
    if (good)
        print_frames(&u, &cursor);
    ptrace(PTRACE_DETACH, pid, NULL, NULL);
    return good; /* the process ends now, so nothing is given back */
}

#else

bool PM_trace_unwind(pid_t pid)
{
    (void) pid;
    return false;
}

#endif
