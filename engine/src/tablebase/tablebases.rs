//! All tablebases of an engine, combined for the search.
//!
//! There are three sources. Syzygy tables give WDL and DTZ under the fifty-move rule. Our own
//! tables give the distance to mate without that rule. Either may be missing. At the root,
//! positions of up to four pieces that they do not cover are looked up in the embedded tables. The
//! caller is `search::tablebases`: `config` ranks the root moves before a search, `probe` probes
//! nodes below the root, and `mate_line` completes mates.

use std::fmt;
use std::sync::Arc;

use super::embedded::Embedded;
use super::{Dtz, Outcome, Syzygy, Wdl};
use crate::position::Position;
use crate::types::{Depth, FIFTY_MOVES};

/// A source of distances to mate.
pub trait MateTables: Send + Sync {
    /// Returns the number of pieces, including kings, of the largest table.
    fn max_pieces(&self) -> usize;

    /// Returns the distance to mate with best play, ignoring the fifty-move rule; `None` if no
    /// table covers the position or castling rights exist.
    fn outcome(&self, position: &Position) -> Option<Outcome>;

    /// Returns messages about tables that have failed since the last call.
    fn failures(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Settings for the use of tablebases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableUse {
    /// Minimum remaining depth for probing positions with as many pieces as the largest tables.
    pub probe_depth: Depth,
    /// Maximum number of pieces for Syzygy probes. Range: 0 to 7.
    pub probe_limit: usize,
    /// Whether the fifty-move rule applies.
    pub has_fifty_moves: bool,
    /// Whether the embedded tables are probed at the root. Off by default; the UCI front end
    /// enables it for games.
    pub has_embedded: bool,
    /// Whether lost root moves rank by their resistance, and a little higher the fewer replies win.
    pub swindles: bool,
}

impl Default for TableUse {
    fn default() -> Self {
        Self {
            probe_depth: Depth(1),
            probe_limit: Self::MAX_LIMIT,
            has_fifty_moves: true,
            has_embedded: false,
            swindles: false,
        }
    }
}

impl TableUse {
    /// Largest number of pieces for which tables exist.
    pub const MAX_LIMIT: usize = 7;
}

/// The result of a probe after a capture or pawn move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Win, draw or loss.
    Result(Wdl),
    /// The distance to mate, which is within the fifty-move limit.
    Distance(Outcome),
}

/// Tablebases with their settings. Cheap to clone, because the tables are shared.
#[derive(Clone, Default)]
pub struct Tablebases {
    /// Syzygy WDL and DTZ tables.
    pub syzygy: Option<Arc<Syzygy>>,
    /// Tables of distances to mate, in our own format.
    pub dtm: Option<Arc<dyn MateTables>>,
    /// The depth, the number of pieces and the rules of probes.
    pub usage: TableUse,
}

impl fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tablebases")
            .field("syzygy", &self.syzygy)
            .field("dtm", &self.dtm.as_ref().map(|dtm| dtm.max_pieces()))
            .field("usage", &self.usage)
            .finish()
    }
}

impl Tablebases {
    /// Returns the maximum number of pieces for probes in the tree; 0 without tables.
    pub fn max_pieces(&self) -> usize {
        self.syzygy_pieces().max(self.dtm_pieces())
    }

    fn syzygy_pieces(&self) -> usize {
        self.syzygy.as_ref().map_or(0, |syzygy| syzygy.max_pieces().min(self.usage.probe_limit))
    }

    fn dtm_pieces(&self) -> usize {
        self.dtm.as_ref().map_or(0, |dtm| dtm.max_pieces())
    }

    /// Probes a position after a capture or pawn move.
    ///
    /// Syzygy tables come first, because they answer in microseconds, while DTM blocks may have to
    /// be decoded.
    pub fn verdict(&self, position: &Position) -> Option<Verdict> {
        let has_fifty_moves = self.usage.has_fifty_moves;
        if let Some(result) = self.syzygy_for(position).and_then(|syzygy| syzygy.wdl(position)) {
            let result = if has_fifty_moves { result } else { result.without_fifty_moves() };
            return Some(Verdict::Result(result));
        }
        match self.dtm_value(position)? {
            Outcome::Draw => Some(Verdict::Result(Wdl::Draw)),
            // A longer win may exceed the fifty-move limit, which DTM tables ignore.
            Outcome::Win(plies) | Outcome::Loss(plies) if has_fifty_moves && plies > FIFTY_MOVES => None,
            outcome => Some(Verdict::Distance(outcome)),
        }
    }

    fn dtm_value(&self, position: &Position) -> Option<Outcome> {
        let is_small = position.occupied().count() as usize <= self.dtm_pieces();
        self.dtm.as_ref().filter(|_| is_small)?.outcome(position)
    }

    /// Returns the distance to mate of a position that the search does not probe: the root, or the
    /// end of a line.
    pub(crate) fn outcome(&self, position: &Position) -> Option<Outcome> {
        self.dtm_value(position).or_else(|| self.embedded_for(position)?.outcome(position))
    }

    /// Returns the WDL value of a root position.
    pub(super) fn wdl(&self, position: &Position) -> Option<Wdl> {
        let known = self.syzygy_for(position).and_then(|syzygy| syzygy.wdl(position));
        known.or_else(|| self.embedded_for(position)?.wdl(position))
    }

    /// Returns the DTZ value of a root position. Unless `is_exact`, a short distance may be an
    /// upper bound, as far as the fifty-move rule permits.
    pub(super) fn dtz(&self, position: &Position, is_exact: bool) -> Option<Dtz> {
        let known = self.syzygy_for(position).and_then(|syzygy| syzygy.dtz(position));
        known.or_else(|| self.embedded_for(position)?.dtz(position, is_exact))
    }

    /// Returns the result of best play from a position, taking its fifty-move clock into account;
    /// `None` if no table covers it, or if a rounded distance leaves the result open. Repetitions of
    /// earlier positions are not considered.
    pub fn result(&self, position: &Position) -> Option<Wdl> {
        let dtz = self.dtz(position, false)?;
        // A mate on the last ply precedes the fifty-move rule.
        if position.is_check() && !position.has_legal_move() {
            return Some(Wdl::Loss);
        }
        let total = dtz.plies.unsigned_abs() + u32::from(position.halfmove_clock());
        let limit = u32::from(FIFTY_MOVES);
        if dtz.plies != 0 && dtz.is_rounded && total == limit {
            return None;
        }
        Some(match (dtz.plies.signum(), total <= limit) {
            (0, _) => Wdl::Draw,
            (1, true) => Wdl::Win,
            (1, false) => Wdl::CursedWin,
            (_, true) => Wdl::Loss,
            (_, false) => Wdl::BlessedLoss,
        })
    }

    pub(super) fn embedded_for(&self, position: &Position) -> Option<&'static Embedded> {
        let is_asked = self.usage.has_embedded && position.occupied().count() <= Embedded::MAX_PIECES;
        is_asked.then(Embedded::shared)
    }

    fn syzygy_for(&self, position: &Position) -> Option<&Syzygy> {
        let is_small = position.occupied().count() as usize <= self.syzygy_pieces();
        self.syzygy.as_deref().filter(|_| is_small)
    }

    /// Returns messages about tables that have failed since the last call.
    pub fn failures(&self) -> Vec<String> {
        let mut failures = self.syzygy.as_ref().map(|syzygy| syzygy.failures()).unwrap_or_default();
        failures.extend(self.dtm.iter().flat_map(|dtm| dtm.failures()));
        failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_take_the_fifty_move_clock_into_account() {
        let usage = TableUse { has_embedded: true, ..TableUse::default() };
        let tables = Tablebases { usage, ..Tablebases::default() };
        let result = |fen: &str| tables.result(&Position::from_fen(fen).expect("a position"));
        for (fen, expected) in [
            ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", Wdl::Win),
            ("8/8/4k3/8/4P3/4K3/8/8 w - - 0 1", Wdl::Draw),
            ("8/8/4k3/8/4P3/4K3/8/8 b - - 0 1", Wdl::Draw),
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Wdl::Loss),
            // The longest win of queen against rook takes 61 plies to the capture or mate.
            ("K3r3/8/5k2/Q7/8/8/8/8 w - - 39 60", Wdl::Win),
            ("K3r3/8/5k2/Q7/8/8/8/8 w - - 40 60", Wdl::CursedWin),
            // Mate on the last ply counts.
            ("k7/8/1K6/8/8/8/8/6QR w - - 99 90", Wdl::Win),
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 100 90", Wdl::Loss),
            ("7k/8/5K2/8/8/8/8/6Q1 b - - 98 90", Wdl::Loss),
            ("7k/8/5K2/8/8/8/8/6Q1 b - - 99 90", Wdl::BlessedLoss),
        ] {
            assert_eq!(result(fen), Some(expected), "{fen}");
        }
        assert_eq!(result("4k3/8/8/8/8/8/4PP2/4KR2 w - - 0 1"), None);
        assert_eq!(result("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), None);
        let without = Tablebases::default();
        assert_eq!(
            without.result(&Position::from_fen("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1").expect("a position")),
            None
        );
    }
}
