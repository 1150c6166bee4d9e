# Sources of src/mpi/attr; paths are from the top of the tree.
libmpi_la_SOURCES += \
	src/mpi/attr/attr.c \
	src/mpi/attr/attr_internal.h \
	src/mpi/attr/comm_attr.c \
	src/mpi/attr/keyval.c \
	src/mpi/attr/predefined.c \
	src/mpi/attr/type_attr.c
EXTRA_DIST += src/mpi/attr/README
