//! Tests of the vote.

use proptest::prelude::*;

use super::*;
use crate::types::{Ply, Square};

fn ballot(mv: usize, score: i32, depth: i32) -> Ballot {
    let mv = Move::normal(Square::from_index(mv), Square::from_index(mv + 8));
    Ballot { mv, score: Score(score), depth: Depth(depth) }
}

#[test]
fn zero_is_no_ballot() {
    assert_eq!(Ballot::from_word(0), None);
}

#[test]
fn main_thread_decides_alone_or_without_completed_iterations() {
    assert_eq!(winner(&[]), 0);
    assert_eq!(winner(&[ballot(1, -500, 3)]), 0);
    assert_eq!(winner(&[ballot(1, 0, 0), ballot(2, 900, 0), ballot(2, 900, -1)]), 0);
}

#[test]
fn threads_without_a_completed_iteration_are_excluded() {
    assert_eq!(winner(&[ballot(1, 20, 10), ballot(2, 31_990, 0), ballot(2, 3000, 0)]), 0);
    assert_eq!(winner(&[ballot(1, 900, 0), ballot(2, -20, 1)]), 1);
}

#[test]
fn weights_are_summed_per_move() {
    // (0 + 10) * 12 = 120 for move 1; 2 * (0 + 10) * 10 = 200 for move 2.
    assert_eq!(winner(&[ballot(1, 5, 12), ballot(2, 5, 10), ballot(2, 5, 10)]), 1);
    // (40 + 10) * 12 = 600 against 2 * (0 + 10) * 12 = 240.
    assert_eq!(winner(&[ballot(2, 5, 12), ballot(2, 5, 12), ballot(1, 45, 12)]), 2);
    // One more ply does not outweigh ten centipawns: 10 * 13 = 130 against 20 * 12 = 240.
    assert_eq!(winner(&[ballot(1, 0, 13), ballot(2, 10, 12)]), 1);
}

#[test]
fn ties_go_to_the_main_thread() {
    assert_eq!(winner(&[ballot(1, 7, 9), ballot(2, 7, 9)]), 0);
    assert_eq!(winner(&[ballot(1, 7, 9), ballot(2, 7, 9), ballot(2, 7, 0)]), 0);
    assert_eq!(winner(&[ballot(1, 7, 9), ballot(1, 7, 9)]), 0);
}

#[test]
fn heaviest_ballot_of_the_winning_move_is_returned() {
    assert_eq!(winner(&[ballot(1, 7, 9), ballot(2, 0, 9), ballot(1, 7, 11)]), 2);
}

#[test]
fn shortest_mate_wins() {
    let (long, short) = (Score::mate_in(Ply(9)).0, Score::mate_in(Ply(5)).0);
    assert_eq!(winner(&[ballot(1, 800, 30), ballot(2, long, 8), ballot(3, short, 6), ballot(1, 800, 30)]), 2);
    assert_eq!(winner(&[ballot(1, short, 7), ballot(2, short, 9)]), 0);
}

#[test]
fn losses_are_never_preferred_and_the_longest_is_chosen() {
    let (soon, late) = (Score::mated_in(Ply(4)).0, Score::mated_in(Ply(12)).0);
    assert_eq!(winner(&[ballot(1, soon, 20), ballot(2, late, 10)]), 1);
    assert_eq!(winner(&[ballot(1, soon, 20), ballot(1, soon, 20), ballot(2, -900, 3)]), 2);
    // The loss does not enter the score scale: 30 * 10 against 10 * 20 for the undecided.
    assert_eq!(winner(&[ballot(1, soon, 20), ballot(2, 0, 20), ballot(3, 20, 10)]), 2);
}

/// Counts the votes for every ballot separately: slow and simple.
fn winner_by_recounting(ballots: &[Ballot]) -> usize {
    let undecided = || {
        let has_say = |ballot: &&Ballot| ballot.depth > Depth::ZERO && !ballot.score.is_decisive();
        (0..ballots.len()).filter(move |&index| has_say(&&ballots[index]))
    };
    let Some(worst) = undecided().map(|index| ballots[index].score.0).min() else { return 0 };
    let weight =
        |index: usize| i64::from(ballots[index].score.0 - worst + 10) * i64::from(ballots[index].depth.0);
    let votes = |index: usize| -> i64 {
        undecided().filter(|&other| ballots[other].mv == ballots[index].mv).map(weight).sum()
    };
    let elected = undecided().rev().max_by_key(|&index| votes(index)).expect("a ballot has a say");
    let speakers = undecided().rev().filter(|&index| ballots[index].mv == ballots[elected].mv);
    speakers.max_by_key(|&index| weight(index)).expect("the elected ballot itself")
}

proptest! {
    #[test]
    fn sums_per_move_agree_with_recounting(
        ballots in prop::collection::vec((1..5_usize, -60..=60, -1..9), 0..40),
    ) {
        let ballots: Vec<Ballot> = ballots.into_iter().map(|(m, s, d)| ballot(m, s, d)).collect();
        prop_assert_eq!(winner(&ballots), winner_by_recounting(&ballots));
    }

    #[test]
    fn ballot_survives_packing(mv in 1..5_usize, score in -32_001..=32_001, depth in -2..=246) {
        let ballot = ballot(mv, score, depth);
        prop_assert_eq!(Ballot::from_word(ballot.to_word()), Some(ballot));
    }

    #[test]
    fn winner_has_a_completed_iteration_and_main_wins_unanimous_votes(
        ballots in prop::collection::vec((1..5_usize, -32_000..=32_000, -2..246), 1..20),
    ) {
        let ballots: Vec<Ballot> = ballots.into_iter().map(|(m, s, d)| ballot(m, s, d)).collect();
        let chosen = winner(&ballots);
        let has_say = |ballot: &&Ballot| ballot.depth > Depth::ZERO;
        prop_assert!(has_say(&&ballots[chosen]) || ballots.iter().find(has_say).is_none());
        prop_assert_eq!(winner(&[ballots[0]; 5]), 0);
    }
}
