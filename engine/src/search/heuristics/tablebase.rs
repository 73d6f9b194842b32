//! Endgame tables in the tree.
//!
//! Bet: none. Right after a capture or pawn move the tables know the result, whatever the path to it: a win is at least
//! that (mate may be near), a loss at most that, a draw is a draw. Where our own tables know the distance to mate, the
//! score is exact.
//! Preconditions: few enough men, no capture or pawn move since (the clock is what tables leave out), enough depth where
//! the tables are the largest there are.
//! Soundness: exact, as far as the tables are right.
//! Knobs: the UCI options `SyzygyProbeDepth`, `SyzygyProbeLimit` and `Syzygy50MoveRule`. No switch: an empty `SyzygyPath` is
//! one.
//! Source: de Man's tables (2013) and their use in Stockfish.
//! Evidence: `results/tablebases.md`.

use std::time::Duration;

use crate::position::{Game, Position};
use crate::search::switches::Toggles;
use crate::search::worker::Search;
use crate::tablebase::{Outcome, RankedMove, Tablebases, Verdict, Wdl};
use crate::tt::Record;
use crate::types::{Bound, Depth, MAX_PLY, Move, Ply, Score, Window};

/// What the fifty-move rule leaves of a win. Units: centipawns.
const CURSED: i32 = 2;
/// A record of what the tables said counts as searched so much deeper than it was asked. Units: plies.
const TRUST: i32 = 6;

/// What a search needs of the tables, settled before it begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Consulted {
    /// The tables.
    pub(crate) tables: Tablebases,
    /// Most men for which they are asked below the root; zero where they are not.
    pub(crate) men: u32,
    /// Root moves that they ranked.
    pub(crate) root_hits: u64,
    /// Do they know how far mate is after each move that may be played? Then there is nothing to find out.
    pub(crate) is_settled: bool,
}

impl Consulted {
    /// Asks the tables about the moves of a game's position. Returns those worth a search, the best first, equal ones as
    /// they were: all moves where the tables do not know, otherwise the best by them, or as many as there are lines to show.
    /// Tables that have to be decoded may take longer than there is patience; then they do not know.
    pub(crate) fn at_root(
        tables: &Tablebases,
        game: &Game,
        moves: Vec<Move>,
        lines: usize,
        patience: Option<Duration>,
    ) -> (Vec<RankedMove>, Self) {
        let tables = tables.clone();
        let Some(ranking) = tables.rank_within(game, &moves, patience) else {
            let unranked = moves.into_iter().map(|mv| RankedMove { mv, rank: 0, score: None }).collect();
            let men = tables.men() as u32;
            return (unranked, Self { tables, men, ..Self::default() });
        };
        let mut ranked = ranking.moves;
        let root_hits = ranked.len() as u64;
        if let Some(last) = ranked.get(lines.clamp(1, ranked.len().max(1)) - 1).map(|last| last.rank) {
            ranked.retain(|ranked| ranked.rank >= last);
        }
        let men = if ranking.is_sufficient { 0 } else { tables.men() as u32 };
        let is_settled = ranked.iter().all(|ranked| ranked.score.is_some_and(Score::is_mate));
        (ranked, Self { tables, men, root_hits, is_settled })
    }
}

impl<T: Toggles> Search<'_, T> {
    /// What the tables say of a node, and how to take it; `None` where they are not asked or do not know.
    pub(crate) fn consult(&mut self, position: &Position, depth: Depth, ply: Ply) -> Option<(Score, Bound)> {
        let Consulted { tables, men, .. } = &self.job.consulted;
        let here = position.occupied().count();
        let is_asked = position.halfmove_clock() == 0
            && here <= *men
            && (here < *men || depth >= tables.usage.probe_depth)
            && position.castling_rooks().is_empty();
        let verdict = if is_asked { tables.verdict(position) } else { None }?;
        self.worker.table_hits += 1;
        Some(meaning(verdict, ply))
    }

    /// Remembers what the tables said.
    pub(crate) fn store_verdict(
        &self,
        position: &Position,
        score: Score,
        bound: Bound,
        depth: Depth,
        ply: Ply,
    ) {
        let record = Record {
            mv: None,
            score: score.to_table(ply),
            static_eval: None,
            depth: (depth + TRUST).min(Depth::MAX),
            bound,
            is_pv: false,
        };
        self.store(position, record);
    }
}

/// A verdict as a score at `ply`.
fn meaning(verdict: Verdict, ply: Ply) -> (Score, Bound) {
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
            (Score::table_win_in(ply), Bound::Lower)
        }
        Verdict::Distance(Outcome::Loss(_)) | Verdict::Result(Wdl::Loss) => {
            (Score::table_loss_in(ply), Bound::Upper)
        }
        Verdict::Result(Wdl::CursedWin) => exact(CURSED),
        Verdict::Result(Wdl::BlessedLoss) => exact(-CURSED),
        Verdict::Distance(Outcome::Draw) | Verdict::Result(Wdl::Draw) => exact(0),
    }
}

/// What is left to find out of a window where a score with this bound is known; `None` if nothing is.
pub(crate) fn left_open(known: Score, bound: Bound, window: Window) -> Option<Window> {
    if bound.decides(known, window) {
        return None;
    }
    Some(match bound {
        Bound::Lower => Window { alpha: window.alpha.max(known), ..window },
        Bound::Upper => Window { beta: window.beta.min(known), ..window },
        Bound::Exact => window,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_bounds_and_distances_are_exact() {
        let ply = Ply(6);
        assert_eq!(meaning(Verdict::Result(Wdl::Win), ply), (Score::table_win_in(ply), Bound::Lower));
        assert_eq!(meaning(Verdict::Result(Wdl::Loss), ply), (Score::table_loss_in(ply), Bound::Upper));
        assert_eq!(meaning(Verdict::Result(Wdl::Draw), ply), (Score::DRAW, Bound::Exact));
        assert_eq!(meaning(Verdict::Result(Wdl::CursedWin), ply), (Score(CURSED), Bound::Exact));
        assert_eq!(meaning(Verdict::Distance(Outcome::Win(9)), ply), (Score::mate_in(Ply(15)), Bound::Exact));
        assert_eq!(
            meaning(Verdict::Distance(Outcome::Loss(8)), ply),
            (Score::mated_in(Ply(14)), Bound::Exact)
        );
        // Beyond the horizon of mates it is a win all the same.
        let far = MAX_PLY as u16;
        assert_eq!(meaning(Verdict::Distance(Outcome::Win(far)), ply).0, Score::table_win_in(ply));
    }

    #[test]
    fn bounds_decide_or_narrow_the_window() {
        let (won, lost) = (Score::table_win_in(Ply(3)), Score::table_loss_in(Ply(3)));
        let window = Window::new(Score(-50), Score(50));
        assert_eq!(left_open(won, Bound::Lower, window), None);
        assert_eq!(left_open(lost, Bound::Upper, window), None);
        assert_eq!(left_open(Score::DRAW, Bound::Exact, Window::null_above(won)), None);
        let above = Window::new(won, Score::INFINITE);
        let below = Window::new(-Score::INFINITE, lost);
        assert_eq!(left_open(won, Bound::Lower, Window::FULL), Some(above));
        assert_eq!(left_open(lost, Bound::Upper, Window::FULL), Some(below));
        // Asked again with what is left, the tables have nothing to add.
        assert_eq!(left_open(won, Bound::Lower, above), Some(above));
        assert_eq!(left_open(lost, Bound::Upper, below), Some(below));
        // Whether there is a mate is for the search to find out.
        let mates = Window::null_above(Score::MATE_IN_MAX_PLY);
        assert_eq!(left_open(won, Bound::Lower, mates), Some(mates));
    }
}
