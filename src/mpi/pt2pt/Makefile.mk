# Sources of src/mpi/pt2pt; paths are from the top of the tree.
libmpi_la_SOURCES += \
    src/include/mpir_bsend.h \
    src/mpi/pt2pt/bsend.c \
    src/mpi/pt2pt/pt2pt.h \
    src/mpi/pt2pt/recv.c \
    src/mpi/pt2pt/send.c \
    src/mpi/pt2pt/sendrecv.c

EXTRA_DIST += src/mpi/pt2pt/README
