#!/bin/sh
# A page where your own browser takes part: sottod, an experiment with three articles, and the page, on this machine; and
# the playground, if `make web` built it; it is opened if this is a terminal of a desktop. They stay for SECONDS and then go
# with all that they stored.
#
#   examples/09_browser.sh BUILD WEB [SECONDS]        such as build/release build/web 3600
set -eu
here=$(dirname "$0")
build=$1
web=$2
seconds=${3:-3600}
for needed in "$build/sottod" "$web/sotto-client/index.js"; do
    [ -e "$needed" ] || {
        echo "09_browser: there is no $needed; 'make build web' makes it" >&2
        exit 1
    }
done
export no_proxy='*' # all of it stays on this machine, and so does the token
directory=$(mktemp -d)
mkdir "$directory/page"
cp "$here"/browser/index.html "$here"/browser/page.js "$here"/../web/style/figure.css "$here"/../web/style/page.css "$directory/page"
cp -R "$web/sotto-client" "$directory/page"
if [ -e "$web/pages/lab.wasm" ]; then
    cp -R "$web/pages/playground" "$web/pages/lab.wasm" "$directory/page"
fi
: >"$directory/said"
: >"$directory/port"

# Both end, and all files go, when the time is over.
(
    trap '' HUP
    timeout "$seconds" node "$here/browser/serve.mjs" "$directory/page" >"$directory/port" 2>"$directory/page.log" &
    timeout "$seconds" "$build/sottod" --data "$directory/data" --listen 127.0.0.1:0 --admin 127.0.0.1:0 \
        >"$directory/said" 2>"$directory/log" || true
    wait
    rm -rf "$directory"
) >/dev/null 2>&1 </dev/null &

tries=0
while ! grep -q '^token ' "$directory/said" || ! [ -s "$directory/port" ]; do
    tries=$((tries + 1))
    if [ "$tries" -ge 300 ]; then
        echo "09_browser: sottod or the page did not start" >&2
        cat "$directory/log" "$directory/page.log" >&2
        exit 1
    fi
    sleep 0.1
done
public=$(sed -n 's/^public *//p' "$directory/said")
admin=$(sed -n 's/^admin *//p' "$directory/said")
token=$(cat "$(sed -n 's/^token *//p' "$directory/said")")
origin="http://127.0.0.1:$(cat "$directory/port")"

# owner PATH BODY: a request to the admin port.
owner() {
    curl -sS --fail -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d "$2" "$admin/v1/experiments$1"
}
id=$(owner "" '{"spec": {"dim": 2, "arms": 3, "parameters": "per-arm", "reward_kind": "binary", "link": "logit", "epsilon": 1,
    "reward_window_s": 20, "send_spread_s": 10, "epoch_lag_max": 8},
    "learning": {"epoch": 0, "epoch_seconds_min": 4, "horizon": 1000}}' | sed -n 's/.*"id": *"\([0-9a-f]*\)".*/\1/p')
[ -n "$id" ] || {
    echo "09_browser: the experiment was not made" >&2
    exit 1
}
owner "/$id/origins" "{\"origins\": [\"$origin\"]}" >/dev/null

echo "open this page in your browser, in several tabs if you like; it is there for $seconds seconds:"
echo "  $origin/?experiment=$public/v1/experiments/$id"
[ -d "$directory/page/playground" ] || exit 0
echo "what does privacy cost? Move sliders and see:"
echo "  $origin/playground/"
if [ -t 1 ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
    xdg-open "$origin/playground/" >/dev/null 2>&1 </dev/null &
fi
