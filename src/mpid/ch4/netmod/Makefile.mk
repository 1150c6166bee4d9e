# Network modules: shared objects in $(libdir)/perennial, each one table of functions, which the library opens when a job
# spans nodes. They see mpidi_transport.h and `common`, and link to nothing of the library: what they need of it
# comes with the table's init. Each is built if configure found its library.

NETMOD_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,-z,nodelete -Wl,-z,defs

# What several modules use; listed in the sources of each.
NETMOD_COMMON = \
    src/mpid/ch4/netmod/common/netmod_card.h \
    src/mpid/ch4/netmod/common/netmod_card.c \
    src/mpid/ch4/netmod/common/netmod_life.h \
    src/mpid/ch4/netmod/common/netmod_life.c

EXTRA_DIST += src/mpid/ch4/netmod/README

include src/mpid/ch4/netmod/ofi/Makefile.mk
include src/mpid/ch4/netmod/ucx/Makefile.mk
