#!/usr/bin/env bash
# An engine whose code is laid out by a profile of its own searches: `make pgo`.
#
# Needs llvm-profdata of rustc's own LLVM (`rustup component add llvm-tools`); an older one cannot read the profiles. TARGET is
# where cargo builds, EXE where the engine goes, FEATURES are the engine's.
set -euo pipefail
cd "$(dirname "$0")/.."

TARGET=${TARGET:-target}
EXE=${EXE:-$TARGET/pgo/stretto}
CARGO=${CARGO:-cargo}
FLAGS=${RUSTFLAGS-"-C target-cpu=native"}

say() { printf 'pgo: %s\n' "$*"; }

host=$(rustc -vV | sed -n 's/^host: //p')
profdata=$(rustc --print sysroot)/lib/rustlib/$host/bin/llvm-profdata
if [ ! -x "$profdata" ]; then
    profdata=$(command -v llvm-profdata) ||
        { say "llvm-profdata is not on this machine: rustup component add llvm-tools"; exit 1; }
fi
mkdir -p "$TARGET/pgo"
folder=$(realpath "$TARGET/pgo")

# A target that is named keeps the flags away from build scripts and macros.
build() {
    RUSTFLAGS="$FLAGS $1" $CARGO build --release --locked --package stretto ${FEATURES:+--features "$FEATURES"} \
        --target "$host" --target-dir "$folder/build"
}

rm -rf "$folder/raw"
build "-C profile-generate=$folder/raw"
engine=$folder/build/$host/release/stretto
say "the searches that are profiled"
"$engine" bench
"$engine" bench 10 2
"$profdata" merge -o "$folder/profile" "$folder/raw"
build "-C profile-use=$folder/profile"
mkdir -p "$(dirname "$EXE")"
cp -f "$engine" "$EXE"
say "$EXE"
"$EXE" bench | tail -n 1
