/* A program that opens the library by dlopen, uses a session, closes it by dlclose, opens it again, and exits: the exit hook must
 * not outlive its code. Linked without MPI: the library's file is the argument or comes from LIBMPI. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int init_fn(int info, int errhandler, int *session);
typedef int finalize_fn(int *session);

static void use(const char *file)
{
    int session = 0;
    void *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    init_fn *init = (init_fn *) (size_t) dlsym(lib, "MPI_Session_init");
    finalize_fn *finalize = (finalize_fn *) (size_t) dlsym(lib, "MPI_Session_finalize");
    if (!init || !finalize || init(0x1c000000, 0x54000000, &session) || finalize(&session))
        exit(2);
    dlclose(lib);
}

int main(int argc, char **argv)
{
    const char *file = argc > 1 ? argv[1] : getenv("LIBMPI");
    use(file);
    use(file);
    puts(" No Errors");
    return 0;
}
