//! Hands out pairs of games to workers. A pair is one opening played with both colours.
//!
//! Pairs are handed out in order, each to one worker; half-finished pairs of a resumed run come
//! first. When a bound is crossed, the schedule is closed: no new pair begins, and pairs in progress
//! are finished and counted. Otherwise the end of a test would favour short games.

use std::collections::{BTreeMap, VecDeque};

use crate::run::executor::Tasks;

/// The missing games of one pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PairJob {
    /// Number of the pair. The configuration determines its engines and opening.
    pub pair: u64,
    /// Games of the pair to play: 0, 1 or both.
    pub halves: Vec<u8>,
}

/// The pairs still to be played.
pub(crate) struct Schedule {
    half_done: VecDeque<PairJob>,
    /// Pairs known from the journal; those beyond `next_pair` are skipped when it comes to them.
    known: BTreeMap<u64, [bool; 2]>,
    next_pair: u64,
    max_pairs: Option<u64>,
    is_own: Box<dyn Fn(u64) -> bool + Send>,
    is_closed: bool,
}

impl Schedule {
    /// Returns all pairs below `max_pairs` that are this run's own, except the games in `played`, given
    /// as pair and half.
    pub(crate) fn new(
        max_pairs: Option<u64>,
        is_own: impl Fn(u64) -> bool + Send + 'static,
        played: impl Iterator<Item = (u64, u8)>,
    ) -> Self {
        let mut known: BTreeMap<u64, [bool; 2]> = BTreeMap::new();
        for (pair, half) in played {
            known.entry(pair).or_default()[usize::from(half & 1)] = true;
        }
        let incomplete = known.iter().filter(|(pair, halves)| halves.contains(&false) && is_own(**pair));
        let half_done =
            incomplete.map(|(&pair, halves)| PairJob { pair, halves: missing(*halves) }).collect();
        Self { half_done, known, next_pair: 0, max_pairs, is_own: Box::new(is_own), is_closed: false }
    }
}

impl Tasks<PairJob> for Schedule {
    /// Hands out no further pair that has not begun.
    fn close(&mut self) {
        self.is_closed = true;
    }

    fn next(&mut self) -> Option<PairJob> {
        if let Some(job) = self.half_done.pop_front() {
            return Some(job);
        }
        let is_within = |pair: u64| self.max_pairs.is_none_or(|max| pair < max);
        while is_within(self.next_pair)
            && (self.known.contains_key(&self.next_pair) || !(self.is_own)(self.next_pair))
        {
            self.next_pair += 1;
        }
        if self.is_closed || !is_within(self.next_pair) {
            return None;
        }
        let pair = self.next_pair;
        self.next_pair += 1;
        Some(PairJob { pair, halves: vec![0, 1] })
    }
}

fn missing(played: [bool; 2]) -> Vec<u8> {
    (0..2).filter(|&half| !played[usize::from(half)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(schedule: &mut Schedule) -> Vec<(u64, Vec<u8>)> {
        std::iter::from_fn(|| schedule.next()).map(|job| (job.pair, job.halves)).collect()
    }

    #[test]
    fn a_fresh_run_plays_every_pair_once() {
        let mut schedule = Schedule::new(Some(3), |_| true, std::iter::empty());
        assert_eq!(jobs(&mut schedule), [(0, vec![0, 1]), (1, vec![0, 1]), (2, vec![0, 1])]);
    }

    #[test]
    fn a_resumed_run_plays_exactly_what_is_missing() {
        let played = [(0, 0), (0, 1), (1, 1), (3, 0), (4, 0), (4, 1)];
        let mut schedule = Schedule::new(Some(6), |_| true, played.into_iter());
        assert_eq!(jobs(&mut schedule), [(1, vec![0]), (3, vec![1]), (2, vec![0, 1]), (5, vec![0, 1])]);
    }

    #[test]
    fn a_shard_plays_its_own_only() {
        let played = [(1, 0), (2, 1)];
        let mut schedule = Schedule::new(Some(7), |pair| pair % 2 == 1, played.into_iter());
        assert_eq!(jobs(&mut schedule), [(1, vec![1]), (3, vec![0, 1]), (5, vec![0, 1])]);
    }

    #[test]
    fn a_closed_schedule_still_completes_pairs() {
        let mut schedule = Schedule::new(None, |_| true, [(0, 0)].into_iter());
        schedule.close();
        assert_eq!(jobs(&mut schedule), [(0, vec![1])]);
    }
}
