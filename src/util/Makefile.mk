# Sources of src/util; paths are from the top of the tree.
libmpi_la_SOURCES += \
    src/util/cvar.c \
    src/util/pool.c

# Tables of the variables that all the other sources declare. The stamp keeps the table's time unless its contents
# change, so that an edit elsewhere does not compile it again.
nodist_libmpi_la_SOURCES += src/util/mpir_cvars.c
CLEANFILES += src/util/mpir_cvars.c src/util/mpir_cvars.c.new src/util/mpir_cvars.stamp
src/util/mpir_cvars.stamp: $(top_srcdir)/maint/gen-cvars $(libmpi_la_SOURCES)
	$(AM_V_GEN)mkdir -p src/util && $(PYTHON3) $(top_srcdir)/maint/gen-cvars --top $(top_srcdir) \
	    --table src/util/mpir_cvars.c.new $(libmpi_la_SOURCES) && \
	{ cmp -s src/util/mpir_cvars.c.new src/util/mpir_cvars.c || \
	  cp src/util/mpir_cvars.c.new src/util/mpir_cvars.c; } && touch $@
src/util/mpir_cvars.c: src/util/mpir_cvars.stamp
	@test -f $@ || { rm -f src/util/mpir_cvars.stamp; $(MAKE) src/util/mpir_cvars.stamp; }
