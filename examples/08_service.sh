#!/bin/sh
# The service, a crash and 50,000 people: sottod starts, gets an experiment, is killed with SIGKILL while people
# send their reports, and starts again. Nothing that it acknowledged is lost, and its model has the same bits.
#
#   examples/08_service.sh [BUILD-DIRECTORY [PEOPLE]]        by default build/release and 50000
set -eu
here=$(dirname "$0")
build=${1:-$here/../build/release}
people=${2:-50000}
directory=$(mktemp -d)
service=""
fleet=""
export no_proxy='*' # all of it stays on this machine, and so does the token
trap 'for each in $service $fleet; do kill -9 "$each" 2>/dev/null || true; done; rm -rf "$directory"' EXIT
trap 'exit 1' INT TERM

fail() {
    echo "08_service: $*" >&2
    cat "$directory/log" >&2
    exit 1
}

# start LISTEN ADMIN: waits until it says where it is.
start() {
    : >"$directory/said"
    "$build/sottod" --data "$directory/data" --listen "$1" --admin "$2" >"$directory/said" 2>>"$directory/log" &
    service=$!
    tries=0
    while ! grep -q '^token ' "$directory/said"; do
        kill -0 "$service" 2>/dev/null || fail "sottod did not start"
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || fail "sottod did not start within a minute"
        sleep 0.1
    done
    public=$(sed -n 's/^public *//p' "$directory/said")
    admin=$(sed -n 's/^admin *//p' "$directory/said")
    token=$(sed -n 's/^token *//p' "$directory/said")
}

# The model of now into a file; prints its epoch.
fetch() {
    curl -sS --fail -D "$directory/head" -o "$1" "$public/v1/experiments/$id/model" || fail "no model"
    tr -d '\r' <"$directory/head" | sed -n 's/^[Ee][Tt]ag: "\([0-9]*\)"$/\1/p'
}

# kill -9, and a new start at the same addresses. If an epoch ended between the look and the kill, once more.
crash() {
    for _ in 1 2 3 4 5; do
        before=$(fetch "$directory/before")
        kill -9 "$service"
        wait "$service" 2>/dev/null || true
        start "${public#http://}" "${admin#http://}"
        after=$(fetch "$directory/after")
        [ "$before" != "$after" ] || break
    done
    [ "$before" = "$after" ] || fail "no two models of one epoch"
    cmp "$directory/before" "$directory/after" || fail "the model changed"
}

start 127.0.0.1:0 127.0.0.1:0
echo "sottod listens at $public, for its owner at $admin"
id=$(curl -sS --fail -H "Authorization: Bearer $(cat "$token")" -H 'Content-Type: application/json' \
    -d @"$here/experiment.json" "$admin/v1/experiments" | sed -n 's/.*"id": *"\([0-9a-f]*\)".*/\1/p')
[ -n "$id" ] || fail "the experiment was not made"
echo "experiment $id: ten arms, two numbers each, epsilon 2; one round in ten measures"
echo "$people people send one report each; in the middle the service is killed with SIGKILL"
"$build/sotto" fleet "$public/v1/experiments/$id" --people "$people" --rate 4000 --admin "$admin" --token-file "$token" \
    >"$directory/summary" &
fleet=$!

half=$((people / 2))
while [ "$(curl -sS -H "Authorization: Bearer $(cat "$token")" "$admin/metrics" |
    sed -n 's/^sottod_reports_folded_total //p' | cut -d . -f 1)" -lt "$half" ]; do
    kill -0 "$fleet" 2>/dev/null || break
    sleep 0.2
done
crash
echo
echo "killed with SIGKILL and started again: the model of epoch $after has the same $(wc -c <"$directory/after") bytes"
wait "$fleet" || { cat "$directory/summary"; fail "the check did not hold"; }
fleet=""
cat "$directory/summary"
kill "$service"
wait "$service" || fail "sottod did not end by itself"
service=""
