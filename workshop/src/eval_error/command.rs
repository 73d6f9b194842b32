//! `workshop eval-error`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use serde_json::json;
use stretto::eval::{Evaluation, classical};
use stretto::position::Position;
use stretto::search::params::Tunable;

use super::errors::{Column, Figure, Row, check, errors, level_scores};
use super::positions::TestSet;
use crate::endgames::command::judge::{Scorer, evaluation, judge, table};
use stretto_harness::report::Table;
use stretto_harness::run::command::{Failure, print};

/// A score that counts as winning in the endings with a known result. Units: centipawns.
const THRESHOLD: u16 = 100;

const HELP: &str = "\
Example:
  workshop eval-error --network engine/networks/stretto.network --network results/runs/train-g10/stretto.network

Errors are root mean squares in percent of a point, with 95 % intervals by bootstrap over games, against the mean of both engines'
expected points and, in brackets, against each engine's alone. A logistic curve per evaluation and phase turns scores into expected
points, so their scale does not matter. A difference from the first column decides if its interval excludes 0. Level endings have
fewer than 16 pieces and deep scores within 0.40; their scores are in pawns. The set is made by scripts/eval-set.py: game, result,
deep scores of two engines, any number of static scores, FEN; scores are centipawns of the side to move.";

/// Compares static evaluations with deep scores of two engines.
///
/// Prints the error by phase and kind of ending, the size of the scores in level endings, and the scores of won and drawn endings by
/// tables: of each network, of the classical evaluation, and of the static scores in the file.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct EvalErrorArgs {
    /// File of positions with deep scores, in tab-separated columns.
    #[arg(long, value_name = "FILE", default_value = "testdata/eval-error.tsv")]
    positions: PathBuf,
    /// EPD file of endings with the result in the operation `c9`, as from `workshop tb sample`.
    #[arg(long, value_name = "FILE", default_value = "testdata/eval-error-endings.epd")]
    endings: PathBuf,
    /// A network; repeat it to compare others with the first [default: the built-in network].
    #[arg(long, value_name = "FILE")]
    network: Vec<PathBuf>,
    /// Form of the output.
    #[arg(long, value_enum, default_value_t = Format::Markdown)]
    format: Format,
}

/// A form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people, in Markdown.
    Markdown,
    /// One JSON object with all figures.
    Json,
}

pub(crate) fn run(args: &EvalErrorArgs) -> Result<ExitCode, Failure> {
    let mut evaluations = Vec::new();
    for file in &args.network {
        evaluations.push((file.display().to_string(), evaluation(Some(file))?));
    }
    if evaluations.is_empty() {
        evaluations.push(("network".to_owned(), Evaluation::default()));
    }
    evaluations.push(("classical".to_owned(), Evaluation::Classical));
    let TestSet { deep, further, positions } = TestSet::read(&args.positions)?;
    let (mut columns, mut endings) = (Vec::new(), Vec::new());
    for (name, evaluation) in evaluations {
        let scores = positions.iter().map(|one| evaluation.evaluate(&one.position).0.into()).collect();
        columns.push(Column { name: name.clone(), scores });
        if matches!(evaluation, Evaluation::Network(_)) {
            let scores = positions.iter().map(|one| scaled(&evaluation, &one.position)).collect();
            columns.push(Column { name: format!("{name}, scaled"), scores });
        }
        let files = std::slice::from_ref(&args.endings);
        endings.push((name, judge(files, Scorer::Static(evaluation), THRESHOLD)?));
    }
    let ours = columns.len();
    for (at, name) in further.into_iter().enumerate() {
        columns.push(Column { name, scores: positions.iter().map(|one| one.further[at]).collect() });
    }
    check(&positions, &deep, &columns[ours..])
        .map_err(|error| anyhow!("{}: {error}", args.positions.display()))?;
    let (errors, level) = (errors(&positions, &columns), level_scores(&positions, &columns));
    let names: Vec<String> = columns.into_iter().map(|column| column.name).collect();
    print(&match args.format {
        Format::Json => {
            let names = json!({ "columns": names, "deep": deep });
            let figures = json!({ "names": names, "errors": errors, "level": level, "endings": endings });
            format!("{figures:#}\n")
        }
        Format::Markdown => {
            let title = format!("pieces: error ({} / {})", deep[0], deep[1]);
            let rows = endings.iter().flat_map(|(name, [won, drawn])| {
                [drawn.row(&format!("{name}, draw"), true), won.row(&format!("{name}, win"), false)]
            });
            let level = figures("level endings: score (% beyond 1.00)", &names, &level, 2);
            [figures(&title, &names, &errors, 1), level, table(rows, THRESHOLD)].join("\n")
        }
    });
    Ok(ExitCode::SUCCESS)
}

/// Returns the score of the side to move with the scales of endings and of the fifty-move counter, as the switches
/// `EndingScale` and `FiftyMoveScaling` apply them. Units: centipawns.
fn scaled(evaluation: &Evaluation, position: &Position) -> f64 {
    let score = f64::from(evaluation.evaluate(position).0);
    let ahead = if score > 0.0 { position.side_to_move() } else { !position.side_to_move() };
    let default = |tunable: Tunable| f64::from(tunable.info().default);
    let is_ending = f64::from(position.occupied().count()) <= default(Tunable::EndingScalePieces);
    let ending = if is_ending { classical::scale(position, ahead) } else { classical::FULL_SCALE };
    score * f64::from(ending) / f64::from(classical::FULL_SCALE)
        * (1.0 - f64::from(position.halfmove_clock()) / default(Tunable::FiftyMoveScalingPlies))
}

/// Returns a table of the figures, then one of the differences from the first column.
fn figures(title: &str, names: &[String], rows: &[Row], digits: usize) -> String {
    let table = |title: &str, skipped: usize, cell: &dyn Fn(&Figure) -> String| {
        let titles = [title, "positions", "games"].map(str::to_owned).into_iter();
        let header: Vec<String> = titles.chain(names.iter().skip(skipped).cloned()).collect();
        let row = |row: &Row| {
            let counts = [row.group.to_owned(), row.positions.to_string(), row.games.to_string()];
            counts.into_iter().chain(row.columns.iter().skip(skipped).map(cell)).collect::<Vec<_>>()
        };
        Table::new(&header, rows.iter().map(row)).markdown()
    };
    let value = |figure: &Figure| {
        let further: Vec<_> = figure.further.iter().map(|further| format!("{further:.1}")).collect();
        format!("{} ({})", figure.value.text(digits), further.join(" / "))
    };
    let difference = table(&format!("minus {}", names[0]), 1, &|figure| figure.difference.text(digits));
    format!("{}\n{difference}", table(title, 0, &value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_is_that_of_the_side_ahead() {
        // White is ahead and has no pawn to win with, Black has one.
        for side in ["w", "b"] {
            let position = Position::from_fen(&format!("4k3/4p3/8/8/8/8/8/1N2K3 {side} - - 0 1")).unwrap();
            let score = Evaluation::Material.evaluate(&position).0;
            assert!(score.abs() > 100 && scaled(&Evaluation::Material, &position).abs() < 1e-9, "{side}");
        }
    }
}
