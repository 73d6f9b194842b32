//! `harness tb probe`: every move of a position with what it is worth, or what many positions are worth.

use std::fmt::Write as _;
use std::io::{BufRead, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use stretto::position::{FenDialect, Position};
use stretto::tablebase::{Material, Metric, Outcome, Tablebase};
use stretto::types::Move;

use super::super::{Failure, print};
use super::loading::all_made;
use super::making::{How, Maker, MetricArg, Which};

#[derive(Debug, Args)]
pub(super) struct ProbeArgs {
    /// The position, in quotes; `-` for many from standard input, each a line that is repeated with what it is worth.
    fen: String,
    /// A folder of tables; without, those needed are made first.
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    #[command(flatten)]
    how: How,
}

/// A position whose men have a table.
pub(super) fn position(fen: &str) -> Result<(Position, Material), Failure> {
    let position = Position::from_fen(fen).map_err(|error| Failure::Usage(format!("`{fen}`: {error}")))?;
    let men = position.occupied().count();
    let material = Material::of(&position).map(|material| material.canonical().0);
    let material = material.filter(|material| (3..=5).contains(&material.men()));
    let material = material.ok_or_else(|| {
        Failure::Usage(format!("`{fen}` has {men} men: tables have 3 to 5, kings among them"))
    })?;
    if position.castling_rooks().any() {
        return Err(Failure::Usage(format!("`{fen}`: somebody may castle, which tables leave out")));
    }
    Ok((position, material))
}

/// Tables for these men: from a folder, or made now.
pub(super) fn tablebase(
    folder: Option<&Path>,
    materials: &[Material],
    metric: MetricArg,
    how: &How,
) -> Result<Tablebase, Failure> {
    let metric = metric.metric();
    if let Some(folder) = folder {
        let tables = Tablebase::open(folder, metric).map_err(anyhow::Error::from)?;
        if let Some(material) = materials.iter().find(|&&material| tables.table(material).is_none()) {
            let folder = folder.display();
            return Err(Failure::Run(anyhow!(
                "{folder} has no table {material}.{metric}: `harness tb generate {material}` makes it"
            )));
        }
        return Ok(tables);
    }
    how.threads.work(|cancel| {
        let order = Which::some(materials).in_order();
        let mut maker = Maker::new(metric, cancel, &all_made(&order));
        if order.iter().all(|table| table.men() < 5) {
            maker = maker.quietly();
        }
        for table in order {
            maker.make(table)?;
        }
        Ok(maker.tables.coded(metric).context("what was just made cannot be read")?)
    })
}

/// What a position is worth to the side to move.
pub(super) fn outcome(tables: &Tablebase, position: &Position) -> Result<Outcome, Failure> {
    let found = tables.probe(position).map_err(anyhow::Error::from)?;
    found.ok_or_else(|| missing(tables, position))
}

/// The complaint that a position has no answer, with the table that it or one of its moves needs.
fn missing(tables: &Tablebase, position: &Position) -> Failure {
    let after = position.legal_moves().into_iter().map(|mv| position.after(mv));
    let needed = std::iter::once(*position).chain(after).filter_map(|position| Material::of(&position));
    let mut needed = needed.map(|material| material.canonical().0).filter(|material| material.men() > 2);
    let table = needed.find(|&material| tables.table(material).is_none());
    let fen = position.to_fen(FenDialect::Standard);
    Failure::Run(match table {
        Some(table) => anyhow!("the table {table}.{} is missing, which {fen} needs", tables.metric()),
        None => anyhow!("the tables have no answer for {fen}"),
    })
}

/// All moves, the best first, with what they are worth to the side that plays them.
pub(super) fn moves(tables: &Tablebase, position: &Position) -> Result<Vec<(Move, Outcome)>, Failure> {
    let mut found = Vec::new();
    for mv in position.legal_moves() {
        let worth = tables.worth(position, mv).map_err(anyhow::Error::from)?;
        let worth = worth.ok_or_else(|| missing(tables, &position.after(mv)))?;
        found.push((mv, worth));
    }
    found.sort_by(|one, other| {
        let is_better = one.1 != other.1 && one.1.better(other.1) == one.1;
        if one.1 == other.1 {
            std::cmp::Ordering::Equal
        } else if is_better {
            std::cmp::Ordering::Less
        } else {
            std::cmp::Ordering::Greater
        }
    });
    Ok(found)
}

/// An outcome in words.
pub(super) fn told(outcome: Outcome, metric: Metric) -> String {
    let end = match metric {
        Metric::Dtm => "mate",
        Metric::Dtc => "mate, capture or promotion",
        Metric::Dtz | Metric::Near => "mate, capture or pawn move",
    };
    match outcome {
        Outcome::Draw => "draw".to_owned(),
        Outcome::Loss(0) => "mated".to_owned(),
        Outcome::Win(plies) => format!("win, {end} in {} ({plies} plies)", moves_of(plies)),
        Outcome::Loss(plies) => format!("loss, {end} in {} ({plies} plies)", moves_of(plies)),
    }
}

/// So many plies as moves.
pub(super) fn moves_of(plies: u16) -> String {
    match plies.div_ceil(2) {
        1 => "1 move".to_owned(),
        moves => format!("{moves} moves"),
    }
}

/// Shows a position and its moves, or what many positions are worth.
pub(super) fn run(args: &ProbeArgs) -> Result<(), Failure> {
    let in_folder = |failure| match (failure, &args.tables) {
        (Failure::Run(error), Some(folder)) => Failure::Run(error.context(folder.display().to_string())),
        (failure, _) => failure,
    };
    if args.fen == "-" {
        let asked = asked(std::io::stdin().lock())?;
        let mut materials: Vec<Material> = Vec::new();
        for &(_, _, material) in &asked {
            if !materials.contains(&material) {
                materials.push(material);
            }
        }
        let tables = tablebase(args.tables.as_deref(), &materials, args.how.metric, &args.how)?;
        return show_each(&tables, &asked).map_err(in_folder);
    }
    let (position, material) = position(&args.fen)?;
    let tables = tablebase(args.tables.as_deref(), &[material], args.how.metric, &args.how)?;
    print(&shown(&tables, &position).map_err(in_folder)?);
    Ok(())
}

/// The positions of lines, empty ones left out, with their lines and tables.
fn asked(lines: impl BufRead) -> Result<Vec<(String, Position, Material)>, Failure> {
    let mut asked = Vec::new();
    for (number, line) in (1..).zip(lines.lines()) {
        let line = line.with_context(|| format!("cannot read line {number}"))?;
        if !line.trim().is_empty() {
            let (position, material) = position(line.trim()).map_err(|failure| match failure {
                Failure::Usage(problem) => Failure::Usage(format!("line {number}: {problem}")),
                failure => failure,
            })?;
            asked.push((line, position, material));
        }
    }
    Ok(asked)
}

fn show_each(tables: &Tablebase, asked: &[(String, Position, Material)]) -> Result<(), Failure> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (line, position, _) in asked {
        let worth = told(outcome(tables, position)?, tables.metric());
        writeln!(out, "{}: {worth}", line.trim()).context("cannot write")?;
    }
    out.flush().context("cannot write")?;
    Ok(())
}

fn shown(tables: &Tablebase, position: &Position) -> Result<String, Failure> {
    let metric = tables.metric();
    let mut text =
        format!("{}: {}\n", position.to_fen(FenDialect::Standard), told(outcome(tables, position)?, metric));
    for (mv, worth) in moves(tables, position)? {
        let _ = writeln!(text, "  {:8} {}", position.san(mv), told(worth, metric));
    }
    Ok(text)
}
