#!/bin/sh
# try-unit.sh PACKAGES ROOT: boots systemd in a Debian root, as process 1 of namespaces of its own, and tries sottod's unit there:
# one line installs, the service starts as it says, its limits hold, it comes back after kill -9, and an upgrade keeps its data.
# Needs root, and ROOT.base of try.sh.
set -eu
packages=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")/.." && pwd)
"$here/packaging/base.sh" "$2.base"
rm -rf --one-file-system "$2-unit"
cp -a "$2.base" "$2-unit"
root=$(cd "$2-unit" && pwd)
outer=''
end() {
    [ -z "$outer" ] || kill -9 "$outer" 2>/dev/null || true
    umount -l "$root/proc" 2>/dev/null || true
}
trap end EXIT
say() { echo "try: $*"; }
fail() {
    inside journalctl -u sottod --no-pager -n 20 >&2 || true
    echo "try: FAILED: $*" >&2
    exit 1
}
quietly() { "$@" >"$root/log" 2>&1 || { tail -n 30 "$root/log" >&2; fail "$*"; }; }
words='/usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive'

say "a root with systemd"
mkdir "$root/packages" "$root/source" "$root/old"
cp "$packages"/*.deb "$root/packages"
rm -f "$root"/packages/*-dbgsym_*
cp -r "$here/packaging/debian" "$root/source"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
# shellcheck disable=SC2086 # words
quietly chroot "$root" $words sh -c 'apt-get update && apt-get install -y --no-install-recommends systemd curl'
umount "$root/proc"
# The network is up before anything starts: there is only loopback.
ln -sf /dev/null "$root/etc/systemd/system/systemd-networkd-wait-online.service"

# pivot_root, not chroot: in a chroot the kernel makes no namespace of users, which PrivateUsers= needs.
boot='
mount --bind "$0" "$0" && cd "$0" && mount -t proc proc proc && mount -t sysfs -o ro sysfs sys
mount -t tmpfs tmpfs run && mount -t tmpfs tmpfs tmp && mount -t tmpfs -o mode=755 tmpfs dev
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    mount -t cgroup2 cgroup2 sys/fs/cgroup
else
    mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup && mkdir sys/fs/cgroup/systemd
    mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
fi
for device in null zero full random urandom tty kmsg; do : >dev/$device && mount --bind /dev/$device dev/$device; done
mkdir dev/pts dev/shm && mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts && ln -s pts/ptmx dev/ptmx
ip link set lo up
pivot_root . old
exec /usr/bin/env -i container=sotto PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "umount -l /old && exec /lib/systemd/systemd"'
unshare --fork --kill-child --pid --mount --propagation private --uts --ipc --net --cgroup sh -ec "$boot" "$root" >"$root.log" 2>&1 &
outer=$!
# The namespaces of process 1; apt uses the network of this machine.
# shellcheck disable=SC2086 # words
outside() { nsenter -t "$(pgrep -P "$outer")" -m -u -i -p -C -r -w $words "$@"; }
# shellcheck disable=SC2086 # words
inside() { nsenter -t "$(pgrep -P "$outer")" -m -u -i -p -C -n -r -w $words "$@"; }
wait_for() { # SECONDS COMMAND...
    seconds=$1
    shift
    until "$@" >"$root/log" 2>&1; do
        seconds=$((seconds - 1))
        [ "$seconds" -gt 0 ] || { tail -n 30 "$root/log" "$root.log" >&2; fail "$*"; }
        sleep 1
    done
}
wait_for 60 inside systemctl is-active multi-user.target
say "systemd $(inside systemctl --version | sed -n '1s/systemd \([0-9]*\).*/\1/p') runs"

say "one line installs, one line runs"
began_s=$(date +%s)
quietly outside sh -c 'cd /packages && apt-get install -y --no-install-recommends ./sotto_*.deb ./sottod_*.deb'
quietly inside systemctl start sottod
shown() { inside systemctl show -P "$1" sottod; }
say "figure: installed and started in $(($(date +%s) - began_s)) s, with downloads"
[ "$(shown ActiveState) $(shown Type)" = "active notify" ] || fail "$(shown ActiveState) $(shown Type)"
quietly inside sh -c 'cd /source && AUTOPKGTEST_TMP=/tmp debian/tests/service'
id=$(tail -n 1 "$root/log")

say "the unit's limits hold"
quietly inside systemd-analyze security --no-pager sottod
score=$(sed -n 's/.*Overall exposure level for sottod.service: \([0-9.]*\).*/\1/p' "$root/log")
say "figure: systemd-analyze security $score"
[ "$(printf '%s\n1.2\n' "$score" | sort -V | tail -n 1)" = 1.2 ] || fail "a score above 1.2"
limit() { inside grep "^$1:" "/proc/$(shown MainPID)/status" | cut -f 2; }
[ "$(limit Seccomp) $(limit NoNewPrivs) $(limit CapBnd) $(limit CapEff)" = "2 1 0000000000000000 0000000000000000" ] ||
    fail "$(limit Seccomp) $(limit NoNewPrivs) $(limit CapBnd) $(limit CapEff)"
# The view of the service: its own /tmp, no devices, a system that it cannot write.
quietly inside touch /tmp/of-all
view() { inside nsenter -t "$(shown MainPID)" -m "$@"; }
if view test -e /tmp/of-all; then fail "/tmp is shared"; fi
if view touch /etc/sotto/new 2>/dev/null; then fail "/etc can be written"; fi
if view test -e /dev/kmsg; then fail "devices of the machine"; fi
[ "$(inside stat -c '%U %a' /var/lib/sotto)" = "sotto 700" ] || fail "rights of /var/lib/sotto"

say "kill -9, a reload, an upgrade, a wrong setting"
kept() {
    wait_for 30 inside curl -fsS "http://127.0.0.1:8787/v1/experiments/$id/model"
    inside setpriv --reuid=sotto --regid=sotto --clear-groups sottod inspect --data /var/lib/sotto | grep -o '[0-9]* acknowledged'
}
[ "$(kept)" = "200 acknowledged" ] || fail "$(kept)"
quietly inside systemctl kill -s KILL sottod
wait_for 30 inside sh -c '[ "$(systemctl show -P NRestarts sottod) $(systemctl is-active sottod)" = "1 active" ]'
[ "$(kept)" = "200 acknowledged" ] || fail "$(kept) after kill -9"
quietly inside systemctl reload sottod
before=$(shown MainPID)
dpkg-deb -R "$root"/packages/sottod_*.deb "$root/next"
sed -i 's/^Version: .*/&+test/' "$root/next/DEBIAN/control"
quietly dpkg-deb --root-owner-group -b "$root/next" "$root"
quietly outside sh -c 'apt-get install -y /sottod_*.deb'
[ "$(shown MainPID)" != "$before" ] || fail "the upgrade did not restart the service"
[ "$(kept)" = "200 acknowledged" ] || fail "$(kept) after the upgrade"
inside sh -c 'echo "lisen = 127.0.0.1:1" >>/etc/sotto/sottod.conf'
if inside timeout 20 systemctl restart sottod 2>/dev/null; then fail "it starts with a wrong setting"; fi
wait_for 10 inside sh -c 'journalctl -u sottod --no-pager | grep "did you mean listen"'
inside sed -i '$d' /etc/sotto/sottod.conf
quietly inside systemctl restart sottod

say "removal stops it"
quietly outside apt-get purge -y sottod
if inside systemctl is-active sottod >/dev/null; then fail "it still runs"; fi
inside test -s /var/lib/sotto/journal.sqlite || fail "the data are gone"
say "all passed under systemd"
