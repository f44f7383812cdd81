#!/bin/sh
# Every external symbol of the libraries carries the project's prefix (or, where it is private to one
# folder, the folder's name), so that libpodsku can be linked into any program.
set -eu
status=0
for library in "$@"; do
    folder=$(basename "$library" .a)
    folder=${folder#libpodsku_}
    strangers=$(nm -g --defined-only "$library" 2>/dev/null |
        awk 'NF == 3 && $3 !~ /^(podsku_|__|_Z|\.)/ {print $3}' | grep -v "^${folder}_" | sort -u)
    if [ -n "$strangers" ]; then
        printf '%s exports names without a prefix:\n%s\n' "$library" "$strangers" >&2
        status=1
    fi
done
exit $status
