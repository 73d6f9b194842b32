"""Drives the engine with python-chess, as a graphical interface would: `make gui-test`.

    python3 scripts/gui_test.py target/release/stretto

python-chess checks every move and line of the engine against its own rules. Needs the package `chess`
(pip install chess).
"""

import asyncio
import logging
import sys
import time

import chess
import chess.engine

ENGINE = sys.argv[1] if len(sys.argv) > 1 else "target/release/stretto"
# Tolerated delay on a busy machine. Units: seconds.
PATIENCE = 20.0

TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Complaints(logging.Handler):
    """Collects the complaints about the engine's lines, which python-chess only logs."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


async def started(**options):
    _, engine = await chess.engine.popen_uci(ENGINE)
    await engine.configure(options)
    return engine


@test
async def plays_a_game_on_a_clock():
    engine = await started(Threads=2, Hash=8)
    board = chess.Board()
    clock = {chess.WHITE: 2.0, chess.BLACK: 2.0}
    while not board.is_game_over(claim_draw=True) and board.ply() < 120:
        limit = chess.engine.Limit(
            white_clock=clock[chess.WHITE], black_clock=clock[chess.BLACK], white_inc=0.02, black_inc=0.02)
        began = time.monotonic()
        result = await engine.play(board, limit)
        clock[board.turn] += 0.02 - (time.monotonic() - began)
        assert result.move in board.legal_moves, result
        board.push(result.move)
    assert board.ply() > 20, board.fen()
    await engine.quit()


@test
async def analyses_several_lines():
    engine = await started(Hash=8)
    infos = await engine.analyse(chess.Board(), chess.engine.Limit(depth=8), multipv=4)
    assert [info["multipv"] for info in infos] == [1, 2, 3, 4], infos
    assert len({info["pv"][0] for info in infos}) == 4, "the lines begin differently"
    scores = [info["score"].relative.score() for info in infos]
    assert scores == sorted(scores, reverse=True), scores
    await engine.quit()


@test
async def reports_win_draw_loss():
    engine = await started(UCI_ShowWDL=True)
    info = await engine.analyse(chess.Board(), chess.engine.Limit(depth=6))
    assert sum(info["wdl"].relative) == 1000, info
    await engine.quit()


@test
async def finds_a_mate():
    engine = await started()
    board = chess.Board("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1")
    info = await engine.analyse(board, chess.engine.Limit(mate=2))
    assert info["score"].relative.mate() == 2, info
    for move in info["pv"]:
        board.push(move)
    assert board.is_checkmate(), board.fen()
    await engine.quit()


@test
async def mates_with_embedded_tables():
    engine = await started()
    board = chess.Board("k7/8/2K5/8/8/8/8/7R w - - 0 1")
    # The search ends at once, so the line may be shorter than the mate. Play must still reach it.
    for moves in (2, 1):
        played = await engine.play(board, chess.engine.Limit(mate=moves), info=chess.engine.INFO_SCORE)
        assert played.info["score"].relative.mate() == moves, played
        board.push(played.move)
        if not board.is_game_over():
            board.push(next(iter(board.legal_moves)))
    assert board.is_checkmate(), board.fen()
    await engine.quit()


@test
async def reports_no_move_when_mated_or_stalemated():
    engine = await started()
    for fen in ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"):
        result = await engine.play(chess.Board(fen), chess.engine.Limit(depth=2))
        assert result.move is None, result
    await engine.quit()


@test
async def plays_chess960():
    engine = await started(Hash=8)
    for number in (0, 17, 356, 518, 959):
        board = chess.Board.from_chess960_pos(number)
        for _ in range(40):
            if board.is_game_over():
                break
            result = await engine.play(board, chess.engine.Limit(nodes=500))
            assert result.move in board.legal_moves, (board.fen(), result)
            board.push(result.move)
    # The rook stands beside the king, so only "king takes rook" identifies castling.
    board = chess.Board("bnrbnkrq/pppppppp/8/8/8/8/PPPPPPPP/5KR1 w G - 0 1", chess960=True)
    result = await engine.play(board, chess.engine.Limit(depth=4), root_moves=[chess.Move.from_uci("f1g1")])
    assert result.move == chess.Move.from_uci("f1g1"), result
    await engine.quit()


@test
async def ponders_with_hit_and_miss():
    engine = await started(Hash=8)
    board = chess.Board()
    limit = chess.engine.Limit(white_clock=5, black_clock=5, white_inc=0.05, black_inc=0.05)
    hits = misses = 0
    for ply in range(16):
        result = await engine.play(board, limit, ponder=True)
        board.push(result.move)
        if board.is_game_over():
            break
        replies = list(board.legal_moves)
        # Alternates between the expected move and another one.
        if result.ponder in replies and ply % 2 == 0:
            hits += 1
            board.push(result.ponder)
        else:
            misses += 1
            others = [move for move in replies if move != result.ponder]
            board.push((others or replies)[0])
        if board.is_game_over():
            break
    assert hits > 1 and misses > 1, (hits, misses)
    await engine.quit()


@test
async def stops_an_infinite_search():
    engine = await started(Threads=2, Hash=8)
    began = time.monotonic()
    with await engine.analysis(chess.Board()) as analysis:
        seen = 0
        async for info in analysis:
            seen += "pv" in info
            if seen >= 5:
                break
        analysis.stop()
        best = await asyncio.wait_for(analysis.wait(), PATIENCE)
    assert best.move in chess.Board().legal_moves, best
    assert time.monotonic() - began < PATIENCE
    # The engine still works.
    await engine.ping()
    result = await engine.play(chess.Board(), chess.engine.Limit(depth=3))
    assert result.move is not None
    await engine.quit()


@test
async def a_new_analysis_replaces_the_running_one():
    engine = await started(Hash=8)
    first = await engine.analysis(chess.Board())
    after = chess.Board()
    after.push_san("e4")
    info = await asyncio.wait_for(engine.analyse(after, chess.engine.Limit(depth=5)), PATIENCE)
    assert after.is_legal(info["pv"][0]), info
    await asyncio.wait_for(first.wait(), PATIENCE)
    await engine.quit()


@test
async def plays_below_full_strength():
    engine = await started()
    least = engine.options["UCI_Elo"].min
    await engine.configure({"UCI_LimitStrength": True, "UCI_Elo": least})
    board = chess.Board()
    for _ in range(20):
        if board.is_game_over():
            break
        result = await engine.play(board, chess.engine.Limit(white_clock=60, black_clock=60))
        assert result.move in board.legal_moves, result
        board.push(result.move)
    await engine.quit()


async def main():
    complaints = Complaints()
    logging.getLogger("chess.engine").addHandler(complaints)
    logging.getLogger("chess.engine").propagate = False
    failed = 0
    for function in TESTS:
        complaints.lines.clear()
        name = function.__name__.replace("_", " ")
        try:
            await asyncio.wait_for(function(), 6 * PATIENCE)
            problem = "; ".join(complaints.lines)
        except Exception as error:  # the other tests still run
            problem = f"{type(error).__name__}: {error}"
        failed += bool(problem)
        print(f"{name}: {problem or 'ok'}", flush=True)
    print(f"{len(TESTS) - failed} of {len(TESTS)} passed (python-chess {chess.__version__})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
