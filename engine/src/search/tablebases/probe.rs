//! Tablebase probes below the root.
//!
//! Bet: none. Right after a capture or pawn move the result is in the tablebases and does not
//! depend on the path. A win is a lower bound (mate may be near), a loss an upper bound, and a draw
//! is exact. Tables with distance to mate give exact scores.
//! Preconditions: few enough pieces, halfmove clock zero, no castling rights, and enough depth for
//! the largest tables.
//! Soundness: exact, as far as the tables are correct.
//! Knobs: the UCI options `SyzygyProbeDepth`, `SyzygyProbeLimit` and `Syzygy50MoveRule`. There is
//! no switch: without tables in `SyzygyPath` and `TablePath` nothing is probed. The embedded tables
//! are for the root.
//! Source: de Man's tables (2013) and their use in Stockfish.
//! Evidence: `results/tablebases.md`, "In play".

use crate::position::Position;
use crate::search::context::{Search, Stopped};
use crate::search::node_types::NodeKind;
use crate::search::switches::Toggles;
use crate::tablebase::{Outcome, Verdict, Wdl};
use crate::tt::Record;
use crate::types::{Bound, Depth, MAX_PLY, Ply, Score, Window};

/// The score of a win that the fifty-move rule turns into a draw (cursed win). Units: centipawns.
const CURSED: i32 = 2;
/// The extra depth of a TT entry that holds a tablebase result. Units: plies.
///
/// Not a tunable: without Syzygy tables it has no effect, so no bench would show one.
const STORED_EXTRA_DEPTH: i32 = 6;

impl<T: Toggles> Search<'_, T> {
    /// Returns the score of the node if the tablebases decide it. Called only where there are
    /// tables.
    ///
    /// A table does not know how soon mate comes. On the principal variation a won node is
    /// therefore searched with alpha at the tablebase win, and a lost one with beta at the
    /// tablebase loss.
    #[cold]
    #[inline(never)]
    pub(in crate::search) fn probe_tb<N: NodeKind>(
        &mut self,
        position: &Position,
        window: Window,
        depth: Depth,
        ply: Ply,
        is_cut: bool,
    ) -> Result<Option<Score>, Stopped> {
        let Some((tb_score, bound)) = self.tb_bound(position, depth, ply) else { return Ok(None) };
        let Some(rest) = narrow_window(tb_score, bound, window) else {
            self.store_tb_score(position, tb_score, bound, depth, ply);
            return Ok(Some(tb_score));
        };
        if rest == window {
            return Ok(None);
        }
        // The narrowed window cannot be narrowed again, so this recurses only once.
        let score = self.node::<N>(position, rest, depth, ply, is_cut)?;
        let is_better = if bound == Bound::Lower { score > tb_score } else { score < tb_score };
        if !is_better {
            // Overwrites an entry of the search that may contradict the tablebase.
            self.store_tb_score(position, tb_score, bound, depth, ply);
        }
        Ok(Some(if is_better { score } else { tb_score }))
    }

    /// Returns the tablebase score of a node and its bound; `None` where the tables are not probed
    /// or do not cover it.
    fn tb_bound(&mut self, position: &Position, depth: Depth, ply: Ply) -> Option<(Score, Bound)> {
        let config = &self.job.tb_config;
        let pieces = position.occupied().count();
        let is_probed = position.halfmove_clock() == 0
            && pieces <= config.max_pieces
            && (pieces < config.max_pieces || depth >= config.tables.usage.probe_depth)
            && position.castling_rooks().is_empty();
        let verdict = if is_probed { config.tables.verdict(position) } else { None }?;
        self.worker.tb_hits += 1;
        Some(to_score(verdict, ply))
    }

    fn store_tb_score(&self, position: &Position, score: Score, bound: Bound, depth: Depth, ply: Ply) {
        let record = Record {
            mv: None,
            score: score.to_tt(ply),
            static_eval: None,
            depth: (depth + STORED_EXTRA_DEPTH).min(Depth::MAX),
            bound,
            is_pv: false,
        };
        self.store(position, record);
    }
}

/// Converts a verdict to a score at `ply` and its bound.
fn to_score(verdict: Verdict, ply: Ply) -> (Score, Bound) {
    let exact = |centipawns| (Score(centipawns), Bound::Exact);
    let at = |plies: u16| Some(Ply(ply.0 + plies)).filter(|at| at.index() <= MAX_PLY);
    match verdict {
        Verdict::Distance(Outcome::Win(plies)) if let Some(at) = at(plies) => {
            (Score::mate_in(at), Bound::Exact)
        }
        Verdict::Distance(Outcome::Loss(plies)) if let Some(at) = at(plies) => {
            (Score::mated_in(at), Bound::Exact)
        }
        Verdict::Distance(Outcome::Win(_)) | Verdict::Result(Wdl::Win) => {
            (Score::tb_win_in(ply), Bound::Lower)
        }
        Verdict::Distance(Outcome::Loss(_)) | Verdict::Result(Wdl::Loss) => {
            (Score::tb_loss_in(ply), Bound::Upper)
        }
        Verdict::Result(Wdl::CursedWin) => exact(CURSED),
        Verdict::Result(Wdl::BlessedLoss) => exact(-CURSED),
        Verdict::Distance(Outcome::Draw) | Verdict::Result(Wdl::Draw) => exact(0),
    }
}

/// Returns the part of the window that a tablebase bound leaves undecided; `None` if it decides the
/// node.
fn narrow_window(tb_score: Score, bound: Bound, window: Window) -> Option<Window> {
    if bound.decides(tb_score, window) {
        return None;
    }
    Some(match bound {
        Bound::Lower => Window { alpha: window.alpha.max(tb_score), ..window },
        Bound::Upper => Window { beta: window.beta.min(tb_score), ..window },
        Bound::Exact => window,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_become_bounds_and_distances_become_exact_scores() {
        let ply = Ply(6);
        assert_eq!(to_score(Verdict::Result(Wdl::Win), ply), (Score::tb_win_in(ply), Bound::Lower));
        assert_eq!(to_score(Verdict::Result(Wdl::Loss), ply), (Score::tb_loss_in(ply), Bound::Upper));
        assert_eq!(to_score(Verdict::Result(Wdl::Draw), ply), (Score::DRAW, Bound::Exact));
        assert_eq!(to_score(Verdict::Result(Wdl::CursedWin), ply), (Score(CURSED), Bound::Exact));
        assert_eq!(
            to_score(Verdict::Distance(Outcome::Win(9)), ply),
            (Score::mate_in(Ply(15)), Bound::Exact)
        );
        assert_eq!(
            to_score(Verdict::Distance(Outcome::Loss(8)), ply),
            (Score::mated_in(Ply(14)), Bound::Exact)
        );
        // A mate beyond the maximum ply is still a win.
        let far = MAX_PLY as u16;
        assert_eq!(to_score(Verdict::Distance(Outcome::Win(far)), ply).0, Score::tb_win_in(ply));
    }

    #[test]
    fn bounds_decide_or_narrow_the_window() {
        let (won, lost) = (Score::tb_win_in(Ply(3)), Score::tb_loss_in(Ply(3)));
        let window = Window::new(Score(-50), Score(50));
        assert_eq!(narrow_window(won, Bound::Lower, window), None);
        assert_eq!(narrow_window(lost, Bound::Upper, window), None);
        assert_eq!(narrow_window(Score::DRAW, Bound::Exact, Window::null_above(won)), None);
        let above = Window::new(won, Score::INFINITE);
        let below = Window::new(-Score::INFINITE, lost);
        assert_eq!(narrow_window(won, Bound::Lower, Window::FULL), Some(above));
        assert_eq!(narrow_window(lost, Bound::Upper, Window::FULL), Some(below));
        // A narrowed window is not narrowed again.
        assert_eq!(narrow_window(won, Bound::Lower, above), Some(above));
        assert_eq!(narrow_window(lost, Bound::Upper, below), Some(below));
        // The search decides whether there is a mate.
        let mates = Window::null_above(Score::MATE_IN_MAX_PLY);
        assert_eq!(narrow_window(won, Bound::Lower, mates), Some(mates));
    }
}
