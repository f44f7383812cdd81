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

missing_packages() {
    for package in $(packages_of "$@"); do
        case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
        installed) ;;
        *) printf '%s ' "$package" ;;
        esac
    done
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
            say "podsku: as root, run: apt-get install $missing"
            return 1
        fi
        as_root=sudo
    fi
    say "podsku: installing $missing"
    # shellcheck disable=SC2086 # lists of words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >&2 </dev/null ||
        {
            $as_root apt-get update -q >&2 </dev/null &&
                $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >&2 </dev/null
        }
}

# build PRESET: configures and builds build/PRESET; what fails is shown, what works is quiet
build() {
    log=$root/build/$1.log
    mkdir -p "$root/build"
    say "podsku: building ($1)"
    if ! (cd "$root" && cmake --preset "$1" && cmake --build --preset "$1") >"$log" 2>&1 </dev/null; then
        tail -n 40 "$log" >&2
        say "podsku: the build failed; all of it: $log"
        return 1
    fi
}
