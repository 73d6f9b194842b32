#!/bin/sh
# Checks the workspace with the minimum Rust version that Cargo.toml states (rust-version).
# usage: msrv.sh TARGET_FOLDER
set -eu
minimum=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
if [ -z "$minimum" ]; then
    echo "msrv: Cargo.toml states no rust-version" >&2
    exit 1
fi
current=$(rustc --version | cut -d ' ' -f 2)
case "$current" in
"$minimum" | "$minimum".*)
    echo "msrv: rustc $current is the minimum version, so every other build checks it"
    exit 0
    ;;
esac
if ! rustup toolchain install "$minimum" --profile minimal >/dev/null 2>&1; then
    exec scripts/skip.sh msrv "Rust $minimum cannot be installed"
fi
exec rustup run "$minimum" cargo check --workspace --all-targets --target-dir "$1/msrv"
