//! Exact results of positions, from endgame tables.
//!
//! A network learns an ending from its own scores and from the results of its own games. Both are
//! biased where it plays the ending badly; the tables are not.

use std::fmt::Display;
use std::path::Path;

use anyhow::anyhow;
use stretto::position::Position;
use stretto::tablebase::{Metric, Outcome, Tablebase};

/// The metric of the tables. Any would do, since only the result is used.
pub(crate) const METRIC: Metric = Metric::Dtm;
/// Capacity of the cache of decoded blocks: more than all blocks of many tables of five pieces. The
/// positions of games are spread over all blocks, and decoding a block takes about 0.4 ms, so hardly
/// any should be decoded twice. Memory: a byte per position of the blocks that occur.
const CACHED_BLOCKS: usize = 1 << 20;

/// The endgame tables of a training.
pub(super) struct ExactResults(Option<Tablebase>);

impl ExactResults {
    /// Opens the tables in a folder. Without a folder, no result is known.
    ///
    /// Errors: the folder has no table, or an invalid one.
    pub(super) fn open(folder: Option<&Path>) -> anyhow::Result<Self> {
        let Some(folder) = folder else { return Ok(Self(None)) };
        let (tables, errors) = Tablebase::open([folder], METRIC);
        if let Some(error) = errors.first() {
            return Err(unusable(error));
        }
        if tables.is_empty() {
            let folder = folder.display();
            return Err(unusable(format_args!("{folder} contains no tables (such as KQvKR.{METRIC})")));
        }
        Ok(Self(Some(tables.with_cache(CACHED_BLOCKS))))
    }

    /// Returns the half-points of the side to move with best play, ignoring the fifty-move rule;
    /// `None` if the tables do not have the position.
    ///
    /// Errors: a table is damaged.
    pub(super) fn half_points(&self, position: &Position) -> anyhow::Result<Option<u8>> {
        let Some(tables) = &self.0 else { return Ok(None) };
        Ok(tables.probe(position).map_err(unusable)?.map(|outcome| match outcome {
            Outcome::Loss(_) => 0,
            Outcome::Draw => 1,
            Outcome::Win(_) => 2,
        }))
    }
}

fn unusable(error: impl Display) -> anyhow::Error {
    anyhow!("`tables`: {error}")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use stretto::tablebase::table_files;

    use super::*;

    /// Writes the tables of three pieces to a folder.
    fn write_tables(folder: &Path) {
        let files = Tablebase::embedded_files().filter(|&(_, metric, _)| metric == METRIC);
        for (name, _, bytes) in files {
            fs::write(folder.join(format!("{name}.{}", METRIC.name())), bytes).unwrap();
        }
    }

    #[test]
    fn results_are_those_of_the_side_to_move() {
        let dir = tempfile::tempdir().unwrap();
        write_tables(dir.path());
        let exact = ExactResults::open(Some(dir.path())).unwrap();
        let at = |fen| exact.half_points(&Position::from_fen(fen).unwrap()).unwrap();
        // King on the sixth rank before its pawn: a win. A rank further back, a draw with White to move.
        assert_eq!(at("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"), Some(2));
        assert_eq!(at("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1"), Some(0));
        assert_eq!(at("8/4k3/8/4K3/4P3/8/8/8 w - - 0 1"), Some(1));
        assert_eq!(at("8/4k3/8/4K3/4P3/4P3/8/8 w - - 0 1"), None);
    }

    #[test]
    fn without_tables_nothing_is_known() {
        let position = Position::from_fen("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1").unwrap();
        assert_eq!(ExactResults::open(None).unwrap().half_points(&position).unwrap(), None);
    }

    #[test]
    fn missing_and_invalid_tables_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let open = || ExactResults::open(Some(dir.path()));
        assert!(open().is_err_and(|error| error.to_string().starts_with("`tables`: ")));
        write_tables(dir.path());
        let files = table_files(dir.path(), METRIC).unwrap();
        assert!(files.len() == 5 && files.is_sorted(), "{files:?}");
        fs::write(dir.path().join("KRvK.dtm"), "no table").unwrap();
        assert!(open().is_err_and(|error| error.to_string().contains("KRvK.dtm")));
    }
}
