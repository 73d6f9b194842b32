#!/usr/bin/env bash
# Makes the release files: `make dist`.
#
# One archive for each system: static programs for Linux on this architecture and, where their Rust
# targets and linkers are installed, for Linux on the other one and for Windows. On x86-64 the engine
# is compiled for three levels of the architecture: `stretto` (x86-64-v2, any processor since 2009),
# `stretto-v3` (AVX2) and `stretto-v4` (AVX-512). Files for this architecture are built with
# profile-guided optimisation if rustup's llvm-tools are installed. Their profile is one of the release
# files, because another profile gives another program.
#
# One commit, compiler and profile give the same bytes in any folder; `make dist-check` compares two builds.
#
# TARGET is cargo's target folder, DIST the output folder. TRIPLES selects the Rust targets, LEVELS
# the levels, PROFILE a profile of an earlier build, PROFDATA another llvm-profdata.
set -euo pipefail
cd "$(dirname "$0")/.."

TARGET=${TARGET:-target}
DIST=${DIST:-$TARGET/dist}
CARGO=${CARGO:-cargo}
LEVELS=${LEVELS:-v2 v3 v4}

say() { printf 'dist: %s\n' "$*"; }
has() { command -v "$1" >/dev/null; }

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
author=$(sed -n 's/^authors = \["\([^"]*\)".*/\1/p' Cargo.toml | head -n 1)
homepage=$(sed -n 's/^repository = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
commit=$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
time=$(git log -1 --format=%ct 2>/dev/null || echo 0)
host=$(rustc -vV | sed -n 's/^host: //p')
sysroot=$(rustc --print sysroot)
profdata=${PROFDATA:-$sysroot/lib/rustlib/$host/bin/llvm-profdata}
export STRETTO_COMMIT=$commit
if [ -n "${PROFILE:-}" ]; then PROFILE=$(realpath "$PROFILE"); fi
# A separate folder, because other flags rebuild everything.
mkdir -p "$TARGET/dist-build"
built=$(realpath "$TARGET/dist-build")
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

is_installed() { [ -d "$sysroot/lib/rustlib/$1/lib" ]; }

# Returns the linker of a target; empty for this architecture.
linker_of() {
    case $1 in
    "${host%%-*}"-*-linux-*) ;;
    aarch64-*-linux-*) echo aarch64-linux-gnu-gcc ;;
    x86_64-*-linux-*) echo x86_64-linux-gnu-gcc ;;
    *-windows-gnu) echo x86_64-w64-mingw32-gcc ;;
    esac
}

# Returns the target for static programs on this architecture of Linux: musl if it is installed,
# otherwise the C library.
linux_target() { if is_installed "$1-unknown-linux-musl"; then echo "$1-unknown-linux-musl"; else echo "$1-unknown-linux-gnu"; fi; }

# Returns the highest level of x86-64 that this machine runs.
own_level() {
    local flags
    flags=" $(sed -n 's/^flags[^:]*: //p' /proc/cpuinfo | head -n 1) "
    case $flags in
    *" avx512bw "*) echo v4 ;;
    *" avx2 "*) echo v3 ;;
    *) echo v2 ;;
    esac
}

# Returns flags of the compiler as cargo reads them, with those that keep the folders of this machine out of the
# programs. They may contain spaces: rust_flags FLAG...
rust_flags() {
    local IFS=$'\x1f' home=${CARGO_HOME:-$HOME/.cargo}
    local flags=(-Ctarget-feature=+crt-static "$@"
        "--remap-path-prefix=$sysroot=/rust" "--remap-path-prefix=$(realpath "$home")=/cargo"
        "--remap-path-prefix=$built=/build" "--remap-path-prefix=$PWD=/stretto")
    printf '%s' "${flags[*]}"
}

# Builds the engine: build_engine TRIPLE CPU [FLAG]; sets `engine`.
build_engine() {
    CARGO_ENCODED_RUSTFLAGS=$(rust_flags "-Ctarget-cpu=$2" "${@:3}") \
        $CARGO build --release --locked --package stretto-engine --target "$1" --target-dir "$built/engine"
    engine=$built/engine/$1/release/stretto
}

# Profiles the engine of a target that this machine runs; sets `profile_flags`: profile TRIPLE CPU.
profile() {
    local triple=$1 cpu=$2 file
    profile_flags=()
    file=$DIST/stretto-$version-${triple%%-*}.profdata
    case $triple in "${host%%-*}"-*-linux-*) ;; *) return ;; esac
    if ! compgen -G "$sysroot/lib/rustlib/$triple/lib/libprofiler_builtins-*" >/dev/null; then
        say "no profile-guided optimisation: Rust has no profiler for $triple"
        return
    fi
    if [ ! -x "$profdata" ]; then
        say "no profile-guided optimisation: llvm-tools are not installed (rustup component add llvm-tools)"
        return
    fi
    if [ -n "${PROFILE:-}" ]; then
        install -m 644 "$PROFILE" "$file"
    else
        rm -rf "$stage/raw"
        build_engine "$triple" "$cpu" "-Cprofile-generate=$stage/raw"
        say "profiling two benches"
        "$engine" bench >/dev/null
        "$engine" bench 10 2 >/dev/null
        "$profdata" merge -o "$file" "$stage/raw"
        chmod 644 "$file"
    fi
    # Cargo builds again after a change of the path, not of the file.
    local used
    used=$built/$(sha256sum "$file" | cut -c 1-16).profdata
    cp "$file" "$used"
    profile_flags=("-Cprofile-use=$used")
}

# Builds all programs of a target into a folder: build_programs TRIPLE FOLDER.
build_programs() {
    local triple=$1 folder=$2 exe='' level top
    case $triple in *-windows-*) exe=.exe ;; esac
    mkdir -p "$folder"
    if [[ $triple == x86_64-* ]]; then
        top=$(own_level)
        profile "$triple" "x86-64-$top"
        for level in $LEVELS; do
            build_engine "$triple" "x86-64-$level" "${profile_flags[@]}"
            install -m 755 "$engine$exe" "$folder/stretto$([ "$level" = v2 ] || echo "-$level")$exe"
        done
    else
        profile "$triple" generic
        build_engine "$triple" generic "${profile_flags[@]}"
        install -m 755 "$engine$exe" "$folder/stretto$exe"
    fi
    CARGO_ENCODED_RUSTFLAGS=$(rust_flags) CARGO_PROFILE_RELEASE_LTO=thin \
        $CARGO build --release --locked --package stretto-harness --package stretto-workshop --target "$triple" --target-dir "$built/harness"
    local program
    for program in harness workshop; do
        install -m 755 "$built/harness/$triple/release/$program$exe" "$folder/$program$exe"
    done
}

# Writes the licences of a target into a folder, and its SBOM: notices TRIPLE FOLDER.
notices() {
    $CARGO metadata --format-version 1 --locked --filter-platform "$1" |
        "$tools/examples/notices" "$2/THIRD-PARTY-LICENCES.txt" "$DIST/$name.cdx.json"
    # The programs contain Rust's standard library.
    local library=$sysroot/share/doc/rust/COPYRIGHT-library.html
    if [ -f "$library" ]; then
        cp "$library" "$2/RUST-STANDARD-LIBRARY.html"
    else
        say "no licences of the standard library: $library does not exist"
    fi
    # Rust links programs of this target with its own copy of musl.
    case $1 in *-linux-musl*) install -m 644 packaging/MUSL-COPYRIGHT.txt "$2" ;; esac
}

# Copies the pages that README links to, and the licence: documents FOLDER.
documents() {
    install -D -m 644 -t "$1" README.md CHANGELOG.md CONTRIBUTING.md LICENSE
    install -D -m 644 -t "$1/docs" docs/*.md
    install -D -m 644 -t "$1/docs/pictures" docs/pictures/*.svg
    install -D -m 644 -t "$1/harness" harness/EVENTS.md
    install -D -m 644 -t "$1/results" results/*.md results/*.tsv results/*.txt results/*.toml results/*.yaml
}

# Copies the configurations of the repository, without other files of the checkout: configurations FOLDER.
configurations() {
    mkdir -p "$1"
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files -z configs | xargs -0 cp --parents -t "$1"
    else
        cp -r configs "$1/"
    fi
}

# Gives a folder the same modes under any umask: normalise FOLDER.
normalise() { chmod -R u=rwX,go=rX "$1"; }

# Builds the programs of this machine that write manual pages, completions and licences.
build_tools() {
    RUSTFLAGS='' $CARGO build --quiet --locked --package stretto-harness --package stretto-workshop \
        --bin harness --bin workshop --example notices --target-dir "$built/tools"
    tools=$built/tools/debug
}

# Makes the archive of Linux, and a Debian package: package_linux TRIPLE.
package_linux() {
    local triple=$1 arch=${1%%-*}
    name=stretto-$version-$arch-linux
    local root=$stage/$name
    build_programs "$triple" "$root/bin"
    documents "$root/share/doc/stretto"
    scripts/install.sh share "$root" "$tools"
    configurations "$root/share/stretto"
    ln -s ../../stretto/configs "$root/share/doc/stretto/configs"
    notices "$triple" "$root/share/doc/stretto"
    normalise "$root"
    # Reproducible: order, owner and times in the archive are fixed.
    tar --create --directory "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" "$name" |
        gzip --no-name --best >"$DIST/$name.tar.gz"
    if has dpkg-deb; then package_debian "$root" "$arch"; else say "dpkg-deb is not installed: no Debian package"; fi
}

# Makes the Debian package from the folder of an archive: package_debian FOLDER ARCHITECTURE.
package_debian() {
    local root=$1 arch=$2 deb package=$stage/package
    rm -rf "$package"
    mkdir -p "$package/DEBIAN" "$package/usr"
    cp -r "$root/." "$package/usr/"
    # In a package `harness` and `workshop` are too common names. Debian requires compressed manual pages and
    # another folder for zsh.
    rm -r "$package"/usr/share/man/man1/{harness,workshop}*.1 "$package/usr/share/zsh" \
        "$package"/usr/share/bash-completion/completions/{harness,workshop} \
        "$package"/usr/share/fish/vendor_completions.d/{harness,workshop}.fish
    mkdir -p "$package/usr/share/zsh/vendor-completions"
    local program named
    for program in harness workshop; do
        named=stretto-$program
        mv "$package/usr/bin/$program" "$package/usr/bin/$named"
        "$tools/$program" man "$package/usr/share/man/man1" --name "$named"
        completions() { "$tools/$program" completions "$1" --name "$named" >"$package/usr/share/$2"; }
        completions bash "bash-completion/completions/$named"
        completions zsh "zsh/vendor-completions/_$named"
        completions fish "fish/vendor_completions.d/$named.fish"
    done
    local musl=''
    if [ -e "$package/usr/share/doc/stretto/MUSL-COPYRIGHT.txt" ]; then
        musl=', that of musl in MUSL-COPYRIGHT.txt'
    fi
    find "$package/usr/share/man" -name '*.1' -exec gzip --no-name --best {} +
    cat >"$package/usr/share/doc/stretto/copyright" <<COPYRIGHT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Stretto

Files: *
Copyright: 2026 ${author%% <*}
License: GPL-3.0-or-later
 On Debian systems the licence is in /usr/share/common-licenses/GPL-3.
Comment: The licences of the crates that the programs contain are in
 THIRD-PARTY-LICENCES.txt, those of Rust's standard library in
 RUST-STANDARD-LIBRARY.html$musl.
COPYRIGHT
    normalise "$package"
    # Kibibytes of the files, on every file system.
    local size
    size=$(find "$package/usr" -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
    local maintainer=$author
    case $author in *"<"*) ;; *) maintainer="$author <stretto@localhost>" ;; esac
    case $arch in x86_64) deb=amd64 ;; aarch64) deb=arm64 ;; *) deb=$arch ;; esac
    cat >"$package/DEBIAN/control" <<CONTROL
Package: stretto
Version: $version
Architecture: $deb
Maintainer: $maintainer
Section: games
Priority: optional
Installed-Size: $size${homepage:+
Homepage: $homepage}
Description: chess engine (UCI) with a benchmarking harness
 Stretto is a chess engine for graphical interfaces and match tools that speak
 UCI. It searches with any number of threads over one shared hash table.
 stretto-harness plays matches and sequential tests between UCI engines and
 reports Elo with confidence intervals. stretto-workshop makes opening books,
 endgame tables and networks.
CONTROL
    SOURCE_DATE_EPOCH=$time dpkg-deb --build --root-owner-group "$package" "$DIST/stretto_${version}_$deb.deb" >/dev/null
}

# Makes the archive of Windows: package_windows TRIPLE.
package_windows() {
    local triple=$1
    name=stretto-$version-x86_64-windows
    local root=$stage/$name
    build_programs "$triple" "$root"
    documents "$root"
    configurations "$root"
    notices "$triple" "$root"
    normalise "$root"
    find "$root" -exec touch --no-dereference --date="@$time" {} +
    rm -f "$DIST/$name.zip"
    (cd "$stage" && find "$name" -type f | LC_ALL=C sort | TZ=UTC zip --quiet -X -9 -@ "$name.zip")
    mv "$stage/$name.zip" "$DIST/"
}

own=${host%%-*}
case $own in x86_64) other=aarch64 ;; *) other=x86_64 ;; esac
TRIPLES=${TRIPLES:-$(linux_target "$own") $(linux_target "$other") x86_64-pc-windows-gnu}
# An old output folder is replaced, and no other.
if [ -d "$DIST" ] && [ -n "$(ls -A "$DIST")" ] && [ ! -e "$DIST/SHA256SUMS" ]; then
    say "$DIST is not empty and has no SHA256SUMS: choose another DIST"
    exit 1
fi
rm -rf "$DIST"
mkdir -p "$DIST"
# Empty until the end, so that the folder of an interrupted run can be replaced.
: >"$DIST/SHA256SUMS"
DIST=$(realpath "$DIST")
build_tools
for triple in $TRIPLES; do
    if ! is_installed "$triple"; then
        scripts/skip.sh "dist-$triple" "not installed (rustup target add $triple)"
        continue
    fi
    linker=$(linker_of "$triple")
    if [ -n "$linker" ]; then
        if ! has "$linker"; then
            scripts/skip.sh "dist-$triple" "the linker $linker is not installed"
            continue
        fi
        export "CARGO_TARGET_$(tr 'a-z-' 'A-Z_' <<<"$triple")_LINKER=$linker"
    fi
    say "building for $triple"
    case $triple in
    *-windows-*) if has zip; then package_windows "$triple"; else scripts/skip.sh "dist-$triple" "zip is not installed"; fi ;;
    *) package_linux "$triple" ;;
    esac
done

rm "$DIST/SHA256SUMS"
(cd "$DIST" && sha256sum -- * >SHA256SUMS)
say "version $version, commit $commit"
(cd "$DIST" && ls -l | sed -n '2,$p')
