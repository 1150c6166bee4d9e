# Sources of src/mpi/info; paths are from the top of the tree.
libmpi_la_SOURCES += \
    src/mpi/info/info.c \
    src/mpi/info/info_env.c
