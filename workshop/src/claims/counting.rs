//! Estimates of the number of chess positions and games by random sampling.

use std::collections::BTreeMap;

use stretto::position::Position;
use stretto::types::{Color, Piece, PieceType};

use super::claim::{Claim, Effort, Finding, claims};
use super::verdicts;
use crate::endgames::placement;
use stretto_harness::base::random::SplitMix64;

pub(super) const CLAIMS: &[Claim] = claims! {
    N4 [Owen, BooksAndTables] "There are 10^40 (Owen) or 10^50 (Books and tables) legal positions, and 10^120 games"
        Sized(positions_and_games);
};

/// Length of the games that are counted. There are more games of other lengths. Units: plies.
const GAME_PLIES: usize = 200;

/// The pieces of a side other than the king.
#[derive(Clone, Copy, Debug, Default)]
struct Army {
    pawns: usize,
    /// Numbers of knights, bishops, rooks and queens.
    pieces: [usize; 4],
}

/// Initial numbers of knights, bishops, rooks and queens.
const FIRST: [usize; 4] = [2, 2, 2, 1];
const KINDS: [PieceType; 4] = [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];

impl Army {
    /// Returns all combinations that promotion allows.
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for pawns in 0..=8 {
            for number in 0..11_usize.pow(4) {
                let pieces = [0, 1, 2, 3].map(|kind| number / 11_usize.pow(kind) % 11);
                let army = Self { pawns, pieces };
                if army.promoted() + pawns <= 8 {
                    all.push(army);
                }
            }
        }
        all
    }

    fn promoted(&self) -> usize {
        self.pieces.iter().zip(FIRST).map(|(count, first)| count.saturating_sub(first)).sum()
    }

    /// Returns the number of pieces other than king and pawns.
    fn others(&self) -> usize {
        self.pieces.iter().sum()
    }

    /// Returns the weight that corrects for identical pieces.
    fn weight(&self) -> f64 {
        self.pieces.iter().map(|&count| 1.0 / factorial(count)).product()
    }
}

fn factorial(n: usize) -> f64 {
    (1..=n).map(|factor| factor as f64).product()
}

/// Returns the binomial coefficient.
fn choose(n: usize, k: usize) -> f64 {
    factorial(n) / factorial(k) / factorial(n - k)
}

/// The combinations with given numbers of pawns, other pieces and promoted pieces, with the sum of
/// their weights.
struct Group {
    pawns: usize,
    others: usize,
    promoted: usize,
    armies: Cumulative<Army>,
}

fn groups() -> Vec<Group> {
    let mut by_counts: BTreeMap<(usize, usize, usize), Vec<(Army, f64)>> = BTreeMap::new();
    for army in Army::all() {
        let counts = (army.pawns, army.others(), army.promoted());
        by_counts.entry(counts).or_default().push((army, army.weight()));
    }
    let group = |((pawns, others, promoted), armies)| Group {
        pawns,
        others,
        promoted,
        armies: Cumulative::new(armies),
    };
    by_counts.into_iter().map(group).collect()
}

/// A discrete distribution over weighted items.
struct Cumulative<T> {
    items: Vec<T>,
    /// By item, the sum of its weight and all before it.
    sums: Vec<f64>,
}

impl<T> Cumulative<T> {
    fn new(weighted: impl IntoIterator<Item = (T, f64)>) -> Self {
        let (mut items, mut sums, mut sum) = (Vec::new(), Vec::new(), 0.0);
        for (item, weight) in weighted {
            sum += weight;
            items.push(item);
            sums.push(sum);
        }
        Self { items, sums }
    }

    fn total(&self) -> f64 {
        self.sums.last().copied().unwrap_or(0.0)
    }

    /// Draws an item with a probability proportional to its weight.
    fn draw(&self, random: &mut SplitMix64) -> &T {
        let place = random.below(1 << 53) as f64 / (1_u64 << 53) as f64 * self.total();
        let index = self.sums.partition_point(|&sum| sum <= place);
        &self.items[index.min(self.items.len() - 1)]
    }
}

/// Returns the number of placements of two groups, including kings and side to move, legal or not.
fn setups(white: &Group, black: &Group) -> f64 {
    let pawns = choose(48, white.pawns) * choose(48 - white.pawns, black.pawns);
    let free = 64 - white.pawns - black.pawns;
    let pieces = white.others + black.others + 2;
    2.0 * pawns * factorial(free) / factorial(free - pieces) * white.armies.total() * black.armies.total()
}

/// Returns a random placement of two armies as FEN.
fn set_up(random: &mut SplitMix64, armies: [Army; 2]) -> String {
    let mut board = [None; 64];
    let mut put = |color: Color, kind: PieceType, squares: std::ops::Range<u64>| loop {
        // Squares are drawn from a8 on, rank by rank.
        let square = squares.start + random.below(squares.end - squares.start);
        let place = &mut board[square as usize ^ 0b11_1000];
        if place.is_none() {
            *place = Some(Piece::new(color, kind));
            return;
        }
    };
    // Pawns first, since they have fewer squares; so all placements are equally likely.
    for color in Color::ALL {
        (0..armies[color.index()].pawns).for_each(|_| put(color, PieceType::Pawn, 8..56));
    }
    for color in Color::ALL {
        put(color, PieceType::King, 0..64);
        for (kind, count) in KINDS.into_iter().zip(armies[color.index()].pieces) {
            (0..count).for_each(|_| put(color, kind, 0..64));
        }
    }
    let side = if random.below(2) == 0 { 'w' } else { 'b' };
    format!("{} {side} - - 0 1", placement(&board))
}

/// Returns whether the pieces can arise by captures and promotions, by a necessary condition.
///
/// A pawn and the opposing pawn of its file block each other until one of them captures or is
/// captured. A capture by a pawn therefore allows two promotions at most: those of the capturing pawn
/// and of the pawn that opposed it. If the captured piece is a pawn, the pawn that opposed that one
/// may promote too.
fn is_reachable(white: &Group, black: &Group) -> bool {
    let captures = 32 - (white.pawns + white.others + black.pawns + black.others + 2);
    let promoted = white.promoted + black.promoted;
    // A pawn is on the board, promoted or captured.
    let captured_pawns = 16 - (white.pawns + black.pawns + promoted);
    promoted <= 2 * captures + captures.min(captured_pawns)
}

/// Returns whether the position is legal as far as visible without its history: at most two
/// checkers.
fn is_position(fen: &str) -> bool {
    Position::from_fen(fen).is_ok_and(|position| position.checkers().count() <= 2)
}

/// Returns an estimate of the number of positions without castling and en passant rights, and the
/// half-width of its 95 % interval.
fn estimate(samples: u32) -> (f64, f64) {
    let groups = groups();
    let mut random = SplitMix64::new(4);
    let pairs = groups.iter().flat_map(|white| groups.iter().map(move |black| (white, black)));
    let reachable = pairs.filter(|(white, black)| is_reachable(white, black));
    let pairs = Cumulative::new(reachable.map(|(white, black)| ((white, black), setups(white, black))));
    let total = pairs.total();
    let mut legal = 0_u32;
    for _ in 0..samples {
        let (white, black) = *pairs.draw(&mut random);
        let armies = [white, black].map(|group| *group.armies.draw(&mut random));
        legal += u32::from(is_position(&set_up(&mut random, armies)));
    }
    let share = f64::from(legal) / f64::from(samples);
    let half = 1.96 * (share * (1.0 - share) / f64::from(samples)).sqrt();
    (total * share, total * half)
}

/// Returns the estimated number of games of this length, as a power of ten, and the number of random
/// games behind it. The mean product of the move counts is unbiased if games that end earlier
/// count as none.
///
/// Source: D. Knuth, "Estimating the efficiency of backtrack programs" (1975).
fn games_of(plies: usize, walks: u32) -> (f64, u32) {
    let mut random = SplitMix64::new(5);
    let logs: Vec<f64> = (0..walks)
        .filter_map(|_| {
            let mut position = Position::startpos();
            let mut log = 0.0;
            for _ in 0..plies {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    return None;
                }
                log += (moves.len() as f64).log10();
                position = position.after(moves[random.below(moves.len() as u64) as usize]);
            }
            Some(log)
        })
        .collect();
    let most = logs.iter().copied().fold(0.0, f64::max);
    let sum: f64 = logs.iter().map(|log| 10_f64.powf(log - most)).sum();
    (most + (sum / f64::from(walks)).log10(), walks)
}

/// Returns the lower 95 % limit of a number from the logarithm of an unbiased estimate.
///
/// Markov's inequality: the estimate exceeds 20 times the true number in at most 5 %.
fn lower_limit(log: f64) -> f64 {
    log + 0.05_f64.log10()
}

fn positions_and_games(effort: Effort) -> Finding {
    let (positions, half) = estimate(effort.pick(20_000, 1_000_000));
    let (games, walks) = games_of(GAME_PLIES, effort.pick(1000, 100_000));
    let at_least = lower_limit(games);
    let at_most = (positions + half).log10();
    let measured = format!(
        "at most ({:.1} ± {:.1})·10^44 positions without castling and en passant rights, from random placements, excluding too many \
         promotions, a capturable king and more than two checkers, but not positions that only their history forbids; at least 10^{at_least:.0} games of \
         {GAME_PLIES} plies, from {walks} random games (Knuth's estimate and Markov's inequality); 10^40 positions cannot be decided by \
         an upper limit",
        positions / 1e44,
        half / 1e44
    );
    Finding::new(verdicts::positions_and_games(at_most, at_least), measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the group with these counts.
    fn group(groups: &[Group], pawns: usize, others: usize, promoted: usize) -> &Group {
        let is_it = |group: &&Group| (group.pawns, group.others, group.promoted) == (pawns, others, promoted);
        groups.iter().find(is_it).unwrap()
    }

    #[test]
    fn placements_of_few_pieces_are_counted_exactly() {
        let groups = groups();
        let (kings, pawn) = (group(&groups, 0, 0, 0), group(&groups, 1, 0, 0));
        // Two kings: 64 x 63 placements, either side to move.
        assert!((setups(kings, kings) - 2.0 * 64.0 * 63.0).abs() < 1e-6);
        // One more piece of four types.
        assert!((setups(group(&groups, 0, 1, 0), kings) - 2.0 * 4.0 * 64.0 * 63.0 * 62.0).abs() < 1e-3);
        assert!((setups(pawn, kings) - 2.0 * 48.0 * 63.0 * 62.0).abs() < 1e-6);
    }

    #[test]
    fn number_of_short_games_matches_perft() {
        let (log, _) = games_of(3, 4000);
        assert!((10_f64.powf(log) / 8902.0 - 1.0).abs() < 0.02, "{log}");
    }

    #[test]
    fn lower_limit_is_a_twentieth_of_the_estimate() {
        assert!((lower_limit(5.0) - 5000_f64.log10()).abs() < 1e-9);
    }

    #[test]
    fn promotions_require_captures() {
        let groups = groups();
        let (first, less) = (group(&groups, 8, 7, 0), group(&groups, 7, 7, 0));
        let second_queen = group(&groups, 7, 8, 1);
        assert!(is_reachable(first, first) && !is_reachable(second_queen, first));
        assert!(is_reachable(second_queen, less));
        // a5xb6 frees the pawns of a7, b2 and b6.
        let two_promoted = group(&groups, 6, 9, 2);
        assert!(
            is_reachable(two_promoted, group(&groups, 6, 8, 1)),
            "the captured pawn's opponent promotes too"
        );
        assert!(!is_reachable(two_promoted, group(&groups, 7, 7, 1)), "a piece was captured");
        assert!(
            !is_reachable(two_promoted, group(&groups, 5, 9, 2)),
            "one capture frees three pawns at most"
        );
    }

    #[test]
    fn items_are_drawn_by_their_weights() {
        let items = Cumulative::new([("never", 0.0), ("rare", 1.0), ("common", 3.0)]);
        let mut random = SplitMix64::new(1);
        let drawn: Vec<&str> = (0..4000).map(|_| *items.draw(&mut random)).collect();
        let count = |name: &str| drawn.iter().filter(|&&drawn| drawn == name).count();
        // 3,000 on average, with a standard deviation of 27.
        assert!(count("never") == 0 && count("common").abs_diff(3000) < 110, "{}", count("common"));
    }

    #[test]
    fn random_placements_are_valid_boards() {
        let mut random = SplitMix64::new(1);
        let army = Army { pawns: 8, pieces: FIRST };
        for _ in 0..50 {
            let fen = set_up(&mut random, [army; 2]);
            let pieces = fen.split(' ').next().unwrap().chars().filter(char::is_ascii_alphabetic).count();
            assert_eq!(pieces, 32, "{fen}");
        }
        assert!(
            is_position("4k3/8/8/8/8/8/8/4K3 w - - 0 1") && !is_position("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1")
        );
    }
}
