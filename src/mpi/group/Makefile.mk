# Sources of src/mpi/group; paths are from the top of the tree.
libmpi_la_SOURCES += \
	src/mpi/group/group.c \
	src/mpi/group/group_incl.c \
	src/mpi/group/group_internal.h \
	src/mpi/group/group_set.c
EXTRA_DIST += src/mpi/group/README
