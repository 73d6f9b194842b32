//! Computes the statistics and the verdict of a match from its finished games.
//!
//! A game counts at once, a pair when both its games are finished. A sequential test is evaluated
//! after each pair, in the order of the journal. Replaying the journal therefore gives the same LLR,
//! overshoot corrections and verdict. The first bound crossed decides. Pairs in progress at that
//! moment are finished; they enter the estimates but not the verdict.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::base::units::Llr;
use crate::play::record::GameRecord;
use crate::play::sprt::SprtConfig;
use crate::stats::bounds::{Sprt, SprtError, Verdict};
use crate::stats::counts::{Pentanomial, Trinomial};
use crate::stats::overshoot::OvershootTracker;
use crate::stats::summary::MatchStats;
use crate::stats::wald::{SmoothedRest, remaining};

/// The decision of a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Decision {
    /// The accepted hypothesis.
    pub verdict: Verdict,
    /// Number of pairs at the decision.
    pub pairs: u64,
    /// The LLR at that moment.
    pub llr: Llr,
    /// The bound that it crossed, corrected for overshoot.
    pub bound: Llr,
}

impl fmt::Display for Decision {
    /// Formats `after 78 pairs at LLR 2.92, above the bound 2.87`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pairs, llr, bound, .. } = self;
        let side = if self.verdict == Verdict::AcceptH1 { "above" } else { "below" };
        write!(f, "after {pairs} pairs at LLR {llr}, {side} the bound {bound}")
    }
}

/// Running results of a match.
#[derive(Clone, Debug)]
pub(crate) struct Tracker {
    sprt: Option<(Sprt, OvershootTracker)>,
    half_pairs: BTreeMap<u64, u8>,
    games: Trinomial,
    pairs: Pentanomial,
    decision: Option<Decision>,
    rest: SmoothedRest,
}

impl Tracker {
    /// Creates an empty tracker; with `sprt` the pairs are tested.
    pub(crate) fn new(sprt: Option<&SprtConfig>) -> Result<Self, SprtError> {
        let spec = sprt
            .map(|sprt| Sprt::new(sprt.model, sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta))
            .transpose()?;
        Ok(Self {
            sprt: spec.map(|spec| (spec, OvershootTracker::new(1))),
            half_pairs: BTreeMap::new(),
            games: Trinomial::default(),
            pairs: Pentanomial::default(),
            decision: None,
            rest: SmoothedRest::default(),
        })
    }

    /// Counts a game; returns whether it completed its pair.
    pub(crate) fn add(&mut self, game: &GameRecord) -> bool {
        let half_points = game.first_half_points();
        self.games += Trinomial::from_game(half_points).unwrap_or_default();
        let Some(other_half) = self.half_pairs.remove(&game.pair) else {
            self.half_pairs.insert(game.pair, half_points);
            return false;
        };
        self.pairs += Pentanomial::from_pair(half_points + other_half).unwrap_or_default();
        self.evaluate_test();
        true
    }

    /// Takes back the one finished game of a pair, whose other game is left out too.
    pub(crate) fn discard(&mut self, pair: u64) {
        if let Some(half_points) = self.half_pairs.remove(&pair) {
            self.games -= Trinomial::from_game(half_points).unwrap_or_default();
        }
    }

    /// Evaluates the test after a completed pair, unless it is decided.
    fn evaluate_test(&mut self) {
        let Some((spec, overshoot)) = &mut self.sprt else { return };
        if self.decision.is_some() {
            return;
        }
        let (llr, pairs) = (spec.llr(&self.pairs), self.pairs.pairs());
        let verdict = overshoot.judge(pairs, llr, &spec.bounds());
        let corrections = overshoot.corrections();
        self.rest.update(remaining(&self.pairs, spec, corrections));
        let deciding = spec.bounds().corrected(corrections);
        let bound = match verdict {
            Verdict::Continue => return,
            Verdict::AcceptH0 => deciding.lower,
            Verdict::AcceptH1 => deciding.upper,
        };
        self.decision = Some(Decision { verdict, pairs, llr, bound });
    }

    /// Returns the expected number of pairs to the end of the test, averaged over the last pairs;
    /// `None` without a test.
    pub(crate) fn expected_rest(&self) -> Option<f64> {
        self.rest.items()
    }

    /// Returns the decision of the test, if it has ended.
    pub(crate) fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// Returns the results of the single games.
    pub(crate) fn games(&self) -> Trinomial {
        self.games
    }

    /// Returns the results of the complete pairs.
    pub(crate) fn pairs(&self) -> Pentanomial {
        self.pairs
    }

    /// Returns all statistics of the games so far.
    pub(crate) fn stats(&self) -> MatchStats {
        let sprt = self.sprt.as_ref().map(|(spec, overshoot)| (*spec, overshoot.corrections()));
        MatchStats::new(self.pairs, self.games, sprt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::record::{GameResult, sample_game};
    use crate::stats::llr::{Model, llr};

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
        assert_eq!(tracker.pairs(), Pentanomial([0, 1, 0, 1, 1]));
        assert_eq!(tracker.games(), Trinomial { losses: 1, draws: 2, wins: 3 });
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
        let state = stats.sprt.unwrap();
        assert_eq!(state.llr, llr(&stats.pairs, Model::Normalized, 0.0, 60.0));
        assert!(state.llr.0 < decision.llr.0);
        // The bound shown with the decision is the one that the LLR crossed.
        assert_eq!(decision.bound, state.deciding_bounds.upper);
        assert!(decision.bound.0 < decision.llr.0 && decision.bound.0 < state.bounds.upper.0);
        let expected = format!(
            "after {} pairs at LLR {}, above the bound {}",
            decision.pairs, decision.llr, decision.bound
        );
        assert_eq!(decision.to_string(), expected);
        assert_eq!(tracker.expected_rest(), Some(0.0));
    }
}
