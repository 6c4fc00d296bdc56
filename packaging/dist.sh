#!/bin/sh
# dist.sh OUT: the tarball of the last commit (or of COMMIT), OUT/sotto-VERSION.tar.gz, with the rendered documents in site/ and
# sottod's dashboard and playground in pages/, so that who builds it needs no network. The same commit gives the same bytes.
# Prints its path.
set -eu
umask 022
root=$(cd "$(dirname "$0")/.." && pwd)
commit=${COMMIT:-HEAD}
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(git -C "$root" show "$commit:include/sotto/core.h" | sed -n 's/^#define SOTTO_VERSION "\(.*\)".*/\1/p')
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH
git -C "$root" archive --format=tar --prefix="sotto-$version/" "$commit" | tar -x -C "$work"
python3 "$work/sotto-$version/packaging/site.py" "$work/site" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
mv "$work/site" "$work/sotto-$version/site" # without what mkdocs needed beside it
(cd "$work/sotto-$version" && cmake --preset web && cmake --build --preset web -j "${JOBS:-$(nproc)}" --target pages) >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2; exit 1; }
mv "$work/sotto-$version/build/web/pages" "$work/sotto-$version/pages"
rm -r "$work/sotto-$version/build"
tar -c -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
    --format=gnu "sotto-$version" | gzip -9n >"$out/sotto-$version.tar.gz"
echo "$out/sotto-$version.tar.gz"
