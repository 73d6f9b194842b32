#!/usr/bin/env python3
"""Our distances to mate beside those of Gaviota's tables, made by another program and read by python-chess.

    pip install chess
    apt-get download gaviotatb && dpkg -x gaviotatb_*.deb gaviotatb      # those of three men
    scripts/gaviota.py target/release/harness gaviotatb/usr/share/gaviotatb/gtb4

Every legal position of three men is compared, and of more men, where the folder has them, as many random ones as --sample says.
Ours are made for the purpose, or read from --tables. Exit code 1 if any distance differs.
"""

import argparse
import itertools
import random
import re
import subprocess
import sys
from pathlib import Path

try:
    import chess
    import chess.gaviota
except ImportError:
    sys.exit("python-chess is not here: pip install chess")


def materials(folder):
    """The men of each table in a folder, as `KQkr`."""
    names = sorted(path.name.split(".")[0] for path in Path(folder).glob("*.gtb.cp4"))
    split = [(name, name.index("k", 1)) for name in names]
    return [name[:at].upper() + name[at:] for name, at in split]


def board_of(men, squares, turn):
    """The position with these men on these squares; nothing if it is not legal."""
    board = chess.Board(None)
    for square, man in zip(squares, men):
        if man in "Pp" and chess.square_rank(square) in (0, 7):
            return None
        board.set_piece_at(square, chess.Piece.from_symbol(man))
    board.turn = turn
    return board if board.is_valid() else None


def positions(men, sample):
    """All legal positions of three men, or some of more."""
    if len(men) == 3:
        for squares in itertools.permutations(range(64), 3):
            for turn in chess.COLORS:
                if board := board_of(men, squares, turn):
                    yield board
        return
    generator, found = random.Random(men), 0
    while found < sample:
        squares = generator.sample(range(64), len(men))
        if board := board_of(men, squares, generator.choice(chess.COLORS)):
            found += 1
            yield board


def theirs(tables, board):
    """Gaviota's distance in the words of `harness tb probe`, as far as they are compared."""
    if board.is_checkmate():
        return ("mated", 0)
    plies = tables.probe_dtm(board)
    return ("win" if plies > 0 else "loss" if plies < 0 else "draw", abs(plies))


def ours(harness, tables, fens):
    """What `harness tb probe -` says of positions, in the same form."""
    command = [harness, "tb", "probe", "-"] + (["--tables", tables] if tables else [])
    asked = subprocess.run(command, input="\n".join(fens), stdout=subprocess.PIPE, text=True)
    lines = asked.stdout.splitlines()
    if asked.returncode or len(lines) != len(fens):
        sys.exit(f"{' '.join(command)} failed")
    for fen, line in zip(fens, lines):
        told = line[len(fen) + 2 :]
        plies = re.search(r"\((\d+) plies\)", told)
        yield (told.split(",")[0], int(plies.group(1)) if plies else 0)


def main():
    parser = argparse.ArgumentParser(description="Compare distances to mate with Gaviota's tables.")
    parser.add_argument("harness")
    parser.add_argument("gaviota", help="a folder of *.gtb.cp4")
    parser.add_argument("--tables", help="a folder of our tables, made anew otherwise")
    parser.add_argument("--sample", type=int, default=20_000, help="positions of a table of more than three men")
    args = parser.parse_args()
    if not materials(args.gaviota):
        sys.exit(f"{args.gaviota} has no *.gtb.cp4")
    different = 0
    with chess.gaviota.open_tablebase(args.gaviota) as tables:
        for men in materials(args.gaviota):
            boards = list(positions(men, args.sample))
            fens = [board.fen() for board in boards]
            wrong = 0
            for board, fen, found in zip(boards, fens, ours(args.harness, args.tables, fens)):
                expected = theirs(tables, board)
                if found != expected:
                    wrong += 1
                    if wrong <= 10:
                        print(f"{fen}: ours {found}, Gaviota {expected}")
            print(f"{men}: {len(fens)} positions, {wrong} different", flush=True)
            different += wrong
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
