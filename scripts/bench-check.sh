#!/bin/sh
# Checks every commit that changed the engine since the first one below: it has a line `Bench: N` or says "No functional
# change"; merges do not count. Then compares the newest `Bench:` line with the node count of `stretto bench`.
# usage: bench-check.sh PROGRAM
set -eu
first=4eb799b16411
first=$(git rev-parse --quiet --verify "$first^{commit}" 2>/dev/null) && git merge-base --is-ancestor "$first" HEAD ||
    exec "$(dirname "$0")/skip.sh" bench-check "the history since commit 4eb799b is missing (git fetch --unshallow)"
commit='' expected=''
for hash in $(git log --no-merges --format=%H "$first..HEAD" -- engine) "$first"; do
    message=$(git log -1 --format=%B "$hash")
    bench=$(printf '%s\n' "$message" | sed -n 's/^Bench: \([0-9][0-9]*\)$/\1/p' | tail -n 1)
    if [ -z "$bench" ] && ! printf '%s\n' "$message" | grep -qi 'no functional change'; then
        echo "bench-check: commit $hash changes engine/ and has neither 'Bench: N' nor 'No functional change'" >&2
        exit 1
    fi
    if [ -z "$expected" ]; then commit=$hash expected=$bench; fi
done
found=$("$1" bench | tail -n 1 | cut -d ' ' -f 1)
if [ "$found" != "$expected" ]; then
    echo "bench-check: 'stretto bench' counts $found nodes, commit $commit says $expected" >&2
    exit 1
fi
echo "bench-check: $found nodes, as commit $commit says"
