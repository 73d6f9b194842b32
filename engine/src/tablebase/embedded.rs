//! The tables that are part of the program: three men by mate, and of three and four men who wins and how far the next
//! capture or pawn move is.
//!
//! The larger part is by [`Metric::Near`]: what a few plies of looking ahead find out is left out of it, which saves a quarter,
//! and is found out here. Tables are opened when they are first asked for, blocks decoded when they are first
//! needed, and all threads share them. A first question costs some milliseconds, so they are asked at the root and not in the
//! tree.
//!
//! `harness tb embed --out engine/src/tablebase/embedded` makes the files. Without `--out` it compares them with those in the
//! program, byte by byte; so does a test of the harness for some of them.

use std::sync::LazyLock;

use super::file::Table;
use super::probe::Stored;
use super::{Dtz, Metric, Outcome, TableError, Tablebase, Wdl};
use crate::position::Position;
use crate::types::{FIFTY_MOVES, Move, PieceType};

/// By name: the files of distances to mate.
static MATES: [(&str, &[u8]); 5] = [
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

/// By name: the files by [`Metric::Near`].
static NEAR: [(&str, &[u8]); 35] = near![
    "KQvK" "KRvK" "KBvK" "KNvK" "KPvK"
    "KQQvK" "KQRvK" "KQBvK" "KQNvK" "KQPvK" "KRRvK" "KRBvK" "KRNvK" "KRPvK" "KBBvK" "KBNvK" "KBPvK" "KNNvK" "KNPvK" "KPPvK"
    "KQvKQ" "KQvKR" "KQvKB" "KQvKN" "KQvKP" "KRvKR" "KRvKB" "KRvKN" "KRvKP" "KBvKB" "KBvKN" "KBvKP" "KNvKN" "KNvKP" "KPvKP"
];

/// A loss that follows from [`Metric::NEAR_WIN`] one move on is no longer than this. Units: plies.
const NEAR_LOSS: u16 = Metric::NEAR_WIN + 1;

fn opened(files: &[(&'static str, &'static [u8])], metric: Metric) -> Tablebase {
    let mut tables = Tablebase::new(metric);
    for table in files.iter().filter_map(|(name, bytes)| Table::from_static(name, bytes).ok()) {
        tables.add(table);
    }
    tables
}

impl Tablebase {
    /// Distances to mate of three men, which need no files.
    pub fn embedded() -> Self {
        opened(&MATES, Metric::Dtm)
    }

    /// All files that are part of the program, by men and metric, for those who compare them.
    pub fn embedded_files() -> impl Iterator<Item = (&'static str, Metric, &'static [u8])> {
        let of = |metric: Metric| move |&(name, bytes): &(&'static str, &'static [u8])| (name, metric, bytes);
        MATES.iter().map(of(Metric::Dtm)).chain(NEAR.iter().map(of(Metric::Near)))
    }
}

/// The tables that are part of the program, as an engine asks them.
pub(super) struct Embedded {
    mates: Tablebase,
    near: Tablebase,
}

static SHARED: LazyLock<Embedded> =
    LazyLock::new(|| Embedded { mates: Tablebase::embedded(), near: opened(&NEAR, Metric::Near) });

impl Embedded {
    /// Most men of a position. Units: men, kings among them.
    pub(super) const MEN: u32 = 4;

    /// The only ones.
    pub(super) fn shared() -> &'static Self {
        &SHARED
    }

    /// How far mate is; `None` where there are more than three men, or somebody may castle.
    pub(super) fn outcome(&self, position: &Position) -> Option<Outcome> {
        self.mates.probe(position).ok().flatten()
    }

    /// The result of best play right after a capture or pawn move.
    pub(super) fn wdl(&self, position: &Position) -> Option<Wdl> {
        self.near.probe(position).ok().flatten().map(result)
    }

    /// The distance to the next capture or pawn move: to the ply if that is wanted or the clock leaves no room, otherwise of
    /// a near one only the most it may be.
    pub(super) fn dtz(&self, position: &Position, is_exact: bool) -> Option<Dtz> {
        let noted = self.near.probe(position).ok().flatten()?;
        let (Outcome::Win(most) | Outcome::Loss(most)) = noted else { return Some(Dtz::DRAW) };
        let is_late = most.saturating_add(position.halfmove_clock()) > FIFTY_MOVES;
        let outcome = if is_exact || is_late { self.exact(position, noted).ok()? } else { noted };
        let plies = match outcome {
            Outcome::Draw => 0,
            Outcome::Win(plies) => i32::from(plies),
            // Who is mated has lost as well; a distance of zero would be a draw.
            Outcome::Loss(plies) => -i32::from(plies.max(1)),
        };
        Some(Dtz { plies, is_rounded: false })
    }

    /// What the table says of a position, near ends told apart.
    fn exact(&self, position: &Position, noted: Outcome) -> Result<Outcome, TableError> {
        let (most, is_win) = match noted {
            Outcome::Win(plies @ ..=Metric::NEAR_WIN) => (plies, true),
            Outcome::Loss(plies @ ..=NEAR_LOSS) => (plies, false),
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
        Ok(noted)
    }

    /// Can the side to move mate or win by a capture or pawn move in so many plies at most? Range: to [`Metric::NEAR_WIN`].
    fn wins_within(&self, position: &Position, plies: u16) -> Result<bool, TableError> {
        let is_far = |outcome| !matches!(outcome, Outcome::Win(..=Metric::NEAR_WIN));
        if plies == 0 || matches!(self.near.stored(position)?, Stored::Outcome(outcome) if is_far(outcome)) {
            return Ok(false);
        }
        for mv in position.legal_moves() {
            let next = position.after(mv);
            let is_won = if ends_count(position, mv) {
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

    /// Is the side to move mated, or its capture or pawn move forced and lost, in so many plies at most?
    fn loses_within(&self, position: &Position, plies: u16) -> Result<bool, TableError> {
        if !position.has_legal_move() {
            return Ok(position.is_check());
        }
        let is_far = |outcome| !matches!(outcome, Outcome::Loss(..=NEAR_LOSS));
        if plies == 0 || matches!(self.near.stored(position)?, Stored::Outcome(outcome) if is_far(outcome)) {
            return Ok(false);
        }
        for mv in position.legal_moves() {
            let next = position.after(mv);
            let is_lost = if ends_count(position, mv) {
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

/// Does the move set the fifty-move clock to zero?
fn ends_count(position: &Position, mv: Move) -> bool {
    position.piece_on(mv.to()).is_some() || position.kind_on(mv.from()) == Some(PieceType::Pawn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::FenDialect;
    use crate::tablebase::Material;

    fn probe(tables: &Tablebase, fen: &str) -> Option<Outcome> {
        tables.probe(&Position::from_fen(fen).expect("a position")).expect("tables in order")
    }

    #[test]
    fn three_men_are_known_without_files() {
        let tables = Tablebase::embedded().with_cache(2);
        assert_eq!((tables.len(), tables.men()), (5, 3));
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

    /// Values alone are enough to play: every win ends in mate in as many plies as it says.
    #[test]
    fn games_last_as_long_as_they_say() {
        let tables = Tablebase::embedded();
        let mut position = Position::from_fen("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1").expect("a position");
        let Some(Outcome::Win(plies)) = probe(&tables, &position.to_fen(FenDialect::Standard)) else {
            panic!("the pawn wins")
        };
        for left in (0..plies).rev() {
            let mv = position
                .legal_moves()
                .into_iter()
                .map(|mv| (mv, tables.worth(&position, mv).expect("in order").expect("there")))
                .reduce(|one, other| if other.1.better(one.1) == one.1 { one } else { other });
            position = position.after(mv.expect("a move").0);
            let expected = if left % 2 == 0 { Outcome::Loss(left) } else { Outcome::Win(left) };
            assert_eq!(tables.probe(&position).expect("in order"), Some(expected));
        }
        assert!(position.is_check() && !position.has_legal_move());
    }

    #[test]
    fn all_endings_of_four_men_are_there() {
        let near = &Embedded::shared().near;
        for material in (3..=4).flat_map(Material::all) {
            let table = near.table(material).expect("a table");
            assert_eq!(table.metric(), Metric::Near, "{material}");
            // The fifty-move rule comes before no win of four men.
            let outcomes = table.outcomes(table.stored_side()).unwrap_or(&[]);
            let is_in_time =
                |outcome: &Outcome| !matches!(result(*outcome), Wdl::CursedWin | Wdl::BlessedLoss);
            assert!(outcomes.iter().all(is_in_time), "{material}");
        }
        assert_eq!((near.len(), near.men()), (35, 4));
    }

    fn exact(position: &Position) -> Outcome {
        let embedded = Embedded::shared();
        let noted = embedded.near.probe(position).expect("in order").expect("a table");
        embedded.exact(position, noted).expect("in order")
    }

    #[test]
    fn near_ends_are_told_apart_where_it_matters() {
        for (fen, outcome) in [
            // Thompson's queen against rook: the deepest there is.
            ("K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1", Outcome::Win(61)),
            ("k7/8/1K6/8/8/8/8/6QR w - - 0 1", Outcome::Win(1)),
            ("7k/5K2/8/8/8/8/R7/7B w - - 0 1", Outcome::Win(1)),
            // The king has one square, and the bishop attends to it.
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

    /// Every distance is one more than the best of those one move on.
    #[test]
    fn distances_follow_from_those_one_move_on() {
        for fen in [
            "8/8/8/3k4/8/8/1p6/K1Q5 w - - 0 1",
            "8/8/1k6/8/8/5K2/6R1/4r3 b - - 0 1",
            "8/8/8/8/5k2/3n4/1K6/R7 w - - 0 1",
            "4k3/8/4K3/8/8/2B5/8/5N2 b - - 0 1",
            "8/2k5/8/p7/8/1P6/8/3K4 w - - 0 1",
        ] {
            let mut position = Position::from_fen(fen).expect("a position");
            for _ in 0..12 {
                let worth = |mv: Move| {
                    let next = exact(&position.after(mv));
                    if ends_count(&position, mv) { Metric::Dtz.converted(next) } else { next.before() }
                };
                let all: Vec<(Move, Outcome)> =
                    position.legal_moves().into_iter().map(|mv| (mv, worth(mv))).collect();
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
