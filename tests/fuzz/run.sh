#!/bin/sh
# Usage: run.sh TARGET FRAME SEEDS_DIR... A bounded run of one target on a corpus of its own. Files that a target
# needs stand beside the corpus.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
target=$1 frame=$2
shift 2
case $frame in
create | csv | draft | export | http | inputs | libsvm | loan | outside | reply | sweep | vw)
    bytes_max=65536 ;; # bodies and files, which may be long
*) bytes_max=4096 ;;
esac
mkdir "$work/corpus"
for seeds; do
    find "$seeds" -maxdepth 1 -name "${frame}_*" -exec cp {} "$work/corpus" \;
done
cd "$work"
ls corpus/"$frame"_* >/dev/null # a frame without seeds is a mistake
"$target" -max_total_time="${SOTTO_FUZZ_SECONDS:-1}" -max_len=$bytes_max -print_final_stats=1 corpus
