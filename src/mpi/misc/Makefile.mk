libmpi_la_SOURCES += \
	src/mpi/misc/machine.c \
	src/mpi/misc/version.c
