#!/bin/sh
# Unpacks Debian packages of another architecture, and what they need, into a directory. The system does not get
# to know that architecture: apt keeps its lists in the directory. Silent and quick when all is there.
# Usage: foreign.sh ARCHITECTURE DIRECTORY PACKAGE...
set -eu

if [ $# -lt 3 ]; then
    echo "usage: foreign.sh ARCHITECTURE DIRECTORY PACKAGE..." >&2
    exit 2
fi
architecture=$1
mkdir -p "$2"
directory=$(cd "$2" && pwd)
shift 2
wanted="$architecture $*"
[ "$(cat "$directory/unpacked" 2>/dev/null || true)" != "$wanted" ] || exit 0

echo "unpacking for $architecture: $*"
apt=$directory/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
# The cross compiler brings its own libc and libgcc.
: >"$apt/status"
for there in libc6 libc6-dev libgcc-s1; do
    printf 'Package: %s\nProvides: libc-dev\nStatus: install ok installed\nArchitecture: %s\nVersion: 99\n\n' \
        "$there" "$architecture" >>"$apt/status"
done
private() {
    apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
        -o Dir::State="$apt" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" \
        -o APT::Sandbox::User="$(id -un)" "$@"
}
private update || echo "foreign: some package lists could not be fetched; going on with the others" >&2
private -y --no-install-recommends --download-only install "$@"
for package in "$apt"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$directory"
done
# One directory for all libraries, as on a Debian system.
if [ -d "$directory/lib" ]; then
    cp -a "$directory/lib/." "$directory/usr/lib/"
    rm -r "$directory/lib"
fi
ln -sfn usr/lib "$directory/lib"
# Links to /lib/... mean the directory's, not this system's.
find "$directory/usr/lib" -type l -lname '/*' | while read -r link; do
    ln -sfn "$directory$(readlink "$link")" "$link"
done
rm -rf "$apt"
echo "$wanted" >"$directory/unpacked"
