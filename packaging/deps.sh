#!/bin/sh
# Installs the Debian packages that are missing for the named purposes (build, test, python, bench, deb, docs, format,
# prove, cross-amd64, cross-arm64, cross-armhf, slurm, web, image).
# Silent and quick when none is.
set -eu

packages=""
for purpose in "$@"; do
    case "$purpose" in
    build)
        packages="$packages gcc libc6-dev binutils cmake ninja-build pkg-config zlib1g-dev"
        packages="$packages libsqlite3-dev libjansson-dev libmicrohttpd-dev libpq-dev libcurl4-openssl-dev curl scdoc librsvg2-bin"
        ;;
    test)
        packages="$packages libcmocka-dev pkg-config g++ clang libclang-rt-dev clang-format python3 python3-yaml"
        packages="$packages valgrind git chromium chromium-driver nginx-light openssl parallel postgresql-15 zsh fish prometheus spin abigail-tools"
        ;;
    python)
        packages="$packages python3 python3-dev python3-venv python3-pip python3-build python3-setuptools python3-wheel"
        packages="$packages python3-cffi python3-numpy python3-pandas python3-matplotlib python3-sklearn python3-distributed mypy"
        ;;
    deb)
        packages="$packages build-essential fakeroot debhelper dh-python lintian abigail-tools debootstrap qemu-user-static gnupg git"
        packages="$packages zlib1g-dev libsqlite3-dev libjansson-dev libmicrohttpd-dev libpq-dev libcurl4-openssl-dev scdoc"
        packages="$packages librsvg2-bin ninja-build cmake pkg-config python3-cffi python3-dev python3-setuptools python3-wheel mkdocs"
        ;;
    bench) packages="$packages nginx-light openssl wrk python3" ;;
    docs) packages="$packages mkdocs python3" ;;
    format) packages="$packages clang-format git" ;;
    prove) packages="$packages frama-c-base why3 cvc4 z3 gcc libc6-dev coq libcoq-mathcomp-ssreflect" ;;
    cross-amd64) packages="$packages gcc-x86-64-linux-gnu libc6-dev-amd64-cross qemu-user pkg-config python3" ;;
    cross-arm64) packages="$packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user pkg-config python3" ;;
    cross-armhf) packages="$packages gcc-arm-linux-gnueabihf libc6-dev-armhf-cross qemu-user pkg-config python3" ;;
    slurm) packages="$packages slurm-wlm munge python3" ;;
    web)
        packages="$packages clang lld wasi-libc libclang-rt-dev-wasm32 binaryen nodejs"
        command -v npm >/dev/null || packages="$packages npm" # another npm conflicts with Debian's
        ;;
    image)
        packages="$packages buildah debootstrap curl git python3-yaml"
        command -v kubectl >/dev/null || packages="$packages kubernetes-client" # another kubectl conflicts with Debian's
        ;;
    *) echo "deps: $purpose: allowed build, test, python, bench, deb, docs, format, prove, cross-amd64, cross-arm64, cross-armhf, slurm, web, image" >&2 && exit 2 ;;
    esac
done

missing=""
for package in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
    case "$state" in
    ii*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "deps: sudo was not found; please run as root: apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi

# The text between two others on a line of $output.
between() {
    printf '%s\n' "$output" | sed -n "s/^.*$1\(.*\)$2.*\$/\1/p" | head -n 1
}

# Runs apt-get, its output in $output. While another program uses the package manager, tries again
# every 5 seconds, for $wait_max_s in all. False for any other failure.
wait_max_s=600
waited_s=0
run_apt() {
    while ! output=$($as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get "$@" 2>&1 </dev/null); do
        case "$output" in
        *"Could not get lock"* | *"was locked by another process"*) ;;
        *) return 1 ;;
        esac
        if [ "$waited_s" -ge "$wait_max_s" ]; then
            echo "deps: the package manager is still in use after $wait_max_s s; please try again later" >&2
            exit 1
        fi
        if [ $((waited_s % 60)) -eq 0 ]; then
            holder=$(between 'held by ' '')
            echo "deps: the package manager is in use by ${holder:-another program};" \
                "waiting for it, $waited_s of at most $wait_max_s s"
        fi
        sleep 5
        waited_s=$((waited_s + 5))
    done
}

echo "deps: missing:$missing"
run_apt -q update || echo "deps: the package lists could not be brought up to date; going on with the old ones"
# shellcheck disable=SC2086 # a list of words
if run_apt -y --no-install-recommends --print-uris install $missing; then
    download=$(between 'Need to get ' ' of archives')
    echo "deps: installing, with what they need: $(between 'upgraded, ' ' newly installed') packages," \
        "${download%%/*} to download, $(between 'After this operation, ' ' of additional disk') on disk"
fi
# shellcheck disable=SC2086
if ! run_apt -q -y --no-install-recommends install $missing; then
    printf '%s\n' "$output" | tail -n 5 >&2
    echo "deps: apt-get could not install them (its last words are above); is there a network?" >&2
    exit 1
fi
