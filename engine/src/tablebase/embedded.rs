//! The tables embedded in the program: DTM for three pieces, and WDL and DTZ for three and four
//! pieces.
//!
//! The WDL and DTZ tables use [`Metric::Near`], which omits what a search of a few plies finds, and
//! so saves space. That search is implemented here. Tables are opened and blocks decoded on first
//! use and then shared by all threads. Because a first probe takes milliseconds, these tables are
//! probed at the root only.
//!
//! `workshop tb embed --out engine/src/tablebase/embedded` generates the files. Without `--out` it
//! compares them with the embedded ones byte by byte; a test of the workshop does so for some of
//! them.

use std::sync::LazyLock;

use super::file::TableFile;
use super::probe::Stored;
use super::{Dtz, Metric, Outcome, TableError, Tablebase, Wdl};
use crate::position::Position;
use crate::types::FIFTY_MOVES;

/// The embedded DTM files by name.
static DTM_FILES: [(&str, &[u8]); 5] = [
    ("KQvK", include_bytes!("embedded/KQvK.dtm")),
    ("KRvK", include_bytes!("embedded/KRvK.dtm")),
    ("KBvK", include_bytes!("embedded/KBvK.dtm")),
    ("KNvK", include_bytes!("embedded/KNvK.dtm")),
    ("KPvK", include_bytes!("embedded/KPvK.dtm")),
];

macro_rules! near {
    ($($name:literal)*) => {
        [$(($name, include_bytes!(concat!("embedded/", $name, ".near")))),*]
    };
}

/// The embedded files of [`Metric::Near`] by name.
static NEAR_FILES: [(&str, &[u8]); 35] = near![
    "KQvK" "KRvK" "KBvK" "KNvK" "KPvK"
    "KQQvK" "KQRvK" "KQBvK" "KQNvK" "KQPvK" "KRRvK" "KRBvK" "KRNvK" "KRPvK" "KBBvK" "KBNvK" "KBPvK" "KNNvK" "KNPvK" "KPPvK"
    "KQvKQ" "KQvKR" "KQvKB" "KQvKN" "KQvKP" "KRvKR" "KRvKB" "KRvKN" "KRvKP" "KBvKB" "KBvKN" "KBvKP" "KNvKN" "KNvKP" "KPvKP"
];

/// Longest loss whose replies can all be stored as [`Metric::NEAR_WIN`]. Units: plies.
pub(super) const MAX_INEXACT_LOSS: u16 = Metric::NEAR_WIN + 1;

fn open_embedded(files: &[(&'static str, &'static [u8])], metric: Metric) -> Tablebase {
    let mut tables = Tablebase::new(metric);
    for table in files.iter().filter_map(|(name, bytes)| TableFile::from_static(name, bytes).ok()) {
        tables.add(table);
    }
    tables
}

impl Tablebase {
    /// Returns the embedded DTM tables of three pieces.
    pub fn embedded() -> Self {
        open_embedded(&DTM_FILES, Metric::Dtm)
    }

    /// Returns all embedded files with name and metric, for comparison.
    pub fn embedded_files() -> impl Iterator<Item = (&'static str, Metric, &'static [u8])> {
        let of = |metric: Metric| move |&(name, bytes): &(&'static str, &'static [u8])| (name, metric, bytes);
        DTM_FILES.iter().map(of(Metric::Dtm)).chain(NEAR_FILES.iter().map(of(Metric::Near)))
    }
}

/// The embedded tables and their probing.
pub(super) struct Embedded {
    mates: Tablebase,
    near: Tablebase,
}

static SHARED: LazyLock<Embedded> = LazyLock::new(|| Embedded {
    mates: Tablebase::embedded(),
    near: open_embedded(&NEAR_FILES, Metric::Near),
});

impl Embedded {
    /// Maximum number of pieces, including kings.
    pub(super) const MAX_PIECES: u32 = 4;

    /// Returns the shared instance.
    pub(super) fn shared() -> &'static Self {
        &SHARED
    }

    /// Returns the distance to mate; `None` with more than three pieces or with castling rights.
    pub(super) fn outcome(&self, position: &Position) -> Option<Outcome> {
        self.mates.probe(position).ok().flatten()
    }

    /// Returns the result of best play after a capture or pawn move; `None` if not covered.
    pub(super) fn wdl(&self, position: &Position) -> Option<Wdl> {
        self.near.probe(position).ok().flatten().map(result)
    }

    /// Returns the distance to zeroing. It is exact if `is_exact` is set or if the fifty-move limit
    /// is close and not exceeded; otherwise a short distance is an upper bound.
    pub(super) fn dtz(&self, position: &Position, is_exact: bool) -> Option<Dtz> {
        let stored_form = self.near.probe(position).ok().flatten()?;
        let (Outcome::Win(most) | Outcome::Loss(most)) = stored_form else { return Some(Dtz::DRAW) };
        // Below the limit every distance is good enough, and beyond it none is. What lies between is searched:
        // each ply more takes further blocks, whose decoding takes milliseconds.
        let left = FIFTY_MOVES.saturating_sub(position.halfmove_clock());
        let near_limit = if most > left { left + 1 } else { 0 };
        let limit = if is_exact { most } else { near_limit };
        let outcome = self.exact(position, stored_form, limit).ok()?;
        let plies = match outcome {
            Outcome::Draw => 0,
            Outcome::Win(plies) => i32::from(plies),
            // Being mated is a loss too; a distance of zero would mean a draw.
            Outcome::Loss(plies) => -i32::from(plies.max(1)),
        };
        Some(Dtz { plies, is_rounded: false })
    }

    /// Replaces a stored short distance by the exact one, if that is below `limit`.
    fn exact(&self, position: &Position, stored_form: Outcome, limit: u16) -> Result<Outcome, TableError> {
        let (most, is_win) = match stored_form {
            Outcome::Win(plies @ ..=Metric::NEAR_WIN) => (plies, true),
            Outcome::Loss(plies @ ..=MAX_INEXACT_LOSS) => (plies, false),
            far => return Ok(far),
        };
        for plies in 0..most.min(limit) {
            if is_win && self.wins_within(position, plies)? {
                return Ok(Outcome::Win(plies));
            }
            if !is_win && self.loses_within(position, plies)? {
                return Ok(Outcome::Loss(plies));
            }
        }
        Ok(stored_form)
    }

    /// Whether the side to move can mate, capture or move a pawn with a win within `plies`. Range:
    /// up to [`Metric::NEAR_WIN`].
    fn wins_within(&self, position: &Position, plies: u16) -> Result<bool, TableError> {
        let is_far = |outcome| !matches!(outcome, Outcome::Win(..=Metric::NEAR_WIN));
        if plies == 0 || matches!(self.near.stored(position)?, Stored::Outcome(outcome) if is_far(outcome)) {
            return Ok(false);
        }
        for mv in position.legal_moves() {
            let next = position.after(mv);
            let is_won = if position.clock_after(mv) == 0 {
                matches!(self.near.probe(&next)?, Some(Outcome::Loss(_)))
            } else {
                self.loses_within(&next, plies - 1)?
            };
            if is_won {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the side to move is mated, or forced into a losing capture or pawn move, within
    /// `plies`.
    fn loses_within(&self, position: &Position, plies: u16) -> Result<bool, TableError> {
        if !position.has_legal_move() {
            return Ok(position.is_check());
        }
        let is_far = |outcome| !matches!(outcome, Outcome::Loss(..=MAX_INEXACT_LOSS));
        if plies == 0 || matches!(self.near.stored(position)?, Stored::Outcome(outcome) if is_far(outcome)) {
            return Ok(false);
        }
        for mv in position.legal_moves() {
            let next = position.after(mv);
            let is_lost = if position.clock_after(mv) == 0 {
                matches!(self.near.probe(&next)?, Some(Outcome::Win(_)))
            } else {
                self.wins_within(&next, plies - 1)?
            };
            if !is_lost {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn result(outcome: Outcome) -> Wdl {
    match outcome {
        Outcome::Draw => Wdl::Draw,
        Outcome::Win(..=FIFTY_MOVES) => Wdl::Win,
        Outcome::Win(_) => Wdl::CursedWin,
        Outcome::Loss(..=FIFTY_MOVES) => Wdl::Loss,
        Outcome::Loss(_) => Wdl::BlessedLoss,
    }
}

#[cfg(test)]
mod tests;
