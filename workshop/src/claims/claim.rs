//! A claim, its experiment and the finding.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use stretto_harness::base::wording::grouped;
use stretto_harness::run::{Entry, check_version};
pub(super) use stretto_stats::mean::mean;
use stretto_stats::mean::mean_and_half_at;

/// Half-width below which an interval is a rounding error: all values are equal.
const DEGENERATE: f64 = 1e-9;

/// Formats a value with the half-width of its interval, such as `1.54 ± 0.06`. An unbounded interval
/// and one without width are left out: there are too few different values to estimate it.
pub(super) fn plus_minus(value: f64, half: f64, digits: usize) -> String {
    if half.is_finite() && half > DEGENERATE {
        format!("{value:.digits$} ± {half:.digits$}")
    } else {
        format!("{value:.digits$}")
    }
}

/// Returns the mean and the half-width of its 95 % interval. It is infinite with fewer than two values:
/// they confirm and refute nothing.
pub(super) fn mean_and_half(values: &[f64]) -> (f64, f64) {
    mean_and_half_of_family(values, 1)
}

/// Returns a mean with the half-width of a 95 % interval that holds simultaneously with those of a
/// family (Bonferroni).
pub(super) fn mean_and_half_of_family(values: &[f64], family: usize) -> (f64, f64) {
    let (average, half) = mean_and_half_at(values, 0.05 / family.max(1) as f64);
    (average, half.unwrap_or(f64::INFINITY))
}

/// Formats a share with the half-width of its interval, such as `83.8 ± 4.7 %`. An interval that
/// includes shares below 0 or above 1 is left out too.
pub(super) fn share_plus_minus(share: f64, half: f64) -> String {
    let is_possible = share - half >= 0.0 && share + half <= 1.0;
    let half = if is_possible { half } else { f64::INFINITY };
    format!("{} %", plus_minus(100.0 * share, 100.0 * half, 1))
}

/// The source of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Text {
    /// "Chess Tree Search", an overview of search algorithms.
    TreeSearch,
    /// G. Owen, "Search Algorithms and Game Playing" (1997).
    Owen,
    /// "Tree Searching", on the engine Otter.
    Otter,
    /// An overview of opening books and endgame tables.
    BooksAndTables,
    /// None of the four: a claim of this project on their subjects.
    Ours,
}

impl Text {
    /// All sources, in the order of their declaration.
    pub(crate) const ALL: [Self; 5] =
        [Self::TreeSearch, Self::Owen, Self::Otter, Self::BooksAndTables, Self::Ours];

    /// Returns the full title.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::TreeSearch => "\"Chess Tree Search\", an overview of search algorithms",
            Self::Owen => {
                "Graham Owen, \"Search Algorithms and Game Playing: A general discussion on the minimax and alpha-beta search \
                 procedures and their application in computer programs that play chess\", April 1997"
            }
            Self::Otter => "\"Tree Searching\", on the search of the engine Otter, 22 June 2024",
            Self::BooksAndTables => {
                "an overview of opening books and endgame tables without a title, on the web"
            }
            Self::Ours => "none of the four texts: a claim of this project on their subjects",
        }
    }

    /// Returns the short title used in tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::TreeSearch => "Chess Tree Search",
            Self::Owen => "Owen 1997",
            Self::Otter => "Otter",
            Self::BooksAndTables => "Books and tables",
            Self::Ours => "ours",
        }
    }
}

/// The result of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// The data show that the claim holds.
    Confirmed,
    /// The claim does not hold.
    Refuted,
    /// The claim holds under some of the measured conditions, or in part.
    Depends,
    /// The claim follows from its own constants, the rules, a definition or a proof: nothing was
    /// measured.
    Arithmetic,
    /// The data do not decide.
    #[serde(rename = "not decided")]
    Undecided,
}

impl Verdict {
    /// Returns the verdict in lower case.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::Depends => "depends",
            Self::Arithmetic => "arithmetic",
            Self::Undecided => "not decided",
        }
    }

    /// Returns the verdict of a claim that holds or not.
    pub(super) const fn of(holds: bool) -> Self {
        if holds { Self::Confirmed } else { Self::Refuted }
    }
}

/// The amount of work of an experiment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Effort {
    /// At most seconds per experiment; rough figures. Only experiments that are the same at full effort are
    /// decided.
    Quick,
    /// Seconds to minutes per experiment; about 30 minutes of CPU time for all.
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
pub(crate) struct Figures {
    /// Caption of the table.
    pub title: String,
    pub header: Vec<String>,
    /// Cells by row, as many as the header has.
    pub rows: Vec<Vec<String>>,
}

/// Returns a text with commas in its whole numbers of five digits and more.
fn with_grouped_numbers(text: &str) -> String {
    let is_of_number = |c: char| c.is_ascii_alphanumeric() || ".,^".contains(c);
    let mut grouped_text = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_of_number) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !is_of_number(c)).unwrap_or(from.len()));
        let number = word.trim_end_matches(['.', ',']);
        grouped_text.push_str(before);
        match number.parse::<u64>() {
            Ok(value) if number.len() >= 5 => grouped_text.push_str(&grouped(value)),
            _ => grouped_text.push_str(number),
        }
        grouped_text.push_str(&word[number.len()..]);
        rest = after;
    }
    grouped_text + rest
}

/// The outcome of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finding {
    /// Summary in one sentence.
    pub measured: String,
    /// Verdict on the claim.
    pub verdict: Verdict,
    /// The tables behind the summary; none for most claims.
    pub figures: Vec<Figures>,
}

impl Finding {
    pub(super) fn new(verdict: Verdict, measured: impl Into<String>) -> Self {
        Self { measured: with_grouped_numbers(&measured.into()), verdict, figures: Vec::new() }
    }

    /// Returns the finding of an experiment that could not be made.
    pub(super) fn undecided(reason: impl Into<String>) -> Self {
        Self::new(Verdict::Undecided, reason)
    }

    /// Returns the finding of an experiment without memory for its searches.
    pub(super) fn no_memory() -> Self {
        Self::undecided("no memory for a search")
    }

    pub(super) fn with(
        mut self,
        title: impl Into<String>,
        header: Vec<&'static str>,
        rows: Vec<Vec<String>>,
    ) -> Self {
        let header = header.into_iter().map(str::to_owned).collect();
        self.figures.push(Figures { title: title.into(), header, rows });
        self
    }
}

/// A claim and its experiment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    /// Identifier: the letter of the subject, a number, and a small letter where two claims
    /// share the number, such as `N16c`.
    pub id: &'static str,
    /// Texts that make the claim.
    pub texts: &'static [Text],
    /// Statement of the claim.
    pub statement: &'static str,
    pub(super) experiment: Experiment,
}

/// Builds a table of claims: identifier, texts, statement, and kind and function of the experiment.
macro_rules! claims {
    ($($id:ident [$($text:ident),+] $statement:literal $kind:ident($experiment:expr);)+) => {
        &[$($crate::claims::claim::Claim {
            id: stringify!($id),
            texts: &[$($crate::claims::claim::Text::$text),+],
            statement: $statement,
            experiment: $crate::claims::claim::Experiment::$kind($experiment),
        }),+]
    };
}
pub(super) use claims;

/// The experiment of a claim.
#[derive(Clone, Copy, Debug)]
pub(super) enum Experiment {
    /// None. The text is the figure that a calculation gives, or the definition, rule or proof that
    /// the claim follows from.
    Arithmetic(&'static str),
    /// The same at every effort.
    Whole(fn() -> Finding),
    /// Smaller at quick effort. It then shows figures and decides nothing, because a smaller
    /// experiment may have another verdict.
    Sized(fn(Effort) -> Finding),
    /// Like `Sized`, but measures time, so that its figures differ from run to run and from machine
    /// to machine. Its verdict comes from the intervals of repeated, alternated runs.
    Timed(fn(Effort) -> Finding),
}

impl Experiment {
    /// Runs the experiment; at quick effort, a smaller one decides nothing.
    pub(super) fn run(self, effort: Effort) -> Finding {
        match (self, effort) {
            (Self::Arithmetic(text), _) => Finding::new(Verdict::Arithmetic, text),
            (Self::Whole(experiment), _) => experiment(),
            (Self::Sized(experiment) | Self::Timed(experiment), Effort::Full) => experiment(effort),
            (Self::Sized(experiment) | Self::Timed(experiment), Effort::Quick) => {
                Finding { verdict: Verdict::Undecided, ..experiment(effort) }
            }
        }
    }
}

/// Version of [`CheckedClaim`], increased when an older harness could misread it.
pub(crate) const CLAIM_VERSION: u32 = 1;

/// A claim with the finding of its experiment, as a line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CheckedClaim {
    /// Format version; see [`CLAIM_VERSION`].
    pub v: u32,
    /// Number of the claim in the run, from 0.
    pub index: u64,
    /// Identifier of the claim.
    pub id: String,
    /// Texts that make the claim.
    pub texts: Vec<String>,
    /// Statement of the claim.
    pub statement: String,
    /// Outcome of the experiment.
    pub finding: Finding,
}

impl Entry for CheckedClaim {
    fn number(&self) -> u64 {
        self.index
    }

    fn check(&self) -> Result<(), String> {
        check_version(self.v, CLAIM_VERSION)
    }
}

/// The subjects of the letters that identifiers begin with.
pub(super) const LETTERS: &str = "B: opening books and first moves; N: search, evaluation and numbers of positions; T: endgames and their tables.";

/// Splits an identifier into its letter, its number and the small letter after it, which order a
/// list of claims.
fn identifier_order(id: &str) -> (&str, u32, &str) {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let (letter, rest) = id.split_at(id.find(is_digit).unwrap_or(id.len()));
    let (number, suffix) = rest.split_at(rest.find(|letter| !is_digit(letter)).unwrap_or(rest.len()));
    (letter, number.parse().unwrap_or(0), suffix)
}

impl Claim {
    /// Returns the key that orders a list of claims: letter, number and small letter.
    pub(super) fn order(&self) -> (&'static str, u32, &'static str) {
        identifier_order(self.id)
    }

    /// Whether the experiment measures time.
    pub(crate) const fn is_timed(&self) -> bool {
        matches!(self.experiment, Experiment::Timed(_))
    }

    /// Whether the claim needs no experiment.
    #[cfg(test)]
    pub(super) const fn is_arithmetic(&self) -> bool {
        matches!(self.experiment, Experiment::Arithmetic(_))
    }

    /// Runs the experiment as number `index` of a run.
    pub(super) fn examine(&self, index: usize, effort: Effort) -> CheckedClaim {
        CheckedClaim {
            v: CLAIM_VERSION,
            index: index as u64,
            id: self.id.to_owned(),
            texts: self.texts.iter().map(|text| text.name().to_owned()).collect(),
            statement: self.statement.to_owned(),
            finding: self.experiment.run(effort),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stretto_stats::numeric::student_critical;

    #[test]
    fn quick_effort_decides_only_whole_experiments() {
        let confirmed = || Finding::new(Verdict::Confirmed, "a figure");
        let quick = |experiment: Experiment| experiment.run(Effort::Quick).verdict;
        assert_eq!(quick(Experiment::Whole(confirmed)), Verdict::Confirmed);
        let sized = Experiment::Sized(|_| Finding::new(Verdict::Refuted, "a figure"));
        assert_eq!(quick(sized), Verdict::Undecided);
        assert_eq!(sized.run(Effort::Full).verdict, Verdict::Refuted);
        let json = serde_json::to_string(&Verdict::Undecided).unwrap();
        assert_eq!(json, format!("\"{}\"", Verdict::Undecided.name()));
    }

    #[test]
    fn unbounded_and_degenerate_intervals_are_not_printed() {
        assert_eq!(plus_minus(1.54, 0.06, 2), "1.54 ± 0.06");
        assert_eq!(plus_minus(4.0 / 3.0, 0.0, 2), "1.33");
        assert_eq!(plus_minus(1451.0, f64::INFINITY, 0), "1451");
        assert_eq!(share_plus_minus(0.838, 0.047), "83.8 ± 4.7 %");
        assert_eq!(share_plus_minus(1.0, 0.0), "100.0 %");
        assert_eq!(share_plus_minus(0.875, 0.398), "87.5 %");
    }

    #[test]
    fn whole_numbers_of_five_digits_are_grouped() {
        for (text, expected) in [
            ("4347792138496; 12.08 hours", "4,347,792,138,496; 12.08 hours"),
            ("1500625 and 1838265625", "1,500,625 and 1,838,265,625"),
            (
                "5478 of 40,000, 0.123456 and 6.938e13, 10^12345, N16c.",
                "5478 of 40,000, 0.123456 and 6.938e13, 10^12345, N16c.",
            ),
            ("20697, 20698.", "20,697, 20,698."),
            ("", ""),
        ] {
            assert_eq!(with_grouped_numbers(text), expected);
        }
    }

    #[test]
    fn intervals_of_a_family_of_means_are_wider() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(mean_and_half_of_family(&values, 1), mean_and_half(&values));
        let (average, half) = mean_and_half_of_family(&values, 6);
        // The level is 5 % / 6 with three degrees of freedom; the standard error is sqrt(5 / 12).
        let expected = student_critical(0.05 / 6.0, 3).unwrap() * (5.0_f64 / 12.0).sqrt();
        assert!((average - 2.5).abs() < 1e-12 && (half - expected).abs() < 1e-9, "{half} {expected}");
        assert!(mean_and_half_of_family(&[1.0], 6).1.is_infinite());
    }

    #[test]
    fn identifiers_are_ordered_by_letter_number_and_suffix() {
        let mut ids = ["T2", "N24", "N16c", "B10", "N3", "N17", "B9", "N16"];
        ids.sort_by_key(|&id| identifier_order(id));
        assert_eq!(ids, ["B9", "B10", "N3", "N16", "N16c", "N17", "N24", "T2"]);
    }
}
