#!/bin/sh
# base.sh ROOT: a bare Debian 12 in ROOT, unless it is there. Needs root. An interrupted one gets no name, so it is made again.
set -eu
[ ! -d "$1" ] || exit 0
rm -rf --one-file-system "$1.new" # never what is mounted there
debootstrap --variant=minbase bookworm "$1.new" >"$1.log" 2>&1 || { tail "$1.log" >&2; exit 1; }
mv "$1.new" "$1"
