#!/usr/bin/env bash
# Makes the release files for this architecture: `make dist`.
#
# The programs are static and run on any Linux of this architecture: the engine selects the vector
# instructions of its network at startup. TARGET is cargo's target folder, DIST the output folder.
set -euo pipefail
cd "$(dirname "$0")/.."

TARGET=${TARGET:-target}
DIST=${DIST:-$TARGET/dist}
CARGO=${CARGO:-cargo}

say() { printf 'dist: %s\n' "$*"; }

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
commit=$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
host=$(rustc -vV | sed -n 's/^host: //p')
arch=${host%%-*}
musl=$arch-unknown-linux-musl

# Static programs, with musl if the Rust target is installed, otherwise with the C library of this
# system.
if [ -d "$(rustc --print sysroot)/lib/rustlib/$musl/lib" ]; then
    triple=$musl
    say "static programs with musl ($triple)"
else
    triple=$host
    say "the target $musl is not installed (rustup target add $musl): static programs with this system's C library"
fi
export RUSTFLAGS="-C target-feature=+crt-static"
export STRETTO_COMMIT=$commit
# A separate folder, because other flags rebuild everything.
built=$TARGET/dist-build
$CARGO build --release --locked --target "$triple" --target-dir "$built" --bin stretto --bin harness
$CARGO build --quiet --locked --package stretto-harness --example notices --target "$triple" --target-dir "$built"
programs=$built/$triple/release

name=stretto-$version-$arch-linux
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
root=$stage/$name
install -D -m 755 -t "$root/bin" "$programs/stretto" "$programs/harness"
strip "$root/bin/stretto" "$root/bin/harness" 2>/dev/null || say "strip is not installed: the programs keep their symbols"
install -D -m 644 -t "$root/share/doc/stretto" README.md CHANGELOG.md LICENSE
install -D -m 644 -t "$root/share/doc/stretto/docs" docs/*.md
install -D -m 644 -t "$root/share/doc/stretto/docs/pictures" docs/pictures/*.svg
install -D -m 644 -t "$root/share/man/man1" packaging/stretto.1
install -D -m 644 packaging/stretto.bash "$root/share/bash-completion/completions/stretto"
"$root/bin/harness" man "$root/share/man/man1"
"$root/bin/harness" completions bash >"$root/share/bash-completion/completions/harness"
mkdir -p "$root/share/zsh/site-functions" "$root/share/fish/vendor_completions.d"
"$root/bin/harness" completions zsh >"$root/share/zsh/site-functions/_harness"
"$root/bin/harness" completions fish >"$root/share/fish/vendor_completions.d/harness.fish"
mkdir -p "$root/share/stretto"
cp -r configs "$root/share/stretto/"
$CARGO metadata --format-version 1 --locked --filter-platform "$triple" |
    "$built/$triple/debug/examples/notices" "$root/share/doc/stretto/THIRD-PARTY-LICENCES.txt" "$stage/$name.cdx.json"

rm -rf "$DIST"
mkdir -p "$DIST"
cp "$stage/$name.cdx.json" "$DIST/"

# Reproducible: order, owner and times in the archive are fixed.
time=$(git log -1 --format=%ct 2>/dev/null || echo 0)
tar --create --directory "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" "$name" |
    gzip --no-name --best >"$DIST/$name.tar.gz"

if command -v dpkg-deb >/dev/null; then
    package=$stage/package
    mkdir -p "$package/DEBIAN" "$package/usr"
    cp -r "$root/." "$package/usr/"
    # In a package `harness` is too common a name. Debian requires compressed manual pages and
    # another folder for zsh.
    mv "$package/usr/bin/harness" "$package/usr/bin/stretto-harness"
    named=(--name stretto-harness)
    rm "$package"/usr/share/man/man1/harness*.1
    "$root/bin/harness" man "$package/usr/share/man/man1" "${named[@]}"
    rm -r "$package/usr/share/bash-completion/completions/harness" "$package/usr/share/zsh" \
        "$package/usr/share/fish/vendor_completions.d/harness.fish"
    mkdir -p "$package/usr/share/zsh/vendor-completions"
    completions() { "$root/bin/harness" completions "$1" "${named[@]}" >"$package/usr/share/$2"; }
    completions bash bash-completion/completions/stretto-harness
    completions zsh zsh/vendor-completions/_stretto-harness
    completions fish fish/vendor_completions.d/stretto-harness.fish
    find "$package/usr/share/man" -name '*.1' -exec gzip --no-name --best {} +
    cp LICENSE "$package/usr/share/doc/stretto/copyright"
    case $arch in x86_64) deb=amd64 ;; aarch64) deb=arm64 ;; *) deb=$arch ;; esac
    cat >"$package/DEBIAN/control" <<CONTROL
Package: stretto
Version: $version
Architecture: $deb
Maintainer: The Stretto developers <stretto@localhost>
Section: games
Priority: optional
Installed-Size: $(du -sk "$package/usr" | cut -f1)
Description: chess engine (UCI) with a benchmarking harness
 Stretto is a chess engine for graphical interfaces and match tools that speak
 UCI. It searches with any number of threads over one shared hash table.
 stretto-harness plays matches and sequential tests between UCI engines and
 reports Elo with confidence intervals.
CONTROL
    SOURCE_DATE_EPOCH=$time dpkg-deb --build --root-owner-group "$package" "$DIST/stretto_${version}_$deb.deb" >/dev/null
else
    say "dpkg-deb is not installed: no Debian package"
fi

(cd "$DIST" && sha256sum -- * >SHA256SUMS)
say "version $version, commit $commit"
(cd "$DIST" && ls -l | sed -n '2,$p')
