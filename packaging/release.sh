#!/bin/sh
# release.sh OUT [PART...]: all files of a release of the last commit (or of COMMIT) in OUT, or some: tarball, packages, wheels, web.
# SIGN names the key that signs SHA256SUMS; without it nothing is signed. BUILD is where to build, OUT/build if not given; PACKAGES
# is where packages may already be.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- packages wheels web
build=${BUILD:-$out/build}
find "$out" -maxdepth 1 -type f -delete
rm -rf "$build"
mkdir -p "$build"
tarball=$("$root/packaging/dist.sh" "$out")
# All else is built from the tarball, not from the checkout.
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct "${COMMIT:-HEAD}")
export SOURCE_DATE_EPOCH
unset CMAKE_C_COMPILER_LAUNCHER
tar -xzf "$tarball" -C "$build"
source=$(echo "$build"/sotto-*)
"$root/packaging/sbom.py" "$tarball" "${tarball%.tar.gz}.spdx.json"
for part in "$@"; do
    echo "release: $part"
    case "$part" in
    tarball) ;;
    packages)
        packages=${PACKAGES:-$build/packages}
        "$source/packaging/deb.sh" "$tarball" "$packages"
        cp "$packages"/*.deb "$packages"/*.buildinfo "$out"
        ;;
    wheels)
        "$source/packaging/wheels.sh" "$build/wheels"
        cp "$build"/wheels/*.whl "$out"
        ;;
    web)
        make -C "$source" --no-print-directory web >"$build/web.log" 2>&1 || { tail -n 20 "$build/web.log" >&2; exit 1; }
        cp "$source/build/web/client.wasm" "$source/build/web/lab.wasm" "$out"
        npm pack --silent --pack-destination "$out" "$source/build/web/sotto-client" >/dev/null
        ;;
    *) echo "release: $part: allowed tarball, packages, wheels, web" >&2 && exit 2 ;;
    esac
done
cd "$out"
find . -maxdepth 1 -type f ! -name 'SHA256SUMS*' -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS
if [ -n "${SIGN:-}" ]; then
    gpg --batch --yes --armor --local-user "$SIGN" --output SHA256SUMS.asc --detach-sign SHA256SUMS
fi
rm -rf "$build"
