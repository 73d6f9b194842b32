#!/usr/bin/env bash
# Searches with a program built with ThreadSanitizer: `make tsan`. Threads start, stop, ponder and are replaced, alone and
# under the options of the lab. A report that engine/tests/tsan.txt does not list fails.
#
#     scripts/tsan.sh PROGRAM
set -euo pipefail
cd "$(dirname "$0")/.."
export TSAN_OPTIONS="suppressions=$PWD/engine/tests/tsan.txt"

fail() { printf 'tsan: %s\n' "$*" >&2; exit 1; }

# Sends the commands on standard input to the program. The word `move` waits for a best move, a number as many seconds.
# Fails if ThreadSanitizer reports a race, and if a `go` has no answer: session PROGRAM ARGUMENT...
session() {
    local line answer searches=0 moves=0 pid
    coproc engine { exec "$@"; }
    pid=$engine_PID
    # Copies, because the shell closes its own when the program ends.
    exec 3<&"${engine[0]}" 4>&"${engine[1]}"
    while read -r line; do
        case $line in
        move) while read -r answer <&3 && [[ $answer != bestmove* ]]; do :; done; moves=$((moves + 1)) ;;
        [0-9]*) sleep "$line" ;;
        *) echo "$line" >&4 ;;
        esac
        [[ $line != go* ]] || searches=$((searches + 1))
    done
    exec 4>&-
    while read -r answer <&3; do [[ $answer != bestmove* ]] || moves=$((moves + 1)); done
    wait "$pid" || fail "exit code $?"
    [ "$searches" = "$moves" ] || fail "$searches searches have $moves moves"
    all=$((all + searches))
}

all=0
session "$1" <<'UCI'
setoption name Hash value 4
setoption name Threads value 4
go nodes 20000
move
go movetime 300
move
position startpos moves e2e4
go infinite
0.5
stop
go ponder wtime 3000 btime 3000
0.3
ponderhit
move
move
go infinite
0.2
go infinite
0.2
ucinewgame
setoption name MultiPV value 3
go nodes 20000
move
move
move
go infinite
0.3
setoption name Threads value 6
go infinite
0.3
setoption name Hash value 8
go mate 2
0.5
stop
go infinite
0.3
quit
UCI
for options in "Relay off" "Relay ahead" "SharedPawn true" "Stagger spread" "Lockstep 50"; do
    session "$1" --lab <<UCI
setoption name Hash value 4
setoption name Threads value 4
setoption name ${options% *} value ${options#* }
go nodes 20000
move
position startpos moves d2d4
go infinite
0.5
stop
go infinite
0.2
quit
UCI
done
echo "$all searches without a race"
