//! Statistics and consistency checks of a book.

use std::collections::HashSet;

use serde::Serialize;
use stretto::book::{Book, BookKey, BookMove, Entry};
use stretto::position::Game;
use stretto::types::{Color, Move};

use super::traverse::Walk;

/// Maximum number of problems listed one by one.
const NAMED: usize = 20;

/// The statistics of a book.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BookInfo {
    /// Number of entries, excluding header lines.
    pub entries: u64,
    /// Number of header lines.
    pub headers: u64,
    /// Number of distinct positions.
    pub positions: u64,
    /// Largest number of moves in a position.
    pub most_moves: u64,
    /// Positions with White to move that are reachable when White plays from the book.
    pub white_positions: Option<u64>,
    /// Positions with Black to move that are reachable when Black plays from the book.
    pub black_positions: Option<u64>,
    /// Unreachable positions. Their moves cannot be checked.
    pub isolated: Option<u64>,
    /// Sum of all weights.
    pub weights: u64,
    /// Largest weight of an entry.
    pub largest_weight: u16,
    /// Entries with weight zero, which are never played.
    pub zero_weights: u64,
    /// Entries with learning data.
    pub learned_entries: u64,
    /// Learned games, summed over entries.
    pub learned_games: u64,
    /// Half-points in the learned games.
    pub learned_half_points: u64,
    /// Total number of problems.
    pub problems: u64,
    /// Descriptions of the first problems.
    pub named_problems: Vec<String>,
}

impl BookInfo {
    fn report(&mut self, problem: String) {
        self.problems += 1;
        if self.named_problems.len() < NAMED {
            self.named_problems.push(problem);
        }
    }
}

/// Inspects a book from a starting position. If the keys are not sorted, entries are only counted,
/// since none can be looked up, and which positions are reached is `None`.
pub fn info(book: &Book, start: &Game) -> BookInfo {
    let mut found = BookInfo::default();
    let first = book.entries_from(0).take_while(|entry| entry.key == BookKey(0)).count();
    found.headers = first as u64;
    let mut position: Vec<Entry> = Vec::new();
    let mut last = BookKey(0);
    for (index, entry) in book.entries_from(first).enumerate() {
        let number = first + index + 1;
        if entry.key < last {
            found.report(format!("entry {number} ({}) is out of order and cannot be looked up", entry.mv));
        }
        if entry.key != last {
            found.positions += 1;
            position.clear();
        }
        last = entry.key;
        count(&mut found, &entry, number, &position);
        position.push(entry);
        found.most_moves = found.most_moves.max(position.len() as u64);
    }
    if book.check_order().is_ok() {
        check_reachable(&mut found, book, start);
    }
    found
}

/// Counts an entry and checks it against the earlier entries of its position.
fn count(found: &mut BookInfo, entry: &Entry, number: usize, before: &[Entry]) {
    found.entries += 1;
    found.weights += u64::from(entry.weight);
    found.largest_weight = found.largest_weight.max(entry.weight);
    found.zero_weights += u64::from(entry.weight == 0);
    let learned = entry.learned;
    found.learned_entries += u64::from(learned.games > 0);
    found.learned_games += u64::from(learned.games);
    found.learned_half_points += u64::from(learned.half_points);
    if u32::from(learned.half_points) > 2 * u32::from(learned.games) {
        found.report(format!(
            "entry {number} ({}): learned {} half-points in {} games, expected at most 2 per game",
            entry.mv, learned.half_points, learned.games
        ));
    }
    if before.iter().any(|other| other.mv == entry.mv) {
        found.report(format!("entry {number} ({}): duplicate move in its position", entry.mv));
    }
}

/// Traverses the positions of both sides and checks their moves.
fn check_reachable(found: &mut BookInfo, book: &Book, start: &Game) {
    let mut reached: HashSet<BookKey> = HashSet::new();
    for color in Color::ALL {
        let mut walk = Walk::new(book, color, start);
        for node in &mut walk {
            let key = BookKey::of(&node.game);
            let first = book.first_index(key);
            let position = node.game.position();
            let mut before: Vec<(Move, BookMove)> = Vec::new();
            for (index, entry) in book.find(key).enumerate() {
                let number = first + index + 1;
                let Some(mv) = entry.mv.to_move(position) else {
                    found.report(format!("entry {number}: {} is illegal in {position}", entry.mv));
                    continue;
                };
                // Equal encodings were reported without the position.
                if before.iter().any(|(_, encoded)| *encoded == entry.mv) {
                    continue;
                }
                if let Some((_, encoded)) = before.iter().find(|(other, _)| *other == mv) {
                    found.report(format!(
                        "entry {number} ({}): the same move as {encoded} in {position}",
                        entry.mv
                    ));
                }
                before.push((mv, entry.mv));
            }
        }
        let seen = walk.into_seen();
        let count = seen.len() as u64;
        match color {
            Color::White => found.white_positions = Some(count),
            Color::Black => found.black_positions = Some(count),
        }
        reached.extend(seen);
    }
    found.isolated = Some(found.positions.saturating_sub(reached.len() as u64));
}

#[cfg(test)]
mod tests {
    use stretto::book::Learned;

    use super::*;
    use crate::books::traverse::tests::{lines, played};

    #[test]
    fn statistics_are_counted() {
        let book = lines(&[("e2e4 e7e5 g1f3", 7), ("e2e4 c7c5", 2), ("a2a4", 0)]);
        let found = info(&book, &played(""));
        assert_eq!((found.entries, found.positions, found.most_moves), (5, 3, 2));
        assert_eq!((found.weights, found.largest_weight, found.zero_weights), (23, 7, 1));
        assert_eq!([found.white_positions, found.black_positions, found.isolated], [2, 1, 0].map(Some));
        assert_eq!((found.problems, found.headers), (0, 0));
        // Nothing is reachable from another position.
        let other = Game::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        assert_eq!(info(&book, &other).isolated, Some(3));
    }

    #[test]
    fn problems_are_reported() {
        let key = BookKey::of(&played(""));
        let entry = |mv: u16, games, half_points| Entry {
            key,
            mv: BookMove(mv),
            weight: 1,
            learned: Learned { games, half_points },
        };
        let header = Entry::default();
        let wrong = vec![header, entry(796, 1, 2), entry(796, 1, 3), entry(1, 0, 0)];
        let found = info(&Book::from_entries(wrong).unwrap(), &played(""));
        assert_eq!((found.headers, found.learned_games, found.learned_half_points), (1, 2, 5));
        assert_eq!(found.problems, 3);
        assert!(found.named_problems[0].contains("entry 3 (e2e4): learned 3 half-points in 1 games"));
        assert!(found.named_problems[1].contains("entry 3 (e2e4): duplicate move"));
        assert!(found.named_problems[2].starts_with("entry 4: a1b1 is illegal in "), "{found:?}");
    }

    #[test]
    fn castling_in_both_encodings_is_reported() {
        let start = Game::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
        let entry =
            |mv: u16| Entry { key: BookKey::of(&start), mv: BookMove(mv), weight: 1, ..Entry::default() };
        // e1h1 and e1g1.
        let found = info(&Book::from_entries(vec![entry(4 << 6 | 7), entry(4 << 6 | 6)]).unwrap(), &start);
        assert_eq!(found.problems, 1, "{found:?}");
        assert!(
            found.named_problems[0].starts_with("entry 2 (e1g1): the same move as e1h1 in "),
            "{found:?}"
        );
    }
}
