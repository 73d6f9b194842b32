#!/bin/sh
# Compares the node count of `stretto bench` with the `Bench:` line of the last commit that changed
# the engine; merges do not count. Commits without that line are passed over if they say "No functional change"; any
# other commit of the engine must have one.
# usage: bench-check.sh PROGRAM
set -eu
bench_of() { sed -n 's/^Bench: \([0-9][0-9]*\)$/\1/p' | tail -n 1; }

if ! commits=$(git log --no-merges --format=%h -- engine 2>/dev/null) || [ -z "$commits" ]; then
    echo "skipped: bench-check: no history of engine/ here"
    exit 0
fi
expected=
for commit in $commits; do
    # In a shallow clone the oldest commit seems to have changed everything.
    if [ "$(git rev-parse --is-shallow-repository)" = true ] && ! git rev-parse --quiet --verify "$commit^" >/dev/null; then
        echo "skipped: bench-check: the history is too short for the last bench of engine/"
        exit 0
    fi
    message=$(git log -1 --format=%B "$commit")
    expected=$(printf '%s\n' "$message" | bench_of)
    [ -z "$expected" ] || break
    if ! printf '%s\n' "$message" | grep -qi 'no functional change'; then
        echo "bench-check: commit $commit changes engine/ and has neither 'Bench: N' nor 'No functional change'" >&2
        exit 1
    fi
done
if [ -z "$expected" ]; then
    echo "bench-check: no commit of engine/ has a line 'Bench: N'" >&2
    exit 1
fi
found=$("$1" bench | tail -n 1 | cut -d ' ' -f 1)
if [ "$found" != "$expected" ]; then
    echo "bench-check: 'stretto bench' counts $found nodes, commit $commit says $expected" >&2
    exit 1
fi
echo "bench-check: $found nodes, as commit $commit says"
