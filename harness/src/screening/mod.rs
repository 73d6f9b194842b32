//! Screening: what each of many settings of an engine is worth, all of them by the same games.
//!
//! A screening is a match of an engine against itself in which every pair of games is between two other settings: of each
//! setting that is judged (a factor) a coin says which side has it. Every pair then says something of every factor, so n factors
//! take the games of one where a match of each takes n times as many. The worth of a factor is its mean over the others being
//! there and not; how much the worths of two depend on each other falls out, since the sides of a pair are opposites of
//! each other.
//!
//! The runner plays and keeps the games; this says with what (`runner::Dealer`), and what they say (`stats::effects`). All
//! that is known is computed from the games, so a run that was broken off goes on as if it had not been.
//!
//! Source: G. E. P. Box and K. B. Wilson, "On the experimental attainment of optimum conditions" (1951), for opposites
//! (fold-over); designs drawn by lot instead of from a table after F. E. Satterthwaite, "Random balance experimentation" (1959),
//! since games are many.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::cancel::Cancel;
use crate::config::{EngineConfig, EngineOption, FieldPath, Problem, ScreenConfig, ScreenValue};
use crate::openings::random::SplitMix64;
use crate::runner::Dealer;
use crate::stats::effects::{Effect, Trial, effects};
use crate::stats::elo::Estimate;
use crate::stats::holm::holm;
use crate::stats::numeric::Z95;
use crate::store::GameRecord;
use crate::uci_client::{OptionCheck, OptionDecl, OptionKind, check_option};
use crate::units::{Elo, Share};

/// Factors told of in a line.
const SHOWN: usize = 4;

/// A setting that is judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Factor {
    /// Of the engine's option.
    pub name: String,
    /// What it is without the setting.
    pub from: String,
    /// What it is with it.
    pub to: String,
}

impl Factor {
    /// `LmrCut 1600 -> 1200`, or `Razoring on`.
    pub fn title(&self) -> String {
        match self.to.as_str() {
            "true" => format!("{} on", self.name),
            "false" => format!("{} off", self.name),
            to => format!("{} {} -> {to}", self.name, self.from),
        }
    }

    fn option(&self, is_set: bool) -> EngineOption {
        let value = if is_set { &self.to } else { &self.from };
        EngineOption { name: self.name.clone(), value: Some(value.clone()) }
    }
}

/// A screening under way, shared by those who play.
#[derive(Debug)]
pub struct Screening {
    factors: Vec<Factor>,
    /// The share of factors in which the sides of a pair differ.
    differing: f64,
    seed: u64,
    /// By pair: games played, and half points of the first side.
    pairs: Mutex<BTreeMap<u64, (u8, u8)>>,
}

impl Screening {
    /// At the start.
    pub fn new(config: &ScreenConfig, factors: Vec<Factor>, seed: u64) -> Self {
        Self { factors, differing: config.differing, seed, pairs: Mutex::default() }
    }

    /// Counts, plain data: a panic elsewhere cannot have left them half changed.
    fn pairs(&self) -> MutexGuard<'_, BTreeMap<u64, (u8, u8)>> {
        self.pairs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// In which factors the sides of a pair differ: 1 where the first one has the setting, -1 where the second, 0 where neither.
    fn differences(&self, pair: u64) -> Vec<f64> {
        // Two scrambles, so that neither neighbouring seeds nor neighbouring pairs share a sequence.
        let scrambled = SplitMix64::new(self.seed).next_u64() ^ pair;
        let mut random = SplitMix64::new(SplitMix64::new(scrambled).next_u64());
        let difference = |_| {
            let (sign, share) = (random.next_u64(), random.next_u64());
            if (share >> 11) as f64 / (1_u64 << 53) as f64 >= self.differing {
                0.0
            } else if sign >> 63 == 0 {
                1.0
            } else {
                -1.0
            }
        };
        self.factors.iter().map(difference).collect()
    }

    /// How it stands.
    pub fn standing(&self) -> ScreeningStanding {
        let trials: Vec<Trial> = {
            let pairs = self.pairs();
            let whole = pairs.iter().filter(|(_, (games, _))| *games == 2);
            let trial = |(&pair, &(_, points)): (&u64, &(u8, u8))| Trial {
                differences: self.differences(pair),
                score: Share(f64::from(points) / 4.0),
            };
            whole.map(trial).collect()
        };
        let found = effects(self.factors.len(), &trials);
        let found: Vec<Option<Effect>> = match found {
            Some(effects) => effects.into_iter().map(Some).collect(),
            None => vec![None; self.factors.len()],
        };
        let errors: Vec<_> = found.iter().map(|found| found.map(|it| (it.value.0, it.error.0))).collect();
        let judged = self.factors.iter().zip(found).zip(holm(&errors)).enumerate();
        let factors = judged.map(|(index, ((factor, effect), together))| Judged {
            factor: factor.clone(),
            pairs: trials.iter().filter(|trial| trial.differences[index].abs() > 0.5).count() as u64,
            elo: effect.map(|effect| Estimate {
                value: effect.value,
                half_width: Some(Elo(Z95 * effect.error.0)).filter(|half| half.0 > 0.0),
            }),
            simultaneous: together.map(|together| Elo(together.half_width)),
            is_different: together.is_some_and(|together| together.is_different),
        });
        ScreeningStanding { pairs: trials.len() as u64, factors: factors.collect() }
    }
}

/// How a screening stands.
#[derive(Clone, Debug, Serialize)]
pub struct ScreeningStanding {
    /// Complete pairs of games.
    pub pairs: u64,
    /// In the order of the configuration.
    pub factors: Vec<Judged>,
}

impl ScreeningStanding {
    /// All of it in a line: how closely a factor is known, and those farthest from nothing.
    pub fn line(&self) -> String {
        let mut known: Vec<(&Judged, Estimate<Elo>, f64)> = self
            .factors
            .iter()
            .filter_map(|judged| {
                let elo = judged.elo?;
                Some((judged, elo, elo.half_width?.0))
            })
            .collect();
        let pairs = self.pairs;
        if known.is_empty() {
            return format!("{pairs} pairs, too few to tell");
        }
        let mean = known.iter().map(|(_, _, half)| half).sum::<f64>() / known.len() as f64;
        let distance = |(_, elo, half): &(&Judged, Estimate<Elo>, f64)| (elo.value.0 / half).abs();
        known.sort_by(|one, other| distance(other).total_cmp(&distance(one)));
        let shown = known
            .iter()
            .take(SHOWN)
            .map(|(judged, elo, half)| format!("{} {:+.0} ± {half:.0}", judged.factor.title(), elo.value.0));
        let shown: Vec<String> = shown.collect();
        format!("{pairs} pairs, each ± {mean:.0} Elo | {}", shown.join(" | "))
    }
}

/// What is known of a factor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// The setting.
    #[serde(flatten)]
    pub factor: Factor,
    /// Pairs whose sides differed in it.
    pub pairs: u64,
    /// The setting against the engine without it, with an interval of 95 % of its own; `None` where the games do not tell.
    pub elo: Option<Estimate<Elo>>,
    /// Half the width of the interval that holds for all factors at once (Holm).
    pub simultaneous: Option<Elo>,
    /// Is it a difference, among all of them?
    pub is_different: bool,
}

impl Dealer for Screening {
    fn options(&self, pair: u64, _cancel: &Cancel) -> Option<[Vec<EngineOption>; 2]> {
        let differences = self.differences(pair);
        let side = |sign: f64| {
            let factors = self.factors.iter().zip(&differences);
            factors.map(|(factor, difference)| factor.option(difference * sign > 0.0)).collect()
        };
        Some([side(1.0), side(-1.0)])
    }

    fn count(&self, game: &GameRecord) {
        let mut pairs = self.pairs();
        let (games, points) = pairs.entry(game.pair).or_default();
        *games += 1;
        *points += game.first_half_points();
    }
}

/// The factors of a screening, where the configuration says nothing as the engine is configured or has declared.
///
/// Errors: one that is no option of the engine's, or whose values do not fit it, or that would change nothing.
pub fn factors(
    config: &ScreenConfig,
    engine: &EngineConfig,
    declared: &[OptionDecl],
) -> Result<Vec<Factor>, Problem> {
    let root = FieldPath::root().key("screen");
    let (switches, values) = (root.key("switches"), root.key("values"));
    let turned = config.switches.iter().enumerate().map(|(index, name)| {
        let here = switches.index(index);
        let known = find(name, declared, &here)?;
        let OptionKind::Check { default } = known.kind else {
            let message = format!("`{name}` is not on or off; it belongs under values");
            return Err(Problem::new(here, message));
        };
        let is_on = configured(name, engine).map_or(default, |value| value == "true");
        Ok(Factor { name: known.name.clone(), from: is_on.to_string(), to: (!is_on).to_string() })
    });
    let valued = config.values.iter().enumerate();
    let valued = valued.map(|(index, value)| resolve(value, engine, declared, &values.index(index)));
    turned.chain(valued).collect()
}

/// The option as the engine declares it.
fn find<'a>(name: &str, declared: &'a [OptionDecl], here: &FieldPath) -> Result<&'a OptionDecl, Problem> {
    let known = declared.iter().find(|option| option.name.eq_ignore_ascii_case(name));
    known.ok_or_else(|| Problem::new(here.clone(), format!("the engine has no option `{name}`")))
}

/// What an option is set to in the configuration.
fn configured<'a>(name: &str, engine: &'a EngineConfig) -> Option<&'a str> {
    let set = engine.options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
    set.and_then(|option| option.value.as_deref())
}

fn resolve(
    value: &ScreenValue,
    engine: &EngineConfig,
    declared: &[OptionDecl],
    here: &FieldPath,
) -> Result<Factor, Problem> {
    let ScreenValue { name, from, to } = value;
    let known = find(name, declared, &here.key("name"))?;
    let default = match known.kind {
        OptionKind::Check { default } => Some(default.to_string()),
        OptionKind::Spin { default, .. } => default.map(|default| default.to_string()),
        OptionKind::Combo(_) | OptionKind::Text => None,
        OptionKind::Button => {
            return Err(Problem::new(here.key("name"), format!("`{name}` is a button and has no value")));
        }
    };
    let is_given = from.is_some();
    let from = from.clone().or_else(|| configured(name, engine).map(ToOwned::to_owned)).or(default);
    let Some(from) = from else {
        let message = format!("missing: what `{name}` is before it is set, which the engine does not say");
        return Err(Problem::new(here.key("from"), message));
    };
    for (key, text) in [("from", &from), ("to", to)] {
        let option = EngineOption { name: name.clone(), value: Some(text.clone()) };
        if let OptionCheck::Refused(expected) = check_option(declared, &option) {
            let path = if key == "to" || is_given { here.key(key) } else { here.clone() };
            return Err(Problem::new(path, format!("{text}: expected {expected}")));
        }
    }
    if from.eq_ignore_ascii_case(to) {
        return Err(Problem::new(here.key("to"), format!("`{name}` is {to} already")));
    }
    Ok(Factor { name: known.name.clone(), from, to: to.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screening(factors: usize, differing: f64) -> Screening {
        let factor = |index| Factor { name: format!("F{index}"), from: "0".to_owned(), to: "1".to_owned() };
        let config = ScreenConfig { switches: Vec::new(), values: Vec::new(), differing };
        Screening::new(&config, (0..factors).map(factor).collect(), 7)
    }

    #[test]
    fn sides_are_opposites_where_they_differ() {
        let screening = screening(6, 0.5);
        for pair in 0..500 {
            let differences = screening.differences(pair);
            assert_eq!(differences, screening.differences(pair));
            let [first, second] = screening.options(pair, &Cancel::new()).unwrap();
            for ((first, second), difference) in first.iter().zip(&second).zip(differences) {
                let values = [&first.value, &second.value].map(|value| value.as_deref().unwrap());
                let expected = match difference as i32 {
                    0 => ["0", "0"],
                    1 => ["1", "0"],
                    _ => ["0", "1"],
                };
                assert_eq!((values, &first.name), (expected, &second.name));
            }
        }
    }

    #[test]
    fn signs_are_fair_and_independent() {
        for differing in [1.0, 0.25] {
            let screening = screening(2, differing);
            let (mut sums, mut product, mut count) = ([0.0; 2], 0.0, 0.0);
            for pair in 0..20_000 {
                let [one, other] = screening.differences(pair)[..] else { panic!("two factors") };
                sums = [sums[0] + one, sums[1] + other];
                product += one * other;
                count += f64::abs(one);
            }
            // Four standard deviations of 20,000 tosses are 566.
            assert!((count - 20_000.0 * differing).abs() < 300.0, "{count}");
            assert!(sums.iter().chain([&product]).all(|sum| sum.abs() < 566.0), "{sums:?} {product}");
        }
    }

    /// What two settings are worth to one another counts alike for both sides.
    #[test]
    fn interactions_fall_out() {
        let screening = screening(3, 1.0);
        // The third is worth 40; the first two are worth 300 together and nothing alone.
        let strength = |has: [bool; 3]| {
            300.0 * f64::from(u8::from(has[0] && has[1])) + 40.0 * f64::from(u8::from(has[2]))
        };
        let trials: Vec<Trial> = (0..4000)
            .map(|pair| {
                let differences = screening.differences(pair);
                let has = |sign: f64| std::array::from_fn(|index| differences[index] * sign > 0.0);
                let score = Elo(strength(has(1.0)) - strength(has(-1.0))).to_score();
                Trial { differences, score }
            })
            .collect();
        let found = effects(3, &trials).unwrap();
        // With the other there and not, each of the two is worth 300 and 0: 150 in the mean.
        for (found, expected) in found.iter().zip([150.0, 150.0, 40.0]) {
            assert!((found.value.0 - expected).abs() < 1e-6, "{found:?}");
        }
    }

    #[test]
    fn settings_are_named_by_what_they_change() {
        let factor = |from: &str, to: &str| Factor {
            name: "Razoring".to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
        };
        assert_eq!(factor("false", "true").title(), "Razoring on");
        assert_eq!(factor("true", "false").title(), "Razoring off");
        assert_eq!(factor("3", "4").title(), "Razoring 3 -> 4");
    }
}
