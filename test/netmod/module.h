/* What tests need that use a network module by itself, without the library. */
#ifndef MODULE_H_INCLUDED
#define MODULE_H_INCLUDED

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpidi_transport.h"

/* Lives with the process. */
static const MPIDI_Transport *t;
static MPIDI_Ep *ep; /* the only peer */
static int errors, completed, failed_reads, gone;

#define CHECK(cond, ...)                                                                                                     \
    do {                                                                                                                     \
        if (!(cond)) {                                                                                                       \
            fprintf(stderr, "%s:%d: not so: %s: ", __FILE__, __LINE__, #cond);                                              \
            fprintf(stderr, __VA_ARGS__);                                                                                    \
            fputc('\n', stderr);                                                                                             \
            errors++;                                                                                                        \
        }                                                                                                                    \
    } while (0)

static double now(void)
{
    struct timespec s;
    clock_gettime(CLOCK_MONOTONIC, &s);
    return (double) s.tv_sec + 1e-9 * (double) s.tv_nsec;
}

/* Give progress until the condition holds, at most so many seconds. */
#define PROGRESS_UNTIL(cond, seconds)                                                                                        \
    for (double end_ = now() + (seconds); !(cond) && now() < end_;)                                                         \
    t->progress()

/* ---- what the library gives a transport, as far as all tests do alike ---------------------------- */

static void complete(void *arg)
{
    (void) arg;
    completed++;
}

static void read_complete(void *arg, bool ok)
{
    (void) arg;
    completed++;
    failed_reads += !ok;
}

static void peer_gone(int world_rank)
{
    (void) world_rank;
    gone++;
}

static int error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return 1;
}

static void warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    errors++;
}

static const char *cvar(const char *name)
{
    return strcmp(name, "MPIR_CVAR_NETMOD_TIMEOUT") == 0 ? "5" : NULL;
}

/* Ends the process if it cannot be. Returns what the module can. */
static unsigned start_module(const char *path, MPIDI_Transport_env *env, int peer)
{
    unsigned caps = 0;
    env->version = MPIDI_TRANSPORT_VERSION;
    env->job_name = "module";
    env->local_size = 1;
    env->peer_gone = peer_gone;
    env->error = error;
    env->warn = warn;
    env->cvar = cvar;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    t = module ? dlsym(module, MPIDI_TRANSPORT_SYMBOL) : NULL;
    if (!t || t->init(env, &caps) != 0 || t->connect(peer, &ep) != 0) {
        fprintf(stderr, "%s does not load or start: %s\n", path, t ? "see above" : dlerror());
        exit(1);
    }
    return caps;
}

/* ---- messages ----------------------------------------------------------------------------------- */

static MPIDI_Send_result try_send(uint8_t kind, int tag, const void *base, size_t size)
{
    MPIDI_Am am = { .hdr = { .tag = tag, .kind = kind, .ext_size = sizeof(tag) }, .ext = &tag,
                    .data = { .base = base, .size = size }, .complete = complete };
    return t->send(ep, &am);
}

/* As soon as there is room. */
static MPIDI_Send_result send_soon(uint8_t kind, int tag, const void *base, size_t size)
{
    MPIDI_Send_result r = MPIDI_SEND_AGAIN;
    PROGRESS_UNTIL((r = try_send(kind, tag, base, size)) != MPIDI_SEND_AGAIN, 20);
    return r;
}

/* Expose memory and announce it. */
static MPIDI_Region *offer(int tag, const void *base, size_t size)
{
    char handle[MPIDI_HANDLE_MAX];
    MPIDI_Region *region = NULL;
    size_t n = t->expose(ep, base, size, handle, &region);
    CHECK(n > 0, "no handle");
    send_soon(MPIDI_AM_RTS, tag, handle, n);
    return region;
}

static MPIDI_Send_result read_all(const void *handle, size_t handle_size, void *local, size_t n)
{
    MPIDI_Read read = { .handle = handle, .handle_size = handle_size, .local = local, .n = n, .complete = read_complete };
    return t->read(ep, &read);
}

static void flush(void)
{
    bool out = false;
    PROGRESS_UNTIL((out = t->flushed()), 20);
    CHECK(out, "what was sent is not out after 20 s");
}

static void shut_down(void)
{
    double start = now();
    t->shutdown();
    CHECK(now() - start < 2, "shutdown took %g s", now() - start);
}

#endif /* MODULE_H_INCLUDED */
