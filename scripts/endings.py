#!/usr/bin/env python3
"""Writes random won positions of endgames as EPD, with the distance to mate (`dm`).

usage: endings.py [--count N] [--seed N] [--tables FOLDER] --workshop PROGRAM KRvK KQvK...

The side with the first pieces wins; in every second position it is to move. Four pieces need the
tables of `workshop tb generate`. Needs python-chess.
"""

import argparse
import random
import re
import subprocess

import chess


def candidates(material, seed):
    """Yields legal positions, without end and in an order that depends on the seed."""
    random_numbers = random.Random(f"{material} {seed}")
    sides = [[chess.Piece.from_symbol(symbol).piece_type for symbol in side] for side in material.split("v")]
    pieces = [chess.Piece(kind, side == 0) for side, kinds in enumerate(sides) for kind in kinds]
    while True:
        board = chess.Board(None)
        for square, piece in zip(random_numbers.sample(range(64), len(pieces)), pieces):
            board.set_piece_at(square, piece)
        board.turn = random_numbers.random() < 0.5
        if board.is_valid() and not board.is_game_over():
            yield board


def probe(boards, workshop, tables):
    """Returns the number of moves to mate for each position, or None for draws."""
    command = [workshop, "tb", "probe", "-", *(["--tables", tables] if tables else [])]
    fens = "".join(f"{board.fen()}\n" for board in boards)
    lines = subprocess.run(command, input=fens, capture_output=True, text=True, check=True).stdout.splitlines()
    found = [re.search(r": (win|loss), mate in (\d+)", line) for line in lines]
    return [match and (match[1], int(match[2])) for match in found]


def won(material, count, seed, workshop, tables):
    """Returns positions that White wins, half of them with White to move."""
    chosen, source = {True: {}, False: {}}, candidates(material, seed)
    while min(len(chosen[True]), len(chosen[False])) < count // 2:
        boards = [next(source) for _ in range(count)]
        for board, found in zip(boards, probe(boards, workshop, tables), strict=True):
            if found and (found[0] == "win") == board.turn and len(chosen[board.turn]) < count // 2:
                chosen[board.turn][board.epd()] = found[1] if board.turn else -found[1]
    return [*chosen[True].items(), *chosen[False].items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", default="")
    parser.add_argument("--workshop", required=True)
    parser.add_argument("materials", nargs="+")
    arguments = parser.parse_args()
    for material in arguments.materials:
        found = won(material, arguments.count, arguments.seed, arguments.workshop, arguments.tables)
        for number, (epd, moves) in enumerate(found, 1):
            print(f'{epd} dm {moves}; id "{material} {number}";')


main()
