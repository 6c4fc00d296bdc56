#!/bin/sh
# abi.sh [--write] DIRECTORY: compares the shared libraries below DIRECTORY (a build, or unpacked packages with those of their debug
# information) with what their SONAME promises: functions and structs by abidiff with packaging/abi, names with the symbols
# files in packaging/debian. Fails if something is gone or has changed, which needs another minor version and so another SONAME,
# if something new is not kept yet, and if a library that is kept is not there. --write keeps what is there.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
abi=$root/packaging/abi
write=''
[ "${1:-}" != --write ] || { write=1 && shift; }
if [ $# -ne 1 ] || [ ! -d "$1" ]; then
    echo "usage: abi.sh [--write] DIRECTORY" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# abidw knows private types by the names of their files alone, and src/client/client.h has the name of a public header.
printf '[suppress_type]\n  source_location_not_regexp = include/sotto/\n' >"$work/private"
changed=0
wrong() {
    echo "$soname: $*"
    changed=$((changed + 1))
}
debug=$(find "$1" -path '*/usr/lib/debug' -type d | head -n 1)
find "$1" -name 'libsotto-*.so.*.*.*' -type f ! -path '*/lib/debug/*' | LC_ALL=C sort >"$work/libraries"
[ -s "$work/libraries" ] || { echo "abi.sh: no library below $1" >&2 && exit 1; }
while read -r library; do
    soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
    version=${library##*.so.}
    symbols=$root/packaging/debian/${soname%.so.*}${soname##*.so.}.symbols
    abidw --no-corpus-path --no-comp-dir-path --no-elf-needed --drop-private-types --drop-undefined-syms \
        ${debug:+--debug-info-dir "$debug"} --headers-dir "$root/include" "$library" |
        sed "s|filepath='[^']*/\(include/\)|filepath='\1|; s|filepath='[^i][^']*/|filepath='|; s| path='[^']*/src/| path='./src/|; s| line='[0-9]*' column='[0-9]*'| line='1' column='1'|" \
            >"$work/new.abi"
    # Symbols keep the version that had them first.
    {
        echo "$soname ${soname%.so.*}${soname##*.so.} #MINVER#"
        nm -D --defined-only "$library" | LC_ALL=C sort -k 3 | while read -r _ _ name; do
            grep "^ $name@Base " "$symbols" 2>/dev/null || echo " $name@Base $version"
        done
    } >"$work/symbols"
    if [ -n "$write" ]; then
        mkdir -p "$abi"
        rm -f "$abi/${soname%.so.*}".so.*
        gzip -9n <"$work/new.abi" >"$abi/$soname.abi.gz"
        cp "$work/symbols" "$symbols"
        continue
    fi
    if ! [ -e "$abi/$soname.abi.gz" ] || ! [ -e "$symbols" ]; then
        wrong "a new SONAME; abi.sh --write keeps what it has"
        continue
    fi
    gzip -dc "$abi/$soname.abi.gz" >"$work/old.abi"
    if ! abidiff --no-added-syms --no-architecture --suppressions "$work/private" "$work/old.abi" "$work/new.abi" >"$work/said"; then
        cat "$work/said"
        wrong "changed, with the same SONAME: raise the minor version, or take the change back"
    elif ! diff "$symbols" "$work/symbols" >"$work/said"; then
        cat "$work/said"
        wrong "new functions; abi.sh --write keeps them"
    fi
done <"$work/libraries"
if [ -z "$write" ]; then
    for kept in "$abi"/*.abi.gz; do
        soname=$(basename "$kept" .abi.gz)
        grep -qF "/$soname." "$work/libraries" || wrong "no such library"
    done
fi
[ -n "$write" ] || echo "$(wc -l <"$work/libraries") libraries compared, $changed changed"
[ "$changed" -eq 0 ]
