#!/bin/sh
# Installs the Debian packages that are missing for the named purposes (build, test, format, cross).
# Silent and quick when none is.
set -eu

packages=""
for purpose in "$@"; do
    case "$purpose" in
    build) packages="$packages gcc libc6-dev binutils cmake ninja-build scdoc gnuplot-nox" ;;
    test)
        packages="$packages libcmocka-dev pkg-config clang libclang-rt-dev clang-format python3"
        packages="$packages valgrind git chromium chromium-driver"
        ;;
    format) packages="$packages clang-format git" ;;
    cross) packages="$packages gcc-x86-64-linux-gnu libc6-dev-amd64-cross qemu-user pkg-config python3" ;;
    *) echo "deps: $purpose: allowed build, test, format, cross" >&2 && exit 2 ;;
    esac
done

missing=""
for package in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
    case "$state" in
    ii*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "deps: please install as root:$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
echo "installing:$missing"
$as_root apt-get -qq update
# shellcheck disable=SC2086 # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq -y --no-install-recommends install $missing >/dev/null
