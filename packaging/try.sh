#!/bin/sh
# try.sh PACKAGES ROOT NEXT: what autopkgtest would check, in a Debian root of its own. debootstrap makes ROOT.base once, and
# ROOT is a copy of it. Needs root. Installs the packages, builds and runs a C and a Python program, installs the libraries
# of another minor version (NEXT) beside them, runs the service as its user, upgrades it with data, shows data of other formats,
# a wrong setting and a full disk to it, and removes it.
set -eu
packages=$(cd "$1" && pwd)
next=$(cd "$3" && pwd)
here=$(cd "$(dirname "$0")/.." && pwd)
"$here/packaging/base.sh" "$2.base"
rm -rf --one-file-system "$2" # never what is mounted there
cp -a "$2.base" "$2"
root=$(cd "$2" && pwd)
service=''
end() {
    [ -z "$service" ] || kill "$service" 2>/dev/null || true
    for place in usr/share/man proc dev; do umount -l "$root/$place" 2>/dev/null || true; done
}
trap end EXIT
inside() { chroot "$root" env LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
say() { echo "try: $*"; }
fail() { echo "try: FAILED: $*" >&2; exit 1; }
quietly() { "$@" >"$root/tmp/log" 2>&1 || { tail -n 30 "$root/tmp/log" >&2; fail "$*"; }; }
expect() { grep -q -- "$1" "$root/tmp/log" || { tail -n 30 "$root/tmp/log" >&2; fail "expected: $1"; }; }
# As autopkgtest runs it, with the sources around it.
check() { quietly inside sh -c "cd /source && AUTOPKGTEST_TMP=/tmp debian/tests/$1"; }

mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # nothing is started by packages here
chmod +x "$root/usr/sbin/policy-rc.d"
rm -rf "$root/packages"
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages"
rm -f "$root"/packages/*-dbgsym_*
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir "$root/source"
cp -r "$here/examples" "$here/packaging/debian" "$root/source"

say "lintian"
lintian --allow-root --fail-on error,warning "$packages"/*.changes

say "what makes its directory without systemd"
quietly inside apt-get update
quietly inside sh -c 'apt-get install -s --no-install-recommends systemd-standalone-sysusers /packages/sottod_*.deb'
expect "^Inst systemd-standalone-tmpfiles "

say "a full disk while installing"
mount -t tmpfs -o size=8k tmpfs "$root/usr/share/man"
if inside sh -c "apt-get install -y --no-install-recommends /packages/sottod_*.deb" >"$root/tmp/log" 2>&1; then fail "it was not full"; fi
expect "No space left on device"
umount "$root/usr/share/man"

say "one line installs the rest"
quietly inside apt-get install -y --no-install-recommends -f
quietly inside sh -c 'apt-get install -y --no-install-recommends /packages/*.deb gcc libc6-dev pkg-config curl'
quietly inside sotto --version
expect "^commit [0-9a-f]\{40\}$"
quietly inside sotto doctor --seconds 2 --directory /tmp
expect "^library_client *0"

for name in c-program python-script; do
    say "the package's test $name"
    check "$name"
done

say "two versions side by side"
mkdir "$root/next"
cp "$next"/libsotto-*.deb "$root/next"
rm -f "$root"/next/*-dbgsym_*
mv "$root/tmp/round" "$root/tmp/round-before"
quietly inside sh -c 'apt-get install -y /next/*.deb'
check c-program
uses() { inside ldd "/tmp/$1" | grep -o 'libsotto-[a-z]*\.so\.[0-9.]*' | sort -u | xargs; }
for name in round-before round; do
    quietly inside "/tmp/$name"
    expect "42 bytes"
    echo "$name: $(uses "$name")"
done
[ "$(uses round-before)" != "$(uses round)" ] || fail "both programs use the same libraries"
quietly inside dpkg --verify

# The user, the settings and the rights of the unit; systemd does the same and more where it runs.
unit='setpriv --reuid=sotto --regid=sotto --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all sottod --config /etc/sotto/sottod.conf'
start() { # WORD...: the command
    : >"$root/tmp/sottod"
    # No function: $! has to be the service itself.
    chroot "$root" "$@" >"$root/tmp/sottod" 2>&1 &
    service=$!
    i=0
    until curl -fs http://127.0.0.1:8787/readyz >/dev/null; do
        i=$((i + 1))
        if [ "$i" -gt 300 ] || ! kill -0 "$service" 2>/dev/null; then
            cat "$root/tmp/sottod" >&2
            fail "the service does not start"
        fi
        sleep 0.1
    done
}
stop() {
    kill "$service"
    wait "$service" || fail "the service ended with $?"
    service=''
}
refuse() { # SAYS OPTION...
    says=$1
    shift
    if inside setpriv --reuid=sotto --regid=sotto --clear-groups timeout 20 sottod --config /etc/sotto/sottod.conf "$@" \
        >"$root/tmp/log" 2>&1; then fail "it started"; fi
    expect "$says"
}

say "the service"
[ "$(inside stat -c '%U %a' /var/lib/sotto)" = "sotto 700" ] || quietly inside systemd-tmpfiles --create
[ "$(inside stat -c '%U %a' /var/lib/sotto)" = "sotto 700" ] || fail "rights of /var/lib/sotto"
# As docs/install.md shows it for a system without systemd.
line=$(grep '^setpriv .* sottod ' "$here/docs/install.md")
# shellcheck disable=SC2086 # words
start $line
stop
# shellcheck disable=SC2086 # words
start $unit
check service
id=$(tail -n 1 "$root/tmp/log")
stop
acknowledged() { inside setpriv --reuid=sotto --regid=sotto --clear-groups sottod inspect --data /var/lib/sotto | grep -o '[0-9]* acknowledged'; }
before=$(acknowledged)

say "an upgrade with data"
mkdir "$root/packages/next"
dpkg-deb -R "$root"/packages/sottod_*.deb "$root/packages/next/tree"
sed -i 's/^Version: .*/&+test/' "$root/packages/next/tree/DEBIAN/control"
quietly dpkg-deb --root-owner-group -b "$root/packages/next/tree" "$root/packages/next"
quietly inside sh -c 'apt-get install -y /packages/next/sottod_*.deb'
inside dpkg-query -W sottod | grep -q '+test$' || fail "not upgraded"
# shellcheck disable=SC2086 # words
start $unit
curl -fsS "http://127.0.0.1:8787/v1/experiments/$id/model" >/dev/null || fail "the experiment is gone"
stop
[ "$(acknowledged)" = "$before" ] || fail "$before before the upgrade, $(acknowledged) after it"
echo "$before"

say "data of other formats, and an unknown setting"
journal=$root/var/lib/sotto/journal.sqlite
for format in 1 99; do
    cp "$journal" "$root/tmp/kept"
    python3 -c "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA user_version = $format')" "$journal"
    digest=$(sha256sum <"$journal")
    refuse "format $format"
    head -n 1 "$root/tmp/log"
    [ "$digest" = "$(sha256sum <"$journal")" ] || fail "the data were changed"
    cat "$root/tmp/kept" >"$journal"
done
echo 'lisen = 127.0.0.1:1' >>"$root/etc/sotto/sottod.conf"
refuse "did you mean listen"
head -n 1 "$root/tmp/log"
sed -i '$d' "$root/etc/sotto/sottod.conf"

say "removal"
quietly inside apt-get remove -y sottod
quietly inside apt-get purge -y sottod
expect "rm -r /var/lib/sotto"
[ -s "$journal" ] || fail "the data are gone"
[ ! -e "$root/etc/sotto/sottod.conf" ] || fail "sottod.conf is left"
say "all passed"
