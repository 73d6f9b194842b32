#!/usr/bin/env python3
"""Compares our distances to mate with Gaviota's tables, read by python-chess.

    pip install chess
    apt-get download gaviotatb && dpkg -x gaviotatb_*.deb gaviotatb      # three pieces
    scripts/gaviota.py target/release/harness gaviotatb/usr/share/gaviotatb/gtb4

Every legal position of three pieces is compared, and --sample random positions of each larger table in
the folder. Our tables are generated, or read from --tables. Exit code 1 if any distance differs.
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
    sys.exit("python-chess is not installed: pip install chess")


def materials(folder):
    """The pieces of each table in a folder, as `KQkr`."""
    names = sorted(path.name.split(".")[0] for path in Path(folder).glob("*.gtb.cp4"))
    split = [(name, name.index("k", 1)) for name in names]
    return [name[:at].upper() + name[at:] for name, at in split]


def board_of(pieces, squares, turn):
    """The position with these pieces on these squares, or None if it is illegal."""
    board = chess.Board(None)
    for square, piece in zip(squares, pieces):
        if piece in "Pp" and chess.square_rank(square) in (0, 7):
            return None
        board.set_piece_at(square, chess.Piece.from_symbol(piece))
    board.turn = turn
    return board if board.is_valid() else None


def positions(pieces, sample):
    """All legal positions of three pieces, or a sample of more."""
    if len(pieces) == 3:
        for squares in itertools.permutations(range(64), 3):
            for turn in chess.COLORS:
                if board := board_of(pieces, squares, turn):
                    yield board
        return
    generator, found = random.Random(pieces), 0
    while found < sample:
        squares = generator.sample(range(64), len(pieces))
        if board := board_of(pieces, squares, generator.choice(chess.COLORS)):
            found += 1
            yield board


def theirs(tables, board):
    """Gaviota's result and distance, in the form of `ours`."""
    if board.is_checkmate():
        return ("mated", 0)
    plies = tables.probe_dtm(board)
    return ("win" if plies > 0 else "loss" if plies < 0 else "draw", abs(plies))


def ours(harness, tables, fens):
    """The results and distances in plies that `harness tb probe -` prints."""
    command = [harness, "tb", "probe", "-"] + (["--tables", tables] if tables else [])
    probe = subprocess.run(command, input="\n".join(fens), stdout=subprocess.PIPE, text=True)
    lines = probe.stdout.splitlines()
    if probe.returncode or len(lines) != len(fens):
        sys.exit(f"{' '.join(command)} failed")
    for fen, line in zip(fens, lines):
        answer = line[len(fen) + 2 :]
        plies = re.search(r"\((\d+) plies\)", answer)
        yield (answer.split(",")[0], int(plies.group(1)) if plies else 0)


def main():
    parser = argparse.ArgumentParser(description="Compare distances to mate with Gaviota's tables.")
    parser.add_argument("harness")
    parser.add_argument("gaviota", help="a folder of *.gtb.cp4")
    parser.add_argument("--tables", help="a folder of our tables; generated if omitted")
    parser.add_argument("--sample", type=int, default=20_000, help="positions per table of more than three pieces")
    args = parser.parse_args()
    if not materials(args.gaviota):
        sys.exit(f"{args.gaviota} has no *.gtb.cp4")
    different = 0
    with chess.gaviota.open_tablebase(args.gaviota) as tables:
        for pieces in materials(args.gaviota):
            boards = list(positions(pieces, args.sample))
            fens = [board.fen() for board in boards]
            wrong = 0
            for board, fen, found in zip(boards, fens, ours(args.harness, args.tables, fens)):
                expected = theirs(tables, board)
                if found != expected:
                    wrong += 1
                    if wrong <= 10:
                        print(f"{fen}: ours {found}, Gaviota {expected}")
            print(f"{pieces}: {len(fens)} positions, {wrong} different", flush=True)
            different += wrong
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
