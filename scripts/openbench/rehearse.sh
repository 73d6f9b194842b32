#!/usr/bin/env bash
# Rehearses OpenBench on one machine: a server and two clients on the loopback interface, Stretto
# built from a zip of the last commit, and one workload of each kind (SPRT, SPSA, DATAGEN). One client
# is killed in the middle of the SPRT and started again. docs/openbench.md has requirements and results.
#
#   scripts/openbench/rehearse.sh OPENBENCH FASTCHESS FOLDER
#
# OPENBENCH is a checkout of OpenBench (it is copied, not changed), FASTCHESS a built fastchess
# 1.8.1 or newer, FOLDER a new working folder. THREADS (2) is the number of threads of each client; SPSA
# needs two. PYTHON is a python3 with the requirements of
# OpenBench's server and client.
set -euo pipefail
openbench=$(realpath "$1") fastchess=$(realpath "$2") folder=$3
PYTHON=${PYTHON:-python3}
SERVER_PORT=${SERVER_PORT:-8765} FILES_PORT=${FILES_PORT:-8766}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir "$folder"
folder=$(realpath "$folder")

say() { printf 'rehearsal: %s\n' "$*"; }

# Sources in the form of a code host: a zip with one folder. The second zip has every tunable as an
# option.
mkdir -p "$folder/files" "$folder/shims"
git -C "$root" archive --format=zip --prefix=stretto-play/ -o "$folder/files/play.zip" HEAD
mkdir "$folder/lab"
git -C "$root" archive --prefix=stretto-lab/ HEAD | tar -x -C "$folder/lab"
sed -i 's/^FEATURES ?=.*/FEATURES ?= lab/' "$folder/lab/stretto-lab/Makefile"
(cd "$folder/lab" && "$PYTHON" -m zipfile -c "$folder/files/lab.zip" stretto-lab)
head -n 200 "$root/configs/openings/balanced.epd" | cut -d' ' -f1-4 >"$folder/files/rehearsal.epd"
(cd "$folder/files" && "$PYTHON" -m zipfile -c rehearsal.epd.zip rehearsal.epd)
bench=$("${STRETTO:-$root/target/release/stretto}" bench | tail -n 1 | cut -d' ' -f1)
say "bench $bench"

# The server, with this engine and this book only.
cp -r "$openbench" "$folder/openbench"
cd "$folder/openbench"
files=http://127.0.0.1:$FILES_PORT
export FILES=$files BENCH=$bench
"$PYTHON" - "$root/openbench/Stretto.json" "$folder/files/rehearsal.epd" <<'CONFIGURE'
import hashlib, json, os, sys
engine = json.load(open(sys.argv[1]))
engine["source"] = os.environ["FILES"]
for presets in ("test_presets", "tune_presets", "datagen_presets"):
    for preset in engine[presets].values():
        if "book_name" in preset:
            preset["book_name"] = "rehearsal.epd"
json.dump(engine, open("Engines/Stretto.json", "w"))
sha = hashlib.sha256(open(sys.argv[2]).read().encode()).hexdigest()
json.dump({"sha": sha, "source": os.environ["FILES"] + "/rehearsal.epd.zip"}, open("Books/rehearsal.epd.json", "w"))
config = json.load(open("Config/config.json"))
config["engines"], config["books"] = ["Stretto"], ["rehearsal.epd"]
json.dump(config, open("Config/config.json", "w"))
CONFIGURE
mkdir -p Media
"$PYTHON" manage.py migrate --verbosity 0 >"$folder/setup.log" 2>&1
"$PYTHON" manage.py shell <"$here/rows.py"

# At the end of a workload the client kills engines and match runners by name. Replace these
# commands.
for name in pkill sudo; do
    printf '#!/bin/sh\nexit 0\n' >"$folder/shims/$name"
    chmod +x "$folder/shims/$name"
done
cp "$fastchess" Client/fastchess-ob
for client in 1 2; do cp -r Client "$folder/client-$client"; done
"$PYTHON" -m http.server --bind 127.0.0.1 --directory "$folder/files" "$FILES_PORT" >"$folder/files.log" 2>&1 &
processes=$!
"$PYTHON" manage.py runserver --noreload "127.0.0.1:$SERVER_PORT" >"$folder/server.log" 2>&1 &
processes="$processes $!"
clients=(none none none)
# A client and its engines are one process group, which a kill ends as loss of power would.
stop_all() {
    kill $processes 2>/dev/null || true
    for client in 1 2; do kill -KILL -- "-${clients[client]}" 2>/dev/null || true; done
}
trap stop_all EXIT
sleep 5

# start_client NUMBER
start_client() {
    PATH="$folder/shims:$PATH" setsid "$PYTHON" "$folder/client-$1/client.py" -U rehearsal -P rehearsal \
        -S "http://127.0.0.1:$SERVER_PORT" --no-client-downloads -T "${THREADS:-2}" -N 1 >>"$folder/client-$1.log" 2>&1 &
    clients[$1]=$!
}

# query SQL: prints the row that the server's database answers with.
query() {
    "$PYTHON" -c 'import sqlite3, sys
print(*sqlite3.connect("file:db.sqlite3?mode=ro", uri=True).execute(sys.argv[1]).fetchone())' "$1"
}

start_client 1
start_client 2
say "server, file server and two clients are running; logs in $folder"
state=both
for _ in $(seq "${MINUTES:-40}0"); do
    sleep 6
    [ "$(query 'select count(*) from OpenBench_test where not finished')" = 0 ] && break
    for client in 1 2; do
        [ "$client $state" = "2 killed" ] || kill -0 "${clients[client]}" 2>/dev/null ||
            { say "client $client ended early; see $folder/client-$client.log"; break 2; }
    done
    machines=$(query 'select count(*) from OpenBench_result where test_id = 1 and games > 0')
    games=$(query 'select games from OpenBench_test where id = 1')
    if [ "$state" = both ] && [ "$machines" = 2 ]; then
        kill -KILL -- "-${clients[2]}"
        state=killed games_at_kill=$games
        say "client 2 killed after $games games of the SPRT"
    elif [ "$state" = killed ] && [ "$games" -ge $((games_at_kill + 8)) ]; then
        start_client 2
        state=restarted
        say "client 2 started again after $games games"
    fi
done
[ "$state" = restarted ] || say "the SPRT ended before client 2 was killed and started again ($state)"
"$PYTHON" manage.py shell <"$here/results.py"
