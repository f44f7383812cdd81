# shellcheck shell=sh
# Shared by the scripts: where things are, and the packages they need. Talk goes to stderr, since
# stdout belongs to podsku's data.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

say() {
    printf '%s\n' "$*" >&2
}

# packages_of PURPOSE...: the names in scripts/packages
packages_of() {
    for purpose in "$@"; do
        sed -n "s/^$purpose: //p" "$root/scripts/packages"
    done
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# missing_packages PURPOSE...: those of which no alternative is installed
missing_packages() {
    for choice in $(packages_of "$@"); do
        found=
        for package in $(echo "$choice" | tr '|' ' '); do
            ! is_installed "$package" || found=yes
        done
        [ -n "$found" ] || printf '%s ' "${choice%%|*}"
    done
}

apt_install() {
    # shellcheck disable=SC2086 # lists of words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >&2 </dev/null
}

# need PURPOSE...: installs what is missing, as root or by sudo
need() {
    if ! command -v dpkg-query >/dev/null 2>&1; then
        say "podsku: no Debian packages here; needed: $(packages_of "$@" | tr '\n' ' ')"
        return 0
    fi
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null 2>&1; then
            say "podsku: packages are missing, and only root can install them. As root, run:"
            say "  apt-get install $missing"
            return 1
        fi
        as_root=sudo
    fi
    say "podsku: installing $missing"
    # The lists of packages may be old or not there yet.
    if ! apt_install && ! { $as_root apt-get update -q >&2 </dev/null && apt_install; }; then
        say "podsku: could not install: $missing"
        return 1
    fi
}

# build PRESET: configures and builds build/PRESET; what fails is shown, what works is quiet.
# PODSKU_CMAKE_FLAGS are further words for the configuration.
build() {
    log=$root/build/$1.log
    mkdir -p "$root/build"
    say "podsku: building ($1)"
    # shellcheck disable=SC2086 # a list of words
    if ! (cd "$root" && cmake --preset "$1" ${PODSKU_CMAKE_FLAGS:-} && cmake --build --preset "$1") >"$log" 2>&1 </dev/null; then
        tail -n 40 "$log" >&2
        say "podsku: the build failed; all of it: $log"
        return 1
    fi
}
