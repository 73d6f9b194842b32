//! Finds pairs of games that repeat an earlier pair move by move.
//!
//! At fixed nodes or depth, most engines play an opening alike each time. Such copies hold no new
//! information, but would narrow the error and move the LLR of a test.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::RangeInclusive;

use serde::Serialize;

use super::openings_report::position;
use super::{MatchConfig, RunKind};
use crate::base::wording::counted;
use crate::config::Variant;
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
    /// Whether no pair repeats another.
    pub(crate) fn is_none(&self) -> bool {
        self.pairs == 0
    }

    /// Returns the repeated pairs of several matches.
    pub(crate) fn of_matches(matches: impl Iterator<Item = Self>) -> Self {
        Self { pairs: matches.map(|repeated| repeated.pairs).sum(), excluded: false }
    }

    /// Describes the repeated pairs; `None` if there are none.
    pub(crate) fn text(self) -> Option<String> {
        let Self { pairs, excluded } = self;
        let consequence = if excluded {
            "not counted; the test ends when its openings are used up"
        } else {
            "the errors are too small: the match needs more openings"
        };
        let repeat = if pairs == 1 { "repeats" } else { "repeat" };
        let pairs_text = || counted(pairs as usize, "pair");
        (pairs > 0).then(|| format!("{} {repeat} earlier games move by move; {consequence}", pairs_text()))
    }
}

/// Repeated pairs in a row after which a test ends: as many as there were different pairs, in this range. A book in which
/// openings lead to one position has repeated pairs before its end.
const ENOUGH: RangeInclusive<u64> = 8..=50;

/// Compares each game with those before it.
#[derive(Clone, Debug, Default)]
pub(super) struct RepeatWatch {
    /// Whether games are compared: those on real time may coincide and are independent all the same.
    is_active: bool,
    variant: Variant,
    /// Hashes of engines, colours, the position in which the engines began, their moves and the end.
    seen: HashSet<u64>,
    /// Whether the one finished game of a pair repeats an earlier game.
    half_pairs: HalfPairs<bool>,
    pub(super) found: RepeatedPairs,
    /// Pairs that repeat no earlier games.
    different: u64,
    /// Repeated pairs since the last of them.
    in_a_row: u64,
    /// Whether the last game completed the first repeated pair.
    pub(super) is_first: bool,
}

impl RepeatWatch {
    /// Creates a watch without games. In a tuning, engines change from pair to pair, so nothing is compared.
    pub(super) fn new(config: &MatchConfig) -> Self {
        let excluded = config.kind == RunKind::Sprt;
        Self {
            is_active: config.kind != RunKind::Tune && !config.is_timed(),
            variant: config.variant,
            found: RepeatedPairs { pairs: 0, excluded },
            ..Self::default()
        }
    }

    /// Adds a game; `settings` are those of White and Black where they differ from pair to pair. Returns whether it completes a
    /// pair that repeats earlier games.
    pub(super) fn add(&mut self, game: &GameRecord, settings: &str) -> bool {
        if !self.is_active {
            return false;
        }
        // A fault before the first move may have a cause outside the game. Two games do not end in one by chance after the
        // same moves.
        let is_comparable = game.termination.fault().is_none() || !game.moves.is_empty();
        let is_copy = !self.seen.insert(hash(self.variant, game, settings)) && is_comparable;
        let pair = self.half_pairs.add(game.pair, is_copy);
        let is_repeated = pair == Some([true; 2]);
        self.is_first = is_repeated && self.found.pairs == 0;
        if is_repeated {
            self.found.pairs += 1;
            self.in_a_row += 1;
        } else if pair.is_some() {
            self.different += 1;
            self.in_a_row = 0;
        }
        is_repeated
    }

    /// Whether a test has used up its openings.
    pub(super) fn ends_test(&self) -> bool {
        let enough = self.different.clamp(*ENOUGH.start(), *ENOUGH.end());
        self.found.excluded && self.in_a_row >= enough
    }
}

fn hash(variant: Variant, game: &GameRecord, settings: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    let end = (game.result, game.termination.name());
    (game.white, game.black, settings, position(variant, game), end).hash(&mut hasher);
    for played in &game.moves {
        played.text.hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::record::{MoveRecord, Side, Termination, sample_game};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn watch(kind: RunKind) -> RepeatWatch {
        let found = RepeatedPairs { pairs: 0, excluded: kind == RunKind::Sprt };
        RepeatWatch { is_active: true, found, ..RepeatWatch::default() }
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
            watch.add(&sample_game(0), ""),
            watch.add(&sample_game(1), ""),
            // Half of the next pair repeats.
            watch.add(&sample_game(2), ""),
            watch.add(&other(3), ""),
            // In any order.
            watch.add(&other(5), ""),
            watch.add(&sample_game(4), ""),
        ];
        assert_eq!(completed, [false, false, false, false, false, true]);
        assert_eq!(watch.found, RepeatedPairs { pairs: 1, excluded: true });
        assert!(watch.found.text().unwrap().starts_with("1 pair repeats earlier games move by move; not"));
    }

    #[test]
    fn openings_that_lead_to_one_position_are_one() {
        let mut watch = watch(RunKind::Sprt);
        let game = |number: u64, book: &[&str]| {
            let book = book.iter().map(|text| (*text).to_owned()).collect();
            crate::play::record::GameRecord { fen: START.to_owned(), book, ..sample_game(number) }
        };
        let one = ["d2d4", "d7d5", "c2c4", "e7e6"];
        let other = ["c2c4", "e7e6", "d2d4", "d7d5"];
        let completed: Vec<bool> = (0..4)
            .map(|number| watch.add(&game(number, if number < 2 { &one } else { &other }), ""))
            .collect();
        assert_eq!(completed, [false, false, false, true]);
    }

    #[test]
    fn test_ends_after_as_many_repeated_pairs_as_there_were_different_ones() {
        let mut watch = watch(RunKind::Sprt);
        let play = |watch: &mut RepeatWatch, pairs: std::ops::Range<u64>, opening: fn(u64) -> u64| {
            for pair in pairs {
                for game in [2 * pair, 2 * pair + 1] {
                    let fen = format!("4k3/8/8/8/8/8/8/4K2R w K - 0 {}", 1 + opening(pair));
                    let book =
                        vec![format!("h1h{}", 2 + opening(pair) % 6); 1 + (opening(pair) / 6) as usize];
                    watch.add(&crate::play::record::GameRecord { fen, book, ..sample_game(game) }, "");
                }
            }
        };
        play(&mut watch, 0..12, |pair| pair);
        assert_eq!((watch.different, watch.ends_test()), (12, false));
        // The book has two openings twice, which is not its end.
        play(&mut watch, 12..14, |pair| pair - 12);
        play(&mut watch, 14..15, |pair| pair);
        assert_eq!((watch.found.pairs, watch.in_a_row, watch.ends_test()), (2, 0, false));
        play(&mut watch, 15..27, |pair| pair - 15);
        assert!(!watch.ends_test(), "13 were different");
        play(&mut watch, 27..28, |_| 3);
        assert!(watch.ends_test());
    }

    #[test]
    fn games_with_other_settings_are_no_copies() {
        let mut watch = watch(RunKind::Screen);
        let mut add =
            |pair: u64, settings| [0, 1].map(|half| watch.add(&sample_game(2 * pair + half), settings))[1];
        assert_eq!([add(0, "A on, off"), add(1, "A off, on"), add(2, "A on, off")], [false, false, true]);
    }

    #[test]
    fn fault_repeats_a_game_unless_it_comes_before_the_first_move() {
        let repeated = |has_moves: bool| {
            let mut watch = watch(RunKind::Match);
            let crash = |game| {
                let termination =
                    Termination::Crash { by: Side::White, how: "exited with code 1".to_owned() };
                let played = sample_game(game);
                let moves = if has_moves { played.moves.clone() } else { Vec::new() };
                crate::play::record::GameRecord { termination, moves, ..played }
            };
            [0, 1, 2, 3].map(|game| watch.add(&crash(game), ""))
        };
        assert_eq!(repeated(false), [false; 4]);
        assert_eq!(repeated(true), [false, false, false, true]);
    }
}
