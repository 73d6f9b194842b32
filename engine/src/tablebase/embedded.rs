//! The tables embedded in the program: DTM for three pieces, and WDL and DTZ for three and four
//! pieces.
//!
//! The WDL and DTZ tables use [`Metric::Near`], which omits what a search of a few plies finds, and
//! so saves space. That search is implemented here. Tables are opened and blocks decoded on first
//! use and then shared by all threads. Because a first probe takes milliseconds, these tables are
//! probed at the root only.
//!
//! `workshop tb embed --out engine/src/tablebase/embedded` generates the files. Without `--out` it
//! compares them with the embedded ones byte by byte; a test of the harness does so for some of
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
const MAX_INEXACT_LOSS: u16 = Metric::NEAR_WIN + 1;

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
    /// is close; otherwise a short distance is an upper bound.
    pub(super) fn dtz(&self, position: &Position, is_exact: bool) -> Option<Dtz> {
        let stored_form = self.near.probe(position).ok().flatten()?;
        let (Outcome::Win(most) | Outcome::Loss(most)) = stored_form else { return Some(Dtz::DRAW) };
        let is_late = most.saturating_add(position.halfmove_clock()) > FIFTY_MOVES;
        let outcome = if is_exact || is_late { self.exact(position, stored_form).ok()? } else { stored_form };
        let plies = match outcome {
            Outcome::Draw => 0,
            Outcome::Win(plies) => i32::from(plies),
            // Being mated is a loss too; a distance of zero would mean a draw.
            Outcome::Loss(plies) => -i32::from(plies.max(1)),
        };
        Some(Dtz { plies, is_rounded: false })
    }

    /// Replaces a stored short distance by the exact one.
    fn exact(&self, position: &Position, stored_form: Outcome) -> Result<Outcome, TableError> {
        let (most, is_win) = match stored_form {
            Outcome::Win(plies @ ..=Metric::NEAR_WIN) => (plies, true),
            Outcome::Loss(plies @ ..=MAX_INEXACT_LOSS) => (plies, false),
            far => return Ok(far),
        };
        for plies in 0..most {
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
mod tests {
    use super::*;
    use crate::position::FenDialect;
    use crate::tablebase::Material;
    use crate::types::Move;

    fn probe(tables: &Tablebase, fen: &str) -> Option<Outcome> {
        tables.probe(&Position::from_fen(fen).expect("a position")).expect("tables in order")
    }

    #[test]
    fn three_piece_endgames_are_known_without_files() {
        let tables = Tablebase::embedded().with_cache(2);
        assert_eq!((tables.len(), tables.max_pieces()), (5, 3));
        for (fen, outcome) in [
            ("8/8/8/8/8/8/8/K2kQ3 b - - 0 1", Outcome::Draw),
            ("7k/8/6K1/8/8/8/8/1Q6 w - - 0 1", Outcome::Win(1)),
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Outcome::Loss(0)),
            ("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", Outcome::Draw),
            ("8/8/8/8/3n4/8/8/k1K5 w - - 0 1", Outcome::Draw),
        ] {
            assert_eq!(probe(&tables, fen), Some(outcome), "{fen}");
        }
    }

    /// Blocks are cached by the number of their table, which must be unique.
    #[test]
    fn adding_a_table_twice_does_not_confuse_it_with_another() {
        let mut tables = Tablebase::new(Metric::Dtm);
        for name in ["KQvK", "KQvK", "KRvK"] {
            let file = DTM_FILES.iter().find(|file| file.0 == name).expect("an embedded file");
            tables.add(TableFile::from_static(file.0, file.1).expect("a table in order"));
        }
        assert_eq!(tables.len(), 2);
        let expected = Tablebase::embedded();
        for piece in ["Q", "R"] {
            for board in ["_/8/8/4k3/8/8/8/K7", "8/_/8/4k3/8/8/8/K7", "8/8/8/4k3/8/_/8/K7"] {
                for row in ["Q7", "1Q6", "2Q5", "3Q4", "4Q3", "5Q2", "6Q1", "7Q"] {
                    let board = board.replace('_', row).replace('Q', piece);
                    let fen = format!("{board} b - - 0 1");
                    assert_eq!(probe(&tables, &fen), probe(&expected, &fen), "{fen}");
                }
            }
        }
    }

    /// Playing by values alone mates in exactly the announced number of plies.
    #[test]
    fn optimal_play_mates_in_the_announced_number_of_plies() {
        let tables = Tablebase::embedded();
        let mut position = Position::from_fen("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1").expect("a position");
        let Some(Outcome::Win(plies)) = probe(&tables, &position.to_fen(FenDialect::Standard)) else {
            panic!("the pawn wins")
        };
        for left in (0..plies).rev() {
            let mv = position
                .legal_moves()
                .into_iter()
                .map(|mv| (mv, tables.move_value(&position, mv).expect("in order").expect("there")))
                .reduce(|one, other| if other.1.better(one.1) == one.1 { one } else { other });
            position = position.after(mv.expect("a move").0);
            let expected = if left % 2 == 0 { Outcome::Loss(left) } else { Outcome::Win(left) };
            assert_eq!(tables.probe(&position).expect("in order"), Some(expected));
        }
        assert!(position.is_check() && !position.has_legal_move());
    }

    #[test]
    fn all_four_piece_endgames_are_embedded() {
        let near = &Embedded::shared().near;
        for material in (3..=4).flat_map(Material::all) {
            let table = near.table(material).expect("a table");
            assert_eq!(table.metric(), Metric::Near, "{material}");
            // No win of four pieces exceeds the fifty-move limit.
            let outcomes = table.outcomes(table.stored_side()).unwrap_or(&[]);
            let is_in_time =
                |outcome: &Outcome| !matches!(result(*outcome), Wdl::CursedWin | Wdl::BlessedLoss);
            assert!(outcomes.iter().all(is_in_time), "{material}");
        }
        assert_eq!((near.len(), near.max_pieces()), (35, 4));
    }

    fn exact(position: &Position) -> Outcome {
        let embedded = Embedded::shared();
        let stored_form = embedded.near.probe(position).expect("in order").expect("a table");
        embedded.exact(position, stored_form).expect("in order")
    }

    #[test]
    fn short_distances_are_exact_when_requested_or_near_the_limit() {
        for (fen, outcome) in [
            // The longest DTM win of queen against rook, by K. Thompson.
            ("K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1", Outcome::Win(61)),
            ("k7/8/1K6/8/8/8/8/6QR w - - 0 1", Outcome::Win(1)),
            ("7k/5K2/8/8/8/8/R7/7B w - - 0 1", Outcome::Win(1)),
            // The king has one square left, which the bishop takes away.
            ("8/7k/5K2/8/8/8/6R1/2B5 w - - 0 1", Outcome::Win(3)),
            ("8/8/8/8/8/pk6/8/K6r w - - 0 1", Outcome::Loss(0)),
            ("8/8/8/8/8/1k4p1/8/K7 b - - 0 1", Outcome::Win(1)),
        ] {
            let position = Position::from_fen(fen).expect("a position");
            assert_eq!(exact(&position), outcome, "{fen}");
        }
        let fen = "k7/8/1K6/8/8/8/8/6QR w - - 0 1";
        let dtz = |clock: &str, is_exact: bool| {
            let position = Position::from_fen(&fen.replace("0 1", clock)).expect("a position");
            Embedded::shared().dtz(&position, is_exact).map(|dtz| dtz.plies)
        };
        assert_eq!((dtz("0 1", false), dtz("0 1", true)), (Some(5), Some(1)));
        assert_eq!((dtz("95 90", false), dtz("96 90", false)), (Some(5), Some(1)));
    }

    /// Each distance is one ply more than the best successor's.
    #[test]
    fn distances_are_consistent_with_those_after_each_move() {
        for fen in [
            "8/8/8/3k4/8/8/1p6/K1Q5 w - - 0 1",
            "8/8/1k6/8/8/5K2/6R1/4r3 b - - 0 1",
            "8/8/8/8/5k2/3n4/1K6/R7 w - - 0 1",
            "4k3/8/4K3/8/8/2B5/8/5N2 b - - 0 1",
            "8/2k5/8/p7/8/1P6/8/3K4 w - - 0 1",
        ] {
            let mut position = Position::from_fen(fen).expect("a position");
            for _ in 0..12 {
                let value_of = |mv: Move| {
                    let next = exact(&position.after(mv));
                    if position.clock_after(mv) == 0 { Metric::Dtz.converted(next) } else { next.before() }
                };
                let all: Vec<(Move, Outcome)> =
                    position.legal_moves().into_iter().map(|mv| (mv, value_of(mv))).collect();
                let best = all.iter().map(|one| one.1).reduce(Outcome::better);
                assert_eq!(Some(exact(&position)), best, "{}", position.to_fen(FenDialect::Standard));
                let Some(&(mv, _)) = all.iter().find(|one| Some(one.1) == best) else { break };
                position = position.after(mv);
                if !position.has_legal_move() || position.occupied().count() < 3 {
                    break;
                }
            }
        }
    }
}
