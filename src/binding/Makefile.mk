# Sources of src/binding; paths are from the top of the tree.
# Everything named entry_* and mpi.h, mpir_impl.h and the man pages are made from api/*.txt and mpi.h.in.
AM_CPPFLAGS += -I$(top_srcdir)/src/binding
libmpi_la_SOURCES += \
    src/binding/binding.h \
    src/binding/binding_check.c \
    src/binding/binding_where.c

binding_generator = \
    src/binding/generate \
    src/binding/checks.py \
    src/binding/entry.py \
    src/binding/man.py \
    src/binding/model.py \
    src/binding/names.py \
    src/binding/prototypes.py
binding_api = \
    src/binding/api/attr.txt \
    src/binding/api/coll.txt \
    src/binding/api/comm.txt \
    src/binding/api/datatype.txt \
    src/binding/api/errhan.txt \
    src/binding/api/group.txt \
    src/binding/api/handle.txt \
    src/binding/api/info.txt \
    src/binding/api/init.txt \
    src/binding/api/misc.txt \
    src/binding/api/mpit.txt \
    src/binding/api/op.txt \
    src/binding/api/pt2pt.txt \
    src/binding/api/request.txt \
    src/binding/api/session.txt
binding_entries = \
    src/binding/entry_attr.c \
    src/binding/entry_coll.c \
    src/binding/entry_comm.c \
    src/binding/entry_datatype.c \
    src/binding/entry_errhan.c \
    src/binding/entry_group.c \
    src/binding/entry_handle.c \
    src/binding/entry_info.c \
    src/binding/entry_init.c \
    src/binding/entry_misc.c \
    src/binding/entry_mpit.c \
    src/binding/entry_names.c \
    src/binding/entry_op.c \
    src/binding/entry_pt2pt.c \
    src/binding/entry_request.c \
    src/binding/entry_session.c
binding_made = src/include/mpi.h src/binding/mpir_impl.h $(binding_entries)

nodist_libmpi_la_SOURCES += $(binding_entries)
BUILT_SOURCES += src/include/mpi.h src/binding/mpir_impl.h
EXTRA_DIST += $(binding_generator) $(binding_api) src/binding/README.md
CLEANFILES += $(binding_made) src/binding/stamp src/binding/man/*.3

# The generator leaves a file alone that would not change, so an edit of one chapter compiles one file again.
src/binding/stamp: $(binding_generator) $(binding_api) src/include/mpi.h.in $(top_srcdir)/maint/version.m4
	$(AM_V_GEN)mkdir -p src/binding src/include && $(PYTHON3) $(top_srcdir)/src/binding/generate \
	    --api $(top_srcdir)/src/binding/api --template $(top_srcdir)/src/include/mpi.h.in \
	    --version $(PACKAGE_VERSION) --mpi-h src/include/mpi.h --out src/binding \
	    --man src/binding/man && touch $@
$(binding_made): src/binding/stamp
	@test -f $@ || { rm -f src/binding/stamp; $(MAKE) src/binding/stamp; }

install-data-local: src/binding/stamp
	$(MKDIR_P) $(DESTDIR)$(mandir)/man3
	cd src/binding/man && for page in *.3; do \
	    $(INSTALL_DATA) $$page $(DESTDIR)$(mandir)/man3/$$page || exit 1; done

uninstall-local:
	-cd src/binding/man && for page in *.3; do rm -f $(DESTDIR)$(mandir)/man3/$$page; done
