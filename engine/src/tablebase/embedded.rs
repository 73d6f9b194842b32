//! The tables that are part of the program: three men by mate, 18 KB in all.
//!
//! `harness tb generate 3 --out engine/src/tablebase/embedded` writes them, and a test of the harness makes them again and
//! compares every byte.

use super::file::Table;
use super::{Metric, Tablebase};

/// By name: the files.
static FILES: [(&str, &[u8]); 5] = [
    ("KQvK", include_bytes!("embedded/KQvK.dtm")),
    ("KRvK", include_bytes!("embedded/KRvK.dtm")),
    ("KBvK", include_bytes!("embedded/KBvK.dtm")),
    ("KNvK", include_bytes!("embedded/KNvK.dtm")),
    ("KPvK", include_bytes!("embedded/KPvK.dtm")),
];

impl Tablebase {
    /// Those of three men, which need no files.
    pub fn embedded() -> Self {
        let mut tables = Self::new(Metric::Dtm);
        for table in FILES.iter().filter_map(|(name, bytes)| Table::from_static(name, bytes).ok()) {
            tables.add(table);
        }
        tables
    }

    /// The files of [`Self::embedded`] by name, for those who compare them.
    pub fn embedded_files() -> impl Iterator<Item = (&'static str, &'static [u8])> {
        FILES.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::tablebase::Outcome;

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
        let Some(Outcome::Win(plies)) =
            probe(&tables, &position.to_fen(crate::position::FenDialect::Standard))
        else {
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
}
