#!/bin/sh
# install.sh BUILD SOURCE COMPILER FLAGS: installs into a folder of its own, builds the examples with
# nothing but pkg-config's words, and runs them.
set -eu
build=$1 source=$2 compiler=$3 flags=$4
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() {
    echo "$*" >&2
    exit 1
}

cmake --install "$build" --prefix "$place/usr" >"$place/log" 2>&1 || { cat "$place/log" >&2; exit 1; }
pkgconfig=$(find "$place/usr" -name podsku.pc)
PKG_CONFIG_PATH=$(dirname "$pkgconfig")
export PKG_CONFIG_PATH
prefix=$place/usr
for example in pick deploy; do
    # shellcheck disable=SC2046,SC2086 # lists of words
    "$compiler" $flags -std=c17 -Wall -Wextra -Werror "$source/examples/$example.c" -o "$place/$example" \
        $(pkg-config --define-variable=prefix="$prefix" --cflags --libs --static podsku) ||
        fail "examples/$example.c does not build against the installed package"
done

want='A100 SXM 12.72|H100 SXM 26.32|H200 SXM 36.72|B200 54.32|B300 63.12|'
got=$("$place/pick" | tr '\t\n' ' |')
[ "$got" = "$want" ] || fail "examples/pick: $got"

# Without a key nothing is sent, and nothing is journaled.
mkdir "$place/state"
status=0
env -u RUNPOD_API_KEY "$place/deploy" "$place/state" >"$place/out" 2>"$place/err" || status=$?
[ "$status" = 5 ] || fail "examples/deploy without a key: exit $status: $(cat "$place/err")"
[ ! -s "$place/out" ] || fail "examples/deploy printed a pod without a key"

version=$("$place/usr/bin/podsku" --version)
case $version in podsku\ [0-9]*) ;; *) fail "podsku --version: $version" ;; esac
for file in share/man/man1/podsku.1 share/bash-completion/completions/podsku \
    share/zsh/site-functions/_podsku share/fish/vendor_completions.d/podsku.fish share/doc/podsku/LICENSE; do
    [ -s "$place/usr/$file" ] || [ -s "$place/usr/$file.gz" ] || fail "not installed: $file"
done
