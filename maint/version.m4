# The one place where the version is written. configure.ac includes this file; maint/gen-readme reads it.
m4_define([PERENNIAL_VERSION_m4], [0.1.0])
# libtool's current:revision:age of libmpi; the soname libmpi.so.12 is the MPICH ABI's and stays.
m4_define([PERENNIAL_LIBMPI_ABI_m4], [12:0:0])
