//! Games of an ablation: selects the settings that play against the unchanged engine and evaluates
//! all matches together.
//!
//! The Elo intervals hold simultaneously for all settings (Bonferroni), and the tests are Holm's
//! ([`stretto_stats::holm`]), both with Student's t for the pairs of the match. A setting that lost almost every game
//! has no interval but a p-value ([`equality_p_value`]).

use super::variant::measured;
use super::{AblateGames, Ablation, Effect, Job, Played, Strength, Variant};
use crate::config::EngineConfig;
use crate::measure::bench::Quantity;
use crate::play::matches::MatchConfig;
use stretto_stats::elo::{equality_p_value, half_width_at};
use stretto_stats::holm::{holm, simultaneous_half_width};
use stretto_stats::summary::MatchStats;

/// Returns the folder of a setting's match inside the run folder.
pub(crate) fn folder_of(variant: &Variant) -> String {
    let name = variant.name().replace(", ", "+").replace(' ', "-");
    format!("games-{name}")
}

/// Returns the settings to play with their matches, in the order of the settings. Requires the
/// results of all searches.
pub(crate) fn settings_to_play(
    job: &Job,
    games: &AblateGames,
    ablation: &Ablation,
) -> Vec<(Variant, MatchConfig)> {
    let bench = &job.bench.config;
    let engines = job.variants.iter().zip(measured(bench).map(|index| &bench.engines[index]));
    let wanted = wanted(&games.played, ablation);
    let played = engines.filter(|(variant, _)| wanted.contains(variant));
    let config = |engine: &EngineConfig| games.against(engine);
    played.map(|(variant, engine)| (variant.clone(), config(engine))).collect()
}

fn wanted(played: &Played, ablation: &Ablation) -> Vec<Variant> {
    let single = ablation.effects.iter().filter(|effect| effect.variant.switches.len() == 1);
    match played {
        Played::Switches(names) => {
            let is_named = |variant: &Variant| {
                let (name, _) = &variant.switches[0];
                names.iter().any(|wanted| wanted.eq_ignore_ascii_case(name))
            };
            single.map(|effect| effect.variant.clone()).filter(is_named).collect()
        }
        Played::Largest(count) => {
            let size = |effect: &&Effect| {
                effect.of(Quantity::Nodes).map_or(0.0, |comparison| comparison.ratio.mean.ln().abs())
            };
            let mut single: Vec<&Effect> = single.collect();
            single.sort_by(|one, other| size(other).total_cmp(&size(one)));
            single.iter().take(count.get()).map(|effect| effect.variant.clone()).collect()
        }
    }
}

impl Ablation {
    /// Adds the Elo of the matches, with simultaneous intervals.
    pub(crate) fn with_games(mut self, matches: &[(Variant, MatchStats)]) -> Self {
        let errors = |stats: &MatchStats| {
            let degrees = stats.pairs.pairs().saturating_sub(1) as usize;
            simultaneous_half_width(matches.len(), degrees)
        };
        let p_values: Vec<_> =
            matches.iter().map(|(_, stats)| Some(equality_p_value(&stats.pairs).0)).collect();
        for ((variant, stats), is_different) in matches.iter().zip(holm(&p_values)) {
            let effect = self.effects.iter_mut().find(|effect| effect.variant == *variant);
            let Some(effect) = effect else { continue };
            effect.strength = Some(Strength {
                games: stats.games.games(),
                score: stats.score,
                elo: stats.elo,
                simultaneous: half_width_at(&stats.pairs, errors(stats)),
                is_different,
            });
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::effect::add_interactions;
    use super::*;
    use crate::measure::bench::{Difference, EngineComparison};
    use crate::play::matches::RepeatedPairs;
    use crate::run::RunState;
    use stretto_stats::counts::{Pentanomial, Trinomial};
    use stretto_stats::factor::Factor;

    #[test]
    fn interaction_is_the_ratio_to_the_product_of_both_switches() {
        let mut effects = [("A", 2.0), ("B", 3.0), ("A+B", 9.0)].map(|(name, nodes)| effect(name, nodes));
        add_interactions(&mut effects);
        assert_eq!(effects.map(|effect| effect.interaction), [None, None, Some(1.5)]);
    }

    fn effect(name: &str, nodes: f64) -> Effect {
        let ratio = Factor { mean: nodes, low: nodes, high: nodes, positions: 1 };
        let comparison = EngineComparison { quantity: Quantity::Nodes, ratio, difference: Difference::None };
        let switches = name.split('+').map(|name| (name.to_owned(), false)).collect();
        Effect { variant: Variant { switches }, comparisons: vec![comparison], ..Effect::default() }
    }

    fn ablation() -> Ablation {
        let effects = [("A", 1.1), ("B", 0.5), ("C", 1.5), ("A+B", 9.0), ("D", 1.0)];
        Ablation {
            v: 0,
            state: RunState::Finished,
            positions: 1,
            searches: 1,
            searches_planned: 1,
            effects: effects.map(|(name, nodes)| effect(name, nodes)).to_vec(),
            control: Vec::new(),
            repeated: RepeatedPairs::default(),
        }
    }

    fn names(variants: &[Variant]) -> Vec<String> {
        variants.iter().map(Variant::name).collect()
    }

    #[test]
    fn the_largest_are_those_that_change_the_nodes_most_either_way() {
        let two = std::num::NonZeroUsize::new(2).unwrap();
        assert_eq!(names(&wanted(&Played::Largest(two), &ablation())), ["B off", "C off"]);
        let named = Played::Switches(vec!["d".to_owned(), "a".to_owned()]);
        assert_eq!(names(&wanted(&named, &ablation())), ["A off", "D off"], "pairs are not named so");
        assert_eq!(folder_of(&ablation().effects[3].variant), "games-A-off+B-off");
    }

    fn stats(pairs: [u64; 5]) -> MatchStats {
        let games = Trinomial { losses: 0, draws: 2 * pairs.iter().sum::<u64>(), wins: 0 };
        MatchStats::new(Pentanomial(pairs), games, None)
    }

    #[test]
    fn setting_that_lost_almost_every_game_differs_significantly() {
        for lost in [[200, 0, 0, 0, 0], [198, 2, 0, 0, 0]] {
            let matches = [
                (effect("B", 0.5).variant, stats(lost)),
                (effect("C", 1.5).variant, stats([5, 10, 20, 11, 5])),
            ];
            let found = ablation().with_games(&matches);
            let strength = found.effects[1].strength.unwrap();
            assert!(strength.is_different && strength.simultaneous.is_none(), "{lost:?}: {strength:?}");
            assert!(!found.effects[2].strength.unwrap().is_different);
        }
    }

    #[test]
    fn simultaneous_interval_that_reaches_a_score_of_0_is_absent() {
        let matches = [
            (effect("B", 0.5).variant, stats([11, 0, 4, 0, 0])),
            (effect("C", 1.5).variant, stats([2, 3, 5, 3, 2])),
            (effect("D", 1.0).variant, stats([1, 4, 5, 4, 1])),
        ];
        let found = ablation().with_games(&matches);
        let strength = |index: usize| found.effects[index].strength.unwrap();
        // The individual interval of the score ends at 0.0066, the simultaneous one would end at -0.028.
        assert!(strength(1).elo.unwrap().half_width.is_some(), "{:?}", strength(1));
        assert_eq!(strength(1).simultaneous, None);
        assert!(strength(2).simultaneous.is_some() && strength(4).simultaneous.is_some());
    }

    #[test]
    fn matches_are_judged_together() {
        let matches = [
            (effect("B", 0.5).variant, stats([30, 20, 10, 5, 2])),
            (effect("C", 1.5).variant, stats([5, 10, 20, 11, 5])),
            (effect("D", 1.0).variant, stats([0, 0, 20, 0, 0])),
        ];
        let found = ablation().with_games(&matches);
        let strength = |index: usize| found.effects[index].strength;
        assert_eq!(strength(0), None);
        let (clear, unclear, blind) = (strength(1).unwrap(), strength(2).unwrap(), strength(4).unwrap());
        assert!(clear.is_different && !unclear.is_different && !blind.is_different);
        assert!(clear.simultaneous.unwrap().0 > clear.elo.unwrap().half_width.unwrap().0);
        assert_eq!((blind.simultaneous, blind.games), (None, 40));
        let alone = ablation().with_games(&matches[..1]).effects[1].strength.unwrap();
        let difference = alone.simultaneous.unwrap().0 - alone.elo.unwrap().half_width.unwrap().0;
        assert!(difference.abs() < 1e-6, "a single match needs no correction: {difference}");
    }
}
