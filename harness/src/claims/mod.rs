//! What four texts on chess programs claim, put to the test.
//!
//! Every claim a program can check has one small experiment here: on synthetic trees (`tree`, `drivers`) where it is about
//! trees, on the engine's own search with its switches set (`chess`) where it is about chess, on games from books
//! (`books`), on whole endgames (`tables`). Experiments count nodes and positions, never seconds, so they give the same
//! figures on every machine. The caller is the command line.

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

use crate::cancel::Cancel;
use crate::store::{Entry, Journal, RunFolder, StoreError};

/// The depth of the searches that tell one engine from another.
const SIGNATURE_DEPTH: Depth = Depth(6);

/// The texts the claims are from.
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
    /// How it is called in a table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TreeSearch => "Chess Tree Search",
            Self::Owen => "Owen 1997",
            Self::Otter => "Otter",
            Self::BooksAndTables => "Books and tables",
        }
    }
}

/// What an experiment says of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds.
    Confirmed,
    /// It does not.
    Refuted,
    /// Sometimes; what was measured says when.
    Depends,
}

impl Verdict {
    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::Depends => "depends",
        }
    }

    /// Holds or not.
    const fn of(holds: bool) -> Self {
        if holds { Self::Confirmed } else { Self::Refuted }
    }
}

/// How much work an experiment may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Seconds: few positions, little depth. The figures are rough.
    Quick,
    /// Minutes.
    #[default]
    Full,
}

impl Effort {
    /// One or the other.
    pub(crate) const fn pick<T: Copy>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

/// Figures behind a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// What they are.
    pub title: String,
    /// By column.
    pub header: Vec<String>,
    /// By row.
    pub rows: Vec<Vec<String>>,
}

/// What came of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// In a sentence.
    pub measured: String,
    /// What follows.
    pub verdict: Verdict,
    /// The details.
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
    /// A letter and a number.
    pub id: &'static str,
    /// Where it stands.
    pub texts: &'static [Text],
    /// What it says.
    pub gist: &'static str,
    experiment: fn(Effort) -> Finding,
}

/// The format of [`Checked`]; raised when an older harness could misread it.
pub const CLAIM_VERSION: u32 = 1;

/// A claim with what came of its experiment, as a line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// See [`CLAIM_VERSION`].
    pub v: u32,
    /// Number of the claim in the run, from 0.
    pub index: u64,
    /// Of the claim.
    pub id: String,
    /// Where it stands.
    pub texts: Vec<String>,
    /// What it says.
    pub gist: String,
    /// What was found.
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
    /// Does its experiment, as number `index` of a run.
    fn examine(&self, index: usize, effort: Effort) -> Checked {
        Checked {
            v: CLAIM_VERSION,
            index: index as u64,
            id: self.id.to_owned(),
            texts: self.texts.iter().map(|text| text.name().to_owned()).collect(),
            gist: self.gist.to_owned(),
            finding: (self.experiment)(effort),
        }
    }
}

/// The open files of a run, with what is already in them.
#[derive(Debug)]
pub struct Records {
    journal: Journal<Checked>,
    /// The claims checked so far.
    pub done: Vec<Checked>,
}

impl Records {
    /// Opens the journal of `folder`; what it holds must be findings about `wanted`.
    pub fn open(folder: &RunFolder, wanted: &[&Claim]) -> Result<Self, StoreError> {
        let path = folder.journal();
        let mut done: Vec<Checked> = Vec::new();
        let (journal, _) = Journal::open(&path, |checked: Checked| {
            if wanted.get(checked.index as usize).is_none_or(|claim| claim.id != checked.id) {
                let what = format!("claim {} is none of this run", checked.id);
                return Err(StoreError::Damaged { path: path.clone(), line: done.len() + 1, what });
            }
            done.push(checked);
            Ok(())
        })?;
        Ok(Self { journal, done })
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

/// Checks those of the claims that have not been yet, one after the other, until all are or a stop is asked for; `begin`
/// hears which is next. Each finding is on disk before the next claim is begun.
pub fn check(
    wanted: &[&'static Claim],
    effort: Effort,
    records: &mut Records,
    cancel: &Cancel,
    mut begin: impl FnMut(&Claim),
) -> Result<(), StoreError> {
    for (index, claim) in wanted.iter().enumerate() {
        if cancel.is_cancelled() {
            break;
        }
        if records.done.iter().any(|checked| checked.id == claim.id) {
            continue;
        }
        begin(claim);
        let checked = claim.examine(index, effort);
        records.journal.append(&checked)?;
        records.journal.sync()?;
        records.done.push(checked);
    }
    records.done.sort_by_key(|checked| checked.index);
    Ok(())
}

/// Nodes of a short bench: what tells this engine from another.
pub fn engine_signature() -> Result<u64, BenchError> {
    let bench = Bench { depth: SIGNATURE_DEPTH, ..Bench::default() };
    Ok(bench.run(|_, _, _| {})?.nodes.0)
}

/// The mean of some numbers.
fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / f64::max(count, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_have_names_of_their_own() {
        let ids: Vec<&str> = claims().map(|claim| claim.id).collect();
        let unique: std::collections::HashSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), unique.len(), "{ids:?}");
        assert!(claims().all(|claim| !claim.texts.is_empty() && !claim.gist.is_empty()));
    }

    #[test]
    fn experiments_repeat_themselves() {
        let some: Vec<&Claim> =
            claims().filter(|claim| ["N5", "N6", "N9", "N10"].contains(&claim.id)).collect();
        assert_eq!(some.len(), 4);
        let run = || some.iter().map(|claim| claim.examine(0, Effort::Quick)).collect::<Vec<_>>();
        let found = run();
        assert_eq!(found, run());
        let verdicts: Vec<Verdict> = found.iter().map(|checked| checked.finding.verdict).collect();
        // Worst first is not enough to have no cutoff at all: deep ones remain.
        assert_eq!(verdicts, [&[Verdict::Depends][..], &[Verdict::Confirmed; 3]].concat(), "{found:?}");
    }

    #[test]
    fn a_stop_leaves_the_rest_for_later() {
        let some: Vec<&Claim> = claims().filter(|claim| ["N1", "N3"].contains(&claim.id)).collect();
        let dir = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(&dir.path().join("run")).unwrap();
        let cancel = Cancel::new();
        let mut records = Records::open(&folder, &some).unwrap();
        check(&some, Effort::Quick, &mut records, &cancel, |_| cancel.cancel()).unwrap();
        assert_eq!(records.done.len(), 1);
        drop(records);
        let mut records = Records::open(&folder, &some).unwrap();
        let mut begun = Vec::new();
        let go_on = Cancel::new();
        check(&some, Effort::Quick, &mut records, &go_on, |claim| begun.push(claim.id)).unwrap();
        let ids: Vec<&str> = records.done.iter().map(|checked| checked.id.as_str()).collect();
        assert_eq!((begun, ids), (vec!["N3"], vec!["N1", "N3"]));
        assert!(Records::open(&folder, &some[1..]).is_err(), "another run");
    }
}
