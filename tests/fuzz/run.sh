#!/bin/sh
# Usage: run.sh TARGET FRAME GOLDEN_DIR. A bounded run of one target on a corpus of its own.
set -eu
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
cp "$3/$2"_*.bin "$corpus"
cd "$corpus"
"$1" -max_total_time="${SOTTO_FUZZ_SECONDS:-10}" -max_len=4096 -print_final_stats=1 "$corpus"
