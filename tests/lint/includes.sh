#!/bin/sh
# The layout is the architecture: which folder may include which. cli -> client, catalog, rules;
# rules -> catalog; all -> base. And rules/ does no I/O and reads no clock.
set -eu
cd "$1"
status=0

may_include() {
    case $1 in
    base) echo "base" ;;
    catalog) echo "base catalog" ;;
    rules) echo "base catalog rules" ;;
    client) echo "base client" ;;
    cli) echo "base catalog rules client cli" ;;
    esac
}

for folder in base catalog rules client cli; do
    allowed=$(may_include $folder)
    for target in base catalog rules client cli tests; do
        case " $allowed " in *" $target "*) continue ;; esac
        if grep -nE "^#include \"$target/" $folder/*.[ch] >&2; then
            echo "$folder/ may include only: $allowed" >&2
            status=1
        fi
    done
done
if grep -nE '^#include (<(curl|openssl|sys/socket|netinet|unistd|time|fcntl)|"base/(clock|file)\.h")' rules/*.[ch] >&2; then
    echo "rules/ does no I/O and reads no clock" >&2
    status=1
fi
if grep -nE '^#include <curl/' base/*.[ch] catalog/*.[ch] cli/*.[ch] >&2; then
    echo "only client/ knows libcurl" >&2
    status=1
fi
exit $status
