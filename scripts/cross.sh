#!/usr/bin/env bash
# Checks, builds and runs the workspace for other systems: `make cross`.
#
# For each target it does what the installed tools allow and prints one line: lint, build, bench
# under an emulator compared with the `Bench:` line of the last engine commit, the tests of the
# network's kernels, and a match of four games. CROSS is the build folder, TRIPLES selects targets.
set -euo pipefail
cd "$(dirname "$0")/.."

CROSS=${CROSS:-target/cross}
CARGO=${CARGO:-cargo}
TRIPLES=${TRIPLES:-x86_64-unknown-linux-musl aarch64-unknown-linux-gnu x86_64-pc-windows-gnu
    x86_64-pc-windows-msvc x86_64-apple-darwin aarch64-apple-darwin}

say() { printf 'cross: %s\n' "$*"; }
has() { command -v "$1" >/dev/null; }
sysroot=$(rustc --print sysroot)
log=$CROSS/log
mkdir -p "$CROSS"
CROSS=$(realpath "$CROSS")
export RUSTFLAGS=
export WINEDEBUG=${WINEDEBUG:--all}

# Runs a step with its output in the log, whose end is shown if the step fails.
step() {
    if ! "$@" >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        say "$target: failed: $*"
        exit 1
    fi
}

# Whether the system runs programs of the target as children of each other. With qemu it must know
# their format (binfmt_misc), since the harness starts the engines by itself.
starts_children() { [ "$emulator" != qemu-aarch64 ] || "$programs/harness" --version >/dev/null 2>&1; }

# Plays four games with the programs of the target. Fails if an engine crashes, hangs or makes an illegal move.
play() {
    local folder=$CROSS/match-$target
    rm -rf "$folder"
    "${runner[@]}" "$programs/harness$exe" match "$programs/stretto$exe" "$programs/stretto$exe" \
        --nodes 2000 --games 4 --concurrency 1 --set max_faults=1 --out "$folder"
}

# Makes a wine configuration in the build folder. Versions before 9 lack a library.
prepare_wine() {
    export WINEPREFIX=${WINEPREFIX:-$CROSS/wine}
    [ -d "$WINEPREFIX" ] || step wineboot --init
    local library=$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll
    [ -e "$library" ] || step "$linker" -shared -O1 -o "$library" scripts/wine_prng.c -ladvapi32
}

for target in $TRIPLES; do
    if [ ! -d "$sysroot/lib/rustlib/$target/lib" ]; then
        scripts/skip.sh "cross-$target" "not installed (rustup target add $target)"
        continue
    fi
    linker='' exe='' runner=() emulator=''
    case $target in
    x86_64-unknown-linux-musl)
        # A package of the benchmarks compiles C without a library; the compiler for musl is often missing.
        has x86_64-linux-musl-gcc || export CC_x86_64_unknown_linux_musl=${CC:-cc}
        ;;
    aarch64-unknown-linux-gnu)
        linker=aarch64-linux-gnu-gcc emulator=qemu-aarch64
        runner=(qemu-aarch64)
        export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
        ;;
    x86_64-pc-windows-gnu)
        linker=x86_64-w64-mingw32-gcc emulator=wine exe=.exe
        runner=(wine)
        ;;
    esac
    step "$CARGO" clippy --workspace --locked --target "$target" --target-dir "$CROSS" -- -D warnings
    done="lint"
    case $target in
    *-msvc | *-apple-*) # Nothing here can link these.
        say "$target: $done"
        continue
        ;;
    esac
    if [ -n "$linker" ] && ! has "$linker"; then
        say "$target: $done"
        scripts/skip.sh "cross-$target" "not built: $linker is not installed"
        continue
    fi
    name=$(tr 'a-z-' 'A-Z_' <<<"$target")
    if [ -n "$linker" ]; then export "CARGO_TARGET_${name}_LINKER=$linker"; fi
    CARGO_PROFILE_RELEASE_LTO=thin step "$CARGO" build --release --locked --workspace --bins --target "$target" --target-dir "$CROSS"
    programs=$CROSS/$target/release
    done="$done, build"
    if [ -n "$emulator" ] && ! has "$emulator"; then
        say "$target: $done"
        scripts/skip.sh "cross-$target" "not run: $emulator is not installed"
        continue
    fi
    if [ "$emulator" = wine ]; then prepare_wine; fi
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "${runner[*]}" "$programs/stretto$exe" >"$CROSS/run-$target"
    chmod +x "$CROSS/run-$target"
    step scripts/bench-check.sh "$CROSS/run-$target"
    done="$done, $(tail -n 1 "$log")"
    if [ "${#runner[@]}" -gt 0 ]; then export "CARGO_TARGET_${name}_RUNNER=${runner[*]}"; fi
    step "$CARGO" test --package stretto-engine --lib --locked --target "$target" --target-dir "$CROSS" -- eval::network
    done="$done, kernel tests"
    if ! starts_children; then
        say "$target: $done"
        scripts/skip.sh "cross-$target" "no match: the system does not start its programs (install qemu-user-binfmt)"
        continue
    fi
    step play
    say "$target: $done, match of 4 games"
done
