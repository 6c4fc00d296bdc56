#!/bin/sh
# wheel.sh BUILD: the wheel of the libraries that CMake built in BUILD, as BUILD/python/sotto-*.whl, and a virtual
# environment in BUILD/python/venv where it is installed. Offline, with Debian's Python and its packages.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")" && pwd)
out=$build/python
python=${PYTHON:-/usr/bin/python3}

rm -rf "$out"
mkdir -p "$out/source"
cmake --install "$build" --prefix "$out/prefix" >/dev/null
cp -R "$source/." "$out/source" # so that nothing is written beside the sources
LDFLAGS=-Wl,--strip-debug PKG_CONFIG_PATH=$out/prefix/lib/pkgconfig "$python" -m build --wheel --no-isolation --outdir "$out" "$out/source" \
    >"$out/build.log" 2>&1 || { tail -n 20 "$out/build.log" >&2; exit 1; }
"$python" -m venv --system-site-packages "$out/venv"
"$out/venv/bin/pip" install --quiet --no-index --no-deps "$out"/sotto-*.whl
ls "$out"/sotto-*.whl
