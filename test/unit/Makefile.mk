# Unit tests: one program a file, no launcher, linked to all objects of libmpi so that hidden symbols are
# within reach. To add test/unit/foo.c, add the line
#     check_PROGRAMS += test/unit/foo
# and nothing else; `make check`, or test/runtests test/unit, builds and runs it.

LDADD = libmpi_all.la
check-programs: $(BUILT_SOURCES) $(check_PROGRAMS)
.PHONY: check-programs

EXTRA_DIST += test/unit/utest.h test/unit/pm_words.h
check_PROGRAMS += test/unit/match_order
check_PROGRAMS += test/unit/core_messages
check_PROGRAMS += test/unit/core_rndv
check_PROGRAMS += test/unit/core_boot
check_PROGRAMS += test/unit/binding
check_PROGRAMS += test/unit/datatype
check_PROGRAMS += test/unit/group
check_PROGRAMS += test/unit/attr
check_PROGRAMS += test/unit/op
check_PROGRAMS += test/unit/sched
check_PROGRAMS += test/unit/sched_coll
EXTRA_DIST += test/unit/sim_device.h
# These bring a device of their own (sim_device.h), which goes before the one in libmpi_all.
test_unit_sched_LDFLAGS = $(AM_LDFLAGS) -Wl,-z,muldefs
test_unit_sched_coll_LDFLAGS = $(AM_LDFLAGS) -Wl,-z,muldefs
check_PROGRAMS += test/unit/mpl
check_PROGRAMS += test/unit/pool
check_PROGRAMS += test/unit/errors
check_PROGRAMS += test/unit/info
check_PROGRAMS += test/unit/cvar
check_PROGRAMS += test/unit/mpit
check_PROGRAMS += test/unit/nodedir
check_PROGRAMS += test/unit/posix_ring
check_PROGRAMS += test/unit/posix_pair
check_PROGRAMS += test/unit/contexts
