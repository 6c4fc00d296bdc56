#!/bin/sh
# rebuild.sh DIST OUT [PART...]: builds the release in DIST (release.sh) a second time in OUT: in another directory, in another time
# zone, language, home and umask. Fails unless all files have the same bytes; .buildinfo names the machine, and is left out.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dist=$(cd "$1" && pwd)
mkdir -p "$2/home"
out=$(cd "$2" && pwd)
shift 2
# The commit of DIST, even if another came meanwhile.
COMMIT=$(tar -xzOf "$dist"/sotto-*.tar.gz --wildcards '*/cmake/commit.txt')
export COMMIT
(umask 077 && BUILD=$out/another/place SIGN='' PACKAGES='' TZ=Asia/Tokyo LC_ALL=C.UTF-8 HOME=$out/home "$here/release.sh" "$out/two" "$@")
status=0 same=0
for file in "$dist"/*; do
    name=$(basename "$file")
    case "$name" in *.buildinfo | SHA256SUMS*) continue ;; esac
    if cmp -s "$file" "$out/two/$name"; then
        echo "same bytes: $name"
        same=$((same + 1))
    else
        echo "DIFFERENT: $name"
        status=1
    fi
done
[ "$(find "$dist" -type f ! -name '*.asc' | wc -l)" -eq "$(find "$out/two" -type f | wc -l)" ] || status=1
echo "rebuild: figure: $same files with the same bytes"
exit $status
