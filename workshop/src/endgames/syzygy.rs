//! Comparison of generated tables with published Syzygy tables, position by position.

use std::path::Path;

use anyhow::{anyhow, bail};
use rayon::prelude::*;
use shakmaty::{
    CastlingMode, Chess, FromSetup, Piece as TheirPiece, PositionError, Role, Setup, Square as TheirSquare,
};
use shakmaty_syzygy::{Dtz, MaybeRounded, SyzygyError, Tablebase};
use stretto::tablebase::{Index, Material, Metric, Outcome, PieceSquares};
use stretto::types::{Color, PieceType};

use super::fen::fen;
use super::table::Table;
use super::verify::TableComparison;

/// A set of Syzygy tables.
pub(crate) struct Syzygy(Tablebase<Chess>);

/// Value that the library reports as exact, since a win in one ply cannot be rounded. A table in
/// moves has the same value for a win in two where the losing side must capture, and one ply
/// earlier that is a loss in three.
const LOST_IN_TWO: i32 = -2;

impl Syzygy {
    /// Opens the tables of a folder that has the files to compare these tables with.
    ///
    /// Errors: the folder cannot be read, or a table has no file in it.
    pub(crate) fn open(folder: &Path, wanted: &[Material], metric: Metric) -> anyhow::Result<Self> {
        let mut tables = Tablebase::new();
        let named = folder.display();
        tables.add_directory(folder).map_err(|error| anyhow!("cannot read {named}: {error}"))?;
        let extensions: &[&str] = if metric == Metric::Dtz { &["rtbw", "rtbz"] } else { &["rtbw"] };
        for &table in wanted {
            let names = extensions.iter().map(|extension| format!("{table}.{extension}"));
            if let Some(name) = names.into_iter().find(|name| !folder.join(name).is_file()) {
                bail!("{named}: no {name} for {table}");
            }
        }
        Ok(Self(tables))
    }

    /// Compares every `step`-th legal position of a table: the result, and the distance if the
    /// metric is DTZ.
    ///
    /// Errors: a position cannot be probed.
    pub(crate) fn compare(&self, table: &Table, step: usize) -> anyhow::Result<TableComparison> {
        let index = table.index();
        (0..index.len().div_ceil(step))
            .into_par_iter()
            .filter_map(|number| index.squares_at(number * step).map(|squares| (number * step, squares)))
            .flat_map_iter(|(place, squares)| {
                let legal = index.row(place / index.row_len());
                let last = squares.last().copied();
                Color::ALL
                    .into_iter()
                    .filter_map(move |side| {
                        let is_legal =
                            legal.as_ref().zip(last).is_some_and(|(row, last)| row.legal(side).has(last));
                        is_legal.then(|| (place, squares.clone(), side))
                    })
                    .collect::<Vec<_>>()
            })
            .map(|(place, squares, side)| {
                self.compare_one(index, table.metric(), &squares, side, table.at(side, place))
            })
            .try_reduce(TableComparison::default, |one, other| Ok(one.join(other)))
    }

    fn compare_one(
        &self,
        index: &Index,
        metric: Metric,
        squares: &PieceSquares,
        side: Color,
        ours: Outcome,
    ) -> anyhow::Result<TableComparison> {
        let shown = || fen(index, squares, side);
        let position =
            theirs(index, squares, side).ok_or_else(|| anyhow!("{}: rejected by shakmaty", shown()))?;
        let fail = |error: SyzygyError| anyhow!("{}: {error}", shown());
        let class = self.0.probe_wdl_after_zeroing(&position).map_err(fail)?.signum();
        let is_same = class
            == match ours {
                Outcome::Win(_) => 1,
                Outcome::Draw => 0,
                Outcome::Loss(_) => -1,
            };
        let mut compared = TableComparison { positions: 1, ..TableComparison::default() };
        if !is_same {
            compared.note(format!("{}: {ours}, Syzygy {class}", shown()));
        } else if metric == Metric::Dtz && ours != Outcome::Loss(0) {
            let theirs = self.0.probe_dtz(&position).map_err(fail)?;
            let plies = match ours {
                Outcome::Draw => 0,
                Outcome::Win(plies) => i32::from(plies),
                Outcome::Loss(plies) => -i32::from(plies),
            };
            match agreement(plies, theirs) {
                Some(Agreement::Exact) => compared.distances += 1,
                Some(Agreement::Rounded) => compared.rounded += 1,
                None => compared.note(format!("{}: {ours}, Syzygy {theirs:?}", shown())),
            }
        }
        Ok(compared)
    }
}

/// The kinds of agreement between a distance of Syzygy and ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Agreement {
    Exact,
    /// Syzygy's lacks the last ply.
    Rounded,
}

/// Compares our distance with that of Syzygy; `None` if they differ.
fn agreement(plies: i32, theirs: MaybeRounded<Dtz>) -> Option<Agreement> {
    // A table in moves may omit the last ply but never adds one.
    let is_rounded = |theirs: i32| plies - theirs == plies.signum();
    match theirs {
        MaybeRounded::Precise(Dtz(theirs)) | MaybeRounded::Rounded(Dtz(theirs)) if theirs == plies => {
            Some(Agreement::Exact)
        }
        MaybeRounded::Rounded(Dtz(theirs)) | MaybeRounded::Precise(Dtz(theirs @ LOST_IN_TWO))
            if is_rounded(theirs) =>
        {
            Some(Agreement::Rounded)
        }
        _ => None,
    }
}

/// Converts the position to shakmaty.
fn theirs(index: &Index, squares: &PieceSquares, side: Color) -> Option<Chess> {
    let mut setup = Setup::empty();
    for (place, square) in squares.iter().enumerate() {
        let piece = index.piece(place);
        let role = match piece.kind {
            PieceType::Pawn => Role::Pawn,
            PieceType::Knight => Role::Knight,
            PieceType::Bishop => Role::Bishop,
            PieceType::Rook => Role::Rook,
            PieceType::Queen => Role::Queen,
            PieceType::King => Role::King,
        };
        let color = shakmaty::Color::from_white(piece.color == Color::White);
        setup.board.set_piece_at(TheirSquare::new(square.index() as u32), TheirPiece { color, role });
    }
    setup.turn = shakmaty::Color::from_white(side == Color::White);
    Chess::from_setup(setup, CastlingMode::Standard).or_else(PositionError::ignore_impossible_check).ok()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::endgames::{Tables, generate};
    use stretto_harness::base::cancel::Cancel;

    /// Opens published tables of up to four pieces. Only ignored tests call this.
    fn published() -> Syzygy {
        let data = std::env::var_os("STRETTO_TEST_DATA").expect("`make test-data DATA=FOLDER` sets it");
        Syzygy::open(&PathBuf::from(data).join("tb/syzygy"), &Material::all(3), Metric::Dtz).unwrap()
    }

    #[test]
    fn only_rounded_distances_may_be_one_ply_short() {
        use MaybeRounded::{Precise, Rounded};
        for (ours, theirs, expected) in [
            (9, Precise(Dtz(9)), Some(Agreement::Exact)),
            (9, Rounded(Dtz(9)), Some(Agreement::Exact)),
            (9, Rounded(Dtz(8)), Some(Agreement::Rounded)),
            (9, Rounded(Dtz(10)), None),
            (9, Precise(Dtz(8)), None),
            (-9, Precise(Dtz(-8)), None),
            (-3, Precise(Dtz(-2)), Some(Agreement::Rounded)),
            (0, Precise(Dtz(0)), Some(Agreement::Exact)),
        ] {
            assert_eq!(agreement(ours, theirs), expected, "{ours}, {theirs:?}");
        }
    }

    #[test]
    fn missing_files_are_reported_when_the_folder_is_opened() {
        let dir = tempfile::tempdir().unwrap();
        let tables = ["KQvK", "KRvK"].map(|name| name.parse().unwrap());
        let open =
            |metric| Syzygy::open(dir.path(), &tables, metric).map(|_| ()).map_err(|error| error.to_string());
        let missing = |name: &str| Err(format!("{}: no {name} for {}", dir.path().display(), &name[..4]));
        assert_eq!(open(Metric::Dtm), missing("KQvK.rtbw"));
        for name in ["KQvK.rtbw", "KRvK.rtbw"] {
            std::fs::write(dir.path().join(name), [0; 16]).unwrap();
        }
        assert_eq!(open(Metric::Dtm), Ok(()));
        assert_eq!(open(Metric::Dtz), missing("KQvK.rtbz"));
        std::fs::write(dir.path().join("KQvK.rtbz"), [0; 16]).unwrap();
        assert_eq!(open(Metric::Dtz), missing("KRvK.rtbz"));
    }

    #[test]
    #[ignore = "needs Syzygy tables of four pieces: make test-data"]
    fn with_data_sampled_positions_match_syzygy() {
        let syzygy = published();
        let mut tables = Tables::new(Metric::Dtz);
        let mut distances = 0;
        for (name, step) in [("KQvK", 3), ("KRvK", 3), ("KBvK", 3), ("KNvK", 3), ("KPvK", 3), ("KRvKN", 1009)]
        {
            let made = generate(name.parse().unwrap(), Metric::Dtz, &tables, &Cancel::new()).unwrap();
            let compared = syzygy.compare(&made, step).unwrap();
            assert!(compared.positions > 1000, "{name}");
            assert_eq!((compared.differences, compared.different), (0, vec![]), "{name}");
            distances += compared.distances;
            tables.add(made);
        }
        assert!(distances > 1000);
    }

    #[test]
    #[ignore = "needs Syzygy tables of four pieces: make test-data"]
    fn with_data_single_wrong_value_is_found() {
        let syzygy = published();
        let tables = Tables::new(Metric::Dtz);
        let made = generate("KQvK".parse().unwrap(), Metric::Dtz, &tables, &Cancel::new()).unwrap();
        let index = made.index();
        let place = (0..index.len())
            .find(|&place| {
                made.at(Color::White, place) == Outcome::Win(9)
                    && index.squares_at(place).is_some_and(|squares| {
                        let row = index.row(place / index.row_len());
                        row.is_some_and(|row| row.legal(Color::White).has(squares[2]))
                    })
            })
            .unwrap();
        let code = made.bytes(Color::White)[place];
        let damaged = made.with_value(Color::White, place, code ^ 1);
        assert_eq!(syzygy.compare(&damaged, 1).unwrap().differences, 1);
    }
}
