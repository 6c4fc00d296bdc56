#!/bin/sh
# glibc.sh WHEEL [MOST]: the oldest glibc that has all symbols of a wheel's modules. Fails if that is newer than MOST.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m zipfile -e "$1" "$work"
needed=$(find "$work" -name '*.so' -exec readelf --wide --version-info {} + | grep -o 'GLIBC_[0-9][0-9.]*' | sed 's/GLIBC_//' |
    sort -uV | tail -n 1)
[ -n "$needed" ]
echo "$(basename "$1"): glibc $needed"
[ "$(printf '%s\n%s\n' "$needed" "${2:-$needed}" | sort -V | tail -n 1)" = "${2:-$needed}" ]
