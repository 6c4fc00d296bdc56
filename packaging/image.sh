#!/bin/sh
# image.sh WORK: builds the image of the last commit with buildah, on a root of debootstrap because a registry may be out of
# reach, and runs the service in it as its user until both probes answer. Needs root. All images stay in WORK.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
export BUILDAH_ISOLATION=chroot
images() { buildah --root "$work/images" --runroot "$work/run" --storage-driver vfs "$@"; }
fail() { echo "image: FAILED: $*" >&2; exit 1; }
runner='' service=''
# shellcheck disable=SC2086 # words
end() { kill $runner $service 2>/dev/null || true; }
trap end EXIT

"$root/packaging/base.sh" "$work/base"
rm -rf "$work/source"
mkdir "$work/source"
tar -xzf "$("$root/packaging/dist.sh" "$work")" -C "$work/source" --strip-components=1
if ! images inspect --type image sotto-base >/dev/null 2>&1; then
    base=$(images from scratch)
    images copy --quiet "$base" "$work/base" / >/dev/null
    images commit --quiet --rm "$base" sotto-base >/dev/null
fi
kubectl kustomize "$root/packaging/kustomize" >"$work/objects"
"$root/packaging/objects.py" <"$work/objects" || fail "packaging/kustomize"
echo "image: building"
images build --format docker --pull-never --build-arg BASE=localhost/sotto-base --tag sottod \
    --file "$work/source/packaging/Dockerfile" "$work/source" >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; fail "build"; }

container=$(images from --pull-never localhost/sottod)
[ "$(images run "$container" -- id -u)" = 999 ] || fail "the user is not that of packaging/kustomize"
# Isolation by chroot does not hide processes and ports.
entry=$(images inspect --format '{{range .Docker.Config.Entrypoint}}{{.}} {{end}}' "$container")
# shellcheck disable=SC2016,SC2086 # for the shell in there; words
images run "$container" -- sh -c 'echo $$ >/tmp/pid && exec "$@"' sh $entry >"$work/service" 2>&1 &
runner=$!
for probe in healthz readyz; do
    curl -fsS --retry 60 --retry-delay 1 --retry-all-errors "http://127.0.0.1:8787/$probe" >/dev/null 2>"$work/log" ||
        { cat "$work/service" >&2; fail "/$probe"; }
    echo "image: /$probe answers"
done
service=$(images run "$container" -- cat /tmp/pid)
[ "$(stat -c %u "/proc/$service")" = 999 ] || fail "the service runs as another user"
images run "$container" -- curl -fsS http://127.0.0.1:8787/healthz >/dev/null || fail "HEALTHCHECK"
# As docs/install.md shows it to owners.
# shellcheck disable=SC2016 # for the shell in there
images run "$container" -- sh -c 'curl -fsS -H "Authorization: Bearer $(cat /var/lib/sotto/admin.token)" http://127.0.0.1:8788/v1/experiments' \
    >"$work/log" || fail "the admin port"
kill "$service"
wait "$runner" || fail "the service ended with $?: $(cat "$work/service")"
runner='' service=''
echo "image: the service ended when it was told to"
images rm "$container" >/dev/null
