/* Binding by topology. hwloc is opened at run time: linked, it would cost each start of mpiexec a
 * millisecond. */
#include "bind_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpichconf.h"
#include "mpl.h"

#ifdef HAVE_HWLOC

#include <dlfcn.h>
#include <hwloc.h>

#define HWLOC_SONAME "libhwloc.so.15"

/* The few functions that we need, by their names without hwloc_. */
typedef struct Hwloc {
    void *lib;
    hwloc_topology_t topology;
    __typeof__(hwloc_topology_init) *topology_init;
    __typeof__(hwloc_topology_set_flags) *topology_set_flags;
    __typeof__(hwloc_topology_load) *topology_load;
    __typeof__(hwloc_topology_destroy) *topology_destroy;
    __typeof__(hwloc_get_type_depth) *get_type_depth;
    __typeof__(hwloc_get_nbobjs_by_depth) *get_nbobjs_by_depth;
    __typeof__(hwloc_get_obj_by_depth) *get_obj_by_depth;
    __typeof__(hwloc_bitmap_next) *bitmap_next;
    __typeof__(hwloc_bitmap_isincluded) *bitmap_isincluded;
} Hwloc;

/* The objects of one kind, in the order of the machine. */
typedef struct Objects {
    int n;
    hwloc_obj_t *obj;
} Objects;

static bool load_functions(Hwloc *h)
{
    struct {
        const char *name;
        void **fn;
    } table[] = {
        { "hwloc_topology_init", (void **) &h->topology_init },
        { "hwloc_topology_set_flags", (void **) &h->topology_set_flags },
        { "hwloc_topology_load", (void **) &h->topology_load },
        { "hwloc_topology_destroy", (void **) &h->topology_destroy },
        { "hwloc_get_type_depth", (void **) &h->get_type_depth },
        { "hwloc_get_nbobjs_by_depth", (void **) &h->get_nbobjs_by_depth },
        { "hwloc_get_obj_by_depth", (void **) &h->get_obj_by_depth },
        { "hwloc_bitmap_next", (void **) &h->bitmap_next },
        { "hwloc_bitmap_isincluded", (void **) &h->bitmap_isincluded },
    };

    for (size_t i = 0; i < MPL_ARRAY_SIZE(table); i++) {
        *table[i].fn = dlsym(h->lib, table[i].name);
        if (!*table[i].fn)
            return false;
    }
    return true;
}

static bool open_hwloc(Hwloc *h, char *error, size_t size)
{
    *h = (Hwloc) { .lib = dlopen(HWLOC_SONAME, RTLD_NOW | RTLD_LOCAL) };
    if (!h->lib)
        h->lib = dlopen("libhwloc.so", RTLD_NOW | RTLD_LOCAL);
    if (!h->lib || !load_functions(h)) {
        snprintf(error, size, "-bind-to: hwloc cannot be loaded: %s", dlerror());
        goto err_close;
    }
    if (h->topology_init(&h->topology) != 0)
        goto err_load;
    /* what a batch system or taskset has taken away from us is no place for ranks */
    h->topology_set_flags(h->topology, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM |
                                           HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
    if (h->topology_load(h->topology) == 0)
        return true;
    h->topology_destroy(h->topology);

  err_load:
    snprintf(error, size, "-bind-to: hwloc cannot read the topology of this machine");
  err_close:
    if (h->lib)
        dlclose(h->lib);
    return false;
}

static hwloc_obj_type_t type_of(const char *what)
{
    return strcmp(what, "core") == 0 ? HWLOC_OBJ_CORE
         : strcmp(what, "socket") == 0 ? HWLOC_OBJ_PACKAGE
         : strcmp(what, "numa") == 0 ? HWLOC_OBJ_NUMANODE
                                     : HWLOC_OBJ_PU;
}

/* Objects that have cores. A machine may not know of cores or sockets: then hardware threads, or
 * all, stand in. */
static bool list_objects(const Hwloc *h, const char *what, Objects *list)
{
    int depth = h->get_type_depth(h->topology, type_of(what));

    if (depth == HWLOC_TYPE_DEPTH_UNKNOWN)
        depth = strcmp(what, "core") == 0 ? h->get_type_depth(h->topology, HWLOC_OBJ_PU) : 0;
    int n = (int) h->get_nbobjs_by_depth(h->topology, depth);
    *list = (Objects) { .obj = calloc((size_t) MPL_MAX(n, 1), sizeof(*list->obj)) };
    for (int i = 0; i < n && list->obj; i++) {
        hwloc_obj_t obj = h->get_obj_by_depth(h->topology, depth, (unsigned) i);
        if (obj && obj->cpuset && h->bitmap_next(obj->cpuset, -1) >= 0)
            list->obj[list->n++] = obj;
    }
    return list->n > 0;
}

static bool add_object(const Hwloc *h, hwloc_obj_t obj, PM_bind *plan)
{
    PM_cpus *cpus = NULL;

    for (int cpu = h->bitmap_next(obj->cpuset, -1); cpu >= 0 && cpu < PM_CPUS_MAX;
         cpu = h->bitmap_next(obj->cpuset, cpu)) {
        if (!PM_cpus_add(&cpus, (unsigned) cpu)) {
            free(cpus);
            return false;
        }
    }
    return PM_bind_add(plan, cpus);
}

/* The k-th object within another, NULL: it has fewer. */
static hwloc_obj_t inside(const Hwloc *h, const Objects *objects, hwloc_obj_t outer, int k)
{
    for (int i = 0; i < objects->n; i++) {
        if (h->bitmap_isincluded(objects->obj[i]->cpuset, outer->cpuset) && k-- == 0)
            return objects->obj[i];
    }
    return NULL;
}

/* Take the first object of each `over`, then the second of each, and so on. */
static bool deal_out(const Hwloc *h, const Objects *what, const Objects *over, PM_bind *plan)
{
    for (int k = 0;; k++) {
        bool any = false;
        for (int i = 0; i < over->n; i++) {
            hwloc_obj_t obj = inside(h, what, over->obj[i], k);
            any |= obj != NULL;
            if (obj && !add_object(h, obj, plan))
                return false;
        }
        if (!any)
            return k > 0;
    }
}

static bool in_order(const Hwloc *h, const Objects *what, PM_bind *plan)
{
    for (int i = 0; i < what->n; i++) {
        if (!add_object(h, what->obj[i], plan))
            return false;
    }
    return true;
}

bool PM_bind_plan_hwloc(const char *what, const char *over, PM_bind *plan, char *error, size_t size)
{
    Objects objects = { 0 }, outer = { 0 };
    Hwloc h;

    if (!open_hwloc(&h, error, size))
        return false;
    bool good = list_objects(&h, what, &objects) && (!over || list_objects(&h, over, &outer));
    if (good)
        good = over ? deal_out(&h, &objects, &outer, plan) || in_order(&h, &objects, plan)
                    : in_order(&h, &objects, plan);
    if (!good)
        snprintf(error, size, "-bind-to: hwloc finds no %s here on which ranks may run", what);
    free(objects.obj);
    free(outer.obj);
    h.topology_destroy(h.topology);
    dlclose(h.lib);
    return good;
}

#else

bool PM_bind_plan_hwloc(const char *what, const char *over, PM_bind *plan, char *error, size_t size)
{
    (void) over;
    (void) plan;
    snprintf(
        error, size,
        "-bind-to: %s needs hwloc, without which this mpiexec was built (user:CPUS,... does not)",
        what);
    return false;
}

#endif
