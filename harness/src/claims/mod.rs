//! What four texts on chess programs claim, put to the test.
//!
//! Every claim a program can check has one small experiment here: on synthetic trees (`tree`, `drivers`) where it is about
//! trees, on the engine's own search with its switches set (`chess`) where it is about chess. Experiments count nodes and
//! positions, never seconds, so they give the same figures on every machine. The caller is the command line.

mod chess;
mod drivers;
mod numbers;
mod search;
mod tree;
mod trees;

use serde::Serialize;

use crate::cancel::Cancel;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// What they are.
    pub title: String,
    /// By column.
    pub header: Vec<&'static str>,
    /// By row.
    pub rows: Vec<Vec<String>>,
}

/// What came of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize)]
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

/// A claim with what came of its experiment, as a run keeps it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checked {
    /// Of the claim.
    pub id: &'static str,
    /// Where it stands.
    pub texts: &'static [Text],
    /// What it says.
    pub gist: &'static str,
    /// What was found.
    pub finding: Finding,
}

/// All claims, in order.
pub fn claims() -> impl Iterator<Item = &'static Claim> {
    numbers::CLAIMS.iter().chain(trees::CLAIMS).chain(search::CLAIMS)
}

/// Checks some claims one after the other; `begin` hears which is next. Returns those that were done before a stop.
pub fn check(
    wanted: &[&'static Claim],
    effort: Effort,
    cancel: &Cancel,
    mut begin: impl FnMut(&Claim),
) -> Vec<Checked> {
    let next = wanted.iter().take_while(|_| !cancel.is_cancelled());
    next.map(|claim| {
        begin(claim);
        Checked { id: claim.id, texts: claim.texts, gist: claim.gist, finding: (claim.experiment)(effort) }
    })
    .collect()
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
        let run = || check(&some, Effort::Quick, &Cancel::new(), |_| {});
        let found = run();
        assert_eq!(found, run());
        let verdicts: Vec<Verdict> = found.iter().map(|checked| checked.finding.verdict).collect();
        // Worst first is not enough to have no cutoff at all: deep ones remain.
        assert_eq!(verdicts, [&[Verdict::Depends][..], &[Verdict::Confirmed; 3]].concat(), "{found:?}");
    }

    #[test]
    fn a_stop_leaves_the_rest_out() {
        let all: Vec<&Claim> = claims().collect();
        let cancel = Cancel::new();
        cancel.cancel();
        assert_eq!(check(&all, Effort::Quick, &cancel, |_| {}), []);
    }
}
