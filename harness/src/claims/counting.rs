//! How many chess positions and games there are: estimates by random sampling.

use std::collections::BTreeMap;

use stretto::position::Position;
use stretto::types::Color;

use super::self_play::self_play;
use super::{Claim, Effort, Finding, Text, Verdict, mean};
use crate::openings::random::SplitMix64;

pub(super) const CLAIMS: &[Claim] = &[Claim {
    id: "N4",
    texts: &[Text::Owen, Text::BooksAndTables],
    gist: "There are 10^40 legal positions (Owen) or 10^50 (Books and tables), and 10^120 games",
    experiment: positions_and_games,
}];

/// Plies of a game in the estimate of their number, as Shannon took it (1950).
const GAME_PLIES: usize = 80;

/// The men of a side besides the king.
#[derive(Clone, Copy, Debug, Default)]
struct Army {
    pawns: usize,
    /// Knights, bishops, rooks, queens.
    pieces: [usize; 4],
}

/// Pieces at the start, by kind.
const FIRST: [usize; 4] = [2, 2, 2, 1];
const LETTERS: [char; 4] = ['n', 'b', 'r', 'q'];

impl Army {
    /// All that promotion can make.
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

    /// Men besides king and pawns.
    fn others(&self) -> usize {
        self.pieces.iter().sum()
    }

    /// In how few ways like pieces can be told apart, as a weight.
    fn weight(&self) -> f64 {
        self.pieces.iter().map(|&count| 1.0 / factorial(count)).product()
    }
}

fn factorial(n: usize) -> f64 {
    (1..=n).map(|factor| factor as f64).product()
}

/// `n` over `k`.
fn choose(n: usize, k: usize) -> f64 {
    factorial(n) / factorial(k) / factorial(n - k)
}

/// Armies of so many pawns, others and promoted men among these, with the sum of their weights.
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

/// Items with weights, to draw from.
struct Cumulative<T> {
    items: Vec<T>,
    /// Of each item and all before it.
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

    /// One of them, each as likely as its weight says.
    fn draw(&self, random: &mut SplitMix64) -> &T {
        let place = random.below(1 << 53) as f64 / (1_u64 << 53) as f64 * self.total();
        let index = self.sums.partition_point(|&sum| sum <= place);
        &self.items[index.min(self.items.len() - 1)]
    }
}

/// Ways to set up two groups, kings and side to move included, whether or not that is legal.
fn setups(white: &Group, black: &Group) -> f64 {
    let pawns = choose(48, white.pawns) * choose(48 - white.pawns, black.pawns);
    let free = 64 - white.pawns - black.pawns;
    let men = white.others + black.others + 2;
    2.0 * pawns * factorial(free) / factorial(free - men) * white.armies.total() * black.armies.total()
}

/// A random setup of two armies as FEN.
fn set_up(random: &mut SplitMix64, armies: [Army; 2]) -> String {
    let mut board = [' '; 64];
    let mut put = |letter: char, squares: std::ops::Range<u64>| loop {
        let square = squares.start + random.below(squares.end - squares.start);
        if board[square as usize] == ' ' {
            board[square as usize] = letter;
            return;
        }
    };
    let cased = |color: Color, letter: char| match color {
        Color::White => letter.to_ascii_uppercase(),
        Color::Black => letter,
    };
    // Pawns first, since they have fewer squares: so every setup is as likely as any other.
    for color in Color::ALL {
        (0..armies[color.index()].pawns).for_each(|_| put(cased(color, 'p'), 8..56));
    }
    for color in Color::ALL {
        put(cased(color, 'k'), 0..64);
        for (letter, count) in LETTERS.into_iter().zip(armies[color.index()].pieces) {
            (0..count).for_each(|_| put(cased(color, letter), 0..64));
        }
    }
    let rank = |row: &[char]| {
        let mut text = String::new();
        for &letter in row {
            match (letter, text.chars().last().and_then(|last| last.to_digit(10))) {
                (' ', Some(count)) => {
                    text.pop();
                    text.push_str(&(count + 1).to_string());
                }
                (' ', None) => text.push('1'),
                _ => text.push(letter),
            }
        }
        text
    };
    let ranks: Vec<String> = board.chunks(8).map(rank).collect();
    let side = if random.below(2) == 0 { 'w' } else { 'b' };
    format!("{} {side} - - 0 1", ranks.join("/"))
}

/// Could play have led to these men, as far as counting says? A capture lets at most two pawns past each other.
fn is_reachable(white: &Group, black: &Group) -> bool {
    let men = white.pawns + white.others + black.pawns + black.others + 2;
    white.promoted + black.promoted <= 2 * (32 - men)
}

/// Is it a position, as far as one can see without its history? The mover's king may be attacked by two men at most.
fn is_position(fen: &str) -> bool {
    Position::from_fen(fen).is_ok_and(|position| position.checkers().count() <= 2)
}

/// An estimate of the number of positions, castling and en passant left out, and half of its 95 % interval.
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

fn positions_and_games(effort: Effort) -> Finding {
    let (positions, half) = estimate(effort.pick(20_000, 1_000_000));
    let games = self_play(effort.pick(10, 100), GAME_PLIES);
    let whole = games.iter().filter(|game| game.len() == GAME_PLIES);
    // The geometric mean: how many ways games of this kind could have gone.
    let logs =
        whole.map(|game| game.iter().map(|position| (position.legal_moves().len() as f64).log10()).sum());
    let power = mean(logs);
    let measured = format!(
        "at most ({:.1} ± {:.1})·10^44 positions by sampling random setups: those with too many promotions for the captures, a king \
         to be taken or more than two checkers are left out, what only their history forbids is not; 10^{power:.0} games of \
         {GAME_PLIES} plies (moves multiplied along games of the engine)",
        positions / 1e44,
        half / 1e44
    );
    // The figure for positions is what both texts miss, by thousands either way.
    let (log, near) = (positions.log10(), |claimed: f64, found: f64| (claimed - found).abs() <= 1.0);
    let verdict = match (near(40.0, log) || near(50.0, log), near(120.0, power)) {
        (true, true) => Verdict::Confirmed,
        (false, false) => Verdict::Refuted,
        _ if near(120.0, power) || (power - 120.0).abs() <= 10.0 => Verdict::Depends,
        _ => Verdict::Refuted,
    };
    Finding::new(verdict, measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The group of these counts.
    fn group(groups: &[Group], pawns: usize, others: usize, promoted: usize) -> &Group {
        let is_it = |group: &&Group| (group.pawns, group.others, group.promoted) == (pawns, others, promoted);
        groups.iter().find(is_it).unwrap()
    }

    #[test]
    fn setups_of_few_men_are_counted_exactly() {
        let groups = groups();
        let (kings, pawn) = (group(&groups, 0, 0, 0), group(&groups, 1, 0, 0));
        // Two kings: 64 x 63 ways, either side to move.
        assert!((setups(kings, kings) - 2.0 * 64.0 * 63.0).abs() < 1e-6);
        // One more man of four kinds.
        assert!((setups(group(&groups, 0, 1, 0), kings) - 2.0 * 4.0 * 64.0 * 63.0 * 62.0).abs() < 1e-3);
        assert!((setups(pawn, kings) - 2.0 * 48.0 * 63.0 * 62.0).abs() < 1e-6);
    }

    #[test]
    fn promotions_need_captures() {
        let groups = groups();
        let (first, less) = (group(&groups, 8, 7, 0), group(&groups, 7, 7, 0));
        let second_queen = group(&groups, 7, 8, 1);
        assert!(is_reachable(first, first) && !is_reachable(second_queen, first));
        assert!(is_reachable(second_queen, less));
    }

    #[test]
    fn random_setups_are_boards() {
        let mut random = SplitMix64::new(1);
        let army = Army { pawns: 8, pieces: FIRST };
        for _ in 0..50 {
            let fen = set_up(&mut random, [army; 2]);
            let men = fen.split(' ').next().unwrap().chars().filter(char::is_ascii_alphabetic).count();
            assert_eq!(men, 32, "{fen}");
        }
        assert!(
            is_position("4k3/8/8/8/8/8/8/4K3 w - - 0 1") && !is_position("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1")
        );
    }
}
