#!/bin/sh
# deb.sh FOLDER: checks the packages in FOLDER (scripts/package): their words, their files, and that what
# is in them works, as far as that can be told without installing them. See chroot.sh for the rest.
set -eu
folder=$(CDPATH='' cd -- "$1" && pwd)
source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
fail() {
    echo "$*" >&2
    exit 1
}

program=$(ls "$folder"/podsku_*.deb)
library=$(ls "$folder"/libpodsku-dev_*.deb)
depends=$(dpkg-deb -f "$program" Depends)
# Opened when they are needed, so only these words bring them.
for need in libcurl4 libssl3 ca-certificates libc6; do
    case $depends in *"$need"*) ;; *) fail "$program does not depend on $need: $depends" ;; esac
done
case $depends in *libjansson*) fail "$program needs jansson, which it should contain" ;; esac
for package in "$program" "$library"; do
    name=$(dpkg-deb -f "$package" Package)
    dpkg-deb -c "$package" | awk '{print $1, $2, $6}' |
        while read -r mode owner file; do
            case $owner in root/root) ;; *) fail "$package: $file belongs to $owner" ;; esac
            case $mode in drwxr-xr-x | -rwxr-xr-x | -rw-r--r--) ;; *) fail "$package: $file has mode $mode" ;; esac
            case $file in ./usr/*) ;; *) fail "$package: $file is outside of /usr" ;; esac
        done
    files=$(dpkg-deb -c "$package" | awk '{print $6}')
    for file in copyright changelog.gz changelog.Debian.gz; do
        case $files in *"/usr/share/doc/$name/$file"*) ;; *) fail "$package has no $file" ;; esac
    done
    # Nothing of the machine it was built on.
    ! dpkg-deb --fsys-tarfile "$package" | grep -aqF "$source" || fail "$package names $source"
    # Nothing to run when it is installed or removed.
    control=$(dpkg-deb --ctrl-tarfile "$package" | tar -t | sort | tr '\n' ' ')
    [ "$control" = "./ ./control ./md5sums " ] || [ "$control" = "./control ./md5sums " ] ||
        fail "$package: more than words: $control"
done
if command -v lintian >/dev/null 2>&1; then
    lintian --allow-root --fail-on error,warning "$program" "$library" || fail "lintian complains"
fi
sh "$source/tests/package/install.sh" "$folder" "$source" "${CC:-cc}" ''
echo "$program"
echo "$library"
