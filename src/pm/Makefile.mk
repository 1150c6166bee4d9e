# mpiexec for one machine. All of it but main is a library, so that unit tests reach it.
bin_PROGRAMS += mpiexec
noinst_LTLIBRARIES += libpm.la
libpm_la_SOURCES = \
    src/pm/mpiexec/barrier.c \
    src/pm/mpiexec/barrier.h \
    src/pm/mpiexec/bind.c \
    src/pm/mpiexec/bind.h \
    src/pm/mpiexec/bind_hwloc.c \
    src/pm/mpiexec/bind_impl.h \
    src/pm/mpiexec/config_file.c \
    src/pm/mpiexec/environment.c \
    src/pm/mpiexec/environment.h \
    src/pm/mpiexec/feed.c \
    src/pm/mpiexec/feed.h \
    src/pm/mpiexec/guard.c \
    src/pm/mpiexec/guard.h \
    src/pm/mpiexec/handover.c \
    src/pm/mpiexec/handover.h \
    src/pm/mpiexec/handover_exec.c \
    src/pm/mpiexec/job.h \
    src/pm/mpiexec/job_end.c \
    src/pm/mpiexec/job_pmi.c \
    src/pm/mpiexec/job_report.c \
    src/pm/mpiexec/job_signal.c \
    src/pm/mpiexec/job_start.c \
    src/pm/mpiexec/kvs.c \
    src/pm/mpiexec/kvs.h \
    src/pm/mpiexec/loop.c \
    src/pm/mpiexec/loop.h \
    src/pm/mpiexec/options.c \
    src/pm/mpiexec/options.h \
    src/pm/mpiexec/output.c \
    src/pm/mpiexec/output.h \
    src/pm/mpiexec/pmi_server.c \
    src/pm/mpiexec/pmi_server.h \
    src/pm/mpiexec/signals.c \
    src/pm/mpiexec/signals.h \
    src/pm/mpiexec/sink.c \
    src/pm/mpiexec/sink.h \
    src/pm/mpiexec/spawn.c \
    src/pm/mpiexec/spawn.h \
    src/pm/mpiexec/trace.c \
    src/pm/mpiexec/trace.h \
    src/pm/mpiexec/trace_unwind.c \
    src/pm/mpiexec/verdict.c \
    src/pm/mpiexec/verdict.h

mpiexec_SOURCES = src/pm/mpiexec/main.c
mpiexec_LDADD = libpm.la libmpl.la

check_PROGRAMS += test/unit/pmi_server test/unit/pm_options test/unit/pm_handover
test_unit_pmi_server_LDADD = libpm.la libmpi_all.la
test_unit_pm_options_LDADD = libpm.la libmpi_all.la
test_unit_pm_handover_LDADD = libpm.la libmpi_all.la

dist_man1_MANS = src/pm/mpiexec.1
