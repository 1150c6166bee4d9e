# Sources of src/mpi_t; paths are from the top of the tree.
libmpi_la_SOURCES += \
    src/mpi_t/mpit.h \
    src/mpi_t/mpit_category.c \
    src/mpi_t/mpit_cvar.c \
    src/mpi_t/mpit_enum.c \
    src/mpi_t/mpit_init.c \
    src/mpi_t/mpit_pvar.c
