# The launcher link: front, clients of PMI-1, PMI-2 and PMIx, and the wire format of PMI-1, which
# mpiexec shares through libmpl.
AM_CPPFLAGS += $(PMIX_CPPFLAGS)

libmpl_la_SOURCES += \
    src/pmi/wire/pmi_wire.h \
    src/pmi/wire/pmi_wire.c

libmpi_la_SOURCES += \
    src/pmi/include/mpir_pmi.h \
    src/pmi/link/dial.c \
    src/pmi/link/link.c \
    src/pmi/link/link.h \
    src/pmi/link/names.c \
    src/pmi/link/names.h \
    src/pmi/link/reply.c \
    src/pmi/pmi.c \
    src/pmi/pmi_alone.c \
    src/pmi/pmi_backend.h \
    src/pmi/pmi_choose.c \
    src/pmi/pmi_env.c \
    src/pmi/pmi_mapping.c \
    src/pmi/pmi_mapping.h \
    src/pmi/pmi2/frame.c \
    src/pmi/pmi2/frame.h \
    src/pmi/pmi2/pmi2.c \
    src/pmi/pmix/pmix.c \
    src/pmi/pmix/pmix_call.c \
    src/pmi/pmix/pmix_get.c \
    src/pmi/pmix/pmix_impl.h \
    src/pmi/pmix/pmix_lib.c \
    src/pmi/pmix/pmix_pset.c \
    src/pmi/simple/simple.c

check_PROGRAMS += \
    test/unit/pmi_wire \
    test/unit/pmi_client \
    test/unit/pmi2_frame

EXTRA_DIST += src/pmi/README
