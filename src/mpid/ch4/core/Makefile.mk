# Sources of src/mpid/ch4/core; paths are from the top of the tree.
libmpi_la_SOURCES += \
    src/mpid/include/mpid.h \
    src/mpid/ch4/include/mpidi_transport.h \
    src/mpid/ch4/core/mpidi_core.h \
    src/mpid/ch4/core/protocol.h \
    src/mpid/ch4/core/boot.c \
    src/mpid/ch4/core/buf.c \
    src/mpid/ch4/core/comm.c \
    src/mpid/ch4/core/gone.c \
    src/mpid/ch4/core/life.c \
    src/mpid/ch4/core/locality.c \
    src/mpid/ch4/core/match.c \
    src/mpid/ch4/core/meet.c \
    src/mpid/ch4/core/netmod.c \
    src/mpid/ch4/core/out.c \
    src/mpid/ch4/core/peer.c \
    src/mpid/ch4/core/progress.c \
    src/mpid/ch4/core/recv.c \
    src/mpid/ch4/core/req.c \
    src/mpid/ch4/core/self.c \
    src/mpid/ch4/core/send.c \
    src/mpid/ch4/core/stream.c \
    src/mpid/ch4/core/transports.c \
    src/mpid/ch4/core/wait.c \
    src/mpid/ch4/core/xfer.c
EXTRA_DIST += src/mpid/ch4/core/README
