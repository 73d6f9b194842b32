//! Formulas of the vote, compared offline on the ballots of a run.
//!
//! The ballots of a search decide which move is played, and the judge has scored every move that has
//! a vote. So the regret of any formula follows from one run, without another search. Many formulas
//! compared by the same positions favour the lucky one; the best formula of one half of the
//! positions is therefore also judged by the other half.

use serde::Serialize;

use super::ballot::ThreadBallot;
use super::mean::Mean;
use super::record::RegretRecord;
use crate::uci::ReportedScore;

/// Scores from here on prove a win or a loss. Units: centipawns.
const PROVEN: i32 = 19_000;

/// Added to each score difference. Units: centipawns. With the last one, scores hardly count.
const BASES: [f64; 7] = [3.0, 6.0, 10.0, 14.0, 25.0, 60.0, 100_000.0];
const DEPTH_POWERS: [f64; 5] = [0.0, 0.5, 1.0, 2.0, 4.0];
const SHARE_POWERS: [f64; 3] = [0.0, 1.0, 2.0];
const AGE_POWERS: [f64; 3] = [0.0, 0.5, 1.0];

/// A weight of votes: `(score - worst score + base) * depth^d * share^s * age^a`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Formula {
    /// Units: centipawns.
    pub base: f64,
    /// Exponent of the last completed depth.
    pub depth: f64,
    /// Exponent of the share of the thread's nodes that lie below the move.
    pub share: f64,
    /// Exponent of the number of depths for which the move has been the best.
    pub age: f64,
}

impl Formula {
    /// The formula of the engine.
    const PRESENT: Self = Self { base: 10.0, depth: 1.0, share: 0.0, age: 0.0 };

    /// Returns all formulas that are compared, the present one first.
    fn all() -> Vec<Self> {
        let mut all = vec![Self::PRESENT];
        for base in BASES {
            for depth in DEPTH_POWERS {
                for share in SHARE_POWERS {
                    for age in AGE_POWERS {
                        let formula = Self { base, depth, share, age };
                        if formula != Self::PRESENT {
                            all.push(formula);
                        }
                    }
                }
            }
        }
        all
    }

    fn weight(self, ballot: &ThreadBallot, above_worst: i32) -> f64 {
        let share = ballot.best as f64 / ballot.nodes.max(1) as f64;
        let age = f64::from((ballot.depth - ballot.since).max(0) + 1);
        (f64::from(above_worst) + self.base)
            * f64::from(ballot.depth).powf(self.depth)
            * share.powf(self.share)
            * age.powf(self.age)
    }

    /// Returns the move with the largest sum of weights. A tie goes to the move of the earlier
    /// thread. `None` if no thread has completed a depth, or a score proves a win or a loss: then the
    /// formula does not decide.
    pub(super) fn choose(self, ballots: &[ThreadBallot]) -> Option<&str> {
        let voters = || ballots.iter().filter(|ballot| ballot.depth > 0);
        let scores: Option<Vec<i32>> = voters().map(|ballot| undecided(ballot.score)).collect();
        let worst = scores?.into_iter().min()?;
        let mut sums: Vec<(&str, f64)> = Vec::new();
        for ballot in voters() {
            let weight = self.weight(ballot, undecided(ballot.score)? - worst);
            match sums.iter_mut().find(|(mv, _)| *mv == ballot.mv) {
                Some((_, sum)) => *sum += weight,
                None => sums.push((&ballot.mv, weight)),
            }
        }
        sums.into_iter().reduce(|best, other| if other.1 > best.1 { other } else { best }).map(|(mv, _)| mv)
    }
}

/// Returns a score that proves neither a win nor a loss. Units: centipawns.
fn undecided(score: ReportedScore) -> Option<i32> {
    match score {
        ReportedScore::Cp(score) if score.abs() < PROVEN => Some(score),
        _ => None,
    }
}

/// A formula beside the present one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct FormulaGain {
    /// The formula.
    #[serde(flatten)]
    pub formula: Formula,
    /// Positions in which it plays another move than the present formula.
    pub changes: u64,
    /// Win probability gained over the present formula. Units: percent.
    pub gain: Mean,
}

/// The formulas on the ballots of one setting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct VoteFit {
    /// Name of the engine.
    pub name: String,
    /// Positions with ballots.
    pub positions: u64,
    /// Positions in which the threads vote for different moves.
    pub divided: u64,
    /// Positions in which the present formula gives another move than the engine played. Expected: 0.
    pub unexplained: u64,
    /// Gain of the main thread's move over the present formula. Units: percent.
    pub main: Mean,
    /// All formulas by gain, in descending order.
    pub formulas: Vec<FormulaGain>,
    /// Gain of the best formula of each half of the positions on the other half. Units: percent.
    pub held_out: Mean,
}

impl VoteFit {
    /// Compares the formulas on the ballots of the setting at `index`; `None` without ballots.
    pub(super) fn of(name: &str, index: usize, records: &[&RegretRecord], scale: f64) -> Option<Self> {
        let with_ballots = |record: &&RegretRecord| !record.ballots_of(index).is_empty();
        let records: Vec<&RegretRecord> = records.iter().copied().filter(with_ballots).collect();
        if records.is_empty() {
            return None;
        }
        // In percent, over the present formula, which is the first.
        let formulas = Formula::all();
        let mut gains: Vec<Vec<f64>> = vec![Vec::with_capacity(records.len()); formulas.len()];
        let mut changes = vec![0; formulas.len()];
        let (mut main, mut unexplained, mut divided) = (Vec::with_capacity(records.len()), 0, 0);
        for record in &records {
            let ballots = record.ballots_of(index);
            let chance = |mv: &str| record.chance(mv, scale);
            divided += u64::from(ballots.iter().any(|ballot| ballot.mv != ballots[0].mv));
            let played = record.moves[index].as_str();
            let present = Formula::PRESENT.choose(ballots).unwrap_or(played);
            unexplained += u64::from(present != played);
            let gain = |mv: &str| if mv == present { 0.0 } else { 100.0 * (chance(mv) - chance(present)) };
            main.push(ballots.iter().find(|ballot| ballot.thread == 0).map_or(0.0, |main| gain(&main.mv)));
            for ((formula, gains), changes) in formulas.iter().zip(&mut gains).zip(&mut changes) {
                let chosen = formula.choose(ballots).unwrap_or(present);
                *changes += u64::from(chosen != present);
                gains.push(gain(chosen));
            }
        }
        let is_odd: Vec<bool> = records.iter().map(|record| record.index % 2 == 1).collect();
        let held_out = Mean::of(&held_out(&gains, &is_odd));
        let found = formulas.into_iter().zip(&gains).zip(changes);
        let mut formulas: Vec<FormulaGain> = found
            .map(|((formula, gains), changes)| FormulaGain { formula, changes, gain: Mean::of(gains) })
            .collect();
        // Stable, so that the present formula comes before equal ones.
        formulas.sort_by(|one, other| other.gain.value.total_cmp(&one.gain.value));
        Some(Self {
            name: name.to_owned(),
            positions: records.len() as u64,
            divided,
            unexplained,
            main: Mean::of(&main),
            formulas,
            held_out,
        })
    }
}

/// Returns, for each position, the gain of the formula that is best on the positions of the other
/// parity. Shape: `gains[formula][position]`, `is_odd[position]`.
fn held_out(gains: &[Vec<f64>], is_odd: &[bool]) -> Vec<f64> {
    let best_on = |odd: bool| {
        let sum = |gains: &[f64]| -> f64 {
            gains.iter().zip(is_odd).filter(|&(_, &is_odd)| is_odd == odd).map(|(gain, _)| gain).sum()
        };
        let better =
            |best: usize, other: usize| if sum(&gains[other]) > sum(&gains[best]) { other } else { best };
        (0..gains.len()).reduce(better).unwrap_or(0)
    };
    let (on_even, on_odd) = (best_on(false), best_on(true));
    let best_elsewhere = |&is_odd: &bool| if is_odd { on_even } else { on_odd };
    is_odd.iter().map(best_elsewhere).enumerate().map(|(place, best)| gains[best][place]).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stretto::threads::vote::{Ballot, winner};
    use stretto::types::{Depth, Move, Score, Square};

    use super::super::record::{JudgedMove, REGRET_VERSION};
    use super::*;

    fn ballot(thread: usize, mv: &str, score: i32, depth: i32) -> ThreadBallot {
        let score = ReportedScore::Cp(score);
        ThreadBallot { thread, mv: mv.to_owned(), score, depth, since: 1, nodes: 100, best: 50 }
    }

    /// Returns a record of one setting that played the first ballot's move.
    fn record(index: u64, ballots: Vec<ThreadBallot>, scores: &[(&str, i32)]) -> RegretRecord {
        let judged = |&(mv, cp): &(&str, i32)| JudgedMove {
            mv: mv.to_owned(),
            score: ReportedScore::Cp(cp),
            nodes: None,
        };
        RegretRecord {
            may_stop_early: Vec::new(),
            v: REGRET_VERSION,
            index,
            fen: "a position".to_owned(),
            moves: vec![ballots[0].mv.clone()],
            nodes: vec![100],
            judged: scores.iter().map(judged).collect(),
            known: 0,
            ballots: vec![ballots],
        }
    }

    proptest! {
        #[test]
        fn present_formula_is_the_vote_of_the_engine(
            votes in prop::collection::vec((0..4_usize, -60..=60, -1..9), 1..12),
        ) {
            let engine: Vec<Ballot> = votes.iter().map(|&(mv, score, depth)| Ballot {
                mv: Move::normal(Square::from_index(mv), Square::from_index(mv + 8)),
                score: Score(score),
                depth: Depth(depth),
            }).collect();
            let ours: Vec<ThreadBallot> = votes.iter().enumerate()
                .map(|(thread, &(mv, score, depth))| ballot(thread, &mv.to_string(), score, depth)).collect();
            let chosen = Formula::PRESENT.choose(&ours).unwrap_or(&ours[0].mv);
            prop_assert_eq!(chosen, &ours[winner(&engine)].mv);
        }
    }

    #[test]
    fn exponents_change_the_choice() {
        let deep = ballot(0, "deep", 0, 12);
        let confident = ThreadBallot { best: 90, ..ballot(1, "confident", 0, 9) };
        let settled = ThreadBallot { since: -2, ..ballot(2, "settled", 0, 9) };
        let ballots = [deep, confident, settled];
        let choose = |depth, share, age| Formula { base: 10.0, depth, share, age }.choose(&ballots);
        assert_eq!(choose(1.0, 0.0, 0.0), Some("deep"));
        assert_eq!(choose(0.0, 1.0, 0.0), Some("confident"));
        assert_eq!(choose(0.0, 0.0, 1.0), Some("deep"), "best for all of its twelve depths");
        assert_eq!(choose(-3.0, 0.0, 1.0), Some("settled"));
    }

    #[test]
    fn proven_scores_are_left_to_the_engine() {
        let mate = ThreadBallot { score: ReportedScore::Mate(3), ..ballot(1, "b", 0, 4) };
        assert_eq!(Formula::PRESENT.choose(&[ballot(0, "a", 5, 9), mate]), None);
        assert_eq!(Formula::PRESENT.choose(&[ballot(0, "a", 20_000, 9)]), None);
        assert_eq!(Formula::PRESENT.choose(&[ballot(0, "a", 5, 0)]), None, "no completed depth");
    }

    #[test]
    fn better_formulas_gain_and_hold_out() {
        // The two threads with the lower score are right, so counting votes is better.
        let divided = |index: u64| {
            let ballots = vec![ballot(0, "high", 60, 9), ballot(1, "right", 0, 9), ballot(2, "right", 0, 9)];
            record(index, ballots, &[("high", 0), ("right", 30 + (index % 3) as i32)])
        };
        let agreed = |index: u64| record(index, vec![ballot(0, "a", 0, 9), ballot(1, "a", 9, 9)], &[]);
        let records: Vec<RegretRecord> = (0..40).map(divided).chain((40..60).map(agreed)).collect();
        let fit = VoteFit::of("team", 0, &records.iter().collect::<Vec<_>>(), 150.0).unwrap();
        assert_eq!((fit.positions, fit.divided, fit.unexplained), (60, 40, 0));
        assert!(fit.main.value.abs() < 1e-12, "the main thread has the high score");
        assert_eq!(fit.formulas.len(), 7 * 5 * 3 * 3);
        let best = &fit.formulas[0];
        assert!(best.gain.value > 1.0 && best.changes == 40 && best.formula.base > 60.0, "{best:?}");
        assert!((fit.held_out.value - best.gain.value).abs() < 0.1, "{fit:?}");
        let present = fit.formulas.iter().find(|found| found.formula == Formula::PRESENT).unwrap();
        assert_eq!((present.changes, present.gain.value.abs() < 1e-12), (0, true));
        assert_eq!(VoteFit::of("none", 0, &[], 150.0), None);
    }

    #[test]
    fn luck_of_one_half_does_not_hold_out() {
        // The second formula is better on even positions only, the third on odd ones only.
        let gains =
            [vec![0.0; 6], vec![2.0, -1.0, 2.0, -1.0, 2.0, -1.0], vec![-1.0, 2.0, -1.0, 2.0, -1.0, 2.0]];
        assert_eq!(held_out(&gains, &[false, true, false, true, false, true]), [-1.0; 6]);
        // Positions without ballots are missing: the number of a position decides, not its place.
        let without_one = gains.map(|gains| gains[1..].to_vec());
        assert_eq!(held_out(&without_one, &[true, false, true, false, true]), [-1.0; 5]);
    }
}
