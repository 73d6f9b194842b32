#!/usr/bin/env python3
"""Makes the test set of `workshop eval-error` and the level endings from games.

    pip install chess
    scripts/eval-set.py RUN/games.pgn --stretto OLD --stockfish stockfish --folder work

OLD is the engine of commit 54f7ebd, so that the scores stay those of one network. `--folder` keeps every scored
position; another start goes on with the missing ones, and `--partial` writes the files without them. With
`--pause FILE` no search starts while FILE exists.

The same games and engines give the same files: nodes end all searches, each with an empty hash table.

A position is taken if the side to move is not in check and wins nothing by captures, the move of the game and
Stockfish's best move are neither captures nor promotions, Stockfish's score at 20,000 nodes is within 600, there
are 5 pieces or more, and no other position of the game within 8 plies was taken.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

try:
    import chess
    import chess.pgn
except ImportError:
    sys.exit("python-chess is not installed: pip install chess")

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEST_SET = ROOT / "testdata/eval-error.tsv"
LEVEL_ENDINGS = ROOT / "configs/openings/level-endings.epd"
# Positions of the test set in each phase: 26 pieces and more, 16 to 25, below 16.
PHASES = [700, 700, 700]
SCREENING = 20_000
# Nodes of the deep scores.
STOCKFISH_NODES, STRETTO_NODES = 200_000, 400_000
LIMIT = 600  # centipawns, of the screening
# Level endings have scores within these in their game. In endings a centipawn of Stretto means less.
LEVEL = {"stretto": 150, "stockfish": 60}
LEVEL_PIECES = range(10, 17)
DISTANCE = 8  # plies between two positions of a game
VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}
COLUMNS = ["game", "result", "stretto", "stockfish", "stockfish static", "fen"]


class Engine:
    """A UCI engine that scores positions for the side to move."""

    def __init__(self, command):
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.ask("uci", "uciok")
        self.send("setoption name Hash value 64")

    def send(self, line):
        self.process.stdin.write(line + "\n")

    def ask(self, line, last):
        """Sends a line and returns the answer up to the line with this beginning."""
        self.send(line)
        lines = []
        while not lines or not lines[-1].startswith(last):
            text = self.process.stdout.readline()
            if not text:
                sys.exit(f"{self.process.args[0]} ended after `{line}`")
            lines.append(text.strip())
        return lines

    def score(self, fen, nodes):
        """The score in centipawns (a mate counts 30,000) and the best move."""
        self.send("ucinewgame")
        self.ask("isready", "readyok")
        self.send(f"position fen {fen}")
        lines = self.ask(f"go nodes {nodes}", "bestmove")
        words = [line.split() for line in lines if " score " in line and "bound" not in line][-1]
        kind, value = words[words.index("score") + 1 :][:2]
        value = int(value)
        return (value if kind == "cp" else 30_000 if value > 0 else -30_000), lines[-1].split()[1]

    def static(self, board):
        """Stockfish's static evaluation for the side to move."""
        self.send(f"position fen {board.fen()}")
        words = self.ask("eval", "Final evaluation")[-1].split()
        value = round(100 * float(words[2]))
        return value if board.turn else -value


def material_gain(board, alpha, beta):
    """What the side to move wins by captures, in pawns: a quiescence search of material."""
    best = 0
    if best >= beta:
        return best
    alpha = max(alpha, best)
    captures = sorted(board.generate_legal_captures(), key=lambda move: -gain(board, move))
    for move in captures:
        value = gain(board, move)
        board.push(move)
        best = max(best, value - material_gain(board, value - beta, value - alpha))
        board.pop()
        alpha = max(alpha, best)
        if best >= beta:
            break
    return best


def gain(board, move):
    taken = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
    promoted = VALUES[move.promotion] - 1 if move.promotion else 0
    return (VALUES[taken] if taken else 0) + promoted


def is_noisy(board, move):
    return board.is_capture(move) or bool(move.promotion)


def is_candidate(board, move):
    """Whether a position with this move of its game is quiet and not in the embedded endgame tables."""
    is_quiet = not board.is_check() and not is_noisy(board, move)
    return is_quiet and chess.popcount(board.occupied) > 4 and material_gain(board, 0, 1) == 0


def candidates(files):
    """Quiet positions with the number and the result of their game, at least DISTANCE plies apart."""
    seen, number = set(), 0
    for file in files:
        with open(file) as text:
            while game := chess.pgn.read_game(text):
                number += 1
                next_ply = 8 + random.Random(number).randrange(DISTANCE)
                players = [game.headers["Black"], game.headers["White"]]
                board, scores = game.board(), {}
                for node in game.mainline():
                    scores[players[board.turn]] = recorded_score(node.comment)
                    if board.ply() >= next_ply and is_candidate(board, node.move) and board.epd() not in seen:
                        seen.add(board.epd())
                        next_ply = board.ply() + DISTANCE
                        is_level = all(abs(scores.get(player, 1000)) <= limit for player, limit in LEVEL.items())
                        yield {"game": number, "result": game.headers["Result"], "fen": board.fen(), "level": is_level}
                    board.push(node.move)


def recorded_score(comment):
    """The score of a comment such as `+0.31/12 0.02s` in centipawns; a mate counts 30,000."""
    text = comment.split("/")[0]
    return 30_000 if "M" in text else round(100 * float(text))


def pieces(fen):
    return sum(letter.isalpha() for letter in fen.split()[0])


def phase(fen):
    return 0 if pieces(fen) > 25 else 1 if pieces(fen) > 15 else 2


class Scorer:
    """Scores positions with both engines, several at once, and keeps the scores in a file."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.file = pathlib.Path(arguments.folder) / "scores.tsv"
        self.lock, self.local = threading.Lock(), threading.local()
        self.scores = {}
        if self.file.exists():
            for line in self.file.read_text().splitlines():
                fen, *values = line.split("\t")
                self.scores[fen] = values

    def engines(self):
        if not hasattr(self.local, "engines"):
            self.local.engines = [Engine(self.arguments.stockfish), Engine(self.arguments.stretto)]
        return self.local.engines

    def of(self, fen):
        """Returns [screening, best move, Stretto's, Stockfish's and static score]; the first two alone if they exclude it."""
        with self.lock:
            values = self.scores.get(fen, [])
        if values or self.arguments.partial:
            return values
        while self.arguments.pause and os.path.exists(self.arguments.pause):
            time.sleep(5)
        stockfish, stretto = self.engines()
        board = chess.Board(fen)
        score, best = stockfish.score(fen, SCREENING)
        values = [score, best]
        if abs(score) <= LIMIT and not is_noisy(board, chess.Move.from_uci(best)):
            values += [stretto.score(fen, STRETTO_NODES)[0], stockfish.score(fen, STOCKFISH_NODES)[0], stockfish.static(board)]
        values = [str(value) for value in values]
        with self.lock:
            self.scores[fen] = values
            with open(self.file, "a") as out:
                print(fen, *values, sep="\t", file=out)
            print(f"\r{len(self.scores)} positions", end="", file=sys.stderr)
        return values

    def chosen(self, pool, positions, count):
        """The first `count` of the positions that qualify, in order, with their scores."""
        found, at = [], 0
        while len(found) < count and at < len(positions):
            batch = positions[at : at + 4 * self.arguments.concurrency]
            at += len(batch)
            for position, values in zip(batch, pool.map(lambda position: self.of(position["fen"]), batch)):
                if len(values) > 2 and len(found) < count:
                    found.append(position | dict(zip(["stretto", "stockfish", "stockfish static"], values[2:])))
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--stretto", required=True)
    parser.add_argument("--stockfish", required=True)
    parser.add_argument("--folder", default=".")
    parser.add_argument("--pause")
    parser.add_argument("--partial", action="store_true", help="score no more positions")
    parser.add_argument("--concurrency", type=int, default=1)
    arguments = parser.parse_args()
    scorer = Scorer(arguments)
    positions = list(candidates(arguments.games))
    random.Random(68).shuffle(positions)
    with concurrent.futures.ThreadPoolExecutor(arguments.concurrency) as pool:
        tested = []
        for number, count in enumerate(PHASES):
            of_phase = [position for position in positions if phase(position["fen"]) == number]
            tested += scorer.chosen(pool, of_phase, count)
            print(f"\nphase {number}: {len(of_phase)} candidates, {len(tested)} positions in all", file=sys.stderr)
        tested.sort(key=lambda position: position["game"])
        with open(TEST_SET, "w") as out:
            print(*COLUMNS, sep="\t", file=out)
            for position in tested:
                print(*(position[column] for column in COLUMNS), sep="\t", file=out)
    level = [position for position in positions if position["level"] and pieces(position["fen"]) in LEVEL_PIECES]
    with open(LEVEL_ENDINGS, "w") as out:
        for number, position in enumerate(level, 1):
            fields = position["fen"].split()
            print(f'{" ".join(fields[:4])} hmvc {fields[4]}; fmvn {fields[5]}; id "level.{number}";', file=out)
    print(f"{len(tested)} positions, {len(level)} level endings", file=sys.stderr)


main()
