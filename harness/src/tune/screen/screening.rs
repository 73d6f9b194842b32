//! The settings of each pair, the estimates of their effects, and the factors of a configuration.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::base::cancel::Cancel;
use crate::base::random::SplitMix64;
use crate::config::{EngineConfig, EngineOption, FieldPath, Problem};
use crate::play::matches::OptionSource;
use crate::play::matches::config::{ScreenConfig, ScreenValue};
use crate::play::record::GameRecord;
use crate::pool;
use crate::uci::{
    OptionCheck, OptionDecl, OptionKind, check_option, declared_option, missing_switches, no_effect,
};
use stretto_stats::effects::{Effect, Trial, Undetermined, effects};
use stretto_stats::elo::Estimate;
use stretto_stats::holm::{holm, p_value, simultaneous_half_width};
use stretto_stats::units::{Elo, Share};

/// Number of factors shown in the progress line.
const SHOWN: usize = 4;

/// A setting with its two values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Factor {
    /// Name of the engine's option.
    pub name: String,
    /// Value of the baseline.
    pub from: String,
    /// Value of the alternative.
    pub to: String,
}

impl Factor {
    /// Returns a title such as `LmrCutNode 1600 -> 1200` or `Razoring on`.
    pub(crate) fn title(&self) -> String {
        match self.to.as_str() {
            "true" => format!("{} on", self.name),
            "false" => format!("{} off", self.name),
            to => format!("{} {} -> {to}", self.name, self.from),
        }
    }

    /// Whether both are values of the same option, of which an engine has one at a time.
    fn is_alternative_to(&self, other: &Self) -> bool {
        self.name == other.name
    }

    /// Returns the option of these alternatives, with the value that `is_set` selects by index, or
    /// the baseline.
    fn option(alternatives: &[Self], is_set: impl Fn(usize) -> bool) -> EngineOption {
        let set = (0..alternatives.len()).find(|&index| is_set(index));
        let Self { name, from, .. } = &alternatives[0];
        let value = set.map_or(from, |index| &alternatives[index].to);
        EngineOption { name: name.clone(), value: Some(value.clone()) }
    }
}

/// The state of a running screening, shared by the workers.
#[derive(Debug)]
pub(crate) struct Screening {
    pub(super) factors: Vec<Factor>,
    /// Share of factors in which the sides of a pair differ.
    differing: f64,
    seed: u64,
    /// By pair: games played, and half-points of the first side.
    pairs: Mutex<BTreeMap<u64, (u8, u8)>>,
}

impl Screening {
    /// Returns a screening without games.
    pub(crate) fn new(config: &ScreenConfig, factors: Vec<Factor>, seed: u64) -> Self {
        Self { factors, differing: config.differing, seed, pairs: Mutex::default() }
    }

    /// Recovers from poisoning: the counters are consistent after a panic elsewhere.
    fn pairs(&self) -> MutexGuard<'_, BTreeMap<u64, (u8, u8)>> {
        self.pairs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the sign of each factor in a pair: 1 if the first side has the setting, -1 if the
    /// second, 0 if neither. Of the alternatives of one option, at most one is not 0.
    fn differences(&self, pair: u64) -> Vec<f64> {
        // Hashed twice, so that neither adjacent seeds nor adjacent pairs share a sequence.
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
        let mut differences: Vec<f64> = self.factors.iter().map(difference).collect();
        let mut start = 0;
        for alternatives in self.factors.chunk_by(Factor::is_alternative_to) {
            let all = start..start + alternatives.len();
            start = all.end;
            if all.len() > 1 {
                let chosen = all.start + (random.next_u64() % all.len() as u64) as usize;
                for other in all.filter(|&index| index != chosen) {
                    differences[other] = 0.0;
                }
            }
        }
        differences
    }

    /// Returns the current estimates.
    pub(crate) fn standing(&self) -> ScreeningStanding {
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
        let p_value = |effect: &Effect| p_value(effect.value.0, effect.error.0, effect.degrees);
        let p_values: Vec<_> = found.iter().map(|found| found.as_ref().ok().and_then(p_value)).collect();
        let half_width = |effect: &Effect, members: usize| {
            Elo(simultaneous_half_width(members, effect.degrees) * effect.error.0)
        };
        let has_error = |half: &Elo| half.0 > 0.0;
        let estimate = self.factors.iter().zip(found).zip(holm(&p_values)).enumerate();
        let factors = estimate.map(|(index, ((factor, effect), is_different))| FactorEstimate {
            factor: factor.clone(),
            pairs: trials.iter().filter(|trial| trial.differences[index].abs() > 0.5).count() as u64,
            elo: effect.ok().map(|effect| Estimate {
                value: effect.value,
                half_width: Some(half_width(&effect, 1)).filter(has_error),
            }),
            simultaneous: effect.ok().map(|effect| half_width(&effect, self.factors.len())).filter(has_error),
            undetermined: effect.err(),
            is_different,
        });
        ScreeningStanding { pairs: trials.len() as u64, factors: factors.collect() }
    }
}

/// The current estimates of a screening.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ScreeningStanding {
    /// Complete pairs of games.
    pub pairs: u64,
    /// Estimates in the order of the configuration.
    pub factors: Vec<FactorEstimate>,
}

impl ScreeningStanding {
    /// Formats the mean precision and the most significant factors as one line.
    pub(crate) fn line(&self) -> String {
        let mut known: Vec<(&FactorEstimate, Estimate<Elo>, f64)> = self
            .factors
            .iter()
            .filter_map(|estimate| {
                let elo = estimate.elo?;
                Some((estimate, elo, elo.half_width?.0))
            })
            .collect();
        let pairs = self.pairs;
        if known.is_empty() {
            return format!("{pairs} pairs, too few for estimates");
        }
        let mean = known.iter().map(|(_, _, half)| half).sum::<f64>() / known.len() as f64;
        let distance = |(_, elo, half): &(&FactorEstimate, Estimate<Elo>, f64)| (elo.value.0 / half).abs();
        known.sort_by(|one, other| distance(other).total_cmp(&distance(one)));
        let shown = known.iter().take(SHOWN).map(|(estimate, elo, half)| {
            format!("{} {:+.0} ± {half:.0}", estimate.factor.title(), elo.value.0)
        });
        let shown: Vec<String> = shown.collect();
        format!("{pairs} pairs, each ± {mean:.0} Elo | {}", shown.join(" | "))
    }
}

/// The estimate of a factor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct FactorEstimate {
    /// The setting that was estimated.
    #[serde(flatten)]
    pub factor: Factor,
    /// Pairs whose sides differed in the setting.
    pub pairs: u64,
    /// Main effect with its individual 95 % interval; `None` if the games do not determine it.
    pub elo: Option<Estimate<Elo>>,
    /// The reason why there is no main effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undetermined: Option<Undetermined>,
    /// Half-width of the simultaneous interval (Bonferroni).
    pub simultaneous: Option<Elo>,
    /// Whether Holm's test over all factors finds a difference from zero.
    #[serde(rename = "is_significant")]
    pub is_different: bool,
}

impl OptionSource for Screening {
    fn pair_options(&self, pair: u64, _cancel: &Cancel) -> Option<[Vec<EngineOption>; 2]> {
        let differences = self.differences(pair);
        let side = |sign: f64| {
            let mut rest = &differences[..];
            let options = self.factors.chunk_by(Factor::is_alternative_to).map(|alternatives| {
                let (signs, others) = rest.split_at(alternatives.len());
                rest = others;
                Factor::option(alternatives, |index| signs[index] * sign > 0.0)
            });
            options.collect()
        };
        Some([side(1.0), side(-1.0)])
    }

    fn settings(&self, game: &GameRecord) -> Option<String> {
        let options = self.pair_options(game.pair, &Cancel::new())?;
        Some(format!("{:?}", [game.white, game.black].map(|side| options.get(side))))
    }

    fn count(&self, game: &GameRecord) {
        let mut pairs = self.pairs();
        let (games, points) = pairs.entry(game.pair).or_default();
        *games += 1;
        *points += game.first_half_points();
    }

    fn line(&self) -> String {
        self.standing().line()
    }
}

/// Returns the factors of a screening; missing baselines are the configured or declared values.
///
/// Errors: an option is unknown, a value is invalid, or a setting would change nothing.
pub(crate) fn factors(
    config: &ScreenConfig,
    engine: &EngineConfig,
    trial: &pool::Trial,
) -> Result<Vec<Factor>, Problem> {
    let declared = &trial.options;
    let root = FieldPath::root().key("screen");
    let (switches, values) = (root.key("switches"), root.key("values"));
    let turned = config.switches.iter().enumerate().map(|(index, name)| {
        let here = switches.index(index);
        let known = declared_option(declared, name).map_err(|text| Problem::new(here.clone(), text))?;
        let OptionKind::Check { default } = known.kind else {
            let message = format!("`{name}` is not an on/off option; list it under `values`");
            return Err(Problem::new(here, message));
        };
        let is_on = engine.option(name).map(|value| value == "true").or(default).ok_or_else(|| {
            let message = format!(
                "the engine {}, expected true or false; list the option under `values`, with `from` and `to`",
                known.default_text()
            );
            Problem::new(here, message)
        })?;
        Ok(Factor { name: known.name.clone(), from: is_on.to_string(), to: (!is_on).to_string() })
    });
    // The alternatives of one option are one entry of the file.
    let entries = config.values.chunk_by(|one, other| one.name == other.name).enumerate();
    let valued = entries.flat_map(|(index, alternatives)| {
        let here = values.index(index);
        alternatives.iter().map(move |value| resolve(value, engine, declared, &here))
    });
    let factors: Vec<Factor> = turned.chain(valued).collect::<Result<_, _>>()?;
    // A switch may be turned on by another setting.
    let is_on = |switch: &str| {
        let own = factors.iter().filter(|factor| factor.name.eq_ignore_ascii_case(switch));
        let own = own.flat_map(|factor| [&factor.from, &factor.to]).any(|value| value == "true");
        own.then_some(true).or_else(|| engine.option(switch).map(|value| value == "true"))
    };
    let missing = factors
        .iter()
        .find_map(|factor| no_effect(&factor.name, &missing_switches(&trial.id_name, &factor.name, is_on)));
    missing.map_or(Ok(factors), |message| root.refuse(message))
}

fn resolve(
    value: &ScreenValue,
    engine: &EngineConfig,
    declared: &[OptionDecl],
    here: &FieldPath,
) -> Result<Factor, Problem> {
    let ScreenValue { name, from, to } = value;
    let known = declared_option(declared, name).map_err(|text| Problem::new(here.key("name"), text))?;
    let default = match known.kind {
        OptionKind::Check { default } => default.map(|default| default.to_string()),
        OptionKind::Spin { default, .. } => default.map(|default| default.to_string()),
        OptionKind::Combo(_) | OptionKind::Text => known.default.clone(),
        OptionKind::Button => {
            return Err(Problem::new(here.key("name"), format!("`{name}` is a button and has no value")));
        }
    };
    let from = from.clone().or_else(|| engine.option(name).map(ToOwned::to_owned));
    let has_value = from.is_some();
    let from = from.or(default);
    let Some(from) = from else {
        let message = format!("missing baseline of `{name}`: the engine {}", known.default_text());
        return Err(Problem::new(here.key("from"), message));
    };
    for (key, text) in [("from", &from), ("to", to)] {
        let option = EngineOption { name: name.clone(), value: Some(text.clone()) };
        if let OptionCheck::Refused(expected) = check_option(declared, &option) {
            let origin = if key == "to" || has_value { "" } else { ", the default that the engine declares" };
            return Err(Problem::new(here.key(key), format!("{text}{origin}: expected {expected}")));
        }
    }
    let is_changed = !from.eq_ignore_ascii_case(to);
    here.key("to").require(is_changed, format!("`{name}` already has the value {to}"))?;
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
            let [first, second] = screening.pair_options(pair, &Cancel::new()).unwrap();
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
    fn alternatives_of_an_option_are_tried_one_at_a_time() {
        let factor = |name: &str, to: &str| Factor {
            name: name.to_owned(),
            from: "none".to_owned(),
            to: to.to_owned(),
        };
        let factors =
            vec![factor("A", "1"), factor("B", "x"), factor("B", "y"), factor("B", "z"), factor("C", "2")];
        let config = ScreenConfig { switches: Vec::new(), values: Vec::new(), differing: 1.0 };
        let screening = Screening::new(&config, factors, 7);
        let mut tried = [0; 3];
        for pair in 0..3000 {
            let differences = screening.differences(pair);
            let chosen: Vec<usize> = (1..4).filter(|&index| differences[index].abs() > 0.5).collect();
            assert_eq!(chosen.len(), 1, "{differences:?}");
            tried[chosen[0] - 1] += 1;
            let (value, sign) = (&screening.factors[chosen[0]].to, differences[chosen[0]]);
            for (side, sign) in
                screening.pair_options(pair, &Cancel::new()).unwrap().iter().zip([sign, -sign])
            {
                let names: Vec<&str> = side.iter().map(|option| option.name.as_str()).collect();
                assert_eq!(names, ["A", "B", "C"]);
                let expected = if sign > 0.0 { value } else { "none" };
                assert_eq!(side[1].value.as_deref(), Some(expected));
            }
        }
        // Four standard deviations of 3,000 draws with a chance of a third are 103.
        assert!(tried.iter().all(|count: &i32| (count - 1000).abs() < 103), "{tried:?}");
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
            // Four standard deviations of 20,000 signs are 566.
            assert!((count - 20_000.0 * differing).abs() < 300.0, "{count}");
            assert!(sums.iter().chain([&product]).all(|sum| sum.abs() < 566.0), "{sums:?} {product}");
        }
    }

    /// An interaction of two settings affects both sides equally.
    #[test]
    fn interactions_cancel() {
        let screening = screening(3, 1.0);
        // The third has an effect of 40 Elo; the first two have 300 together and 0 alone.
        let strength = |has: [bool; 3]| {
            300.0 * f64::from(u8::from(has[0] && has[1])) + 40.0 * f64::from(u8::from(has[2]))
        };
        let trials: Vec<Trial> = (0..4000)
            .flat_map(|pair| {
                let differences = screening.differences(pair);
                let has = |sign: f64| std::array::from_fn(|index| differences[index] * sign > 0.0);
                let score = Elo(strength(has(1.0)) - strength(has(-1.0))).to_score();
                // An exact fit would have no errors; this spread leaves the estimates unchanged.
                [0.1, -0.1]
                    .map(|noise| Trial { differences: differences.clone(), score: Share(score.0 + noise) })
            })
            .collect();
        let found: Vec<Effect> = effects(3, &trials).into_iter().map(Result::unwrap).collect();
        // Depending on the other, each of the two has an effect of 300 or 0: 150 on average.
        for (found, expected) in found.iter().zip([150.0, 150.0, 40.0]) {
            assert!((found.value.0 - expected).abs() < 1e-6, "{found:?}");
        }
    }

    fn trial(id_name: &str, declared: &[OptionDecl]) -> pool::Trial {
        pool::Trial {
            id_name: id_name.to_owned(),
            id_author: String::new(),
            options: declared.to_vec(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn setting_that_needs_a_switch_is_refused_unless_another_turns_it_on() {
        let declared = [
            "option name Razoring type check default false",
            "option name RazoringBase type spin default 130 min 50 max 800",
        ]
        .map(|line| OptionDecl::parse(line).unwrap());
        let limits = crate::config::Limits::default();
        let engine = EngineConfig::of_words("sh", Some("a"), &[], &[], limits).unwrap();
        let value = ScreenValue { name: "RazoringBase".to_owned(), from: None, to: "200".to_owned() };
        let found = |switches: &[&str], id_name: &str| {
            let switches = switches.iter().map(|&name| name.to_owned()).collect();
            let config = ScreenConfig { switches, values: vec![value.clone()], differing: 1.0 };
            let found = factors(&config, &engine, &trial(id_name, &declared));
            found.map(|found| found.len()).map_err(|problem| format!("{}: {}", problem.path, problem.message))
        };
        let expected = "screen: `RazoringBase` has no effect, because Razoring is off: set `Razoring: true` in the \
                        engine's options";
        assert_eq!(found(&[], "Stretto 1.0").unwrap_err(), expected);
        assert_eq!(found(&[], "Other"), Ok(1));
        assert_eq!(found(&["Razoring"], "Stretto 1.0"), Ok(2));
    }

    #[test]
    fn defaults_that_cannot_be_a_baseline_need_one() {
        let found = |declaration: &str, from: Option<&str>, to: &str, set: Option<&str>| {
            let declared = [OptionDecl::parse(&format!("option name Flag type {declaration}")).unwrap()];
            let options: Vec<_> =
                set.map(|value| ("flag".to_owned(), Some(value.to_owned()))).into_iter().collect();
            let limits = crate::config::Limits::default();
            let engine = EngineConfig::of_words("sh", Some("a"), &[], &options, limits).unwrap();
            let value =
                ScreenValue { name: "flag".to_owned(), from: from.map(str::to_owned), to: to.to_owned() };
            let (switches, values) =
                if to.is_empty() { (vec!["flag".to_owned()], Vec::new()) } else { (Vec::new(), vec![value]) };
            let config = ScreenConfig { switches, values, differing: 1.0 };
            let factors = factors(&config, &engine, &trial("", &declared));
            let title = |factors: Vec<Factor>| format!("{} -> {}", factors[0].from, factors[0].to);
            factors.map(title).map_err(|problem| format!("{}: {}", problem.path, problem.message))
        };
        assert_eq!(found("check default True", None, "", None).unwrap(), "true -> false");
        assert_eq!(found("check default FALSE", None, "true", None).unwrap(), "false -> true");
        let expected = "screen.switches[0]: the engine declares the default `1` of `Flag`, expected true or false; list the \
                        option under `values`, with `from` and `to`";
        assert_eq!(found("check default 1", None, "", None).unwrap_err(), expected);
        assert_eq!(found("check default 1", None, "", Some("true")).unwrap(), "true -> false");
        let expected = "screen.values[0].from: missing baseline of `flag`: the engine declares the default `1` of `Flag`";
        assert_eq!(found("check default 1", None, "true", None).unwrap_err(), expected);
        assert_eq!(found("check default 1", Some("false"), "true", None).unwrap(), "false -> true");
        for (declaration, text) in [
            (
                "spin default 9 min 1 max 5",
                "9, the default that the engine declares: expected a whole number from 1 to 5",
            ),
            ("combo default 3 var 1 var 2", "3, the default that the engine declares: expected one of 1, 2"),
            ("spin min 1 max 5", "missing baseline of `flag`: the engine declares no default of `Flag`"),
        ] {
            let error = found(declaration, None, "2", None).unwrap_err();
            assert_eq!(error, format!("screen.values[0].from: {text}"));
            assert_eq!(found(declaration, Some("1"), "2", None).unwrap(), "1 -> 2");
        }
    }

    #[test]
    fn factor_titles_describe_the_change() {
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
