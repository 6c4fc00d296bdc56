#!/bin/sh
# try-wheel.sh WHEEL ROOT: installs a wheel with pip into a Debian root of its architecture, on Debian's numpy, pandas and
# cffi-backend, and simulates there. Needs root. qemu runs the other architecture, without a change to this machine's kernel:
# then nothing in the root can start a second program, so the packages are unpacked and not configured.
set -eu
wheel=$1
root=$2
architecture=$(basename "$wheel" .whl | sed 's/.*linux_//')
debian=$(echo "$architecture" | sed 's/x86_64/amd64/; s/aarch64/arm64/')
foreign='' emulator=''
if [ "$architecture" != "$(uname -m)" ]; then
    foreign=--foreign
    emulator=/usr/bin/qemu-$architecture-static
fi
end() { umount -l "$root/proc" "$root/dev" 2>/dev/null || true; }
trap end EXIT
if [ ! -e "$root/made" ]; then
    # shellcheck disable=SC2086 # a word or none
    debootstrap $foreign --arch="$debian" --variant=minbase \
        --include=python3-numpy,python3-pandas,python3-cffi-backend,python3-pip,libcurl4 bookworm "$root" >"$root.log" 2>&1 ||
        { tail "$root.log" >&2; exit 1; }
    for package in "$root"/var/cache/apt/archives/*.deb; do
        [ -z "$emulator" ] || dpkg-deb -x "$package" "$root"
    done
    : >"$root/made"
fi
[ -z "$emulator" ] || cp "$emulator" "$root$emulator"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
cp "$wheel" "$root/tmp/"
if [ -n "$emulator" ]; then
    libraries=/usr/lib/$architecture-linux-gnu
    set -- "$emulator" -E "LD_LIBRARY_PATH=$libraries/blas:$libraries/lapack" /usr/bin/python3
else
    set -- /usr/bin/python3
fi
export LC_ALL=C.UTF-8 HOME=/tmp
chroot "$root" "$@" -m pip install --quiet --no-index --no-deps --force-reinstall --break-system-packages --root-user-action=ignore \
    "/tmp/$(basename "$wheel")"
cat >"$root/tmp/try.py" <<'END'
import platform

import numpy
import sotto

rows = sotto.simulate("sotto", dim=2, arms=3, horizon=200, seeds=2)
assert len(rows) > 0, rows
print(f"try-wheel: {platform.machine()}: sotto {sotto.__version__}, numpy {numpy.__version__}: {len(rows)} rows")
END
chroot "$root" "$@" /tmp/try.py
echo "try-wheel: figure: $("$(dirname "$0")/glibc.sh" "$wheel")"
