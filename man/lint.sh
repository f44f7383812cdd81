#!/bin/sh
# mandoc has nothing to say about the page, down to matters of style. Only that pages which are not
# installed yet are not found says nothing.
set -eu
said=$(mandoc -Tlint -Wstyle "$1" | grep -v 'referenced manual not found: Xr podsku' || true)
if [ -n "$said" ]; then
    echo "$said"
    exit 1
fi
# A page that mandoc could not read would be silent as well.
mandoc -Tascii "$1" | grep -q 'SEE ALSO\|S.*SE.*EE.*E'
