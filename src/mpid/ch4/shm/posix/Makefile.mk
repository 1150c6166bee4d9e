# The transport between processes of one node.
libmpi_la_SOURCES += \
    src/mpid/ch4/shm/posix/posix.h \
    src/mpid/ch4/shm/posix/posix_impl.h \
    src/mpid/ch4/shm/posix/posix_layout.h \
    src/mpid/ch4/shm/posix/posix_init.c \
    src/mpid/ch4/shm/posix/posix_place.c \
    src/mpid/ch4/shm/posix/posix_progress.c \
    src/mpid/ch4/shm/posix/posix_recv.c \
    src/mpid/ch4/shm/posix/posix_rndv.c \
    src/mpid/ch4/shm/posix/posix_send.c

EXTRA_DIST += src/mpid/ch4/shm/posix/README
