#!/bin/sh
# Compares the node count of `stretto bench` with the `Bench:` line of the last commit that has one.
# usage: bench-check.sh PROGRAM
set -eu
expected=$(git log -1 --grep='^Bench: [0-9]' --format=%B 2>/dev/null | sed -n 's/^Bench: \([0-9]*\)$/\1/p' | tail -n 1)
if [ -z "$expected" ]; then
    echo "skipped: bench-check: no commit with a line 'Bench: N' is in this history"
    exit 0
fi
found=$("$1" bench | tail -n 1 | cut -d ' ' -f 1)
if [ "$found" != "$expected" ]; then
    echo "bench-check: 'stretto bench' counts $found nodes, the last commit with a Bench line says $expected" >&2
    exit 1
fi
echo "bench-check: $found nodes, as the last commit with a Bench line says"
