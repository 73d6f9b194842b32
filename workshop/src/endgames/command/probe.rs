//! `workshop tb probe`: the value of each move of a position, or of each position of a list.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow};
use clap::Args;
use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;
use stretto::position::{FenDialect, Position};
use stretto::tablebase::{Material, Metric, Outcome, Tablebase};
use stretto::types::Move;

use super::builder::{GenerateOptions, TableBuilder, TableSelection, no_table};
use super::dependencies::all_made;
use crate::endgames::Table;
use crate::endgames::value::Value;
use stretto_harness::base::epd;
use stretto_harness::base::wording::counted;
use stretto_harness::run::command::{Failure, print, say};

/// Counter of plies at which a game is drawn.
const FIFTY_MOVES: u16 = 100;

#[derive(Debug, Args)]
pub(crate) struct ProbeArgs {
    /// The position in quotes, or `-` to read one position per line from standard input, FEN or EPD.
    fen: String,
    /// Folder of tables; by default the tables are generated in memory.
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    #[command(flatten)]
    how: GenerateOptions,
}

/// Parses a position of 3 to 5 pieces and returns it with its material.
pub(crate) fn position(fen: &str) -> Result<(Position, Material), Failure> {
    let position = Position::from_fen(fen).map_err(|error| Failure::Usage(format!("`{fen}`: {error}")))?;
    let pieces = position.occupied().count();
    let material = Material::of(&position).map(|material| material.canonical().0);
    let material = material.filter(|material| (3..=5).contains(&material.piece_count()));
    let material = material.ok_or_else(|| {
        Failure::Usage(format!("`{fen}` has {pieces} pieces: expected 3 to 5, including the kings"))
    })?;
    if position.castling_rooks().any() {
        return Err(Failure::Usage(format!("`{fen}`: castling rights are not supported by tables")));
    }
    Ok((position, material))
}

/// Opens the tables in a folder, and says which cannot be used.
fn opened(folder: &Path, metric: Metric) -> Tablebase {
    let (tables, errors) = Tablebase::open([folder], metric);
    for error in errors {
        say(&error.to_string());
    }
    tables
}

/// Opens the tables of this material from a folder, or generates them.
pub(crate) fn tablebase(
    folder: Option<&Path>,
    materials: &[Material],
    how: &GenerateOptions,
) -> Result<Tablebase, Failure> {
    if let Some(folder) = folder {
        let metric = how.metric.metric();
        let tables = opened(folder, metric);
        if let Some(&material) = materials.iter().find(|&&material| tables.table(material).is_none()) {
            return Err(Failure::Run(no_table(folder, material, metric)));
        }
        return Ok(tables);
    }
    Ok(generated(materials, how)?.0)
}

/// Generates the tables of this material in memory; also returns the last one.
pub(crate) fn generated(
    materials: &[Material],
    how: &GenerateOptions,
) -> Result<(Tablebase, Option<Arc<Table>>), Failure> {
    let metric = how.metric.metric();
    how.threads.work(|cancel| {
        let order = TableSelection::some(materials).in_order();
        let mut maker = TableBuilder::new(metric, cancel, &all_made(&order));
        if order.iter().all(|table| table.piece_count() < 5) {
            maker = maker.quietly();
        }
        let mut last = None;
        for table in order {
            last = Some(maker.make(table)?);
        }
        Ok((maker.tables.coded(metric).context("cannot read the generated tables")?, last))
    })
}

/// Returns the outcome for the side to move.
pub(crate) fn outcome(tables: &Tablebase, position: &Position) -> Result<Outcome, Failure> {
    let found = tables.probe(position).map_err(anyhow::Error::from)?;
    found.ok_or_else(|| missing(tables, position))
}

/// Returns the error for a position without an answer, naming the missing table.
fn missing(tables: &Tablebase, position: &Position) -> Failure {
    let after = position.legal_moves().into_iter().map(|mv| position.after(mv));
    let needed = std::iter::once(*position).chain(after).filter_map(|position| Material::of(&position));
    let mut needed =
        needed.map(|material| material.canonical().0).filter(|material| material.piece_count() > 2);
    let table = needed.find(|&material| tables.table(material).is_none());
    let fen = position.to_fen(FenDialect::Standard);
    Failure::Run(match table {
        Some(table) => anyhow!("missing table {table}.{} needed for {fen}", tables.metric()),
        None => anyhow!("the tables have no answer for {fen}"),
    })
}

/// Returns all moves, best first, with their outcomes for the side that plays them.
pub(crate) fn moves(tables: &Tablebase, position: &Position) -> Result<Vec<(Move, Outcome)>, Failure> {
    let mut found = Vec::new();
    for mv in position.legal_moves() {
        let outcome = tables.move_value(position, mv).map_err(anyhow::Error::from)?;
        let outcome = outcome.ok_or_else(|| missing(tables, &position.after(mv)))?;
        found.push((mv, outcome));
    }
    found.sort_by_key(|&(_, outcome)| Reverse(Value::of(outcome)));
    Ok(found)
}

/// Returns an outcome in words, such as `win, mate in 12 moves (23 plies)`.
pub(crate) fn described(outcome: Outcome, metric: Metric) -> String {
    let end = match metric {
        Metric::Dtm => "mate",
        Metric::Dtc => "mate, capture or promotion",
        Metric::Dtz | Metric::Near => "mate, capture or pawn move",
    };
    match outcome {
        Outcome::Draw => "draw".to_owned(),
        Outcome::Loss(0) => "mated".to_owned(),
        Outcome::Win(plies) => format!("win, {end} in {} ({})", moves_of(plies), plies_of(plies)),
        Outcome::Loss(plies) => format!("loss, {end} in {} ({})", moves_of(plies), plies_of(plies)),
    }
}

/// Returns an outcome in words as [`described`], under the fifty-move rule with this counter where the metric decides it.
fn described_at(outcome: Outcome, metric: Metric, counter: u16) -> String {
    let text = described(outcome, metric);
    match outcome {
        Outcome::Win(plies) | Outcome::Loss(plies)
            if metric == Metric::Dtz && plies > 0 && counter.saturating_add(plies) > FIFTY_MOVES =>
        {
            format!("draw by the fifty-move rule with the counter {counter}, otherwise {text}")
        }
        _ => text,
    }
}

/// Formats plies as moves.
pub(crate) fn moves_of(plies: u16) -> String {
    counted(plies.div_ceil(2).into(), "move")
}

fn plies_of(plies: u16) -> String {
    counted(plies.into(), "ply")
}

/// Prints a position with its moves, or the value of each position of a list.
pub(crate) fn run(args: &ProbeArgs) -> Result<(), Failure> {
    let in_folder = |failure| match (failure, &args.tables) {
        (Failure::Run(error), Some(folder)) => Failure::Run(error.context(folder.display().to_string())),
        (failure, _) => failure,
    };
    if args.fen == "-" {
        let asked = read_positions(std::io::stdin().lock())?;
        let mut materials: Vec<Material> = Vec::new();
        for (_, material) in asked.iter().filter_map(|(_, asked)| asked.as_ref().ok()) {
            if !materials.contains(material) {
                materials.push(*material);
            }
        }
        let tables = match &args.tables {
            // A table that the folder lacks is reported with its position.
            Some(folder) => opened(folder, args.how.metric.metric()),
            None => generated(&materials, &args.how)?.0,
        };
        return show_each(&tables, &asked).map_err(in_folder);
    }
    let (position, material) = position(&args.fen)?;
    let tables = tablebase(args.tables.as_deref(), &[material], &args.how)?;
    print(&shown(&tables, &position).map_err(in_folder)?);
    Ok(())
}

/// A line of a list with its position and material, or the reason why it has none.
type Asked = (String, Result<(Position, Material), String>);

/// Parses the positions of non-empty lines.
fn read_positions(lines: impl BufRead) -> Result<Vec<Asked>, Failure> {
    let mut asked = Vec::new();
    for (number, line) in (1..).zip(lines.lines()) {
        let line = line.with_context(|| format!("cannot read line {number}"))?;
        let line = line.trim();
        if !line.is_empty() {
            let fen = match epd::parse(line.as_bytes()) {
                Some(Ok(line)) if !line.operations.is_empty() => {
                    Fen::from_position(&line.position, EnPassantMode::Legal).to_string()
                }
                _ => line.to_owned(),
            };
            let found = match position(&fen) {
                Ok(found) => Ok(found),
                Err(Failure::Usage(problem)) => Err(format!("line {number}: {problem}")),
                Err(failure) => return Err(failure),
            };
            asked.push((line.to_owned(), found));
        }
    }
    Ok(asked)
}

/// Prints a line for each position. Those without a value are reported too, and make it an error at
/// the end.
fn show_each(tables: &Tablebase, asked: &[Asked]) -> Result<(), Failure> {
    let mut unknown = 0;
    for (line, found) in asked {
        let value = match found {
            Ok((position, _)) => outcome(tables, position)
                .map(|value| described_at(value, tables.metric(), position.halfmove_clock())),
            Err(problem) => Err(Failure::Usage(problem.clone())),
        };
        let text = match value {
            Ok(text) => text,
            Err(Failure::Run(error)) => format!("unknown: {error:#}"),
            Err(Failure::Usage(problem)) => format!("unknown: {problem}"),
            Err(failure) => return Err(failure),
        };
        unknown += usize::from(text.starts_with("unknown: "));
        print(&format!("{line}: {text}\n"));
    }
    match unknown {
        0 => Ok(()),
        unknown => Err(Failure::Run(anyhow!("no value for {unknown} of {} positions", asked.len()))),
    }
}

fn shown(tables: &Tablebase, position: &Position) -> Result<String, Failure> {
    let (metric, counter) = (tables.metric(), position.halfmove_clock());
    let found = described_at(outcome(tables, position)?, metric, counter);
    let mut text = format!("{}: {found}\n", position.to_fen(FenDialect::Standard));
    for (mv, outcome) in moves(tables, position)? {
        let _ = writeln!(text, "  {:8} {}", position.san(mv), described_at(outcome, metric, counter));
    }
    if counter > 0 && metric != Metric::Dtz {
        text += "The fifty-move counter is not considered; with `--metric dtz` it is.\n";
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_have_the_singular_for_one() {
        for (outcome, metric, expected) in [
            (Outcome::Win(1), Metric::Dtm, "win, mate in 1 move (1 ply)"),
            (Outcome::Win(3), Metric::Dtm, "win, mate in 2 moves (3 plies)"),
            (Outcome::Loss(1), Metric::Dtz, "loss, mate, capture or pawn move in 1 move (1 ply)"),
            (Outcome::Loss(2), Metric::Dtm, "loss, mate in 1 move (2 plies)"),
            (Outcome::Loss(0), Metric::Dtm, "mated"),
        ] {
            assert_eq!(described(outcome, metric), expected);
        }
    }

    #[test]
    fn win_beyond_the_fifty_moves_is_a_draw() {
        for (outcome, metric, counter, is_draw) in [
            (Outcome::Win(19), Metric::Dtz, 81, false),
            (Outcome::Win(19), Metric::Dtz, 82, true),
            (Outcome::Loss(20), Metric::Dtz, 82, true),
            (Outcome::Loss(0), Metric::Dtz, 100, false),
            (Outcome::Draw, Metric::Dtz, 100, false),
            (Outcome::Win(19), Metric::Dtm, 82, false),
        ] {
            let text = described_at(outcome, metric, counter);
            assert_eq!(text.contains("fifty-move"), is_draw, "{text}");
        }
    }

    #[test]
    fn lists_may_be_fen_or_epd() {
        let lines = "7k/8/6K1/8/8/8/8/R7 w - - 5 9\n7k/8/6K1/8/8/8/8/R7 w - - c9 \"1-0\"; id \"a; b\";\n";
        let found = read_positions(lines.as_bytes()).ok().unwrap();
        let clocks = found.iter().map(|(_, asked)| asked.as_ref().unwrap().0.halfmove_clock());
        assert_eq!(clocks.collect::<Vec<_>>(), [5, 0]);
    }
}
