# Sources of src/mpi/comm; paths are from the top of the tree.
libmpi_la_SOURCES += \
	src/mpi/comm/comm.c \
	src/mpi/comm/comm_create.c \
	src/mpi/comm/comm_dup.c \
	src/mpi/comm/comm_free.c \
	src/mpi/comm/comm_from_group.c \
	src/mpi/comm/comm_info.c \
	src/mpi/comm/comm_internal.h \
	src/mpi/comm/comm_query.c \
	src/mpi/comm/comm_split.c
EXTRA_DIST += src/mpi/comm/README
