//! Pairings of a match: round robin, gauntlet, or each engine against its neighbours in the list.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Two engines that play each other, as indices of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairing {
    /// Engine that has White in the first game of each pair. Results are counted from its side.
    pub first: usize,
    /// Index of its opponent.
    pub second: usize,
}

impl Pairing {
    /// Returns the indices of both engines, the first one first.
    pub fn engines(self) -> [usize; 2] {
        [self.first, self.second]
    }
}

/// All pairings of a match, in the order in which each round plays them; never empty.
///
/// A round is one pair of games in every pairing, all with the same opening, so that no pairing gets other openings than the
/// next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pairings(Vec<Pairing>);

impl Default for Pairings {
    /// Returns the pairing of two engines.
    fn default() -> Self {
        Self::round_robin(2)
    }
}

impl Pairings {
    /// Pairs each engine with each other. Range: two engines or more.
    pub fn round_robin(engines: usize) -> Self {
        Self::gauntlet(engines, engines)
    }

    /// Pairs each of the first `challengers` engines with all other engines. If all or all but one are
    /// challengers, this is a round robin. Range: two engines or more, and one challenger.
    pub fn gauntlet(engines: usize, challengers: usize) -> Self {
        let pairings = (0..challengers.min(engines))
            .flat_map(|first| (first + 1..engines).map(move |second| Pairing { first, second }));
        Self(pairings.collect())
    }

    /// Pairs each engine with the next `places` engines. Range: two engines or more, and one place.
    ///
    /// This suits engines in order of strength, where distant ones would only lose to each other.
    pub fn neighbours(engines: usize, places: usize) -> Self {
        // By the second, so that the pairings of one engine follow each other and its process need not wait for long.
        let pairings = (1..engines).flat_map(|second| {
            (second.saturating_sub(places)..second).map(move |first| Pairing { first, second })
        });
        Self(pairings.collect())
    }

    /// Returns the pairings as a slice.
    pub fn as_slice(&self) -> &[Pairing] {
        &self.0
    }

    /// Whether there is only one pairing.
    pub fn is_single(&self) -> bool {
        self.0.len() == 1
    }

    /// Returns the number of pairings.
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// Returns the index of the pairing that plays this pair of games.
    pub fn index_of(&self, pair: u64) -> usize {
        (pair % self.count()) as usize
    }

    /// Returns the pairing that plays this pair of games.
    pub fn of(&self, pair: u64) -> Pairing {
        self.0[self.index_of(pair)]
    }

    /// Returns the round of this pair of games, which is also the number of its opening.
    pub fn round(&self, pair: u64) -> u64 {
        pair / self.count()
    }
}

/// The finished game of each incomplete pair, by the number of the pair. `T` is what the caller needs of a game.
#[derive(Clone, Debug, Default)]
pub(crate) struct HalfPairs<T>(BTreeMap<u64, T>);

impl<T> HalfPairs<T> {
    /// Adds a game. Returns both games of the pair that it completes, in the order in which they finished.
    pub(crate) fn add(&mut self, pair: u64, game: T) -> Option<[T; 2]> {
        if let Some(other) = self.0.remove(&pair) {
            return Some([other, game]);
        }
        self.0.insert(pair, game);
        None
    }

    /// Takes back the one finished game of a pair.
    pub(crate) fn discard(&mut self, pair: u64) {
        self.0.remove(&pair);
    }

    /// Returns the games of the incomplete pairs.
    pub(crate) fn games(&self) -> impl Iterator<Item = &T> {
        self.0.values()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn played(pairings: &Pairings) -> Vec<[usize; 2]> {
        pairings.as_slice().iter().map(|pairing| pairing.engines()).collect()
    }

    #[test]
    fn round_robin_pairs_every_two_engines_once() {
        assert_eq!(played(&Pairings::round_robin(2)), [[0, 1]]);
        assert_eq!(played(&Pairings::round_robin(4)), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    }

    #[test]
    fn challengers_meet_all_others_and_those_meet_nobody_else() {
        assert_eq!(played(&Pairings::gauntlet(4, 1)), [[0, 1], [0, 2], [0, 3]]);
        assert_eq!(played(&Pairings::gauntlet(4, 2)), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3]]);
        assert_eq!(Pairings::gauntlet(3, 2), Pairings::round_robin(3));
        assert_eq!(Pairings::gauntlet(3, 3), Pairings::round_robin(3));
    }

    #[test]
    fn neighbours_meet_within_their_reach() {
        assert_eq!(played(&Pairings::neighbours(4, 1)), [[0, 1], [1, 2], [2, 3]]);
        assert_eq!(played(&Pairings::neighbours(4, 2)), [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
        let sorted = |pairings: &Pairings| played(pairings).into_iter().collect::<BTreeSet<_>>();
        assert_eq!(sorted(&Pairings::neighbours(5, 4)), sorted(&Pairings::round_robin(5)));
        assert_eq!(Pairings::neighbours(2, 1), Pairings::round_robin(2));
    }

    #[test]
    fn a_round_has_one_opening() {
        let pairings = Pairings::round_robin(3);
        let rounds: Vec<u64> = (0..7).map(|pair| pairings.round(pair)).collect();
        assert_eq!(rounds, [0, 0, 0, 1, 1, 1, 2]);
        assert_eq!((0..4).map(|pair| pairings.index_of(pair)).collect::<Vec<_>>(), [0, 1, 2, 0]);
        assert_eq!(pairings.of(5).engines(), [1, 2]);
    }

    #[test]
    fn games_of_a_pair_are_matched_in_any_order() {
        let mut halves = HalfPairs::default();
        assert_eq!((halves.add(1, 'a'), halves.add(0, 'b')), (None, None));
        assert_eq!(halves.add(1, 'c'), Some(['a', 'c']));
        assert_eq!(halves.games().collect::<Vec<_>>(), [&'b']);
        halves.discard(0);
        assert_eq!(halves.add(0, 'd'), None);
    }
}
