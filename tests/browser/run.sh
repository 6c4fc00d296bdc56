#!/bin/sh
# run.sh BUILD TEST.mjs: runs a test of modules, or says why it cannot and exits with 77.
set -eu
if ! command -v node >/dev/null; then
    echo "skipped: there is no node; 'make deps-web' installs it"
    exit 77
fi
if ! [ -f "$1/client.wasm" ]; then
    echo "skipped: there is no $1/client.wasm; 'make web' builds it"
    exit 77
fi
exec node --test "$2"
