#!/usr/bin/env python3
"""Checks random positions of a table against their successors, as python-chess generates them.

    pip install chess
    scripts/follow.py target/release/workshop tables KPPkp
    scripts/follow.py target/release/workshop tables KPPkp --passing    # only before an en passant capture

`workshop tb verify` makes the same check for every position with our own move generator. Exit code 1
if a distance to mate does not follow from those of the successors.
"""

import argparse
import random
import re
import subprocess
import sys

try:
    import chess
except ImportError:
    sys.exit("python-chess is not installed: pip install chess")

LOST, DRAWN, WON = -1, 0, 1


def random_position(generator, pieces, passing):
    """A legal position of these pieces; with `passing`, one before a possible en passant capture."""
    while True:
        board = chess.Board(None)
        for piece in pieces:
            is_pawn = piece in "Pp"
            ranks = range(1, 7) if is_pawn else range(8)
            if is_pawn and passing and generator.random() < 0.7:
                ranks = (1, 4) if piece == "P" else (3, 6)
            free = [square for square in chess.SQUARES if chess.square_rank(square) in ranks and not board.piece_at(square)]
            board.set_piece_at(generator.choice(free), chess.Piece.from_symbol(piece))
        board.turn = generator.choice(chess.COLORS)
        if board.is_valid() and (not passing or any(after.has_legal_en_passant() for after in positions_after(board))):
            return board


def positions_after(board):
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        yield after


def ask(workshop, tables, fens):
    """The results and distances in plies that `workshop tb probe -` prints."""
    command = [workshop, "tb", "probe", "-", "--tables", tables]
    probe = subprocess.run(command, input="\n".join(fens), stdout=subprocess.PIPE, text=True)
    lines = probe.stdout.splitlines()
    if probe.returncode or len(lines) != len(fens):
        sys.exit(f"{' '.join(command)} failed")
    values = {}
    for fen, line in zip(fens, lines):
        answer = line[len(fen) + 2 :]
        plies = re.search(r"\((\d+) plies\)", answer)
        result = {"win": WON, "loss": LOST, "mated": LOST, "draw": DRAWN}[answer.split(",")[0]]
        values[fen] = (result, int(plies.group(1)) if plies else 0)
    return values


def before(value):
    """The value of a position for the side that moved to it."""
    result, plies = value
    return (-result, plies + 1 if result else 0)


def goodness(value):
    """Sort key of values: short wins rank above long ones, long losses above short ones."""
    result, plies = value
    return (result, -plies if result == WON else plies)


def main():
    parser = argparse.ArgumentParser(description="Check random positions of a table against their successors.")
    parser.add_argument("workshop")
    parser.add_argument("tables", help="a folder of tables by distance to mate")
    parser.add_argument("pieces", help="White's in upper case, Black's in lower case, such as KPPkp")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--passing", action="store_true", help="only positions before an en passant capture")
    args = parser.parse_args()
    generator = random.Random(args.seed)
    boards = [random_position(generator, args.pieces, args.passing) for _ in range(args.count)]
    # Bare kings have no table.
    bare = (DRAWN, 0)
    is_bare = lambda board: len(board.piece_map()) == 2
    after = {board.fen(): list(positions_after(board)) for board in boards}
    fens = dict.fromkeys(after)
    fens.update(dict.fromkeys(next.fen() for all in after.values() for next in all if not is_bare(next)))
    values = ask(args.workshop, args.tables, list(fens))
    different = 0
    for board in boards:
        found = values[board.fen()]
        moves = [before(bare if is_bare(next) else values[next.fen()]) for next in after[board.fen()]]
        expected = max(moves, key=goodness, default=(LOST if board.is_check() else DRAWN, 0))
        if found != expected:
            different += 1
            if different <= 10:
                print(f"{board.fen()}: table {found}, expected {expected}")
    print(f"{args.pieces}: {len(boards)} positions, {different} wrong")
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
