//! Selection of the move to play by a vote of the threads, weighted by depth and score.
//!
//! A pure function of the threads' results. Mate and tablebase scores bypass the vote. Threads that
//! completed no iteration are excluded, because their result is at best partial; if there are no
//! others, the main thread decides. The caller skips the vote for fixed-depth and MultiPV searches.
//!
//! Source: the weight (score above the worst plus 10, times depth) is in common use since Stockfish
//! 10.

use crate::types::{Depth, Move, Score};

/// The vote of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ballot {
    /// The move that the thread would play.
    pub mv: Move,
    /// The score of the last completed iteration.
    pub score: Score,
    /// The depth of the last completed iteration; zero or less for none.
    pub depth: Depth,
}

/// Added to each score difference, so that the worst score also has weight. Units: centipawns.
const BASE: i64 = 10;

/// Returns the index of the thread whose move and line to play. Ties go to 0, the main thread.
///
/// The shortest proven win has priority. A proven loss is chosen only if all scores are losses, the
/// longest first. Otherwise the weights are summed per move, and among the ballots of the winning
/// move the heaviest is returned.
pub fn winner(ballots: &[Ballot]) -> usize {
    let valid = || ballots.iter().enumerate().filter(|(_, ballot)| ballot.depth > Depth::ZERO);
    let best = first_max(valid(), |ballot| i64::from(ballot.score.0));
    match best {
        None => 0,
        // If the best score is a win, it is the shortest. If it is a loss, all are, and it is the
        // longest.
        Some((index, ballot)) if ballot.score.is_decisive() => index,
        Some(_) => {
            let undecided = || valid().filter(|(_, ballot)| !ballot.score.is_decisive());
            let worst = undecided().map(|(_, ballot)| i64::from(ballot.score.0)).min().unwrap_or_default();
            let weight =
                |ballot: &Ballot| (i64::from(ballot.score.0) - worst + BASE) * i64::from(ballot.depth.0);
            let votes = |mv: Move| -> i64 {
                undecided().filter(|(_, other)| other.mv == mv).map(|(_, other)| weight(other)).sum()
            };
            let elected = first_max(undecided(), |ballot| votes(ballot.mv)).map(|(_, ballot)| ballot.mv);
            let speakers = undecided().filter(|(_, ballot)| Some(ballot.mv) == elected);
            first_max(speakers, weight).map_or(0, |(index, _)| index)
        }
    }
}

/// Returns the first ballot with the greatest rank.
fn first_max<'a>(
    ballots: impl Iterator<Item = (usize, &'a Ballot)>,
    rank: impl Fn(&Ballot) -> i64,
) -> Option<(usize, &'a Ballot)> {
    // `max_by_key` returns the last maximum, so a later index ranks lower.
    ballots.max_by_key(|(index, ballot)| (rank(ballot), std::cmp::Reverse(*index)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::{Ply, Square};

    fn ballot(mv: usize, score: i32, depth: i32) -> Ballot {
        let mv = Move::normal(Square::from_index(mv), Square::from_index(mv + 8));
        Ballot { mv, score: Score(score), depth: Depth(depth) }
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
        assert_eq!(
            winner(&[ballot(1, 800, 30), ballot(2, long, 8), ballot(3, short, 6), ballot(1, 800, 30)]),
            2
        );
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

    proptest! {
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
}
