# The questions that configure.ac asks, one macro each. libtool's and automake's own macros and helper
# scripts are put beside this file by autogen.sh and are not kept in the repository.

# C11 with <stdatomic.h>; adds -std=gnu11 where the compiler's default is older.
AC_DEFUN([PERENNIAL_C11], [
  AC_CACHE_CHECK([for the flag that gives C11 with stdatomic.h], [perennial_cv_c11], [
    perennial_cv_c11=no
    saved_CFLAGS=$CFLAGS
    for flag in "" -std=gnu11 -std=c11; do
      CFLAGS="$saved_CFLAGS $flag"
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
        #include <stdatomic.h>
        #if __STDC_VERSION__ < 201112L
        #error older than C11
        #endif
        _Static_assert(sizeof(_Atomic int) == sizeof(int), "atomics without a lock");
        static _Atomic int counter;]], [[return atomic_fetch_add(&counter, 1);]])],
        [perennial_cv_c11=${flag:-none needed}; break])
    done
    CFLAGS=$saved_CFLAGS])
  AS_CASE([$perennial_cv_c11],
    [no], [AC_MSG_ERROR([$CC compiles no C11 with stdatomic.h; set CC to gcc 5 or later, or clang 3.6 or later])],
    ["none needed"], [],
    [CC="$CC $perennial_cv_c11"])
])

# The C++ compiler that mpicxx calls; the library itself has no C++, so no full AC_PROG_CXX.
AC_DEFUN([PERENNIAL_CXX], [
  AC_ARG_VAR([CXX], [C++ compiler that mpicxx calls])
  AS_CASE([$CC], [*clang*], [candidates="clang++ c++ g++"], [candidates="g++ c++ clang++"])
  AC_CHECK_TOOLS([CXX], [$candidates], [c++])
])

# Python 3 runs the generators, standard library only.
AC_DEFUN([PERENNIAL_PYTHON3], [
  AC_ARG_VAR([PYTHON3], [Python 3.8 or later, for the code generators and the tests])
  AC_PATH_PROGS([PYTHON3], [python3 python])
  AS_IF([test "x$PYTHON3" = x || ! "$PYTHON3" -c 'import sys; sys.exit(sys.version_info < (3, 8))'],
    [AC_MSG_ERROR([Python 3.8 or later is needed to generate the bindings; found "${PYTHON3:-none}". Set PYTHON3=/path/to/python3])])
  # The interpreter itself instead of a version manager's shim, which costs time at each start.
  PYTHON3=`"$PYTHON3" -c 'import sys; print(sys.executable)'`
])

AC_DEFUN([PERENNIAL_OPTION_PORTABLE], [
  AC_ARG_ENABLE([portable],
    [AS_HELP_STRING([--enable-portable], [use POSIX alone, as if this were not Linux])],
    [], [enable_portable=no])
  AS_CASE([$enable_portable], [yes|no], [],
    [AC_MSG_ERROR([--enable-portable takes yes or no, not "$enable_portable"])])
  AS_IF([test $enable_portable = yes],
    [AC_DEFINE([MPL_PORTABLE], [1], [Use POSIX alone.])])
])

AC_DEFUN([PERENNIAL_OPTION_STRICT], [
  AC_ARG_ENABLE([strict],
    [AS_HELP_STRING([--enable-strict], [treat compiler warnings as errors])],
    [], [enable_strict=no])
  STRICT_CFLAGS=
  AS_IF([test "$enable_strict" != no], [STRICT_CFLAGS=-Werror])
  AC_SUBST([STRICT_CFLAGS])
])

# The flags go into the library, mpiexec, the unit tests, and into mpicc: a program must carry the
# sanitizer's runtime if its libraries do.
AC_DEFUN([PERENNIAL_OPTION_SANITIZERS], [
  AC_ARG_ENABLE([asan], [AS_HELP_STRING([--enable-asan], [build with address and undefined-behaviour sanitizers])],
    [], [enable_asan=no])
  AC_ARG_ENABLE([tsan], [AS_HELP_STRING([--enable-tsan], [build with the thread sanitizer])],
    [], [enable_tsan=no])
  AS_IF([test "$enable_asan" != no && test "$enable_tsan" != no],
    [AC_MSG_ERROR([--enable-asan and --enable-tsan exclude each other])])
  sanitizer_flags=
  AS_IF([test "$enable_asan" != no],
    [sanitizer_flags="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"])
  AS_IF([test "$enable_tsan" != no],
    [sanitizer_flags="-fsanitize=thread -fno-omit-frame-pointer"])
  AS_IF([test "x$sanitizer_flags" != x], [
    saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $sanitizer_flags"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [],
      [AC_MSG_ERROR([$CC cannot link with $sanitizer_flags (is the sanitizer's runtime installed?)])])
    CFLAGS=$saved_CFLAGS])
  AC_SUBST([SANITIZER_FLAGS], [$sanitizer_flags])
])

AC_DEFUN([PERENNIAL_OPTION_ASSERT], [
  AC_ARG_ENABLE([assert],
    [AS_HELP_STRING([--enable-assert=LEVEL], [0: none, 1: cheap checks (default), 2: whole data structures])],
    [], [enable_assert=1])
  AS_CASE([$enable_assert], [yes], [enable_assert=2], [no], [enable_assert=0], [[[012]]], [],
    [AC_MSG_ERROR([--enable-assert takes 0, 1 or 2, not "$enable_assert"])])
  AC_DEFINE_UNQUOTED([MPL_ASSERT_LEVEL], [$enable_assert], [Internal checks: 0 none, 1 cheap, 2 thorough.])
])

# PERENNIAL_CFLAG(FLAG): add FLAG to BASE_CFLAGS if the compiler takes it without a murmur.
AC_DEFUN([PERENNIAL_CFLAG], [
  AC_SUBST([BASE_CFLAGS])
  AC_MSG_CHECKING([whether $CC takes $1])
  saved_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS -Werror $1"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
    [BASE_CFLAGS="$BASE_CFLAGS $1"; AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])
  CFLAGS=$saved_CFLAGS
])

# PERENNIAL_LIB_LDFLAG(FLAG): add FLAG to LIBMPI_LDFLAGS if the linker knows it.
AC_DEFUN([PERENNIAL_LIB_LDFLAG], [
  AC_SUBST([LIBMPI_LDFLAGS])
  AC_MSG_CHECKING([whether the linker knows $1])
  saved_LDFLAGS=$LDFLAGS
  LDFLAGS="$LDFLAGS -shared -fPIC $1"
  AC_LINK_IFELSE([AC_LANG_SOURCE([[int perennial_probe(void) { return 0; }]])],
    [LIBMPI_LDFLAGS="$LIBMPI_LDFLAGS $1"; AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])
  LDFLAGS=$saved_LDFLAGS
])

# The wrappers' rpath should give way to LD_LIBRARY_PATH, where the linker can say so.
AC_DEFUN([PERENNIAL_NEW_DTAGS], [
  AC_MSG_CHECKING([whether the linker knows -Wl,--enable-new-dtags])
  saved_LDFLAGS=$LDFLAGS
  LDFLAGS="$LDFLAGS -Wl,--enable-new-dtags"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [ENABLE_NEW_DTAGS=yes], [ENABLE_NEW_DTAGS=no])
  AC_MSG_RESULT([$ENABLE_NEW_DTAGS])
  LDFLAGS=$saved_LDFLAGS
  AC_SUBST([ENABLE_NEW_DTAGS])
])

# What Linux has beyond POSIX. With --enable-portable nothing of it is looked for.
AC_DEFUN([PERENNIAL_LINUX], [
  AS_IF([test $enable_portable = no], [
    AC_CHECK_HEADERS([linux/futex.h linux/membarrier.h sys/prctl.h sys/random.h])
    AC_CHECK_FUNCS([memfd_create process_vm_readv sched_getaffinity getrandom pidfd_open _Fork close_range])
  ])
])

# mpiexec binds ranks to cores through hwloc; the library itself never loads it.
AC_DEFUN([PERENNIAL_HWLOC], [
  AC_ARG_WITH([hwloc], [AS_HELP_STRING([--with-hwloc@<:@=PREFIX@:>@], [bind processes through hwloc (default: if it is there)])],
    [], [with_hwloc=auto])
  have_hwloc=no
  HWLOC_CPPFLAGS= HWLOC_LIBS=
  AS_IF([test "$with_hwloc" != no], [
    saved_CPPFLAGS=$CPPFLAGS saved_LIBS=$LIBS
    AS_CASE([$with_hwloc], [auto|yes], [],
      [HWLOC_CPPFLAGS="-I$with_hwloc/include" HWLOC_LIBS="-L$with_hwloc/lib -Wl,-rpath,$with_hwloc/lib"])
    CPPFLAGS="$CPPFLAGS $HWLOC_CPPFLAGS" LIBS="$HWLOC_LIBS -lhwloc $LIBS"
    AC_MSG_CHECKING([for hwloc])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <hwloc.h>]],
                                    [[hwloc_topology_t t; return hwloc_topology_init(&t);]])],
      [have_hwloc=yes HWLOC_LIBS="$HWLOC_LIBS -lhwloc"
       AC_DEFINE([HAVE_HWLOC], [1], [Define if hwloc is there.])],
      [HWLOC_CPPFLAGS= HWLOC_LIBS=])
    AC_MSG_RESULT([$have_hwloc])
    CPPFLAGS=$saved_CPPFLAGS LIBS=$saved_LIBS
    AS_IF([test $have_hwloc = no && test "$with_hwloc" != auto],
      [AC_MSG_ERROR([--with-hwloc=$with_hwloc: no program with hwloc.h and -lhwloc links (Debian: libhwloc-dev)])])
  ])
  AC_SUBST([HWLOC_CPPFLAGS])
  AC_SUBST([HWLOC_LIBS])
])

# mpiexec -timeout shows where each rank is, by libunwind's ptrace half if there is no gdb.
AC_DEFUN([PERENNIAL_LIBUNWIND], [
  AC_ARG_WITH([libunwind], [AS_HELP_STRING([--with-libunwind], [backtraces without gdb (default: if it is there)])],
    [], [with_libunwind=auto])
  have_libunwind=no
  LIBUNWIND_LIBS=
  AS_IF([test "$with_libunwind" != no], [
    saved_LIBS=$LIBS
    libs="-lunwind-ptrace -lunwind-generic -lunwind"
    LIBS="$libs $LIBS"
    AC_MSG_CHECKING([for libunwind-ptrace])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <libunwind-ptrace.h>]],
                                    [[return _UPT_create(1) == 0 || unw_create_addr_space(&_UPT_accessors, 0) == 0;]])],
      [have_libunwind=yes LIBUNWIND_LIBS=$libs
       AC_DEFINE([HAVE_LIBUNWIND], [1], [Define if libunwind-ptrace is there.])])
    AC_MSG_RESULT([$have_libunwind])
    LIBS=$saved_LIBS
    AS_IF([test $have_libunwind = no && test "$with_libunwind" != auto],
      [AC_MSG_ERROR([--with-libunwind: no program with libunwind-ptrace.h links (Debian: libunwind-dev)])])
  ])
  AC_SUBST([LIBUNWIND_LIBS])
])

# PERENNIAL_NETMOD(name, header, library, link flags, Debian package, statement): a network module that is built if a
# program with the header and the statement links. Sets build_name, NAME_CPPFLAGS and NAME_LIBS.
AC_DEFUN([PERENNIAL_NETMOD], [
  m4_pushdef([PN_VAR], [m4_toupper([$1])])
  AC_ARG_WITH([$3], [AS_HELP_STRING([--with-$3@<:@=PREFIX@:>@], [build the network module $1 (default: if $3 is there)])],
    [], [with_$3=auto])
  build_$1=no
  PN_VAR[]_CPPFLAGS= PN_VAR[]_LIBS=
  AS_IF([test "$with_$3" != no], [
    AS_CASE([$with_$3], [auto|yes], [PN_VAR[]_LIBS="$4"],
      [PN_VAR[]_CPPFLAGS="-I$with_$3/include" PN_VAR[]_LIBS="-L$with_$3/lib -Wl,-rpath,$with_$3/lib $4"])
    saved_CPPFLAGS=$CPPFLAGS saved_LIBS=$LIBS
    CPPFLAGS="$CPPFLAGS $PN_VAR[]_CPPFLAGS" LIBS="$PN_VAR[]_LIBS $LIBS"
    AC_MSG_CHECKING([for $3])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$2>]], [[$6]])], [build_$1=yes])
    AC_MSG_RESULT([$build_$1])
    CPPFLAGS=$saved_CPPFLAGS LIBS=$saved_LIBS
    AS_IF([test $build_$1 = no && test "$with_$3" != auto],
      [AC_MSG_ERROR([--with-$3=$with_$3: no program with $2 and $4 links (Debian: $5)])])
  ])
  AC_SUBST(PN_VAR[]_CPPFLAGS)
  AC_SUBST(PN_VAR[]_LIBS)
  AM_CONDITIONAL([BUILD_]PN_VAR, [test $build_$1 = yes])
  m4_popdef([PN_VAR])
])

# Under a PMIx launcher the library opens libpmix by itself; only its header is needed to build.
AC_DEFUN([PERENNIAL_PMIX], [
  AC_ARG_WITH([pmix], [AS_HELP_STRING([--with-pmix@<:@=PREFIX@:>@], [run under PMIx launchers (default: if pmix.h is there)])],
    [], [with_pmix=auto])
  AC_PATH_PROG([PKG_CONFIG], [pkg-config], [false])
  have_pmix=no
  PMIX_CPPFLAGS= pmix_libdir=
  AS_IF([test "$with_pmix" != no], [
    AS_CASE([$with_pmix],
      [auto|yes], [
        pmix_include=`$PKG_CONFIG --variable=includedir pmix 2>/dev/null`
        pmix_libdir=`$PKG_CONFIG --variable=libdir pmix 2>/dev/null`
        AS_IF([test "x$pmix_include" != x], [PMIX_CPPFLAGS="-I$pmix_include"])],
      [PMIX_CPPFLAGS="-I$with_pmix/include" pmix_libdir="$with_pmix/lib"])
    saved_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $PMIX_CPPFLAGS"
    AC_MSG_CHECKING([for pmix.h, version 3 or later])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
        #include <pmix.h>
        #if PMIX_VERSION_MAJOR < 3
        #error older than 3
        #endif]], [[const char *key = PMIX_QUERY_PSET_NAMES PMIX_OPTIONAL; return !key;]])],
      [have_pmix=yes
       AC_DEFINE([HAVE_PMIX], [1], [Define if pmix.h is there.])
       AC_DEFINE_UNQUOTED([PMIX_LIBDIR], ["$pmix_libdir"], [Where libpmix is, if the loader does not know.])],
      [PMIX_CPPFLAGS=])
    AC_MSG_RESULT([$have_pmix])
    CPPFLAGS=$saved_CPPFLAGS
    AS_IF([test $have_pmix = no && test "$with_pmix" != auto],
      [AC_MSG_ERROR([--with-pmix=$with_pmix: no program with pmix.h 3 or later compiles (Debian: libpmix-dev)])])
  ])
  AC_SUBST([PMIX_CPPFLAGS])
])
