#!/bin/sh
# chroot.sh FOLDER [SUITE [MIRROR]]: installs the packages in FOLDER on a minimal Debian made for this
# (debootstrap), uses them as a user without rights would, and removes them: nothing may stay. Wants root
# and the network, so it is no part of the test suite.
set -eu
folder=$(CDPATH='' cd -- "$1" && pwd)
suite=${2:-bookworm}
mirror=${3:-} # debootstrap knows one
place=$(mktemp -d)
system=$place/system
clean_up() {
    umount "$system/proc" 2>/dev/null || :
    rm -rf --one-file-system "$place"
}
trap clean_up EXIT
fail() {
    echo "$*" >&2
    exit 1
}
inside() {
    chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}
files() {
    (cd "$system" && find . -xdev -path ./proc -prune -o -path ./tmp -prune -o -path ./var/cache -prune \
        -o -path ./var/lib/apt -prune -o -path ./var/lib/dpkg -prune -o -path ./var/log -prune -o -print | sort)
}

if [ -d "${PODSKU_BASE_SYSTEM:-}" ]; then
    cp -a "$PODSKU_BASE_SYSTEM" "$system" # made before by debootstrap --variant=minbase
else
    # shellcheck disable=SC2086 # none is no word
    debootstrap --variant=minbase "$suite" "$system" $mirror >"$place/log" 2>&1 || { tail "$place/log" >&2; exit 1; }
fi
mount -t proc proc "$system/proc"
inside apt-get update -q >"$place/log" 2>&1 || { tail "$place/log" >&2; exit 1; }
files >"$place/before"

cp "$folder"/*.deb "$system/tmp"
inside sh -c 'cd /tmp && apt-get install -y -q ./podsku_*.deb' >"$place/log" 2>&1 || { cat "$place/log" >&2; exit 1; }
# As a user with nothing but a home.
inside useradd -m somebody
as_user() {
    inside chroot --userspec=somebody / env HOME=/home/somebody sh -c "$1"
}
as_user 'podsku --version'
as_user 'podsku pick --catalog bundled --gpus 8 --nvlink' >"$place/out" || fail "podsku does not pick"
grep -q 'H100 SXM' "$place/out" || fail "podsku picks: $(cat "$place/out")"
# libcurl and libcrypto are there: a live read gets as far as the connection.
status=0
as_user 'RUNPOD_API_KEY=example-key PODSKU_API_URL=https://127.0.0.1:9/v2 podsku catalog' >"$place/out" 2>&1 || status=$?
[ $status = 7 ] || fail "a live read: exit $status: $(cat "$place/out")"
grep -qi connect "$place/out" || fail "a live read: $(cat "$place/out")"

inside sh -c 'cd /tmp && apt-get install -y -q gcc libc6-dev pkg-config ./libpodsku-dev_*.deb' >"$place/log" 2>&1 ||
    { cat "$place/log" >&2; exit 1; }
for example in pick deploy; do
    inside sh -c "gcc -Wall -Werror /usr/share/doc/libpodsku-dev/examples/$example.c -o /tmp/$example \
        \$(pkg-config --cflags --libs podsku)" || fail "examples/$example.c does not build"
done
inside /tmp/pick >"$place/out"
grep -q 'B200' "$place/out" || fail "examples/pick: $(cat "$place/out")"

inside userdel -r somebody 2>/dev/null
inside apt-get purge -y -q podsku libpodsku-dev gcc libc6-dev pkg-config >"$place/log" 2>&1
inside apt-get autoremove --purge -y -q >"$place/log" 2>&1
files >"$place/after"
if grep -i podsku "$place/after" >&2; then
    fail "these files of podsku stay"
fi
echo "podsku: installs, runs and goes on $(sed -n 's/^PRETTY_NAME=//p' "$system/etc/os-release"):"
ls "$folder"/*.deb
