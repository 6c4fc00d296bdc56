#!/bin/sh
# deb.sh TARBALL OUT [VERSION]: the Debian packages of a tarball of dist.sh, in OUT, unless they are there. DEBFULLNAME and
# DEBEMAIL name the maintainer, as for Debian's own tools; the default is an address that cannot exist (RFC 2606). With VERSION,
# the same sources under another version, and so with another SONAME: for try.sh.
set -eu
umask 022 # archives keep the modes of files
tarball=$(realpath "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
maintainer="${DEBFULLNAME:-Sotto maintainers} <${DEBEMAIL:-sotto@sotto.invalid}>"
made_of="$(sha256sum <"$tarball") $maintainer ${3:-}"
[ "$(cat "$out/made-of" 2>/dev/null)" != "$made_of" ] || exit 0
work=$(mktemp -d "$out/build-XXXXXX")
trap 'rm -rf "$work"' EXIT
tar -xzf "$tarball" -C "$work"
cd "$work"/sotto-*
# All files of the tarball have the time of the commit.
SOURCE_DATE_EPOCH=$(stat -c %Y include/sotto/core.h)
export SOURCE_DATE_EPOCH
version=$(sed -n 's/^#define SOTTO_VERSION "\(.*\)".*/\1/p' include/sotto/core.h)
if [ "${3:-$version}" != "$version" ]; then
    sed -i "s/^\(#define SOTTO_VERSION \)\"$version\"/\1\"$3\"/" include/sotto/core.h
    for file in packaging/debian/libsotto-*"${version%.*}".*; do
        mv "$file" "$(echo "$file" | sed "s/${version%.*}/${3%.*}/")"
    done
    sed -i "s/\(libsotto-[a-z]*\(\.so\.\)\{0,1\}\)${version%.*}/\1${3%.*}/g" packaging/debian/control packaging/debian/*.symbols
    version=$3
fi
sed -i "s/^Maintainer: .*/Maintainer: $maintainer/" packaging/debian/control
ln -s packaging/debian debian
# -0sotto1, so that packages of Debian itself, which begin at -1, would replace these.
cat >debian/changelog <<END
sotto ($version-0sotto1) unstable; urgency=medium

  * Version $version. CHANGELOG.md has the changes.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
unset CMAKE_C_COMPILER_LAUNCHER
dpkg-buildpackage -b -us -uc -j"${JOBS:-$(nproc)}" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; exit 1; }
cp "$work/log" "$out/build.log"
rm -f "$out"/*.deb "$out"/*.buildinfo "$out"/*.changes
cp "$work"/*.deb "$work"/*.buildinfo "$work"/*.changes "$out"
echo "$made_of" >"$out/made-of"
