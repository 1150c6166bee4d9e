#!/bin/sh
# Make configure and Makefile.in. Needed after a fresh clone, and when configure.ac or confdb changes.
# (A changed Makefile.am or Makefile.mk is noticed by make itself.)
set -e
cd "$(dirname "$0")"

missing=
for tool in autoreconf automake libtoolize; do
    command -v $tool >/dev/null 2>&1 || missing="$missing $tool"
done
if [ -n "$missing" ]; then
    echo "autogen.sh: not found:$missing" >&2
    echo "autogen.sh: Debian, Ubuntu: apt-get install autoconf automake libtool" >&2
    echo "autogen.sh: Fedora: dnf install autoconf automake libtool;  macOS: brew install autoconf automake libtool" >&2
    exit 1
fi

autoreconf --install "$@"
echo "autogen.sh: done. Next: mkdir -p _build && cd _build && ../configure --prefix=\$PWD/../_install"
