#!/bin/sh
# transcript.sh PROGRAM FILE [--update]
# Runs each line of FILE that starts with "$ " and compares what follows: standard output as it is,
# standard error with "err " before each line, and "exit N". Lines with "## " and empty lines are kept.
# --update writes FILE anew: read the difference before it is committed.
set -eu
program=$1
file=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/home"
ln -s "$program" "$work/bin/podsku"

# Nothing of the caller's settings reaches the program.
run() {
    env -i PATH="$work/bin:/usr/bin:/bin" HOME="$work/home" LC_ALL=C.UTF-8 COLUMNS=80 TERM=dumb \
        ASAN_OPTIONS="${ASAN_OPTIONS-}" FIXTURES="$(dirname -- "$file")/.." sh -c "$1" \
        >"$work/out" 2>"$work/err" </dev/null && status=0 || status=$?
    cat "$work/out"
    sed 's/^/err /' "$work/err"
    echo "exit $status"
}

while IFS= read -r line; do
    case $line in
    '$ '*)
        echo "$line"
        run "${line#??}"
        ;;
    '## '*) echo "$line" ;;
    '') echo ;;
    esac
done <"$file" >"$work/now"

# Empty lines of an output would be taken for lines between cases: both sides without them.
squeeze() { sed '/^$/d' "$1"; }
if [ "${3-}" = --update ]; then
    awk '/^\$ / && NR > 1 && last !~ /^## / && last != "" { print "" } $0 != "" { print; last = $0 }' "$work/now" >"$file"
    exit 0
fi
squeeze "$file" >"$work/a"
squeeze "$work/now" >"$work/b"
diff -u "$work/a" "$work/b"
