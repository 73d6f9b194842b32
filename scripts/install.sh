#!/usr/bin/env bash
# Installs the built programs with manual pages, completions for shells and the licence: `make install`.
#
#     scripts/install.sh install FOLDER    the programs of FOLDER, below $DESTDIR$PREFIX
#     scripts/install.sh uninstall         what `install` wrote there
#     scripts/install.sh share ROOT FOLDER manual pages and completions into ROOT/share, made by the programs of FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022

say() { printf 'install: %s\n' "$*"; }

# Writes manual pages and completions: share ROOT FOLDER.
share() {
    local share=$1/share folder=$2 program
    mkdir -p "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/site-functions" "$share/fish/vendor_completions.d"
    install -m 644 packaging/stretto.1 "$share/man/man1"
    install -m 644 packaging/stretto.bash "$share/bash-completion/completions/stretto"
    for program in harness workshop; do
        "$folder/$program" man "$share/man/man1"
        "$folder/$program" completions bash >"$share/bash-completion/completions/$program"
        "$folder/$program" completions zsh >"$share/zsh/site-functions/_$program"
        "$folder/$program" completions fish >"$share/fish/vendor_completions.d/$program.fish"
    done
}

if [ "$1" = share ]; then
    share "$2" "$3"
    exit
fi
root=${DESTDIR:-}${PREFIX:-/usr/local}
list=share/doc/stretto/installed-files
case $1 in
install)
    folder=$2
    for program in stretto harness workshop; do
        [ -x "$folder/$program" ] || { say "$folder/$program does not exist: run \`make build\` first"; exit 1; }
    done
    stage=$(mktemp -d)
    trap 'rm -rf "$stage"' EXIT
    mkdir -p "$stage/bin" "$stage/share/doc/stretto"
    install -m 755 "$folder"/{stretto,harness,workshop} "$stage/bin"
    install -m 644 LICENSE "$stage/share/doc/stretto"
    share "$stage" "$folder"
    (cd "$stage" && find bin share -type f | LC_ALL=C sort) >"$stage/list"
    install -m 644 "$stage/list" "$stage/$list"
    while read -r file; do
        mkdir -p "$(dirname "$root/$file")"
        # A running program is replaced, not overwritten.
        rm -f "$root/$file"
        cp -p "$stage/$file" "$root/$file"
        chmod go=rX "$root/$file"
    done < <(cat "$stage/list"; echo "$list")
    say "$(wc -l <"$stage/list") files in $root"
    ;;
uninstall)
    [ -f "$root/$list" ] || { say "$root/$list does not exist: nothing is installed there"; exit 1; }
    while read -r file; do rm -f "$root/$file"; done <"$root/$list"
    rm -f "$root/$list"
    rmdir "$root/share/doc/stretto" 2>/dev/null || true
    say "removed from $root"
    ;;
*)
    say "expected install, uninstall or share, found $1"
    exit 2
    ;;
esac
