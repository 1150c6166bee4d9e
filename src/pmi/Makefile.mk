# The launcher link: front, PMI-1 client, and the wire format, which mpiexec shares through libmpl.
libmpl_la_SOURCES += \
    src/pmi/wire/pmi_wire.h \
    src/pmi/wire/pmi_wire.c

libmpi_la_SOURCES += \
    src/pmi/include/mpir_pmi.h \
    src/pmi/pmi.c \
    src/pmi/pmi_alone.c \
    src/pmi/pmi_backend.h \
    src/pmi/pmi_env.c \
    src/pmi/pmi_mapping.c \
    src/pmi/pmi_mapping.h \
    src/pmi/simple/simple.c \
    src/pmi/simple/simple_dial.c \
    src/pmi/simple/simple_link.c \
    src/pmi/simple/simple_link.h

check_PROGRAMS += \
    test/unit/pmi_wire \
    test/unit/pmi_client
