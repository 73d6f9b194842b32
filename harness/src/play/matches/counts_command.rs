//! `harness sprt --counts`: the statistics of a test from counts of results alone.

use std::fmt;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::base::wording::counted;
use crate::run::command::{Failure, print};
use stretto_stats::bounds::{Corrections, Sprt, Verdict};
use stretto_stats::counts::{Pentanomial, Tally, Trinomial};
use stretto_stats::elo::{Estimate, elo, los, normalized_elo};
use stretto_stats::interval::EloInterval;
use stretto_stats::llr::{Model, bayes_elo_as_logistic};
use stretto_stats::summary::{OrAbsent, SprtState, elo_text};
use stretto_stats::units::{Elo, NormalizedElo, Share};

/// Largest single count. Sums of five such counts are exact in floating point.
const MAX_COUNT: u64 = 1_000_000_000_000_000;
/// Names that match runners print before the counts of pairs.
const LABELS: [&str; 3] = ["Ptnml(0-2)", "pentanomial", "Pentanomial"];
/// Error rate of a test that states none.
const ERROR_RATE: f64 = 0.05;

/// Arguments of a calculation.
#[derive(Debug, Args)]
pub(crate) struct CountsArgs {
    /// Play nothing: compute the test from these counts of the first engine.
    ///
    /// Five counts are pairs of games, as harness, fastchess and fishtest print them (Ptnml(0-2)): LL,LD,WL+DD,WD,WW. Three
    /// counts are single games, in the order in which match runners print them: wins,losses,draws. Brackets and spaces are
    /// allowed, and the printed forms 'Ptnml(0-2): [1, 9, 52, 2, 2]' and '+47 =19 -24' can be pasted.
    #[arg(
        long,
        value_name = "COUNTS",
        requires = "elo",
        allow_hyphen_values = true,
        conflicts_with_all = [
            "config", "set", "out", "run_id", "resume", "concurrency", "from_fastchess", "print_config", "plan", "tc",
            "nodes", "depth", "movetime", "hash", "options", "threads", "openings", "games", "seed", "dev", "base", "repo",
            "build", "build_dir", "no_bench", "interval", "strict_pv"
        ]
    )]
    pub(crate) counts: Option<Counts>,
    /// Elo model of the bounds [default: normalized]; bayesian only with --counts.
    #[arg(long, value_enum, value_name = "MODEL")]
    model: Option<CountsModel>,
}

impl CountsArgs {
    /// Returns the model of a test that is played, as the configuration names it.
    ///
    /// Errors: a model of single games only.
    pub(crate) fn played_model(&self) -> Result<Option<&'static str>, Failure> {
        match self.model {
            None => Ok(None),
            Some(CountsModel::Normalized) => Ok(Some("normalized")),
            Some(CountsModel::Logistic) => Ok(Some("logistic")),
            Some(CountsModel::Bayesian) => Failure::usage(
                "--model bayesian: expected normalized or logistic; only --counts of single games can use it",
            ),
        }
    }
}

/// The Elo models of a calculation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum CountsModel {
    /// Normalized Elo: score divided by its standard deviation.
    #[default]
    Normalized,
    /// Logistic Elo: the expected score alone.
    Logistic,
    /// Elo of a model with draws, for single games only: converted to logistic Elo at the observed draw rate.
    Bayesian,
}

/// Counts of results, seen by the first engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Counts {
    /// Pairs of games with the same opening and reversed colours.
    Pairs(Pentanomial),
    /// Losses, draws and wins of games without pairs.
    Games(Trinomial),
}

impl FromStr for Counts {
    type Err = String;

    /// Parses three or five counts.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(games) = signed_counts(text) {
            return games;
        }
        let words = without_label(text).split(',').map(str::trim);
        let words =
            words.flat_map(|word| if word.is_empty() { vec![""] } else { word.split_whitespace().collect() });
        let counts = words.map(count).collect::<Result<Vec<u64>, String>>()?;
        if counts.len() == 3 && LABELS.iter().any(|label| text.trim().starts_with(label)) {
            return Err("found 3 counts: expected five of pairs (LL,LD,WL+DD,WD,WW)".to_owned());
        }
        counts_of(&counts)
    }
}

/// Returns five counts of pairs, or wins, losses and draws of games.
fn counts_of(counts: &[u64]) -> Result<Counts, String> {
    if counts.iter().all(|&count| count == 0) {
        return Err("all counts are 0: expected at least one result".to_owned());
    }
    match *counts {
        [wins, losses, draws] => Ok(Counts::Games(Trinomial { losses, draws, wins })),
        [ll, ld, even, wd, ww] => Ok(Counts::Pairs(Pentanomial([ll, ld, even, wd, ww]))),
        _ => Err(format!(
            "found {} counts: expected five of pairs (LL,LD,WL+DD,WD,WW) or three of games (wins,losses,draws)",
            counts.len()
        )),
    }
}

/// Returns the counts of a text such as `Ptnml(0-2): [1, 9, 52, 2, 2], WL/DD Ratio: 4.76`, without the
/// name and, after brackets, the rest of the line.
fn without_label(text: &str) -> &str {
    let text = text.trim();
    let labelled = LABELS.iter().find_map(|label| text.strip_prefix(label));
    let counts = labelled.map_or(text, |rest| rest.trim_start_matches(':').trim());
    match counts.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((inside, rest)) if labelled.is_some() || rest.is_empty() => inside,
        _ => counts,
    }
}

/// Parses `+wins =draws -losses` in any order; `None` if the signs are not these three.
fn signed_counts(text: &str) -> Option<Result<Counts, String>> {
    let words: Vec<&str> = text.split([',', ' ', '\t']).filter(|word| !word.is_empty()).collect();
    let signed = |sign: char| words.iter().find_map(|word| word.strip_prefix(sign));
    let (true, Some(wins), Some(draws), Some(losses)) =
        (words.len() == 3, signed('+'), signed('='), signed('-'))
    else {
        return None;
    };
    let counts = [wins, losses, draws].map(count);
    let [Ok(wins), Ok(losses), Ok(draws)] = counts else {
        return counts.into_iter().find_map(Result::err).map(Err);
    };
    Some(counts_of(&[wins, losses, draws]))
}

fn count(word: &str) -> Result<u64, String> {
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let value = word.parse().ok().filter(|&value| is_number && value <= MAX_COUNT);
    value.ok_or_else(|| format!("`{word}`: expected a whole number from 0 to {MAX_COUNT}"))
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pairs(pairs) => {
                let [ll, ld, even, wd, ww] = pairs.0;
                let (items, games) = (pairs.pairs(), pairs.games());
                let pairs = counted(items as usize, "pair");
                write!(f, "{pairs} ({games} games): LL {ll}, LD {ld}, WL+DD {even}, WD {wd}, WW {ww}")
            }
            Self::Games(games) => {
                let Trinomial { losses, draws, wins } = *games;
                write!(
                    f,
                    "{}: wins {wins}, losses {losses}, draws {draws}",
                    counted(games.games() as usize, "single game")
                )
            }
        }
    }
}

/// The result of a calculation, as `--json` prints it.
#[derive(Clone, Copy, Debug, Serialize)]
struct Calculation {
    #[serde(flatten)]
    counts: Counts,
    /// The Elo model of the given bounds.
    model: CountsModel,
    /// The bounds on the command line, in the unit of `model`.
    elo0: f64,
    elo1: f64,
    /// The mean score of a game.
    score: f64,
    elo: Option<Estimate<Elo>>,
    /// Its 95 % interval, also where `elo` has no error.
    elo_interval: Option<EloInterval>,
    nelo: Option<Estimate<NormalizedElo>>,
    los: Option<Share>,
    /// The test. Its `spec` has logistic bounds if the model is `bayesian`.
    sprt: SprtState,
}

impl Calculation {
    fn new(counts: Counts, model: CountsModel, sprt: Sprt, [elo0, elo1]: [f64; 2]) -> Self {
        let tally = &match counts {
            Counts::Pairs(pairs) => pairs.sample(),
            Counts::Games(games) => games.sample(),
        };
        Self {
            counts,
            model,
            elo0,
            elo1,
            score: tally.moments().mean,
            elo: elo(tally),
            elo_interval: EloInterval::of(tally),
            nelo: normalized_elo(tally),
            los: los(tally),
            sprt: SprtState::new(sprt, tally, Corrections::default()),
        }
    }

    fn text(&self) -> String {
        let Self { counts, model, elo0, elo1, sprt, .. } = self;
        let unit = match model {
            CountsModel::Normalized => "normalized Elo",
            CountsModel::Logistic => "logistic Elo",
            CountsModel::Bayesian => "BayesElo",
        };
        let (alpha, beta, bounds) = (sprt.spec.alpha(), sprt.spec.beta(), sprt.bounds);
        let verdict = match (sprt.verdict, counts) {
            (Verdict::AcceptH1, _) => format!("H1 accepted: better than {elo0} {unit}"),
            (Verdict::AcceptH0, _) => format!("H0 accepted: not {elo1} {unit} better"),
            (Verdict::Continue, counts) => {
                let items = if matches!(counts, Counts::Pairs(_)) { "pairs" } else { "games" };
                let rest = sprt.remaining.map_or_else(String::new, |rest| {
                    format!("; if play continues as observed, about {:.0} more {items}", rest.items)
                });
                format!("undecided{rest}")
            }
        };
        let unbiased = sprt.unbiased.map_or_else(
            |reason| reason.to_string(),
            |unbiased| format!("Elo {unbiased}, likelihood of superiority {}", OrAbsent(unbiased.los)),
        );
        let elo = elo_text(self.elo, self.elo_interval);
        let (nelo, los) = (OrAbsent(self.nelo), OrAbsent(self.los));
        format!(
            "read as   {counts}\n\
             test      H0: {elo0}, H1: {elo1} {unit}, alpha {alpha}, beta {beta}\n\
             LLR       {} ({}, {})\n\
             verdict   {verdict}\n\
             score     {}\n\
             unbiased  {unbiased}\n\
             Elo       {elo}   normalized {nelo}   likelihood of superiority {los}\n",
            sprt.llr,
            bounds.lower,
            bounds.upper,
            Share(self.score)
        )
    }
}

/// Computes and prints the statistics of a test. Returns its verdict.
pub(crate) fn run(
    counts: Counts,
    args: &CountsArgs,
    bounds: [f64; 2],
    [alpha, beta]: [Option<f64>; 2],
    json: bool,
) -> Result<Verdict, Failure> {
    let model = args.model.unwrap_or_default();
    let (scale, [elo0, elo1]) = match (model, counts) {
        (CountsModel::Normalized, _) => (Model::Normalized, bounds),
        (CountsModel::Logistic, _) => (Model::Logistic, bounds),
        (CountsModel::Bayesian, Counts::Games(games)) => {
            let [elo0, elo1] = bounds;
            // The given bounds have the limits of any test.
            Sprt::new(Model::Logistic, elo0, elo1, ERROR_RATE, ERROR_RATE)
                .map_err(|error| Failure::Usage(format!("--elo: {error}")))?;
            (Model::Logistic, bounds.map(|elo| bayes_elo_as_logistic(&games, elo).0))
        }
        (CountsModel::Bayesian, Counts::Pairs(_)) => {
            return Failure::usage(
                "--model bayesian: expected three counts of single games; pairs have no BayesElo",
            );
        }
    };
    let sprt = Sprt::new(scale, elo0, elo1, alpha.unwrap_or(ERROR_RATE), beta.unwrap_or(ERROR_RATE))
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let calculation = Calculation::new(counts, model, sprt, bounds);
    print(&if json { format!("{}\n", serde_json::json!(calculation)) } else { calculation.text() });
    Ok(calculation.sprt.verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_match_runners_print_them() {
        let pairs = Counts::Pairs(Pentanomial([379, 10_170, 21_828, 10_640, 343]));
        for text in
            ["379,10170,21828,10640,343", "[379, 10170, 21828, 10640, 343]", " 379 10170 21828 10640 343 "]
        {
            assert_eq!(text.parse(), Ok(pairs), "{text}");
        }
        let small = Counts::Pairs(Pentanomial([1, 9, 52, 2, 2]));
        for text in [
            "Ptnml(0-2): [1, 9, 52, 2, 2]",
            "Ptnml(0-2): 1, 9, 52, 2, 2",
            "Ptnml(0-2): [1, 9, 52, 2, 2], WL/DD Ratio: 4.76",
            "  pentanomial [1, 9, 52, 2, 2] of 66 pairs",
        ] {
            assert_eq!(text.parse(), Ok(small), "{text}");
        }
        let error = "Ptnml(0-2): 1, 9, 52".parse::<Counts>().unwrap_err();
        assert!(error.starts_with("found 3 counts: expected five of pairs"), "{error}");
        let games = Trinomial { wins: 3, losses: 2, draws: 1 };
        for text in ["3,2,1", "+3 =1 -2", "+3 -2 =1", "+3, =1, -2"] {
            assert_eq!(text.parse(), Ok(Counts::Games(games)), "{text}");
        }
        assert_eq!(Counts::Games(games).to_string(), "6 single games: wins 3, losses 2, draws 1");
    }

    #[test]
    fn malformed_counts_are_reported_with_what_was_expected() {
        let expected = "expected five of pairs (LL,LD,WL+DD,WD,WW) or three of games (wins,losses,draws)";
        for (text, message) in [
            ("1,2,3,4", format!("found 4 counts: {expected}")),
            ("7", format!("found 1 counts: {expected}")),
            ("1,2,x", format!("`x`: expected a whole number from 0 to {MAX_COUNT}")),
            ("1,-2,3", format!("`-2`: expected a whole number from 0 to {MAX_COUNT}")),
            ("+1,2,3", format!("`+1`: expected a whole number from 0 to {MAX_COUNT}")),
            ("+1 =x -3", format!("`x`: expected a whole number from 0 to {MAX_COUNT}")),
            ("+0 =0 -0", "all counts are 0: expected at least one result".to_owned()),
            ("1,,3", format!("``: expected a whole number from 0 to {MAX_COUNT}")),
            (
                "1,2,99999999999999999999",
                format!("`99999999999999999999`: expected a whole number from 0 to {MAX_COUNT}"),
            ),
            ("0,0,0,0,0", "all counts are 0: expected at least one result".to_owned()),
        ] {
            assert_eq!(text.parse::<Counts>(), Err(message), "{text}");
        }
    }
}
