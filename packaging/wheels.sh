#!/bin/sh
# wheels.sh OUT [ARCHITECTURE...]: wheels of this tree in OUT, for this architecture and the other (x86_64, aarch64). The
# other's is cross-compiled; packaging/foreign.sh unpacks the libraries that it needs. The same sources give the same bytes.
set -eu
umask 022 # archives keep the modes of files
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
here=$(uname -m)
[ $# -gt 0 ] || set -- x86_64 aarch64
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(stat -c %Y "$root/include/sotto/core.h")
    # Not of a checkout around an unpacked tarball.
    [ ! -e "$root/.git" ] || SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
fi
export SOURCE_DATE_EPOCH PYTHONHASHSEED=0
work=$(mktemp -d "$out/build-XXXXXX")
trap 'rm -rf "$work"' EXIT
for architecture in "$@"; do
    build=$work/$architecture
    rm -f "$out"/sotto-*_"$architecture".whl # of another version
    # Neither the directory of the sources nor that of the build is in a wheel.
    flags="-O3 -g -ffile-prefix-map=$root=. -ffile-prefix-map=$work=."
    cross='' cc=cc flags_python='' links_python=''
    if [ "$architecture" != "$here" ]; then
        debian=$(echo "$architecture" | sed 's/x86_64/amd64/; s/aarch64/arm64/')
        "$root/packaging/foreign.sh" "$debian" "$root/build/foreign-wheel" libpython3-dev zlib1g-dev libcurl4-openssl-dev libjansson-dev
        cross="-DCMAKE_TOOLCHAIN_FILE=$root/cmake/cross.cmake -DSOTTO_UNPACKED=$root/build/foreign-wheel"
        cc=$architecture-linux-gnu-gcc
        flags_python="-I$root/build/foreign-wheel/usr/include"
        links_python="-L$root/build/foreign-wheel/usr/lib/$architecture-linux-gnu"
    fi
    # shellcheck disable=SC2086 # words
    cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$flags" -DCMAKE_INSTALL_LIBDIR=lib \
        -DSOTTO_TESTS=OFF -DSOTTO_CLI=OFF -DSOTTO_SERVICE=OFF $cross >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    ninja -C "$build" -j "${JOBS:-$(nproc)}" sotto-lab-static sotto-transport-static all >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
    cmake --install "$build" --prefix "$build/prefix" >/dev/null
    mkdir "$build/source"
    cp -R "$root/python/." "$build/source"
    chmod -R u=rwX,go=rX "$build/source" # a wheel keeps the modes of files
    (cd "$build/source" && _PYTHON_HOST_PLATFORM=linux-$architecture CC=$cc LDSHARED="$cc -shared" \
        CFLAGS="-O2 -ffile-prefix-map=$root=. -ffile-prefix-map=$work=. $flags_python" LDFLAGS="-Wl,--strip-debug -Wl,--build-id=none $links_python" \
        PKG_CONFIG_PATH=$build/prefix/lib/pkgconfig /usr/bin/python3 setup.py --quiet bdist_wheel --dist-dir "$out") \
        >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
done
for wheel in "$out"/sotto-*.whl; do
    "$root/packaging/glibc.sh" "$wheel" 2.36
done
