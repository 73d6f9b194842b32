//! Experiments that test the claims of four texts on chess programs.
//!
//! Every testable claim has one small experiment: on synthetic trees (`tree`, `drivers`), on the
//! engine's search with switches set (`chess`), on games from books (`books`), or on whole endgames
//! (`tables`). Experiments count nodes and positions and never measure time, so their figures are
//! the same on every machine. The caller is the command line.

pub(crate) mod command;
mod report;
mod run;

pub use report::claims_report;
pub use run::{ClaimsRequest, ClaimsRun, ClaimsState};

mod book_games;
mod books;
mod chess;
mod counting;
mod drivers;
mod mates;
mod numbers;
mod search;
mod self_play;
mod tables;
mod tree;
mod trees;
mod zugzwang;

use serde::{Deserialize, Serialize};
use stretto::bench::{Bench, BenchError};
use stretto::types::Depth;

use crate::run::Entry;

/// Depth of the bench that identifies the engine build.
const SIGNATURE_DEPTH: Depth = Depth(6);

/// The source text of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Text {
    /// "Chess Tree Search", an overview of search algorithms.
    TreeSearch,
    /// G. Owen, "Search Algorithms and Game Playing" (1997).
    Owen,
    /// "Tree Searching", on the engine Otter.
    Otter,
    /// An overview of opening books and endgame tables.
    BooksAndTables,
}

impl Text {
    /// Returns the short title used in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TreeSearch => "Chess Tree Search",
            Self::Owen => "Owen 1997",
            Self::Otter => "Otter",
            Self::BooksAndTables => "Books and tables",
        }
    }
}

/// The result of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The claim holds.
    Confirmed,
    /// The claim does not hold.
    Refuted,
    /// The claim holds under some conditions, described by the measurement.
    Depends,
}

impl Verdict {
    /// Returns the verdict in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::Depends => "depends",
        }
    }

    /// Returns the verdict of a claim that holds or not.
    const fn of(holds: bool) -> Self {
        if holds { Self::Confirmed } else { Self::Refuted }
    }
}

/// The amount of work of an experiment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Seconds: few positions, low depth, rough figures.
    Quick,
    /// Minutes per experiment.
    #[default]
    Full,
}

impl Effort {
    /// Returns the argument for this effort.
    pub(crate) const fn pick<T: Copy>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

/// A table of detailed figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Caption of the table.
    pub title: String,
    /// Column titles.
    pub header: Vec<String>,
    /// Cells by row.
    pub rows: Vec<Vec<String>>,
}

/// The outcome of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Summary in one sentence.
    pub measured: String,
    /// Verdict on the claim.
    pub verdict: Verdict,
    /// Detailed figures.
    pub figures: Vec<Figures>,
}

impl Finding {
    fn new(verdict: Verdict, measured: impl Into<String>) -> Self {
        Self { measured: measured.into(), verdict, figures: Vec::new() }
    }

    fn with(mut self, title: impl Into<String>, header: Vec<&'static str>, rows: Vec<Vec<String>>) -> Self {
        let header = header.into_iter().map(str::to_owned).collect();
        self.figures.push(Figures { title: title.into(), header, rows });
        self
    }
}

/// A claim and its experiment.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Identifier: a letter and a number.
    pub id: &'static str,
    /// Texts that make the claim.
    pub texts: &'static [Text],
    /// Statement of the claim.
    pub statement: &'static str,
    experiment: fn(Effort) -> Finding,
}

/// Version of [`Checked`], increased when an older harness could misread it.
pub const CLAIM_VERSION: u32 = 1;

/// A claim with the finding of its experiment, as a line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// Format version; see [`CLAIM_VERSION`].
    pub v: u32,
    /// Number of the claim in the run, from 0.
    pub index: u64,
    /// Identifier of the claim.
    pub id: String,
    /// Texts that make the claim.
    pub texts: Vec<String>,
    /// Statement of the claim.
    #[serde(alias = "gist")]
    pub statement: String,
    /// Outcome of the experiment.
    pub finding: Finding,
}

impl Entry for Checked {
    fn number(&self) -> u64 {
        self.index
    }

    fn check(&self) -> Result<(), String> {
        if self.v == CLAIM_VERSION {
            return Ok(());
        }
        Err(format!("record version {}, expected {CLAIM_VERSION}", self.v))
    }
}

impl Claim {
    /// Runs the experiment as number `index` of a run.
    fn examine(&self, index: usize, effort: Effort) -> Checked {
        Checked {
            v: CLAIM_VERSION,
            index: index as u64,
            id: self.id.to_owned(),
            texts: self.texts.iter().map(|text| text.name().to_owned()).collect(),
            statement: self.statement.to_owned(),
            finding: (self.experiment)(effort),
        }
    }
}

/// All claims, in order.
pub fn claims() -> impl Iterator<Item = &'static Claim> {
    let lists = [
        numbers::CLAIMS,
        counting::CLAIMS,
        trees::CLAIMS,
        search::CLAIMS,
        zugzwang::CLAIMS,
        mates::CLAIMS,
        books::CLAIMS,
        tables::CLAIMS,
    ];
    lists.into_iter().flatten()
}

/// Nodes of a short bench: what tells this engine from another.
pub fn engine_signature() -> Result<u64, BenchError> {
    let bench = Bench { depth: SIGNATURE_DEPTH, ..Bench::default() };
    Ok(bench.run(|_, _, _| {})?.nodes.0)
}

/// Returns the arithmetic mean.
fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / f64::max(count, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claim_identifiers_are_unique() {
        let ids: Vec<&str> = claims().map(|claim| claim.id).collect();
        let unique: std::collections::HashSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), unique.len(), "{ids:?}");
        assert!(claims().all(|claim| !claim.texts.is_empty() && !claim.statement.is_empty()));
    }

    #[test]
    fn experiments_are_reproducible() {
        let some: Vec<&Claim> =
            claims().filter(|claim| ["N5", "N6", "N9", "N10"].contains(&claim.id)).collect();
        assert_eq!(some.len(), 4);
        let run = || some.iter().map(|claim| claim.examine(0, Effort::Quick)).collect::<Vec<_>>();
        let found = run();
        assert_eq!(found, run());
        let verdicts: Vec<Verdict> = found.iter().map(|checked| checked.finding.verdict).collect();
        // Worst-first order alone does not prevent all cutoffs: deep cutoffs remain.
        assert_eq!(verdicts, [&[Verdict::Depends][..], &[Verdict::Confirmed; 3]].concat(), "{found:?}");
    }
}
