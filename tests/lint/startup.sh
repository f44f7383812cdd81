#!/bin/sh
# Offline commands do not pay for the network libraries: the program is not linked with them. They
# are loaded when a command needs them.
set -eu
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for library in $needed; do
    case $library in
    libcurl* | libssl* | libcrypto*)
        echo "$1 is linked with $library" >&2
        exit 1
        ;;
    esac
done
