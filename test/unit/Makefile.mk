# Unit tests: one program a file, no launcher, linked to all objects of libmpi so that hidden symbols are
# within reach. To add test/unit/foo.c, add the line
#     check_PROGRAMS += test/unit/foo
# and nothing else; `make check`, or test/runtests test/unit, builds and runs it.

LDADD = libmpi_all.la
check-programs: $(BUILT_SOURCES) $(check_PROGRAMS)
.PHONY: check-programs

EXTRA_DIST += test/unit/utest.h
check_PROGRAMS += test/unit/match_order
check_PROGRAMS += test/unit/core_messages
check_PROGRAMS += test/unit/core_rndv
check_PROGRAMS += test/unit/core_boot
check_PROGRAMS += test/unit/binding
