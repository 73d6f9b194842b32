#!/usr/bin/env bash
# Measures Stretto on a machine with many cores and prints one table: nodes per second of N threads and of N processes,
# with shared and with separate histories, many threads against one on a clock, and what a user waits for with many
# threads. Needs the release programs stretto and harness, bash 5 and awk; no compiler and no network. It takes about five
# minutes on 16 cores, and wants a quiet machine.
#
#     scripts/many-cores.sh                                    all of it
#     COUNTS= GAMES=0 THREADS="64 256 1024" scripts/many-cores.sh        only what a user waits for
#     STRETTO=bin/stretto-v3 HARNESS=bin/harness OUT=v3 scripts/many-cores.sh
#
# STRETTO, HARNESS  programs; by default those on PATH
# OUT               new folder for the runs with their reports; by default many-cores-DATE-TIME
# COUNTS            numbers of threads for nodes per second; by default 1, 2, 4 and so on up to the processors
# POSITIONS, MS     positions and milliseconds per search (24, 300)
# TEAM, GAMES, TC   threads of the side that plays against one thread (8, or as many as the machine has), games (40), clock (2+0.02)
# THREADS, TRIALS   numbers of threads to wait for (16 64 256); the median of this many trials is printed (5)
set -euo pipefail
export LC_ALL=C

fail() { printf 'many-cores: %s\n' "$*" >&2; exit 1; }
program() { command -v "$1" || fail "$1 is not a program: set $2 to the path of one"; }

case ${1-} in
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
    ?*) fail "$1: settings are variables such as COUNTS=; see --help" ;;
esac
stretto=$(program "${STRETTO:-stretto}" STRETTO)
harness=$(program "${HARNESS:-harness}" HARNESS)
stretto=$(realpath "$stretto") harness=$(realpath "$harness")
# A measurement in the background can be ended with the script.
child=
run() { "$@" >/dev/null & child=$!; wait "$child"; child=; }
trap '[ -z "$child" ] || kill "$child"; exit 130' INT TERM
cores=$(nproc)
if [ -z "${COUNTS+set}" ]; then
    COUNTS=$({ for ((count = 1; count < cores; count *= 2)); do echo "$count"; done; echo "$cores"; })
fi
POSITIONS=${POSITIONS:-24} MS=${MS:-300}
TEAM=${TEAM:-$((cores < 8 ? cores : 8))} GAMES=${GAMES:-40} TC=${TC:-2+0.02}
THREADS=${THREADS-16 64 256} TRIALS=${TRIALS:-5}
OUT=${OUT:-many-cores-$(date +%Y%m%d-%H%M%S)}
[ ! -e "$OUT" ] || fail "$OUT exists: choose another OUT"
mkdir -p "$OUT"

# Writes the speeds by threads, with shared and separate histories.
speeds() {
    local separate="SharedContinuation: false, SharedButterfly: false"
    cat >"$OUT/speed.yaml" <<YAML
engines:
  - { name: shared, command: "$stretto", args: [--lab], options: { Hash: 64 } }
  - { name: separate, command: "$stretto", args: [--lab], options: { Hash: 64, $separate } }
threads: [$(echo $COUNTS | tr ' ' ',')]
positions: { count: $POSITIONS }
movetime: $MS
separate_processes: true
YAML
    run "$harness" smp "$OUT/speed.yaml" --quiet --out "$OUT/speed"
    # A line for each value of the report.
    awk -F ' *[|] *' '
        /^## / { setting = substr($0, 4) }
        /^[|] threads / { for (i = 2; i < NF; i++) name[i] = $i; next }
        /^[|] [0-9]/ && setting {
            count = $2; kind = sub(/ processes$/, "", count) ? "processes" : "threads"
            for (i = 3; i < NF; i++) print count "\t" setting " " kind " " name[i] "\t" $i
        }' "$OUT/speed/report.md"
}

# Writes the result of a team against one thread on a clock.
games() {
    cat >"$OUT/games.yaml" <<YAML
engines:
  - { name: team, command: "$stretto", options: { Hash: 64, Threads: $TEAM } }
  - { name: one thread, command: "$stretto", options: { Hash: 64, Threads: 1 } }
time_control: $TC
games: $GAMES
concurrency: $((cores < 2 * TEAM ? 1 : cores / TEAM))
adjudication: { win: { score: 600, moves: 3, two_sided: true }, draw: { from_move: 34, moves: 8, score: 20 }, max_moves: 200 }
YAML
    run "$harness" match "$OUT/games.yaml" --quiet --out "$OUT/games"
    awk -F ' *[|] *' -v team="$TEAM" '$2 == "Elo" { elo = $3 } $2 == "games" { games = $3 }
        END { print team "\tElo\t" elo "; games " games }' "$OUT/games/report.md"
}

# Sends commands to the engine and waits for a line that begins with the answer, or for the end of the engine without one.
# Writes the milliseconds: timed COUNT STEP ANSWER COMMAND...
timed() {
    local count=$1 step=$2 answer=$3 start=$EPOCHREALTIME line
    printf '%s\n' "${@:4}" >&"${engine[1]}"
    if [ -n "$answer" ]; then
        while read -r line <&"${engine[0]}"; do
            [[ $line != "$answer"* ]] || break
            [[ $line != "info string option "* ]] || fail "$stretto: ${line#info string }"
        done
        [[ $line == "$answer"* ]] || fail "$stretto ended before $answer with $count threads"
    else
        wait "$pid" || true
    fi
    local end=$EPOCHREALTIME
    printf '%s\t%s\t%s\n' "$count" "$step" "$((${end/./} - ${start/./}))"
}

# Writes the microseconds of each step of one session: session COUNT.
session() {
    coproc engine { exec "$stretto"; }
    pid=$engine_PID
    timed "$1" start readyok "setoption name Hash value 64" "setoption name Threads value $1" isready
    timed "$1" go readyok "position startpos" "go infinite" isready
    sleep 0.3
    timed "$1" stop bestmove stop
    timed "$1" first bestmove "go nodes 1000"
    timed "$1" second bestmove "go nodes 1000"
    echo "go infinite" >&"${engine[1]}"
    sleep 0.3
    timed "$1" quit "" quit
}

# Writes the median milliseconds of each step over the trials.
waits() {
    local count trial
    for count in $THREADS; do
        for ((trial = 0; trial < TRIALS; trial++)); do session "$count"; done
    done | sort -t $'\t' -k 1,2 -k 3n | awk -F '\t' '
        function median() { return sprintf("%.1f", (value[int((n + 1) / 2)] + value[int(n / 2) + 1]) / 2000) }
        { key = $1 "\t" $2 } key != last { if (n) print last "\t" median(); n = 0; last = key } { value[++n] = $3 }
        END { if (n) print last "\t" median() }'
}

{
    [ -z "$COUNTS" ] || speeds
    [ "$GAMES" = 0 ] || games
    [ -z "$THREADS" ] || waits
} >"$OUT/values"

# Columns of the table: a title and the name of the value, in turn.
columns="nodes/s;shared threads nodes/s
of N processes;shared processes nodes/s
ratio;shared threads nodes/s, ratio to processes
separate histories;separate threads nodes/s
of N processes;separate processes nodes/s
ratio;separate threads nodes/s, ratio to processes
separate to shared;separate threads gain, nodes/s
against one thread, Elo;Elo
start;start
go to readyok;go
stop to bestmove;stop
go nodes 1000;first
again;second
quit in a search;quit"
{
    cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    build=$("$stretto" --version | awk 'NR == 1 { print } $1 ~ /^(commit|network)$/ { $1 = $1; print }' | paste -s -d ,)
    bench=$("$stretto" bench | awk '$2 == "nodes" { print $1 }')
    echo "${build//,/, }, bench $bench, $cores processors${cpu:+ ($cpu)}, $(date +%F)."
    echo "$POSITIONS positions of $MS ms; games at $TC; milliseconds from \`start\` on, medians of $TRIALS."
    echo
    sort -s -n "$OUT/values" | awk -F '\t' -v columns="$columns" '
        !($1 in seen) { seen[$1]; counts[++n] = $1 } { value[$1, $2] = $3; has[$2] }
        END {
            rows = split(columns, column, "\n")
            head = "| threads |"; rule = "|---|"
            for (c = 1; c <= rows; c++) {
                split(column[c], part, ";")
                if (!(part[2] in has)) continue
                head = head " " part[1] " |"; rule = rule "---|"
                for (i = 1; i <= n; i++) row[i] = row[i] " " value[counts[i], part[2]] " |"
            }
            print head; print rule
            for (i = 1; i <= n; i++) print "| " counts[i] " |" row[i]
        }'
} | tee "$OUT/table.md"
