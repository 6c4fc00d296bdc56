#!/bin/sh
# fetch.sh WORK PACKAGE VERSION SHA256 [MEMBER FILE]...: takes a package from the npm registry, checks it, and writes members of it.
set -eu
archive="$1/$2-$3.tgz"
if ! [ -f "$archive" ] && ! (cd "$1" && npm pack --silent "$2@$3" >/dev/null); then
    echo "$2 cannot be had from the npm registry: sottod's pages or their tests need it" >&2
    exit 1
fi
echo "$4  $archive" | sha256sum --check --quiet
shift 4
while [ $# -gt 0 ]; do
    mkdir -p "$(dirname "$2")"
    tar -xzOf "$archive" "$1" >"$2"
    shift 2
done
