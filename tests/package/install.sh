#!/bin/sh
# install.sh BUILD SOURCE COMPILER FLAGS: installs into a folder of its own, builds the examples with
# nothing but pkg-config's words, and runs them. If BUILD is a folder of packages, they are unpacked.
set -eu
build=$1 source=$2 compiler=$3 flags=$4
place=$(mktemp -d)
server=
clean_up() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || :
    rm -rf "$place"
}
trap clean_up EXIT
fail() {
    echo "$*" >&2
    exit 1
}

if [ -e "$build/CMakeCache.txt" ]; then
    # Moved after it was installed: nothing may depend on the place.
    cmake --install "$build" --prefix "$place/first" >"$place/log" 2>&1 || { cat "$place/log" >&2; exit 1; }
    mv "$place/first" "$place/usr"
else
    for package in "$build"/*.deb; do
        dpkg-deb -x "$package" "$place"
    done
fi

for file in share/man/man1/podsku.1 share/man/man5/podsku-config.5 share/man/man5/podsku-scenarios.5 \
    share/man/man7/podsku-rules.7 share/bash-completion/completions/podsku \
    share/zsh/*/_podsku share/fish/vendor_completions.d/podsku.fish; do
    for found in "$place/usr"/$file "$place/usr/$file.gz"; do
        [ -s "$found" ] && continue 2
    done
    fail "not installed: $file"
done
version=$("$place/usr/bin/podsku" --version)
case $version in podsku\ [0-9]*) ;; *) fail "podsku --version: $version" ;; esac
"$place/usr/bin/podsku" pick --catalog bundled --gpus 8 --nvlink -o ids >"$place/ids" 2>"$place/err" ||
    fail "the installed podsku does not pick: $(cat "$place/err")"

PKG_CONFIG_PATH=$(dirname "$(find "$place/usr" -name podsku.pc)")
export PKG_CONFIG_PATH
[ "podsku $(pkg-config --modversion podsku)" = "$version" ] || fail "podsku.pc has another version than $version"
# Each header can be used alone.
headers=$place/usr/include/podsku
find "$headers" -name '*.h' | sed "s|^$headers/||" | while read -r header; do
    echo "#include <$header>" >"$place/alone.c"
    # shellcheck disable=SC2046,SC2086 # lists of words
    "$compiler" $flags -std=c17 -Wall -Wextra -Werror -fsyntax-only "$place/alone.c" $(pkg-config --cflags podsku) ||
        fail "$header cannot be included alone"
done
for example in pick deploy; do
    # shellcheck disable=SC2046,SC2086 # lists of words
    "$compiler" $flags -std=c17 -Wall -Wextra -Werror "$source/examples/$example.c" -o "$place/$example" \
        $(pkg-config --cflags --libs podsku) ||
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

# With one, it rents a pod: from a stand-in.
python3 "$source/tests/package/fake.py" "$place/port" >"$place/requests" 2>&1 &
server=$!
tries=0
until [ -s "$place/port" ]; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || fail "the stand-in does not start: $(cat "$place/requests")"
    sleep 0.1
done
env -u http_proxy -u HTTP_PROXY -u all_proxy -u ALL_PROXY RUNPOD_API_KEY=example-key \
    PODSKU_API_URL="http://127.0.0.1:$(cat "$place/port")/v2" "$place/deploy" "$place/state" >"$place/out" 2>"$place/err" ||
    fail "examples/deploy: exit $?: $(cat "$place/err" "$place/requests")"
[ "$(cat "$place/out")" = examplepod0001 ] || fail "examples/deploy printed: $(cat "$place/out")"
[ "$(grep -c '^POST /v2/pods 201' "$place/requests")" = 1 ] || fail "examples/deploy sent: $(cat "$place/requests")"
grep -q examplepod0001 "$place/state"/* || fail "examples/deploy journaled no pod"
