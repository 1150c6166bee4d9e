# netmod/ucx: UCX.
EXTRA_DIST += src/mpid/ch4/netmod/ucx/README
if BUILD_UCX
netmod_LTLIBRARIES += netmod_ucx.la
netmod_ucx_la_CPPFLAGS = $(AM_CPPFLAGS) $(UCX_CPPFLAGS)
netmod_ucx_la_LDFLAGS = $(NETMOD_LDFLAGS)
netmod_ucx_la_LIBADD = $(UCX_LIBS)
netmod_ucx_la_SOURCES = \
    $(NETMOD_COMMON) \
    src/mpid/ch4/netmod/ucx/ucx_impl.h \
    src/mpid/ch4/netmod/ucx/ucx_config.c \
    src/mpid/ch4/netmod/ucx/ucx_init.c \
    src/mpid/ch4/netmod/ucx/ucx_peer.c \
    src/mpid/ch4/netmod/ucx/ucx_pool.c \
    src/mpid/ch4/netmod/ucx/ucx_progress.c \
    src/mpid/ch4/netmod/ucx/ucx_recv.c \
    src/mpid/ch4/netmod/ucx/ucx_rndv.c \
    src/mpid/ch4/netmod/ucx/ucx_send.c
endif
