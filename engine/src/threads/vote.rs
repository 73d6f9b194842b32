//! Whose move to play: the threads vote, weighted by how deep each got and how well it thinks of its move.
//!
//! A pure function of the threads' results. Decisive scores, mates and wins known from endgame tables, bypass the vote.
//! Threads that completed no depth have no say, because what they hold is at best half a search; when none has
//! completed one, the main thread's fallback move stands. Skipping the vote (a depth limit, several lines asked for) is
//! the caller's decision.
//!
//! Source: the weight, score above the worst plus 10, times depth, has been in common use since Stockfish 10.

use crate::types::{Depth, Move, Score};

/// What one thread would play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ballot {
    /// Its move.
    pub mv: Move,
    /// The score of its last completed depth.
    pub score: Score,
    /// The last depth it completed; zero or less for none.
    pub depth: Depth,
}

/// Added to each score's distance from the worst, so that the worst counts too. Units: centipawns.
const BASE: i64 = 10;

/// The index of the thread whose move and line to play; 0, the main thread, wins ties and where nobody has a say.
///
/// A proven win beats everything, the shortest first; a proven loss is chosen only among losses, the longest
/// first. Otherwise each move gathers the weights of its ballots, and the heaviest ballot speaks for the winner.
pub fn winner(ballots: &[Ballot]) -> usize {
    let valid = || ballots.iter().enumerate().filter(|(_, ballot)| ballot.depth > Depth::ZERO);
    let best = first_max(valid(), |ballot| i64::from(ballot.score.0));
    match best {
        None => 0,
        // The best score is a win: the shortest. It is a loss: so are all, and it is the longest.
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

/// The first ballot with the greatest rank.
fn first_max<'a>(
    ballots: impl Iterator<Item = (usize, &'a Ballot)>,
    rank: impl Fn(&Ballot) -> i64,
) -> Option<(usize, &'a Ballot)> {
    // `max_by_key` takes the last of equals, so the later index counts as less.
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
    fn alone_or_without_a_completed_depth_main_decides() {
        assert_eq!(winner(&[]), 0);
        assert_eq!(winner(&[ballot(1, -500, 3)]), 0);
        assert_eq!(winner(&[ballot(1, 0, 0), ballot(2, 900, 0), ballot(2, 900, -1)]), 0);
    }

    #[test]
    fn a_thread_without_a_completed_depth_has_no_say() {
        assert_eq!(winner(&[ballot(1, 20, 10), ballot(2, 31_990, 0), ballot(2, 3000, 0)]), 0);
        assert_eq!(winner(&[ballot(1, 900, 0), ballot(2, -20, 1)]), 1);
    }

    #[test]
    fn weights_add_up_by_move() {
        // (0 + 10) * 12 = 120 for move 1; 2 * (0 + 10) * 10 = 200 for move 2.
        assert_eq!(winner(&[ballot(1, 5, 12), ballot(2, 5, 10), ballot(2, 5, 10)]), 1);
        // (40 + 10) * 12 = 600 against 2 * (0 + 10) * 12 = 240.
        assert_eq!(winner(&[ballot(2, 5, 12), ballot(2, 5, 12), ballot(1, 45, 12)]), 2);
        // One ply more is not enough against ten centipawns: 10 * 13 = 130 against 20 * 12 = 240.
        assert_eq!(winner(&[ballot(1, 0, 13), ballot(2, 10, 12)]), 1);
    }

    #[test]
    fn ties_go_to_main() {
        assert_eq!(winner(&[ballot(1, 7, 9), ballot(2, 7, 9)]), 0);
        assert_eq!(winner(&[ballot(1, 7, 9), ballot(2, 7, 9), ballot(2, 7, 0)]), 0);
        assert_eq!(winner(&[ballot(1, 7, 9), ballot(1, 7, 9)]), 0);
    }

    #[test]
    fn the_weightiest_ballot_speaks_for_the_elected_move() {
        assert_eq!(winner(&[ballot(1, 7, 9), ballot(2, 0, 9), ballot(1, 7, 11)]), 2);
    }

    #[test]
    fn the_shortest_mate_is_played() {
        let (long, short) = (Score::mate_in(Ply(9)).0, Score::mate_in(Ply(5)).0);
        assert_eq!(
            winner(&[ballot(1, 800, 30), ballot(2, long, 8), ballot(3, short, 6), ballot(1, 800, 30)]),
            2
        );
        assert_eq!(winner(&[ballot(1, short, 7), ballot(2, short, 9)]), 0);
    }

    #[test]
    fn a_loss_is_put_off_and_never_preferred() {
        let (soon, late) = (Score::mated_in(Ply(4)).0, Score::mated_in(Ply(12)).0);
        assert_eq!(winner(&[ballot(1, soon, 20), ballot(2, late, 10)]), 1);
        assert_eq!(winner(&[ballot(1, soon, 20), ballot(1, soon, 20), ballot(2, -900, 3)]), 2);
        // The loss does not stretch the scale either: 30 * 10 against 10 * 20 for the undecided.
        assert_eq!(winner(&[ballot(1, soon, 20), ballot(2, 0, 20), ballot(3, 20, 10)]), 2);
    }

    proptest! {
        #[test]
        fn the_winner_has_a_say_and_main_wins_where_all_agree(
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
