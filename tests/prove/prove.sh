#!/bin/sh
# Proves the contracts of the choice of a codeword with Frama-C's WP, CVC4 and Z3: `make prove`. Prints how many goals
# are proved, and those that are not; fails if there are any. docs/privacy.md, section 17, says what that shows.
#   prove.sh [SECONDS]              for each goal and prover, 60 by default; one second is enough on an idle machine
#   prove.sh --planted [SECONDS]    plants each bug of planted.txt in turn, and fails if the proof does not (5 seconds)
set -eu

cd "$(dirname "$0")/../.."
out=build/prove heads=tests/prove file=src/client/choose_ranked.c
mkdir -p "$out"
export WHY3CONFIG="$PWD/$out/why3.conf"
why3 -C "$WHY3CONFIG" config detect >"$out/provers.txt" 2>&1

# prove FILE SECONDS [OPTION...]: prints how many goals of how many are proved. Wrapping sums and conversions are goals too.
prove() {
    source=$1 seconds=$2
    shift 2
    frama-c -c11 -machdep gcc_x86_64 -warn-unsigned-overflow -warn-unsigned-downcast -warn-signed-downcast \
        -cpp-extra-args="-Isrc -Isrc/client -Iinclude -DSOTTO_SIDE_CLIENT -include $heads/core.h -include $heads/choose_ranked.h" \
        -wp -wp-rte -wp-cache none -wp-prover cvc4,z3 -wp-timeout "$seconds" -wp-par "$(nproc)" "$@" "$source" \
        >"$out/goals.txt" 2>&1 || true
    sed -n 's|.*Proved goals: *\([0-9]*\) / \([0-9]*\).*|\1 of \2|p' "$out/goals.txt"
}

if [ "${1:-}" = --planted ]; then
    missed=0
    while read -r function edit; do
        sed "/[ *]$function(.*[^;]\$/,/^}/{$edit}" "$file" >"$out/planted.c"
        ! cmp -s "$file" "$out/planted.c" || { echo "changes nothing: $function $edit" && exit 2; }
        proved=$(prove "$out/planted.c" "${2:-5}" -wp-fct "$function")
        [ -n "$proved" ] || { echo "cannot be read: $function $edit" && exit 2; }
        verdict=caught
        [ "${proved% of *}" != "${proved#* of }" ] || verdict=MISSED missed=1
        echo "$verdict, $proved proved: $function $edit"
        sed -n "s/.*\[Failed\] Goal typed_/    not: /p" "$out/goals.txt"
    done <tests/prove/planted.txt
    exit "$missed"
fi

# All functions but the one of client.h that only other files use.
proved=$(prove "$file" "${1:-60}" -wp-skip-fct sotto__finite_or_zero)
echo "$file: ${proved:-none} proved"
if [ -z "$proved" ] || [ "${proved% of *}" != "${proved#* of }" ]; then
    grep "\[Failed\]\|[Ee]rror\|arning" "$out/goals.txt" || tail -n 5 "$out/goals.txt"
    exit 1
fi
