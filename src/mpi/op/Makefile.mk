# Sources of src/mpi/op; paths are from the top of the tree.
libmpi_la_SOURCES += \
	src/mpi/op/op.c \
	src/mpi/op/op_arith.c \
	src/mpi/op/op_internal.h \
	src/mpi/op/op_loc.c \
	src/mpi/op/op_type.c
EXTRA_DIST += src/mpi/op/README
