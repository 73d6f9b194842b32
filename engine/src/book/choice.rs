//! Selection among the book moves of a position, and adjustment of the weights by learned results.
//!
//! Without learned results the share of a move is its weight. Learning multiplies it by a factor
//! that decreases with the distance to the move with the best estimate, which is a score plus a
//! bonus for rarely played moves:
//!
//! ```text
//! mean     = (points of all moves + 2) / (games of all moves + 4)
//! score    = (points + 4 mean) / (games + 4)
//! estimate = score + 0.05 sqrt(ln(1 + games of all moves) / (1 + games))
//! factor   = exp((estimate - best estimate) / 0.1)
//! ```
//!
//! A few games therefore have little influence, a score lower by 0.1 points reduces the share by a
//! factor of e, and unplayed moves are preferred. No move with a weight vanishes. Preferring rare
//! moves and avoiding losing ones is Polyglot's idea (F. Letouzey); the bonus is that of UCB1
//! (Auer, Cesa-Bianchi and Fischer, 2002).

use super::{Book, BookKey, Entry, Learned};
use crate::position::{MAX_MOVES, Position};
use crate::types::{Move, SplitMix64};

/// Games with the mean score that each move is credited with in advance.
const PRIOR_GAMES: f64 = 4.0;
/// Scale of the bonus for rarely played moves. Units: points.
const EXPLORATION: f64 = 0.05;
/// Difference of estimates that reduces the share by a factor of e. Units: points.
const TEMPERATURE: f64 = 0.1;
/// Fixed-point representation of a factor of 1.
const ONE: f64 = 65_536.0;

/// The rule by which a move is selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// At random, with probabilities proportional to the shares.
    #[default]
    Weighted,
    /// The largest share; among equals the first in the file.
    Best,
    /// The smallest share; among equals the last in the file. For easy opponents or rare openings.
    Worst,
}

impl Selection {
    /// All rules, the default first.
    pub const ALL: [Self; 3] = [Self::Weighted, Self::Best, Self::Worst];

    /// Returns the name used by the option.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weighted => "weighted",
            Self::Best => "best",
            Self::Worst => "worst",
        }
    }
}

/// A legal book move with its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The entry's move, as played in the position.
    pub mv: Move,
    /// Its entry in the book.
    pub entry: Entry,
    /// Its share relative to the other candidates. Range: at least 1.
    pub share: u64,
}

/// Returns the playable book moves of a position in file order: legal and with a positive weight.
/// With `uses_learned`, their shares take learned results into account.
pub fn candidates(book: &Book, key: BookKey, position: &Position, uses_learned: bool) -> Vec<Candidate> {
    // A file may contain any number of entries, but no position has more moves than this.
    let known = book.find(key).take(MAX_MOVES).filter(|entry| entry.weight > 0);
    let mut found: Vec<Candidate> = known
        .filter_map(|entry| Some(Candidate { mv: entry.mv.to_move(position)?, entry, share: 1 }))
        .collect();
    assign_shares(&mut found, uses_learned);
    found
}

/// Assigns the shares of a position's moves.
pub(super) fn assign_shares(moves: &mut [Candidate], uses_learned: bool) {
    if !uses_learned || moves.iter().all(|candidate| candidate.entry.learned.games == 0) {
        for candidate in moves {
            candidate.share = u64::from(candidate.entry.weight);
        }
        return;
    }
    let estimates = estimates(moves.iter().map(|candidate| candidate.entry.learned));
    let best = estimates.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (candidate, estimate) in moves.iter_mut().zip(estimates) {
        let factor = ((estimate - best) / TEMPERATURE).exp();
        candidate.share = ((f64::from(candidate.entry.weight) * ONE * factor).round() as u64).max(1);
    }
}

/// Estimates the strength of the moves from learned results. Units: points.
fn estimates(learned: impl Iterator<Item = Learned> + Clone) -> Vec<f64> {
    let points = |learned: Learned| f64::from(learned.half_points) / 2.0;
    let (all_games, all_points) = learned
        .clone()
        .fold((0.0, 0.0), |(games, sum), learned| (games + f64::from(learned.games), sum + points(learned)));
    let mean = (all_points + PRIOR_GAMES / 2.0) / (all_games + PRIOR_GAMES);
    let estimate = |learned: Learned| {
        let games = f64::from(learned.games);
        let score = (points(learned) + PRIOR_GAMES * mean) / (games + PRIOR_GAMES);
        score + EXPLORATION * ((1.0 + all_games).ln() / (1.0 + games)).sqrt()
    };
    learned.map(estimate).collect()
}

/// Selects one of the moves; `None` if there are none.
pub fn choose<'a>(
    moves: &'a [Candidate],
    selection: Selection,
    random: &mut SplitMix64,
) -> Option<&'a Candidate> {
    match selection {
        Selection::Weighted => {
            let mut roll = random.below(moves.iter().map(|candidate| candidate.share).sum());
            moves.iter().find(|candidate| {
                let is_it = roll < candidate.share;
                roll = roll.saturating_sub(candidate.share);
                is_it
            })
        }
        // `min_by_key` returns the first minimum, so the maximum is found under the reversed order.
        Selection::Best => moves.iter().min_by_key(|candidate| std::cmp::Reverse(candidate.share)),
        Selection::Worst => moves.iter().rev().min_by_key(|candidate| candidate.share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::BookMove;

    /// Returns candidates of the start position from moves, weights and (games, half points).
    fn moves(of: &[(&str, u16, (u16, u16))]) -> Vec<Candidate> {
        let start = Position::startpos();
        let key = BookKey::with_ep_target(&start, None);
        let entries = of.iter().map(|&(text, weight, (games, half_points))| {
            let mv = BookMove::new(start.parse_uci(text).expect("a move"));
            Entry { key, mv, weight, learned: Learned { games, half_points } }
        });
        let book = Book::from_entries(entries.collect()).expect("a book");
        candidates(&book, key, &start, true)
    }

    fn shares(moves: &[Candidate]) -> Vec<f64> {
        let all: u64 = moves.iter().map(|candidate| candidate.share).sum();
        moves.iter().map(|candidate| candidate.share as f64 / all as f64).collect()
    }

    #[test]
    fn without_learned_results_shares_equal_positive_weights() {
        let found =
            moves(&[("e2e4", 6, (0, 0)), ("d2d4", 3, (0, 0)), ("a2a4", 0, (9, 18)), ("c2c4", 1, (0, 0))]);
        let all: Vec<(String, u64)> = found.iter().map(|one| (one.mv.to_string(), one.share)).collect();
        assert_eq!(all, [("e2e4".into(), 6), ("d2d4".into(), 3), ("c2c4".into(), 1)]);
    }

    #[test]
    fn each_selection_rule_picks_its_move() {
        let found =
            moves(&[("e2e4", 5, (0, 0)), ("d2d4", 5, (0, 0)), ("c2c4", 1, (0, 0)), ("b2b3", 1, (0, 0))]);
        let mut random = SplitMix64::new(1);
        let mut take = |selection| choose(&found, selection, &mut random).expect("a move").mv.to_string();
        assert_eq!((take(Selection::Best), take(Selection::Worst)), ("e2e4".into(), "b2b3".into()));
        let taken: Vec<String> = (0..12_000).map(|_| take(Selection::Weighted)).collect();
        let count = |text: &str| taken.iter().filter(|one| *one == text).count();
        // Standard deviations are 54 and 30.
        assert!(count("e2e4").abs_diff(5000) < 220 && count("c2c4").abs_diff(1000) < 120);
        assert!(choose(&[], Selection::Weighted, &mut random).is_none());
        assert!(choose(&[], Selection::Best, &mut random).is_none());
    }

    #[test]
    fn losing_moves_lose_share_and_rare_moves_gain_it() {
        let share = |learned: [(u16, u16); 2]| {
            shares(&moves(&[("e2e4", 10, learned[0]), ("d2d4", 10, learned[1])]))[0]
        };
        // The share decreases with each lost game.
        let losing: Vec<f64> = [0, 2, 5, 10, 20].map(|games| share([(games, 0), (10, 10)])).to_vec();
        assert!(losing.windows(2).all(|pair| pair[1] < pair[0]), "{losing:?}");
        assert!(losing[4] < 0.02 && losing[4] > 0.0, "{losing:?}");
        // A single game has little influence, and a winning move is preferred.
        assert!(share([(1, 0), (1, 2)]) > 0.1);
        assert!(share([(10, 15), (10, 10)]) > 0.6);
        // With equal results the rarer move is preferred.
        let rare = share([(0, 0), (20, 20)]);
        assert!(rare > 0.6 && rare < 0.95, "{rare}");
        assert!((share([(7, 7), (7, 7)]) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn shares_stay_positive_at_extreme_results() {
        let most = u16::MAX;
        let found = moves(&[("e2e4", most, (most, most)), ("d2d4", 1, (most, 0)), ("c2c4", most, (0, 0))]);
        assert!(found.iter().all(|candidate| candidate.share >= 1), "{found:?}");
        let mut random = SplitMix64::new(9);
        assert!(choose(&found, Selection::Weighted, &mut random).is_some());
    }

    #[test]
    fn learned_results_can_be_ignored() {
        let mut found = moves(&[("e2e4", 10, (20, 0)), ("d2d4", 10, (20, 40))]);
        assert!(found[0].share < found[1].share);
        assign_shares(&mut found, false);
        assert_eq!((found[0].share, found[1].share), (10, 10));
    }
}
