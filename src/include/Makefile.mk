# Headers that every layer shares; paths are from the top of the tree.
nodist_include_HEADERS += src/include/mpi.h
EXTRA_DIST += src/include/mpi.h.in
libmpi_la_SOURCES += \
    src/include/mpir_attr.h \
    src/include/mpir_bsend.h \
    src/include/mpir_comm.h \
    src/include/mpir_cvar.h \
    src/include/mpir_datatype.h \
    src/include/mpir_err.h \
    src/include/mpir_errhandler.h \
    src/include/mpir_group.h \
    src/include/mpir_handle.h \
    src/include/mpir_info.h \
    src/include/mpir_op.h \
    src/include/mpir_process.h \
    src/include/mpir_pvar.h \
    src/include/mpir_request.h \
    src/include/mpir_sched.h \
    src/include/mpir_session.h
