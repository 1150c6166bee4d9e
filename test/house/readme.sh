#!/bin/sh
# README.md is what README.vin and maint/version.m4 give, and the built library's version is the same.
set -eu
"$TOP/maint/gen-readme" --check
version=$(sed -n 's/^m4_define(\[PERENNIAL_VERSION_m4\], *\[\(.*\)\])$/\1/p' "$TOP/maint/version.m4")
installed=$(sed -n 's/^Version: //p' "$PREFIX/lib/pkgconfig/perennial.pc")
[ "$version" = "$installed" ] || { echo "sources are version $version, $PREFIX is $installed" >&2; exit 1; }
echo " No Errors"
