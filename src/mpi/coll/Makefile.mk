# Sources of src/mpi/coll; paths are from the top of the tree.
libmpi_la_SOURCES += \
	src/mpi/coll/allgather.c \
	src/mpi/coll/allreduce.c \
	src/mpi/coll/alltoall.c \
	src/mpi/coll/barrier.c \
	src/mpi/coll/bcast.c \
	src/mpi/coll/choose.c \
	src/mpi/coll/coll.c \
	src/mpi/coll/coll_internal.h \
	src/mpi/coll/coll_util.c \
	src/mpi/coll/gather.c \
	src/mpi/coll/reduce.c \
	src/mpi/coll/scatter.c \
	src/mpi/coll/sched_build.c \
	src/mpi/coll/sched_internal.h \
	src/mpi/coll/sched_run.c \
	src/mpi/coll/shared.c
EXTRA_DIST += src/mpi/coll/README
