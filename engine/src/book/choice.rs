//! Which of a position's moves is taken, and how what was learned bends the weights.
//!
//! Without experience a move's share is its weight. Experience multiplies it by a factor that falls with the distance
//! to the move that looks best so far, where a look is a score and a bonus for what was rarely tried:
//!
//! ```text
//! mean   = (points of all moves + 2) / (games of all moves + 4)
//! score  = (points + 4 mean) / (games + 4)
//! look   = score + 0.05 sqrt(ln(1 + games of all moves) / (1 + games))
//! factor = exp((look - best look) / 0.1)
//! ```
//!
//! So a few games hardly say anything, a score worse by a tenth of a point costs a factor of e, and what has never been
//! tried is tried sooner. No move that has a weight ever vanishes. That a learning book should prefer the rarely tried and
//! shun the losing is Polyglot's idea (F. Letouzey); the bonus is that of UCB1 (Auer, Cesa-Bianchi and Fischer, 2002).

use super::{Book, BookKey, Entry, Learned};
use crate::position::Position;
use crate::types::{Move, SplitMix64};

/// Games of average success that each move is credited with before its own.
const PRIOR_GAMES: f64 = 4.0;
/// What having been tried rarely is worth. Units: points.
const CURIOSITY: f64 = 0.05;
/// A look so much worse makes a move e times rarer. Units: points.
const TEMPERATURE: f64 = 0.1;
/// What a factor of one is as an integer.
const ONE: f64 = 65_536.0;
/// No position has more legal moves; a file may say anything.
const MAX_ENTRIES: usize = 256;

/// How a move is taken from those of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Selection {
    /// At random, each as often as its share says.
    #[default]
    Weighted,
    /// The one with the largest share, of equals the first.
    Best,
    /// The one with the smallest share, of equals the last: to make it easy, or to try what is seldom played.
    Worst,
}

impl Selection {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Weighted, Self::Best, Self::Worst];

    /// As the option has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weighted => "weighted",
            Self::Best => "best",
            Self::Worst => "worst",
        }
    }
}

/// A legal move of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What may be played.
    pub mv: Move,
    /// What the book says of it.
    pub entry: Entry,
    /// How often it is taken, beside the others' shares. Range: at least 1.
    pub share: u64,
}

/// The moves of a position that may be played from a book, in the order of the file: legal, with a weight. With
/// `uses_learned` their shares follow from what was learned too.
pub fn candidates(book: &Book, key: BookKey, position: &Position, uses_learned: bool) -> Vec<Candidate> {
    let known = book.find(key).take(MAX_ENTRIES).filter(|entry| entry.weight > 0);
    let mut found: Vec<Candidate> = known
        .filter_map(|entry| Some(Candidate { mv: entry.mv.to_move(position)?, entry, share: 1 }))
        .collect();
    share_out(&mut found, uses_learned);
    found
}

/// Sets the shares of a position's moves.
pub(super) fn share_out(moves: &mut [Candidate], uses_learned: bool) {
    if !uses_learned || moves.iter().all(|candidate| candidate.entry.learned.games == 0) {
        for candidate in moves {
            candidate.share = u64::from(candidate.entry.weight);
        }
        return;
    }
    let looks = looks(moves.iter().map(|candidate| candidate.entry.learned));
    let best = looks.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (candidate, look) in moves.iter_mut().zip(looks) {
        let factor = ((look - best) / TEMPERATURE).exp();
        candidate.share = ((f64::from(candidate.entry.weight) * ONE * factor).round() as u64).max(1);
    }
}

/// How good the moves of a position look by experience. Units: points.
fn looks(learned: impl Iterator<Item = Learned> + Clone) -> Vec<f64> {
    let points = |learned: Learned| f64::from(learned.half_points) / 2.0;
    let (all_games, all_points) = learned
        .clone()
        .fold((0.0, 0.0), |(games, sum), learned| (games + f64::from(learned.games), sum + points(learned)));
    let mean = (all_points + PRIOR_GAMES / 2.0) / (all_games + PRIOR_GAMES);
    let look = |learned: Learned| {
        let games = f64::from(learned.games);
        let score = (points(learned) + PRIOR_GAMES * mean) / (games + PRIOR_GAMES);
        score + CURIOSITY * ((1.0 + all_games).ln() / (1.0 + games)).sqrt()
    };
    learned.map(look).collect()
}

/// Takes one of the moves; `None` where there are none.
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
        // Of equals `min_by_key` takes the first, so the best is the least under the reversed order.
        Selection::Best => moves.iter().min_by_key(|candidate| std::cmp::Reverse(candidate.share)),
        Selection::Worst => moves.iter().rev().min_by_key(|candidate| candidate.share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::BookMove;

    /// Moves of the start position with weights and (games, half points).
    fn moves(of: &[(&str, u16, (u16, u16))]) -> Vec<Candidate> {
        let start = Position::startpos();
        let key = BookKey::with_passed(&start, None);
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
    fn without_experience_shares_are_weights_and_zero_is_never() {
        let found =
            moves(&[("e2e4", 6, (0, 0)), ("d2d4", 3, (0, 0)), ("a2a4", 0, (9, 18)), ("c2c4", 1, (0, 0))]);
        let all: Vec<(String, u64)> = found.iter().map(|one| (one.mv.to_string(), one.share)).collect();
        assert_eq!(all, [("e2e4".into(), 6), ("d2d4".into(), 3), ("c2c4".into(), 1)]);
    }

    #[test]
    fn each_selection_takes_its_move() {
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
    fn losing_moves_fade_and_rare_ones_are_tried() {
        let share = |learned: [(u16, u16); 2]| {
            shares(&moves(&[("e2e4", 10, learned[0]), ("d2d4", 10, learned[1])]))[0]
        };
        // The more it loses the rarer it gets.
        let losing: Vec<f64> = [0, 2, 5, 10, 20].map(|games| share([(games, 0), (10, 10)])).to_vec();
        assert!(losing.windows(2).all(|pair| pair[1] < pair[0]), "{losing:?}");
        assert!(losing[4] < 0.02 && losing[4] > 0.0, "{losing:?}");
        // One game says little, and a winning move is preferred.
        assert!(share([(1, 0), (1, 2)]) > 0.1);
        assert!(share([(10, 15), (10, 10)]) > 0.6);
        // Equal success: the rarer one.
        let rare = share([(0, 0), (20, 20)]);
        assert!(rare > 0.6 && rare < 0.95, "{rare}");
        assert!((share([(7, 7), (7, 7)]) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn no_weight_vanishes_and_extremes_do_not_overflow() {
        let most = u16::MAX;
        let found = moves(&[("e2e4", most, (most, most)), ("d2d4", 1, (most, 0)), ("c2c4", most, (0, 0))]);
        assert!(found.iter().all(|candidate| candidate.share >= 1), "{found:?}");
        let mut random = SplitMix64::new(9);
        assert!(choose(&found, Selection::Weighted, &mut random).is_some());
    }

    #[test]
    fn experience_can_be_left_aside() {
        let mut found = moves(&[("e2e4", 10, (20, 0)), ("d2d4", 10, (20, 40))]);
        assert!(found[0].share < found[1].share);
        share_out(&mut found, false);
        assert_eq!((found[0].share, found[1].share), (10, 10));
    }
}
