//! The tables and the start position of `workshop tb play`: where they are found, and what happens
//! if there are none.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use stretto::position::Position;
use stretto::tablebase::{Material, Metric, TableFile, Tablebase};
use stretto::types::Color;

use super::builder::{
    GenerateOptions, MAX_PIECES, MetricArg, NamedTable, SelectionArgs, TableSelection, path_of,
};
use super::generate::DEFAULT_FOLDER;
use super::probe;
use crate::endgames::{Table, fen, statistics};
use stretto_harness::run::command::{Failure, Threads, say};

/// The ending that is played: a position, or pieces whose longest win is the position.
pub(super) enum Ending {
    Position(Box<Position>, Material),
    Pieces(Material),
}

impl Ending {
    /// Parses a FEN, or pieces such as `KQvKR`.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        if text.contains('/') {
            return probe::position(text)
                .map(|(position, material)| Self::Position(Box::new(position), material));
        }
        let refused = |error| Failure::Usage(format!("`{text}`: {error}; a position (FEN) is accepted too"));
        let table = NamedTable::parse(text, MAX_PIECES).map_err(refused)?;
        table.report();
        Ok(Self::Pieces(table.material))
    }

    fn material(&self) -> Material {
        match self {
            Self::Position(_, material) | Self::Pieces(material) => *material,
        }
    }
}

/// The place that a set of tables comes from.
enum Origin {
    Folder(PathBuf),
    BuiltIn,
    /// The table itself, and all that it depends on.
    Generated(Arc<Table>),
}

/// Returns the tables of an ending and its position.
///
/// Only `folder` is searched if there is one, otherwise the default output folder of `tb generate`
/// and the tables built into this program. Missing tables are generated in memory. Of several
/// metrics, the first that a folder has counts.
pub(super) fn tables_and_position(
    ending: &Ending,
    folder: Option<&Path>,
    metrics: &[MetricArg],
) -> Result<(Tablebase, Position), Failure> {
    let material = ending.material();
    let (tables, metric, origin) = tables(material, folder, metrics)?;
    let origin_text = match &origin {
        Origin::Folder(folder) => path_of(folder, material, metric.metric()).display().to_string(),
        Origin::BuiltIn => format!("{material}.{} built into this program", metric.metric()),
        Origin::Generated(_) => format!(
            "{material}.{0} generated in memory (`workshop tb generate {material} --metric {0}` keeps it)",
            metric.metric()
        ),
    };
    say(&format!("tables: {origin_text}"));
    let position = match ending {
        Ending::Position(position, _) => **position,
        Ending::Pieces(_) => longest_win(material, metric, &origin)?,
    };
    Ok((tables, position))
}

fn tables(
    material: Material,
    folder: Option<&Path>,
    metrics: &[MetricArg],
) -> Result<(Tablebase, MetricArg, Origin), Failure> {
    let searched = folder.unwrap_or(Path::new(DEFAULT_FOLDER));
    for &metric in metrics {
        if let Some(tables) = open(searched, material, metric.metric(), folder.is_some())? {
            return Ok((tables, metric, Origin::Folder(searched.to_path_buf())));
        }
    }
    if let Some(folder) = folder {
        let names: Vec<String> =
            metrics.iter().map(|metric| format!("{material}.{}", metric.metric())).collect();
        let metric = metrics.first().copied().unwrap_or_default().metric();
        return Err(Failure::Run(anyhow!(
            "{} has no table {}: create it with `workshop tb generate {material} --metric {metric} --out {}`",
            folder.display(),
            names.join(" or "),
            folder.display()
        )));
    }
    let built_in = Tablebase::embedded();
    let is_asked = |metric: &&MetricArg| metric.metric() == built_in.metric();
    if let Some(&metric) = metrics.iter().find(is_asked).filter(|_| built_in.table(material).is_some()) {
        return Ok((built_in, metric, Origin::BuiltIn));
    }
    let metric = metrics.first().copied().unwrap_or_default();
    let how = GenerateOptions { metric, threads: Threads::default() };
    let (tables, table) = probe::generated(&[material], &how)?;
    let table = table.ok_or_else(|| Failure::Run(anyhow!("no table of {material} was generated")))?;
    Ok((tables, metric, Origin::Generated(table)))
}

/// Opens the table and all that it leads to; `None` if the folder lacks one. Other files of the
/// folder are not opened.
///
/// A missing or invalid table is an error if the user named the folder, and otherwise a notice.
fn open(
    folder: &Path,
    material: Material,
    metric: Metric,
    is_named: bool,
) -> Result<Option<Tablebase>, Failure> {
    if !path_of(folder, material, metric).is_file() {
        return Ok(None);
    }
    let mut tables = Tablebase::new(metric);
    for table in TableSelection::one(material).in_order() {
        let path = path_of(folder, table, metric);
        let (folder, is_there) = (folder.display(), path.is_file());
        let problem = match TableFile::open(&path) {
            Ok(file) => {
                tables.add(file);
                continue;
            }
            Err(error) if is_there => error.to_string(),
            Err(_) => format!("{folder} has no table {table}.{metric}, to which {material} leads"),
        };
        let command = format!("workshop tb generate {material} --metric {metric} --out {folder}");
        let text = format!("{problem}: create it with `{command}`");
        if is_named {
            return Err(Failure::Run(anyhow!(text)));
        }
        say(&text);
        return Ok(None);
    }
    Ok(Some(tables))
}

/// Returns a position of the table with the longest win, preferably with White to move.
fn longest_win(material: Material, metric: MetricArg, origin: &Origin) -> Result<Position, Failure> {
    let mut found = None;
    let folder = match origin {
        Origin::Generated(table) => {
            found = won_position(table);
            None
        }
        Origin::Folder(folder) => Some(Some(folder.as_path())),
        // Three pieces, which take a moment to generate.
        Origin::BuiltIn => Some(None),
    };
    if let Some(folder) = folder {
        let how = GenerateOptions { metric, threads: Threads::default() };
        SelectionArgs::quietly(material, how).each(folder, false, |table, _| {
            found = won_position(table);
            Ok(())
        })?;
    }
    let fen = found.ok_or_else(|| {
        Failure::Usage(format!("neither side can win {material}: give a position to play it"))
    })?;
    Ok(Position::from_fen(&fen).map_err(anyhow::Error::from)?)
}

fn won_position(table: &Table) -> Option<String> {
    let statistics = statistics(table);
    let mut sides = Color::ALL.into_iter().zip(&statistics.sides);
    sides.find_map(|(color, side)| Some(fen(table.index(), side.wins.deepest.as_ref()?, color)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_positions_or_pieces() {
        assert!(
            matches!(Ending::parse("KRvKQ"), Ok(Ending::Pieces(material)) if material.to_string() == "KQvKR")
        );
        assert!(matches!(Ending::parse("K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1"), Ok(Ending::Position(..))));
        for (text, expected) in [
            ("KQ", "such as KQvKR, 3 to 5 with the kings; a position (FEN) is accepted too"),
            ("nonsense", "such as KQvKR, 3 to 5 with the kings; a position (FEN) is accepted too"),
            ("KvK", "KvK has 2 pieces: expected 3 to 5, including the kings"),
            ("KQQQvKQ", "KQQQvKQ has 6 pieces: expected 3 to 5, including the kings"),
        ] {
            let Err(Failure::Usage(error)) = Ending::parse(text) else { unreachable!("{text}") };
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn pieces_stand_for_their_longest_win() {
        let Ok(ending) = Ending::parse("KQvKR") else { unreachable!("pieces") };
        let folder = tempfile::tempdir().unwrap();
        // An empty folder of the user's own is an error, with the command that fills it.
        let refused = tables_and_position(&ending, Some(folder.path()), &[MetricArg::Dtz, MetricArg::Dtm]);
        let Err(Failure::Run(error)) = refused else { unreachable!("no tables") };
        assert!(
            format!("{error}").contains(
                "has no table KQvKR.dtz or KQvKR.dtm: create it with `workshop tb generate KQvKR --metric dtz --out "
            ),
            "{error}"
        );
        let made = tables_and_position(&ending, None, &[MetricArg::Dtm]);
        let Ok((tables, position)) = made else { unreachable!("generated") };
        let outcome = probe::outcome(&tables, &position);
        assert!(matches!(outcome, Ok(stretto::tablebase::Outcome::Win(69))), "35 moves, as published");
    }
}
