# Sources of src/mpi/request; paths are from the top of the tree.
libmpi_la_SOURCES += src/mpi/request/request.c
libmpi_la_SOURCES += \
    src/mpi/request/completion.c \
    src/mpi/request/completion.h \
    src/mpi/request/free.c \
    src/mpi/request/test.c \
    src/mpi/request/wait.c

EXTRA_DIST += src/mpi/request/README
