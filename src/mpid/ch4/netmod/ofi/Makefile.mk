# netmod/ofi: libfabric.
EXTRA_DIST += src/mpid/ch4/netmod/ofi/README
if BUILD_OFI
netmod_LTLIBRARIES += netmod_ofi.la
netmod_ofi_la_CPPFLAGS = $(AM_CPPFLAGS) $(OFI_CPPFLAGS)
netmod_ofi_la_LDFLAGS = $(NETMOD_LDFLAGS)
netmod_ofi_la_LIBADD = $(OFI_LIBS)
netmod_ofi_la_SOURCES = \
    $(NETMOD_COMMON) \
    src/mpid/ch4/netmod/ofi/ofi_impl.h \
    src/mpid/ch4/netmod/ofi/ofi_info.c \
    src/mpid/ch4/netmod/ofi/ofi_init.c \
    src/mpid/ch4/netmod/ofi/ofi_peer.c \
    src/mpid/ch4/netmod/ofi/ofi_pool.c \
    src/mpid/ch4/netmod/ofi/ofi_progress.c \
    src/mpid/ch4/netmod/ofi/ofi_recv.c \
    src/mpid/ch4/netmod/ofi/ofi_rndv.c \
    src/mpid/ch4/netmod/ofi/ofi_send.c \
    src/mpid/ch4/netmod/ofi/ofi_settle.c
endif
