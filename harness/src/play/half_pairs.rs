//! Matches the two games of a pair, which may finish in any order and with others between them.

use std::collections::BTreeMap;

/// What is known of the finished game of each incomplete pair, by the number of the pair.
#[derive(Clone, Debug)]
pub(crate) struct HalfPairs<T>(BTreeMap<u64, T>);

impl<T> Default for HalfPairs<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

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

    /// Whether one game of the pair is finished.
    pub(crate) fn has(&self, pair: u64) -> bool {
        self.0.contains_key(&pair)
    }

    /// Returns the games of the incomplete pairs.
    pub(crate) fn games(&self) -> impl Iterator<Item = &T> {
        self.0.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_of_a_pair_are_matched_in_any_order() {
        let mut halves = HalfPairs::default();
        assert_eq!((halves.add(1, 'a'), halves.add(0, 'b')), (None, None));
        assert_eq!(halves.add(1, 'c'), Some(['a', 'c']));
        assert!(halves.has(0) && !halves.has(1));
        assert_eq!(halves.games().collect::<Vec<_>>(), [&'b']);
        halves.discard(0);
        assert_eq!(halves.add(0, 'd'), None);
    }
}
