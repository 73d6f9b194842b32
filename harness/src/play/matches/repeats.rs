//! Finds pairs of games that repeat an earlier pair move by move.
//!
//! At fixed nodes or depth, most engines play an opening alike each time. Such copies hold no new
//! information, but would narrow the error and move the LLR of a test.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;

use super::{MatchConfig, RunKind};
use crate::base::wording::plural;
use crate::play::pairings::HalfPairs;
use crate::play::record::GameRecord;

/// The repeated pairs of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct RepeatedPairs {
    /// Pairs of which both games repeat earlier games.
    pub pairs: u64,
    /// Whether they are left out of the statistics, as in a test.
    pub excluded: bool,
}

impl RepeatedPairs {
    /// Describes the repeated pairs; `None` if there are none.
    pub(crate) fn text(self) -> Option<String> {
        let Self { pairs, excluded } = self;
        let consequence = if excluded {
            "they do not count, and the test ends: it needs more openings"
        } else {
            "the errors are too small: the match needs more openings"
        };
        let repeat = if pairs == 1 { "repeats" } else { "repeat" };
        (pairs > 0).then(|| {
            let pairs = format!("{pairs} {}", plural(pairs as usize, "pair"));
            format!("{pairs} {repeat} earlier games move by move; {consequence}")
        })
    }
}

/// Compares each game with those before it.
#[derive(Clone, Debug)]
pub(super) struct RepeatWatch {
    /// Whether games are compared: those on real time may coincide and are independent all the same.
    is_active: bool,
    /// Hashes of engines, colours, start position and moves.
    seen: HashSet<u64>,
    /// Whether the one finished game of a pair repeats an earlier game.
    half_pairs: HalfPairs<bool>,
    pub(super) found: RepeatedPairs,
}

impl RepeatWatch {
    /// Creates a watch without games. In a tuning or screening, engines change from pair to pair, so
    /// nothing is compared.
    pub(super) fn new(config: &MatchConfig) -> Self {
        let excluded = config.kind == RunKind::Sprt;
        Self {
            is_active: config.kind.compares_engines() && !config.is_timed(),
            seen: HashSet::new(),
            half_pairs: HalfPairs::default(),
            found: RepeatedPairs { pairs: 0, excluded },
        }
    }

    /// Adds a game. Returns whether it completes a pair that repeats earlier games.
    pub(super) fn add(&mut self, game: &GameRecord) -> bool {
        if !self.is_active {
            return false;
        }
        // A fault may have a cause outside the game.
        let is_copy = !self.seen.insert(hash(game)) && game.termination.fault().is_none();
        let is_repeated = self.half_pairs.add(game.pair, is_copy) == Some([true; 2]);
        self.found.pairs += u64::from(is_repeated);
        is_repeated
    }
}

fn hash(game: &GameRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    (game.white, game.black, &game.fen, &game.book, game.result).hash(&mut hasher);
    for played in &game.moves {
        played.text.hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::record::{MoveRecord, Side, Termination, sample_game};

    fn watch(kind: RunKind) -> RepeatWatch {
        let found = RepeatedPairs { pairs: 0, excluded: kind == RunKind::Sprt };
        RepeatWatch { is_active: true, seen: HashSet::new(), half_pairs: HalfPairs::default(), found }
    }

    #[test]
    fn pair_is_repeated_if_both_games_were_played_before() {
        let mut watch = watch(RunKind::Sprt);
        let other = |game: u64| {
            let mut other = sample_game(game);
            other.moves[0] = MoveRecord { text: "d2d4".to_owned(), ..other.moves[0].clone() };
            other
        };
        let completed = [
            watch.add(&sample_game(0)),
            watch.add(&sample_game(1)),
            // Half of the next pair repeats.
            watch.add(&sample_game(2)),
            watch.add(&other(3)),
            // In any order.
            watch.add(&other(5)),
            watch.add(&sample_game(4)),
        ];
        assert_eq!(completed, [false, false, false, false, false, true]);
        assert_eq!(watch.found, RepeatedPairs { pairs: 1, excluded: true });
        assert!(watch.found.text().unwrap().starts_with("1 pair repeats earlier games move by move; they"));
    }

    #[test]
    fn faults_never_repeat_a_game() {
        let mut watch = watch(RunKind::Match);
        let crash = |game| {
            let termination = Termination::Crash { by: Side::White, how: "exited with code 1".to_owned() };
            crate::play::record::GameRecord { termination, ..sample_game(game) }
        };
        assert!(!(0..4).any(|game| watch.add(&crash(game))));
        assert_eq!(watch.found.text(), None);
    }
}
