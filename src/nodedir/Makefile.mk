# The node directory: part of the convenience library that libmpi and mpiexec share.
libmpl_la_SOURCES += \
    src/nodedir/mpir_nodedir.h \
    src/nodedir/nodedir_impl.h \
    src/nodedir/nodedir.c \
    src/nodedir/nodedir_arena.c \
    src/nodedir/nodedir_kept.c \
    src/nodedir/nodedir_named.c

EXTRA_DIST += src/nodedir/README
