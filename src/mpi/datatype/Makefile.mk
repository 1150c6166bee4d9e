# Sources of src/mpi/datatype; paths are from the top of the tree.
libmpi_la_SOURCES += \
    src/mpi/datatype/type_internal.h \
    src/mpi/datatype/builtin.c \
    src/mpi/datatype/contents.c \
    src/mpi/datatype/create.c \
    src/mpi/datatype/datatype.c \
    src/mpi/datatype/measure.c \
    src/mpi/datatype/pack.c \
    src/mpi/datatype/program.c \
    src/mpi/datatype/query.c \
    src/mpi/datatype/walk.c

EXTRA_DIST += src/mpi/datatype/README
