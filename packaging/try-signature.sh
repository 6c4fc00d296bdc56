#!/bin/sh
# try-signature.sh OUT: makes the smallest release, signed with a throw-away key, in OUT, and verifies it with the command of
# docs/install.md, as somebody who has the public key alone. A changed list, a changed file and another key must fail.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
keys=$(mktemp -d)
end() {
    for home in signer reader stranger; do GNUPGHOME=$keys/$home gpgconf --kill all; done
    rm -rf "$keys"
}
trap end EXIT
fail() { echo "try: FAILED: $*" >&2; exit 1; }
home() { # NAME COMMAND...: with the keys of this person
    GNUPGHOME=$keys/$1
    export GNUPGHOME
    shift
    "$@"
}
for name in signer reader stranger; do
    mkdir -m 700 "$keys/$name"
    [ "$name" = reader ] || home "$name" gpg --batch --quiet --passphrase '' --quick-generate-key "$name@sotto.invalid" ed25519 sign 1d
done
home signer gpg --export >"$keys/public"
home reader gpg --batch --quiet --import "$keys/public"

home signer env SIGN=signer@sotto.invalid "$here/release.sh" "$1" tarball
cd "$1"
verify() { home reader sh -c 'gpg --verify SHA256SUMS.asc && sha256sum --check --ignore-missing SHA256SUMS' >"$keys/log" 2>&1; }
verify || { cat "$keys/log" >&2; fail "the release itself"; }
[ "$(grep -c ': OK$' "$keys/log")" -eq "$(find . -type f ! -name 'SHA256SUMS*' | wc -l)" ] || fail "files that are not in the list"

changed() { # FILE: with one byte more
    cp "$1" "$keys/kept"
    echo >>"$1"
    if verify; then fail "$1 was changed, and verifies"; fi
    cp "$keys/kept" "$1"
}
changed SHA256SUMS
for file in sotto-*; do changed "$file"; done
cp SHA256SUMS.asc "$keys/kept"
home stranger gpg --batch --yes --quiet --armor --output SHA256SUMS.asc --detach-sign SHA256SUMS
if verify; then fail "the key of a stranger verifies"; fi
cp "$keys/kept" SHA256SUMS.asc
verify || fail "the release as it was"
echo "try: a signed release verifies; changed ones and those of a stranger do not"
