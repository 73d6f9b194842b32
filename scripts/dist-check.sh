#!/usr/bin/env bash
# Checks that the release files of a commit do not depend on the folder: `make dist-check`.
#
# Clones the last commit into two folders whose names differ in length, makes the release files in both and compares
# them. The second build uses the profile of the first, which is one of the files. TRIPLES and LEVELS limit
# the files as in `make dist`.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'dist-check: %s\n' "$*"; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
commit=$(git rev-parse HEAD)
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then say "uncommitted changes are left out"; fi

# Makes the release files in a clone: build CLONE OUTPUT.
build() {
    git clone --quiet . "$1"
    git -C "$1" checkout --quiet --detach "$commit"
    say "building in $1"
    env -u CARGO_TARGET_DIR -u RUSTFLAGS make --no-print-directory -C "$1" dist DIST="$2"
    # Two target folders may fill the disk.
    rm -rf "$1"
}

build "$folder/one" "$folder/first"
profile=$(find "$folder/first" -name '*.profdata')
PROFILE=$profile build "$folder/another folder" "$folder/second"
if diff -u "$folder/first/SHA256SUMS" "$folder/second/SHA256SUMS"; then
    say "both builds have the same $(wc -l <"$folder/first/SHA256SUMS") files"
    exit
fi
# The parts of archives that differ.
for archive in "$folder"/first/*.tar.gz; do
    name=$(basename "$archive")
    for side in first second; do
        mkdir -p "$folder/parts/$side"
        tar -xzf "$folder/$side/$name" -C "$folder/parts/$side" || true
    done
done
diff -rq "$folder/parts/first" "$folder/parts/second" || true
say "the builds differ"
exit 1
