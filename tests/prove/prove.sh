#!/bin/sh
# Proves the contracts of the choice of a codeword and of its coins with Frama-C's WP, CVC4 and Z3, and the theorems about
# the codewords' weights with Coq: `make prove`. Prints how many goals are proved, and those that are not; fails if there
# are any. docs/privacy.md, section 17, says what that shows.
#   prove.sh [SECONDS]              for each goal and prover, 60 by default; one second is enough on an idle machine
#   prove.sh --planted [SECONDS]    plants each bug of planted.txt in turn, and fails if the proof does not (5 seconds)
set -eu

cd "$(dirname "$0")/../.."
out=build/prove heads=tests/prove files="src/client/choose_ranked.c src/client/entropy.c"
theorems=tests/prove/choice.v
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

# check_theorems FILE: false if Coq refuses it, or a theorem rests on an axiom or on a proof that was left out.
check_theorems() {
    cp "$1" "$out/theorems.v"
    coqc -q -w -notation-overridden "$out/theorems.v" >"$out/theorems.txt" 2>&1 &&
        [ "$(sort -u "$out/theorems.txt")" = "Closed under the global context" ]
}

if [ "${1:-}" = --planted ]; then
    missed=0
    while read -r function edit; do
        if grep -q "^\(Definition\|Hypothesis\) $function " "$theorems"; then
            sed "/^[DH][a-z]* $function /,/\.\$/{$edit}" "$theorems" >"$out/planted.v"
            ! cmp -s "$theorems" "$out/planted.v" || { echo "changes nothing: $function $edit" && exit 2; }
            verdict=caught
            ! check_theorems "$out/planted.v" || verdict=MISSED missed=1
            echo "$verdict: $function $edit"
            sed -n '/^File.*line/s/.*\(line [0-9]*\).*/    not: \1/p' "$out/theorems.txt"
            continue
        fi
        file=$(grep -l "[ *]$function(.*[^;]\$" $files)
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

# check_file FILE OPTION...: false if a goal of the functions that the options name is not proved.
check_file() {
    file=$1
    shift
    proved=$(prove "$file" "${seconds:-60}" "$@")
    echo "$file: ${proved:-none} proved"
    [ -n "$proved" ] && [ "${proved% of *}" = "${proved#* of }" ] && return
    grep "\[Failed\]\|[Ee]rror\|arning" "$out/goals.txt" || tail -n 5 "$out/goals.txt"
    return 1
}

seconds=${1:-}
check_file src/client/choose_ranked.c -wp-skip-fct sotto__finite_or_zero # which only other files use
check_file src/client/entropy.c -wp-fct sotto__draw_below
check_theorems "$theorems" || { echo "$theorems: not proved" && cat "$out/theorems.txt" && exit 1; }
echo "$theorems: $(wc -l <"$out/theorems.txt") theorems proved, without axioms"
