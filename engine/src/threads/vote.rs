//! Selection of the move to play by a vote of the threads, weighted by depth and score.
//!
//! A pure function of the threads' results. Mate and tablebase scores bypass the vote. Threads that
//! completed no iteration are excluded, because their result is at best partial; if there are no
//! others, the main thread decides. The caller skips the vote for searches to a fixed depth.
//!
//! Source: a weight of score above the worst times depth is in common use since Stockfish 11; the 10 that
//! is added to the score is ours.

use crate::types::{Depth, Move, Score};

/// The vote of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ballot {
    /// The move that the thread would play.
    pub mv: Move,
    /// The score of the last completed iteration; of the main worker also a bound that an aborted one
    /// has found.
    pub score: Score,
    /// The depth of the last completed iteration; zero or less for none.
    pub depth: Depth,
}

impl Ballot {
    /// Packs the ballot into a word that is not zero. Bits 0-15 hold the move, 16-31 the score,
    /// 32-47 the depth.
    pub fn to_word(self) -> u64 {
        // All scores and depths fit.
        let half =
            |value: i32| u64::from((value.clamp(i16::MIN.into(), i16::MAX.into()) as i16).cast_unsigned());
        u64::from(self.mv.to_bits()) | half(self.score.0) << 16 | half(self.depth.0) << 32
    }

    /// Unpacks a word of [`Ballot::to_word`]; `None` for zero.
    pub fn from_word(word: u64) -> Option<Self> {
        let half = |shift: u32| i32::from(((word >> shift) as u16).cast_signed());
        let mv = Move::from_bits(word as u16)?;
        Some(Self { mv, score: Score(half(16)), depth: Depth(half(32)) })
    }
}

/// Added to each score difference, so that the worst score also has weight. Units: centipawns.
const BASE: i64 = 10;

/// Returns the index of the thread whose move and line to play. Ties go to 0, the main thread.
///
/// The shortest proven win has priority. A proven loss is chosen only if all scores are losses, the
/// longest first. Otherwise the weights are summed per move, and among the ballots of the winning
/// move the heaviest is returned. The time is linear in the number of ballots.
pub fn winner(ballots: &[Ballot]) -> usize {
    let valid = || ballots.iter().enumerate().filter(|(_, ballot)| ballot.depth > Depth::ZERO);
    let best = first_max(valid(), |(_, ballot)| i64::from(ballot.score.0));
    match best {
        None => 0,
        // If the best score is a win, it is the shortest. If it is a loss, all are, and it is the
        // longest.
        Some((index, ballot)) if ballot.score.is_decisive() => index,
        Some(_) => {
            let undecided = || valid().filter(|(_, ballot)| !ballot.score.is_decisive());
            let worst = undecided().map(|(_, ballot)| i64::from(ballot.score.0)).min().unwrap_or_default();
            let candidates = candidates(undecided(), worst);
            first_max(candidates.iter(), |candidate| candidate.votes)
                .map_or(0, |winner| winner.heaviest_ballot)
        }
    }
}

/// A move with at least one vote.
struct Candidate {
    mv: Move,
    /// Sum of the weights of its ballots.
    votes: i64,
    /// Index of its heaviest ballot, the first of equal ones.
    heaviest_ballot: usize,
    /// Weight of that ballot.
    heaviest: i64,
}

/// Returns the moves voted for, in order of their first ballot.
fn candidates<'a>(ballots: impl Iterator<Item = (usize, &'a Ballot)>, worst: i64) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for (index, ballot) in ballots {
        let weight = (i64::from(ballot.score.0) - worst + BASE) * i64::from(ballot.depth.0);
        // Threads agree on a few moves, so the search is short.
        let Some(known) = candidates.iter_mut().find(|candidate| candidate.mv == ballot.mv) else {
            candidates.push(Candidate {
                mv: ballot.mv,
                votes: weight,
                heaviest_ballot: index,
                heaviest: weight,
            });
            continue;
        };
        known.votes += weight;
        if weight > known.heaviest {
            (known.heaviest_ballot, known.heaviest) = (index, weight);
        }
    }
    candidates
}

/// Returns the first item with the greatest rank.
fn first_max<T>(items: impl Iterator<Item = T>, rank: impl Fn(&T) -> i64) -> Option<T> {
    items.reduce(|best, item| if rank(&item) > rank(&best) { item } else { best })
}

#[cfg(test)]
mod tests;
