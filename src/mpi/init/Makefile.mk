libmpi_la_SOURCES += \
	src/mpi/init/alloc_kinds.c \
	src/mpi/init/debug.c \
	src/mpi/init/exit_hook.c \
	src/mpi/init/life.c \
	src/mpi/init/lock.c \
	src/mpi/init/mpir_init.h \
	src/mpi/init/pset.c \
	src/mpi/init/pvars.c \
	src/mpi/init/session.c \
	src/mpi/init/thread_level.c \
	src/mpi/init/world.c
