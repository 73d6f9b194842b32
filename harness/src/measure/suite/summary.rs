//! Summary of a suite run, computed from its position records alone: `summary.json` and the report.
//!
//! Intervals of the share solved are Wilson score intervals.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde::Serialize;

use super::mate::{MateClaim, Relation, Verification};
use super::record::PositionRecord;
use super::{Suite, SuiteConfig, Task, Warning};
use crate::base::wording::counted;
use crate::play::limit_check::LimitViolation;
use crate::run::RunState;
use stretto_stats::mean::known_mean;
use stretto_stats::proportion::wilson;
use stretto_stats::units::Share;

/// The format of a suite's `summary.json`.
pub(crate) const SUITE_SUMMARY_VERSION: u32 = 2;
/// Largest number of unusable lines listed in the report.
const WARNINGS_SHOWN: usize = 10;

/// Points of the moves played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Points {
    /// Points of the moves found.
    pub won: u64,
    /// Maximum number of points.
    pub max: u64,
}

/// Counts of known and claimed mates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct MateCounts {
    /// Positions whose mate is known.
    pub known: u64,
    /// Claims, of known mates and others.
    pub claimed: u64,
    /// Verified by the line that came with the claim.
    pub replayed: u64,
    /// Verified by playing on after a truncated line.
    pub played_on: u64,
    /// Claims that were not verified.
    pub unverified: u64,
    /// Verified, with the known length.
    pub exact: u64,
    /// Verified, longer than the known length.
    pub longer: u64,
    /// Shorter than known, verified or not.
    pub shorter: u64,
}

/// Mean effort to the solution, over the positions solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Effort {
    /// Mean depth. Units: plies.
    pub depth: Option<f64>,
    /// Mean nodes, if the engine reports them.
    pub nodes: Option<f64>,
    /// Mean time. Units: milliseconds.
    pub time_ms: Option<f64>,
}

/// The score of a file, a theme, or everything.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Row {
    /// Name of the file or theme.
    pub name: String,
    /// Number of positions searched.
    pub positions: u64,
    /// Number of positions solved.
    pub solved: u64,
    /// Share of positions solved; `None` without positions.
    pub share: Option<Share>,
    /// Its 95 % confidence interval (Wilson).
    pub interval: Option<(Share, Share)>,
    /// Points, if moves have points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Points>,
    /// Depth, nodes and time to the solution.
    pub to_solution: Effort,
    /// Mean time of a search. Units: milliseconds.
    pub mean_time_ms: Option<f64>,
    /// Counts of mates, if any are known or claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mates: Option<MateCounts>,
    /// Positions on which the engine failed, by kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub faults: BTreeMap<&'static str, u64>,
}

impl Row {
    /// Returns the solved positions, their share with its interval, points, and the effort in depth, nodes and
    /// milliseconds. Absent figures are `-`.
    pub(super) fn cells(&self) -> [String; 7] {
        let number = |value: Option<f64>, digits: usize| value.map(|value| format!("{value:.digits$}"));
        let effort = self.to_solution;
        let cells = [
            Some(format!("{}/{}", self.solved, self.positions)),
            self.share.map(percent),
            self.interval.map(|(low, high)| format!("{} to {}", percent(low), percent(high))),
            self.points.map(|points| format!("{}/{}", points.won, points.max)),
            number(effort.depth, 1),
            number(effort.nodes, 0),
            number(effort.time_ms, 0),
        ];
        cells.map(|cell| cell.unwrap_or_else(|| "-".to_owned()))
    }
}

/// Formats a share in percent, without the sign.
pub(super) fn percent(share: Share) -> String {
    format!("{:.1}", 100.0 * share.0)
}

/// A file and its themes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct FileSummary {
    /// The file as a whole.
    #[serde(flatten)]
    pub row: Row,
    /// Themes by the common part of ids, in the order of the file; empty if there is only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub themes: Vec<Row>,
}

/// A claimed mate that is unverified or shorter than the known one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Claim {
    /// Name of the EPD file.
    pub file: String,
    /// Line number in the file, from 1.
    pub line: usize,
    /// The EPD's `id`, or `line N`.
    pub id: String,
    /// Position in FEN notation.
    pub fen: String,
    /// Moves to mate, as claimed.
    pub claimed: i32,
    /// Expected answer, such as `dm 4`.
    pub expected: String,
    /// Reason why the claim is listed.
    #[serde(rename = "reason")]
    pub why: String,
}

/// The content of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SuiteSummary {
    /// Format version: [`SUITE_SUMMARY_VERSION`] when written.
    pub v: u32,
    /// The state of the run.
    pub state: RunState,
    /// The engine's name in the run.
    pub engine: String,
    /// Name of the engine by `id name`.
    pub id_name: String,
    /// Limit of each search, as text.
    pub limit: String,
    /// Number of positions of the suite, searched or not.
    pub all: u64,
    /// Total over all files.
    pub total: Row,
    /// Results of each file.
    pub files: Vec<FileSummary>,
    /// Claimed mates that were not verified.
    pub unverified: Vec<Claim>,
    /// Claimed mates shorter than the shortest known.
    pub shorter: Vec<Claim>,
    /// Skipped lines and ignored operations.
    pub warnings: Vec<Warning>,
    /// The engine, if it ignores its limit of nodes or time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limit_violations: Vec<LimitViolation>,
}

/// A position with its record, once it is searched.
type Searched<'a> = (&'a Task, Option<&'a PositionRecord>);

/// Returns the positions in the order of the suite.
fn searched<'a>(suite: &'a Suite, done: &'a [PositionRecord]) -> Vec<Searched<'a>> {
    let mut searched: Vec<Searched<'_>> = suite.tasks.iter().map(|task| (task, None)).collect();
    for record in done {
        searched[record.index as usize].1 = Some(record);
    }
    searched
}

/// Returns the total of the positions so far.
pub(super) fn total(suite: &Suite, done: &[PositionRecord]) -> Row {
    row("all", &searched(suite, done))
}

/// Returns the score of the searched ones of these positions.
fn row(name: &str, searched: &[Searched<'_>]) -> Row {
    let records: Vec<&PositionRecord> = searched.iter().filter_map(|(_, record)| *record).collect();
    let sum = |of: fn(&PositionRecord) -> Option<u32>| -> u64 {
        records.iter().filter_map(|record| of(record)).map(u64::from).sum()
    };
    let solutions = || records.iter().filter_map(|record| record.solution);
    let times = records.iter().filter(|record| record.fault.is_none()).map(|record| record.time_us as f64);
    let mut faults = BTreeMap::new();
    for fault in records.iter().filter_map(|record| record.fault.as_ref()) {
        *faults.entry(fault.kind.name()).or_default() += 1;
    }
    let mut mates = MateCounts::default();
    for searched in searched {
        mates.add(searched);
    }
    let (positions, solved) = (records.len() as u64, sum(|record| Some(record.solved.into())));
    let points = Points { won: sum(|record| record.points), max: sum(|record| record.max_points) };
    Row {
        name: name.to_owned(),
        positions,
        solved,
        share: (positions > 0).then(|| Share(solved as f64 / positions as f64)),
        interval: wilson(solved, positions),
        points: records.iter().any(|record| record.max_points.is_some()).then_some(points),
        to_solution: Effort {
            depth: known_mean(solutions().filter_map(|solution| solution.depth.map(f64::from))),
            nodes: known_mean(solutions().filter_map(|solution| Some(solution.nodes? as f64))),
            time_ms: known_mean(solutions().map(|solution| solution.time_ms as f64)),
        },
        mean_time_ms: known_mean(times).map(|time| time / 1000.0),
        mates: (mates != MateCounts::default()).then_some(mates),
        faults,
    }
}

impl MateCounts {
    fn add(&mut self, (task, record): &Searched<'_>) {
        let Some(record) = record else { return };
        self.known += u64::from(task.expectation.mate.is_some());
        let Some(claim) = &record.mate else { return };
        self.claimed += 1;
        let is_verified = claim.is_verified();
        match claim.verification {
            _ if !is_verified => self.unverified += 1,
            Verification::PlayedOn { .. } => self.played_on += 1,
            Verification::Replayed | Verification::Failed { .. } => self.replayed += 1,
        }
        match claim.relation {
            Some(Relation::Exact) if is_verified => self.exact += 1,
            Some(Relation::Longer) if is_verified => self.longer += 1,
            Some(Relation::Shorter) => self.shorter += 1,
            _ => {}
        }
    }
}

/// Returns the score of the positions of one file. Its themes are in the order of their first lines.
fn file_summary(name: &str, searched: &[Searched<'_>]) -> FileSummary {
    let mut themes: BTreeMap<&str, Vec<Searched<'_>>> = BTreeMap::new();
    for &(task, record) in searched {
        themes.entry(task.theme().unwrap_or("(other)")).or_default().push((task, record));
    }
    let has_themes = themes.len() > 1;
    let mut themes: Vec<(&str, Vec<Searched<'_>>)> = themes.into_iter().filter(|_| has_themes).collect();
    themes.sort_by_key(|(_, searched)| searched[0].0.line);
    let themes = themes.iter().map(|(name, searched)| row(name, searched)).collect();
    FileSummary { row: row(name, searched), themes }
}

/// Returns the claims for which `why` has a reason to list them.
fn claims(searched: &[Searched<'_>], why: fn(&MateClaim) -> Option<&str>) -> Vec<Claim> {
    let listed = |(_, record): &Searched<'_>| {
        let record = (*record)?;
        let claim = record.mate.as_ref()?;
        Some(Claim {
            why: why(claim)?.to_owned(),
            file: record.file.clone(),
            line: record.line,
            id: record.id.clone(),
            fen: record.fen.clone(),
            claimed: claim.moves,
            expected: record.expected.clone(),
        })
    };
    searched.iter().filter_map(listed).collect()
}

/// Returns the verification of a claim that is shorter than the known mate.
fn shorter(claim: &MateClaim) -> Option<&str> {
    (claim.relation == Some(Relation::Shorter)).then_some(match claim.verification {
        _ if !claim.is_verified() => "not verified",
        Verification::PlayedOn { .. } => "verified by playing on",
        Verification::Replayed | Verification::Failed { .. } => "verified by its line",
    })
}

/// Returns the summary of the positions so far, without the engine's `id name` and violations of its limit.
pub(super) fn summarize(
    config: &SuiteConfig,
    suite: &Suite,
    done: &[PositionRecord],
    state: RunState,
) -> SuiteSummary {
    let searched = searched(suite, done);
    let files = searched.chunk_by(|(one, _), (next, _)| one.file == next.file);
    SuiteSummary {
        v: SUITE_SUMMARY_VERSION,
        state,
        engine: config.engine.name.clone(),
        id_name: String::new(),
        limit: config.engine.limits.to_string(),
        all: suite.tasks.len() as u64,
        total: row("all", &searched),
        files: files.map(|of_file| file_summary(&suite.files[of_file[0].0.file], of_file)).collect(),
        unverified: claims(&searched, MateClaim::failure),
        shorter: claims(&searched, shorter),
        warnings: suite.warnings.clone(),
        limit_violations: Vec::new(),
    }
}

impl SuiteSummary {
    /// Returns the number of unverified claims and engine failures; `--strict` fails if it is not 0.
    pub(crate) fn failures(&self) -> u64 {
        self.unverified.len() as u64 + self.total.faults.values().sum::<u64>()
    }

    /// Formats the report printed at the end of a run.
    pub(crate) fn report(&self) -> String {
        let mut text = String::new();
        let name = if self.id_name.is_empty() {
            self.engine.clone()
        } else {
            format!("{} ({})", self.engine, self.id_name)
        };
        let _ = writeln!(text, "{name}, {}: {} of {} positions", self.limit, self.total.positions, self.all);
        self.report_table(&mut text);
        text.extend(self.mates_text().map(|line| line + "\n"));
        self.report_claims(&mut text);
        for (kind, count) in &self.total.faults {
            let _ = writeln!(text, "{kind}: {count} positions, counted as unsolved");
        }
        text.extend(self.skipped_text().map(|line| line + "\n"));
        text
    }

    /// Returns the rows of files and their themes, then the total if there are several files. The flag
    /// marks themes.
    pub(super) fn rows(&self) -> Vec<(&Row, bool)> {
        let mut rows: Vec<(&Row, bool)> = Vec::new();
        for file in &self.files {
            rows.push((&file.row, false));
            rows.extend(file.themes.iter().map(|theme| (theme, true)));
        }
        if self.files.len() > 1 {
            rows.push((&self.total, false));
        }
        rows
    }

    fn report_table(&self, text: &mut String) {
        let rows = self.rows().into_iter().map(|(row, is_theme)| {
            (if is_theme { format!("  {}", row.name) } else { row.name.clone() }, row.cells())
        });
        let header = ["solved", "%", "95 %", "points", "depth", "nodes", "ms"].map(str::to_owned);
        let rows: Vec<(String, [String; 7])> = std::iter::once((String::new(), header)).chain(rows).collect();
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, [solved, share, interval, points, depth, nodes, ms]) in rows {
            let points = self.total.points.map_or_else(String::new, |_| format!("{points:>13}"));
            let _ = writeln!(
                text,
                "{name:width$} {solved:>11} {share:>7} {interval:>15}{points} {depth:>8} {nodes:>12} {ms:>9}"
            );
        }
        text.push_str(
            "depth, nodes and ms: means until the answer was right and stayed so, over solved positions\n",
        );
    }

    /// Describes claimed and known mates.
    pub(super) fn mates_text(&self) -> Option<String> {
        let mates = self.total.mates?;
        let verified = mates.replayed + mates.played_on;
        let mut text = format!(
            "mates: {} claimed, {verified} verified ({} by their line, {} by playing on), {} not",
            mates.claimed, mates.replayed, mates.played_on, mates.unverified
        );
        if mates.known > 0 {
            let _ = write!(
                text,
                "; of {} known: {} verified at their exact length, {} longer",
                mates.known, mates.exact, mates.longer
            );
        }
        Some(text)
    }

    /// Returns the number of lines of the suite that cannot be scored, in words; `None` without any.
    pub(super) fn skipped_text(&self) -> Option<String> {
        // A line may have several problems.
        let left_out = self.warnings.iter().filter(|warning| warning.is_skipped);
        let lines: BTreeSet<(&str, usize)> =
            left_out.map(|warning| (warning.file.as_str(), warning.line)).collect();
        let lines = (!lines.is_empty()).then(|| counted(lines.len(), "line"))?;
        Some(format!("skipped: {lines} that cannot be scored, listed in summary.json"))
    }

    fn report_claims(&self, text: &mut String) {
        for (head, claims) in
            [("not verified", &self.unverified), ("shorter than the shortest known", &self.shorter)]
        {
            if !claims.is_empty() {
                let _ = writeln!(text, "{head}:");
            }
            for Claim { file, line, id, fen, claimed, expected, why } in claims {
                let _ = writeln!(text, "  {file}:{line} {id} ({expected}): mate {claimed}: {why}\n    {fen}");
            }
        }
    }
}

/// Formats the first unusable lines of a suite and the number of further ones.
pub(crate) fn warning_lines(warnings: &[Warning]) -> Vec<String> {
    let mut lines: Vec<String> = warnings
        .iter()
        .take(WARNINGS_SHOWN)
        .map(|Warning { file, line, message, is_skipped }| {
            let rest = if *is_skipped { "" } else { " (the rest of the line is used)" };
            format!("{file}:{line}: {message}{rest}")
        })
        .collect();
    if warnings.len() > WARNINGS_SHOWN {
        lines.push(format!("and {} more", warnings.len() - WARNINGS_SHOWN));
    }
    lines
}
