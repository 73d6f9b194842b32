//! Computes the statistics and the verdict of a match from its finished games.
//!
//! A game counts at once, a pair when both its games are finished. A sequential test is evaluated
//! after each pair, in the order of the journal. Replaying the journal therefore gives the same LLR,
//! overshoot corrections and verdict. The first bound crossed decides. Pairs in progress at that
//! moment are finished; they enter the estimates but not the verdict.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::wording::counted;
use crate::config::{FieldPath, Problem, thousandths};
use crate::play::block::score::Score;
use crate::play::pairings::HalfPairs;
use crate::play::record::GameRecord;
use stretto_stats::bounds::{MAX_ELO, MIN_ERROR_RATE, MIN_WIDTH, Sprt, SprtError, Verdict};
use stretto_stats::counts::Trinomial;
use stretto_stats::llr::Model;
use stretto_stats::overshoot::OvershootTracker;
use stretto_stats::summary::{MatchStats, SprtState};
use stretto_stats::units::Llr;
use stretto_stats::wald::{SmoothedRest, remaining};

/// Bounds and error rates of a sequential probability ratio test (SPRT).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Sprt")]
pub struct SprtConfig {
    /// Elo model of the bounds.
    #[serde(default)]
    pub model: Model,
    /// H0: the first engine is this much stronger. If H1 is accepted, it is stronger than that.
    pub elo0: f64,
    /// H1: the first engine is this much stronger. If H0 is accepted, it is not that much stronger.
    pub elo1: f64,
    /// Probability of accepting H1 although H0 holds.
    #[serde(default = "thousandths::<50>")]
    pub alpha: f64,
    /// Probability of accepting H0 although H1 holds.
    #[serde(default = "thousandths::<50>")]
    pub beta: f64,
    /// Number of games after which the test ends without a decision. Even.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_games: Option<u64>,
}

impl SprtConfig {
    /// Returns the test.
    ///
    /// Errors: its bounds or error rates are out of range.
    pub fn test(&self) -> Result<Sprt, SprtError> {
        Sprt::new(self.model, self.elo0, self.elo1, self.alpha, self.beta)
    }

    /// Returns Wald's bounds of the LLR, without correction for overshoot: that of H0 and that of H1.
    pub(super) fn wald_bounds(&self) -> [f64; 2] {
        let Self { alpha, beta, .. } = self;
        [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()]
    }

    /// Reports bounds and error rates that no test accepts.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        self.test().map(drop).map_err(problem)
    }
}

/// Converts the error of a test to a problem at the field.
fn problem(error: SprtError) -> Problem {
    let (key, message) = match error {
        SprtError::Elo { name, value } => (name, format!("{value}: expected -{MAX_ELO} to {MAX_ELO}")),
        SprtError::Order { elo0, elo1 } if elo0 < elo1 => {
            ("elo0", format!("{elo0}: expected at least {MIN_WIDTH} less than elo1, which is {elo1}"))
        }
        SprtError::Order { elo0, elo1 } => {
            ("elo0", format!("{elo0}: expected less than elo1, which is {elo1}"))
        }
        SprtError::ErrorRate { name, value } => {
            (name, format!("{value}: expected {MIN_ERROR_RATE:e} up to below 0.5"))
        }
    };
    Problem::new(FieldPath::root().key("sprt").key(key), message)
}

/// The decision of a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Decision {
    /// The hypothesis that the test accepted; never [`Verdict::Continue`].
    pub verdict: Verdict,
    /// Number of pairs at the decision.
    pub pairs: u64,
    /// The LLR at that moment.
    pub llr: Llr,
    /// The bound that it crossed, corrected for overshoot.
    pub bound: Llr,
    /// The distance by which Wald's bound was moved inwards.
    pub overshoot: Llr,
}

impl fmt::Display for Decision {
    /// Formats `after 78 pairs at LLR 2.92, above 2.87 (the bound 2.94, corrected by 0.07 for overshoot)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pairs, llr, bound, overshoot, .. } = self;
        let (side, outwards) =
            if self.verdict == Verdict::AcceptH1 { ("above", 1.0) } else { ("below", -1.0) };
        let fixed = Llr(bound.0 + outwards * overshoot.0);
        let pairs = counted(*pairs as usize, "pair");
        write!(
            f,
            "after {pairs} at LLR {llr}, {side} {bound} (the bound {fixed}, corrected by {overshoot} for overshoot)"
        )
    }
}

/// Running results of a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracker {
    sprt: Option<(Sprt, OvershootTracker)>,
    /// Half points of the first engine.
    half_pairs: HalfPairs<u8>,
    /// Results of the complete pairs, from the first engine's point of view.
    pub(crate) score: Score,
    /// The decision, and the state of the test and the results at that moment.
    decided: Option<(Decision, SprtState, Score)>,
    rest: SmoothedRest,
}

impl Tracker {
    /// Creates an empty tracker; with `sprt` the pairs are tested.
    pub(crate) fn new(sprt: Option<&SprtConfig>) -> Result<Self, SprtError> {
        let spec = sprt.map(SprtConfig::test).transpose()?;
        Ok(Self { sprt: spec.map(|spec| (spec, OvershootTracker::default())), ..Self::default() })
    }

    /// Counts a game; returns whether it completed its pair.
    pub(crate) fn add(&mut self, game: &GameRecord) -> bool {
        let Some(half_points) = self.half_pairs.add(game.pair, game.first_half_points()) else {
            return false;
        };
        self.score += Score::of_pair(half_points);
        self.evaluate_test();
        true
    }

    /// Takes back the one finished game of a pair, whose other game is left out too.
    pub(crate) fn discard(&mut self, pair: u64) {
        self.half_pairs.discard(pair);
    }

    /// Evaluates the test after a completed pair, unless it is decided.
    fn evaluate_test(&mut self) {
        let Some((spec, overshoot)) = &mut self.sprt else { return };
        if self.decided.is_some() {
            return;
        }
        let tally = &self.score.pairs;
        let (llr, pairs) = (spec.llr(tally), tally.pairs());
        let verdict = overshoot.judge(llr, &spec.bounds());
        let corrections = overshoot.corrections();
        self.rest.update(remaining(tally, spec, corrections));
        let deciding = spec.bounds().corrected(corrections);
        let (bound, overshoot) = match verdict {
            Verdict::Continue => return,
            Verdict::AcceptH0 => (deciding.lower, deciding.lower.0 - spec.bounds().lower.0),
            Verdict::AcceptH1 => (deciding.upper, spec.bounds().upper.0 - deciding.upper.0),
        };
        let decision = Decision { verdict, pairs, llr, bound, overshoot: Llr(overshoot) };
        self.decided = Some((decision, SprtState::new(*spec, tally, corrections), self.score));
    }

    /// Returns the expected number of pairs to the end of the test, averaged over the last pairs;
    /// `None` without a test.
    pub(crate) fn expected_rest(&self) -> Option<f64> {
        self.rest.items()
    }

    /// Returns the decision of the test, if it has ended.
    pub(crate) fn decision(&self) -> Option<Decision> {
        self.decided.map(|(decision, ..)| decision)
    }

    /// Returns the results of the complete pairs, of a test up to its decision: `OpenBench` and fishtest drop later games, and
    /// fastchess does not play them.
    pub(crate) fn score_at_decision(&self) -> Score {
        self.decided.map_or(self.score, |(.., score)| score)
    }

    /// Returns the results of the games of incomplete pairs.
    pub(crate) fn single(&self) -> Trinomial {
        self.half_pairs.games().copied().filter_map(Trinomial::from_game).sum()
    }

    /// Returns all statistics of the games so far.
    pub(crate) fn stats(&self) -> MatchStats {
        let current = |(spec, overshoot): &(Sprt, OvershootTracker)| {
            SprtState::new(*spec, &self.score.pairs, overshoot.corrections())
        };
        let sprt = self.decided.map(|(_, state, _)| state).or_else(|| self.sprt.as_ref().map(current));
        MatchStats {
            single: self.single(),
            sprt,
            ..MatchStats::new(self.score.pairs, self.score.games, None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::record::{GameResult, sample_game};
    use stretto_stats::counts::Pentanomial;
    use stretto_stats::llr::{Model, llr};

    fn sprt() -> SprtConfig {
        SprtConfig {
            model: Model::Normalized,
            elo0: 0.0,
            elo1: 60.0,
            alpha: 0.05,
            beta: 0.05,
            max_games: None,
        }
    }

    /// Returns the games of pairs in which the first engine has these half points.
    fn games(half_points: &[[u8; 2]]) -> Vec<GameRecord> {
        let result = |game: &GameRecord, points: u8| match points {
            0 => GameResult::won_by(game.first_side().other()),
            1 => GameResult::Draw,
            _ => GameResult::won_by(game.first_side()),
        };
        let halves = half_points.iter().flatten().zip(0..);
        halves
            .map(|(&points, index)| {
                let game = sample_game(index);
                GameRecord { result: result(&game, points), ..game }
            })
            .collect()
    }

    #[test]
    fn pairs_count_when_both_halves_are_there_in_any_order() {
        let mut tracker = Tracker::new(None).unwrap();
        let list = games(&[[2, 1], [0, 1], [2, 2]]);
        let completed: Vec<bool> = [0, 3, 5, 1, 2, 4].map(|index: usize| tracker.add(&list[index])).to_vec();
        assert_eq!(completed, [false, false, false, true, true, true]);
        assert_eq!(tracker.score.pairs, Pentanomial([0, 1, 0, 1, 1]));
        assert_eq!(tracker.score.games, Trinomial { losses: 1, draws: 2, wins: 3 });
    }

    #[test]
    fn games_of_incomplete_pairs_stay_apart() {
        let mut tracker = Tracker::new(None).unwrap();
        for (index, game) in games(&[[2, 1], [0, 1], [2, 2]]).iter().enumerate() {
            if index != 3 && index != 4 {
                tracker.add(game);
            }
        }
        let stats = tracker.stats();
        assert_eq!(stats.games, Trinomial { losses: 0, draws: 1, wins: 1 });
        assert_eq!(stats.single, Trinomial { losses: 1, draws: 0, wins: 1 });
        assert_eq!(stats.games.score(), stats.score);
        assert_eq!(stats.single_text().unwrap(), "2 games of incomplete pairs (+1 =0 -1)");
        tracker.discard(1);
        assert_eq!(tracker.stats().single, Trinomial { losses: 0, draws: 0, wins: 1 });
    }

    #[test]
    fn the_first_crossing_decides_and_later_pairs_only_inform() {
        let mut tracker = Tracker::new(Some(&sprt())).unwrap();
        let mut list = games(&[[2, 1]; 60]);
        list.extend(games(&[[0, 0]; 90]).into_iter().skip(120));
        for game in &list {
            tracker.add(game);
        }
        let decision = tracker.decision().unwrap();
        assert_eq!(decision.verdict, Verdict::AcceptH1);
        assert!(decision.pairs < 60);
        let stats = tracker.stats();
        assert_eq!(stats.pairs.pairs(), 90);
        // The test stays as decided, and so does the estimate that follows from it.
        let state = stats.sprt.unwrap();
        assert!(llr(&stats.pairs, Model::Normalized, 0.0, 60.0).0 < decision.llr.0);
        assert_eq!((state.llr, state.verdict), (decision.llr, Verdict::AcceptH1));
        // The bound shown with the decision is the one that the LLR crossed.
        assert_eq!(decision.bound, state.deciding_bounds.upper);
        assert!(decision.bound.0 < decision.llr.0 && decision.bound.0 < state.bounds.upper.0);
        let expected = format!(
            "after {} pairs at LLR {}, above {} (the bound 2.94, corrected by {} for overshoot)",
            decision.pairs, decision.llr, decision.bound, decision.overshoot
        );
        assert_eq!(decision.to_string(), expected);
        assert_eq!(tracker.expected_rest(), Some(0.0));
    }

    #[test]
    fn bounds_that_no_test_accepts_are_problems_at_their_fields() {
        let config = |elo0: f64, elo1: f64, alpha: f64| SprtConfig {
            model: Model::Normalized,
            elo0,
            elo1,
            alpha,
            beta: 0.05,
            max_games: None,
        };
        assert!(config(0.0, 5.0, 1e-9).check().is_ok());
        for (config, expected) in [
            (config(-2000.0, 5.0, 0.05), "sprt.elo0: -2000: expected -1500 to 1500"),
            (config(0.0, f64::NAN, 0.05), "sprt.elo1: NaN: expected -1500 to 1500"),
            (config(5.0, 0.0, 0.05), "sprt.elo0: 5: expected less than elo1, which is 0"),
            (
                config(0.0, 1e-4, 0.05),
                "sprt.elo0: 0: expected at least 0.001 less than elo1, which is 0.0001",
            ),
            (config(0.0, 5.0, 0.5), "sprt.alpha: 0.5: expected 1e-12 up to below 0.5"),
        ] {
            let problem = config.check().unwrap_err();
            assert_eq!(format!("{}: {}", problem.path, problem.message), expected);
        }
    }
}
