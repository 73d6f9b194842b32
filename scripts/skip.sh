#!/bin/sh
# Reports that a step is skipped. With STRICT=1 this is an error, unless .ci/allowed-skips lists the step.
# usage: skip.sh STEP REASON
set -eu
echo "skipped: $1: $2"
if [ "${STRICT:-0}" = 0 ] || grep -q "^$1[[:space:]]" "$(dirname "$0")/../.ci/allowed-skips"; then exit 0; fi
echo "error: STRICT=1 and .ci/allowed-skips does not list \`$1\`" >&2
exit 1
