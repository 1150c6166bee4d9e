# Sources of src/mpi/errhan; paths are from the top of the tree.
libmpi_la_SOURCES += \
    src/mpi/errhan/dynerr.c \
    src/mpi/errhan/err_code.c \
    src/mpi/errhan/err_return.c \
    src/mpi/errhan/errhan.h \
    src/mpi/errhan/errhandler.c

# The table of messages.
nodist_libmpi_la_SOURCES += src/mpi/errhan/errtable.c
AM_CPPFLAGS += -I$(top_srcdir)/src/mpi/errhan
EXTRA_DIST += src/mpi/errhan/errnames.txt
CLEANFILES += src/mpi/errhan/errtable.c
src/mpi/errhan/errtable.c: $(top_srcdir)/maint/gen-errnames $(top_srcdir)/src/mpi/errhan/errnames.txt
	$(AM_V_GEN)mkdir -p src/mpi/errhan && $(PYTHON3) $(top_srcdir)/maint/gen-errnames \
	    $(top_srcdir)/src/mpi/errhan/errnames.txt -o $@
