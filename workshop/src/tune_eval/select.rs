//! Selection of training positions from games.
//!
//! Positions are used only where the static evaluation is meaningful: not in check, the move played
//! neither a capture nor a promotion, and no gain found by a small quiescence search. Positions
//! with a recorded mate score, or another one beyond a limit, are decided and skipped, as are positions
//! without an evaluation by weights.

use stretto::eval::Evaluation;
use stretto::eval::classical::{self, Trace};
use stretto::position::Position as Board;
use stretto::types::{Color, Key, Score};

use super::games::{RecordedScore, ScoredGame};
use super::model::{Position, sigmoid};
use crate::tune_eval::TuneEvalConfig;
use stretto_harness::base::random::SplitMix64;

/// Depth limit of the quiescence search.
const QUIESCENCE_PLIES: u32 = 8;

/// A position selected for the fit.
pub(super) struct Picked {
    /// Key for the detection of duplicates.
    pub(super) key: Key,
    trace: Trace,
    /// White's points in the game.
    points: f64,
    /// Recorded score from White's point of view. Units: centipawns.
    score: Option<i32>,
}

impl Picked {
    /// Converts to the representation of the fit.
    pub(super) fn into_position(self, blend: f64, recorded_scale: Option<f64>) -> Position {
        Position::new(&self.trace, self.points, self.target(blend, recorded_scale))
    }

    /// Returns the target: the result, blended with the recorded score where its scale is known.
    fn target(&self, blend: f64, recorded_scale: Option<f64>) -> f64 {
        let expected = self.score.zip(recorded_scale).map(|(cp, scale)| sigmoid(f64::from(cp) / scale));
        expected.map_or(self.points, |share| blend * share + (1.0 - blend) * self.points)
    }
}

/// Selects positions of a game, determined by the seed and the game number.
pub(super) fn pick(config: &TuneEvalConfig, index: u64, game: &ScoredGame) -> Vec<Picked> {
    let selection = config.positions;
    let mut boards = Vec::with_capacity(game.moves.len());
    let mut board = *game.start.position();
    for played in &game.moves {
        boards.push(board);
        board = board.after(played.mv);
    }
    let mut plies: Vec<usize> = (selection.skip_plies as usize..boards.len()).collect();
    let mut random =
        SplitMix64::new(SplitMix64::new(config.seed).next_u64() ^ SplitMix64::new(index).next_u64());
    random.shuffle(&mut plies);
    let mut picked = Vec::new();
    for ply in plies {
        if picked.len() == selection.per_game.get() as usize {
            break;
        }
        let (board, played) = (&boards[ply], game.moves[ply]);
        let score = match played.score {
            None => None,
            Some(RecordedScore::Centipawns(cp)) if cp.unsigned_abs() <= selection.max_score.get() => Some(cp),
            Some(RecordedScore::Centipawns(_) | RecordedScore::Decided) => continue,
        };
        if board.is_noisy(played.mv) || !is_quiet(board) {
            continue;
        }
        let Some(trace) = classical::trace(board) else { continue };
        let score = score.map(|cp| if board.side_to_move() == Color::White { cp } else { -cp });
        picked.push(Picked { key: board.key(), trace, points: f64::from(game.half_points) / 2.0, score });
    }
    picked
}

/// Returns whether the side to move is not in check and gains nothing by captures.
fn is_quiet(board: &Board) -> bool {
    if board.is_check() || board.is_dead_material() {
        return false;
    }
    let value = Evaluation::Classical.evaluate(board);
    quiescence(board, value, value + 1, QUIESCENCE_PLIES) <= value
}

/// Searches captures that lose nothing (fail-soft quiescence search).
fn quiescence(board: &Board, mut alpha: Score, beta: Score, plies: u32) -> Score {
    let value = Evaluation::Classical.evaluate(board);
    if value >= beta || plies == 0 {
        return value;
    }
    let mut best = value;
    alpha = alpha.max(best);
    for &mv in board.captures().iter().filter(|&&mv| board.see_at_least(mv, Score::DRAW)) {
        best = best.max(-quiescence(&board.after(mv), -beta, -alpha, plies - 1));
        alpha = alpha.max(best);
        if best >= beta {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::tune_eval::read_games;
    use stretto_harness::base::cancel::Cancel;
    use stretto_harness::config::Source;

    /// Returns the number of positions picked from a game with this comment after its last move.
    fn picked(comment: &str) -> usize {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("games.pgn");
        fs::write(&file, format!("1. Nf3 {{+0.20/9}} Nf6 {{-0.20/9}} 2. g3 {{{comment}}} 1-0\n")).unwrap();
        let text = "games: [games.pgn]\npositions: { skip_plies: 0, max_score: 300 }\n";
        let config = TuneEvalConfig::load(&Source::new(dir.path().join("tune.yaml"), text)).unwrap();
        let read = read_games(&[file], &Cancel::new()).unwrap();
        pick(&config, 0, &read.games[0]).len()
    }

    #[test]
    fn positions_with_decided_scores_are_skipped() {
        for comment in ["a thought", "+3.00/9", "[%eval -3.0] -3.00/9"] {
            assert_eq!(picked(comment), 3, "{comment}");
        }
        for comment in ["+3.01/9", "+M5/20", "[%eval #-5] -M5/20", "+1200.00/3"] {
            assert_eq!(picked(comment), 2, "{comment}");
        }
    }

    #[test]
    fn positions_with_winning_captures_are_not_quiet() {
        let quiet = |fen| is_quiet(&Board::from_fen(fen).unwrap());
        assert!(quiet("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
        assert!(!quiet("rnb1kbnr/pppp1ppp/8/4p1q1/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"));
        assert!(!quiet("4k3/8/8/8/8/8/4r3/4K2R w K - 0 1"), "in check");
        assert!(!quiet("8/8/4k3/8/8/4K3/5B2/8 w - - 0 1"), "dead");
    }

    #[test]
    fn target_is_the_blend_of_score_and_result() {
        let board = Board::startpos();
        for (scale, expected) in [(Some(200.0), 0.6 * 0.5 + 0.4), (None, 1.0)] {
            let trace = classical::trace(&board).unwrap();
            let picked = Picked { key: board.key(), trace, points: 1.0, score: Some(0) };
            let target = picked.target(0.6, scale);
            assert!((target - expected).abs() < 1e-6, "{target}, expected {expected}");
        }
    }
}
