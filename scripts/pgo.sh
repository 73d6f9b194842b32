#!/usr/bin/env bash
# Builds the engine with profile-guided optimisation: `make pgo`.
#
# Needs llvm-profdata of rustc's own LLVM (`rustup component add llvm-tools`); older versions cannot
# read the profiles. TARGET is cargo's target folder, EXE the path of the engine, FEATURES its cargo
# features.
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
        { say "llvm-profdata is not installed: rustup component add llvm-tools"; exit 1; }
fi
mkdir -p "$TARGET/pgo"
folder=$(realpath "$TARGET/pgo")

# With an explicit --target the flags do not apply to build scripts and macros.
build() {
    RUSTFLAGS="$FLAGS $1" $CARGO build --release --locked --package stretto-engine ${FEATURES:+--features "$FEATURES"} \
        --target "$host" --target-dir "$folder/build"
}

rm -rf "$folder/raw"
build "-C profile-generate=$folder/raw"
engine=$folder/build/$host/release/stretto
say "profiling two benches"
"$engine" bench
"$engine" bench 10 2
"$profdata" merge -o "$folder/profile" "$folder/raw"
build "-C profile-use=$folder/profile"
mkdir -p "$(dirname "$EXE")"
cp -f "$engine" "$EXE"
say "built $EXE"
"$EXE" bench | tail -n 1
