//! Book learning: updates the `learn` field of entries with games and half-points, as Polyglot
//! stores them.
//!
//! A move counts if a player chose it in a position where the book has it. Opening moves assigned
//! by a match do not count. The counts of a position's moves therefore sum to the games that reached
//! it. A move with several entries, such as castling in both encodings, counts in each of them, because
//! the entries are selected separately. `stretto::book` documents the effect on move selection.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;
use stretto::book::{Book, BookKey, BookMove, Entry, Learned};
use stretto::types::Color;

use super::games::SourceGame;
use super::write::{BookWriter, by_position};

/// Games and half-points of a move.
type Seen = (u32, u32);

/// The results collected for a book's moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct LearnedResults {
    seen: BTreeMap<BookKey, BTreeMap<BookMove, Seen>>,
    pub games: u64,
    /// Games in which a player used the book.
    pub from_book: u64,
    /// Book moves that players made, summed over games.
    moves: u64,
}

impl LearnedResults {
    /// Adds the moves that players accepted by `learns` made in a game.
    pub(crate) fn add(&mut self, book: &Book, game: &SourceGame, learns: impl Fn(&str) -> bool) {
        self.games += 1;
        let is_player = |color: Color| learns(&game.players[color.index()]);
        let is_known = Color::ALL.map(is_player);
        let (mut now, mut counted) = (game.start.clone(), BTreeSet::new());
        for played in &game.moves {
            let color = now.position().side_to_move();
            if is_known[color.index()] && !played.is_given {
                let key = BookKey::of(&now);
                let is_played =
                    |entry: &Entry| entry.weight > 0 && entry.mv.to_move(now.position()) == Some(played.mv);
                let before = counted.len();
                for mv in book.find(key).filter(is_played).map(|entry| entry.mv) {
                    // A move that is repeated in a game is one move of one game.
                    if counted.insert((key, mv)) {
                        let seen = self.seen.entry(key).or_default().entry(mv).or_default();
                        *seen = (seen.0 + 1, seen.1 + u32::from(game.half_points_of(color)));
                    }
                }
                self.moves += u64::from(counted.len() > before);
            }
            now.play(played.mv);
        }
        self.from_book += u64::from(!counted.is_empty());
    }

    /// Adds the collected results to the entries of a position. If a count does not fit into 16
    /// bits, all counts of the position are halved until it does.
    pub(crate) fn apply(&self, entries: &mut [Entry]) -> bool {
        let Some(seen) = entries.first().and_then(|entry| self.seen.get(&entry.key)) else { return false };
        let mut counts: Vec<Seen> = entries
            .iter()
            .map(|entry| {
                let (games, half_points) = seen.get(&entry.mv).copied().unwrap_or_default();
                let Learned { games: g, half_points: p } = entry.learned;
                (games + u32::from(g), half_points + u32::from(p))
            })
            .collect();
        let limit = u32::from(u16::MAX);
        while counts.iter().any(|&(games, half_points)| games.max(half_points) > limit) {
            for (games, half_points) in &mut counts {
                (*games, *half_points) = (games.div_ceil(2), half_points.div_ceil(2));
            }
        }
        for (entry, (games, half_points)) in entries.iter_mut().zip(counts) {
            entry.learned = Learned { games: games as u16, half_points: half_points as u16 };
        }
        true
    }
}

/// The result of learning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct LearnSummary {
    pub games: u64,
    /// Games in which a player used the book.
    pub games_from_book: u64,
    /// Positions with updated entries.
    pub positions: u64,
    /// Updates of moves, summed over games.
    pub moves: u64,
}

/// Writes the book with the collected results added. All other data stays unchanged.
///
/// Errors: the file cannot be written.
pub(crate) fn write_learned(
    book: &Book,
    results: &LearnedResults,
    path: &Path,
) -> anyhow::Result<LearnSummary> {
    let mut writer = BookWriter::create(path)?;
    let mut learned = LearnSummary {
        games: results.games,
        games_from_book: results.from_book,
        positions: 0,
        moves: results.moves,
    };
    by_position(book.entries_from(0), |entries| {
        learned.positions += u64::from(results.apply(entries));
        writer.write(entries)
    })?;
    writer.finish("the book has none")?;
    Ok(learned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::Played;
    use crate::books::traverse::tests::{lines, played};

    /// Builds a game of these players; moves in brackets are assigned opening moves.
    fn game(players: [&str; 2], moves: &str, half_points: u8) -> SourceGame {
        let (start, mut now, mut list) = (played(""), played(""), Vec::new());
        for text in moves.split_whitespace() {
            let is_given = text.starts_with('[');
            let mv = now.position().parse_uci(text.trim_matches(['[', ']'])).unwrap();
            list.push(Played { mv, is_given });
            now.play(mv);
        }
        SourceGame { players: players.map(str::to_owned), start, moves: list, half_points }
    }

    /// Returns the counts of a book's moves after `moves`, in file order.
    fn counts(book: &Book, moves: &str) -> Vec<(String, u16, u16)> {
        let found = book.find(BookKey::of(&played(moves)));
        found.map(|one| (one.mv.to_string(), one.learned.games, one.learned.half_points)).collect()
    }

    fn learned(book: &Book, games: &[SourceGame], learns: &str) -> (Book, LearnSummary) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.bin");
        let mut results = LearnedResults::default();
        for game in games {
            results.add(book, game, |name| learns.is_empty() || name == learns);
        }
        let learned = write_learned(book, &results, &path).unwrap();
        (Book::from_bytes(std::fs::read(&path).unwrap()).unwrap(), learned)
    }

    #[test]
    fn results_count_for_the_side_that_moved() {
        let book = lines(&[("e2e4 e7e5 g1f3", 5), ("e2e4 c7c5", 5), ("d2d4", 5)]);
        let games = [
            game(["we", "they"], "e2e4 e7e5 g1f3 b8c6", 2),
            game(["we", "they"], "e2e4 c7c5 c2c3", 0),
            game(["they", "we"], "e2e4 c7c5 g1f3", 1),
            game(["they", "we"], "d2d4 d7d5", 0),
            game(["we", "they"], "[d2d4] d7d5", 0),
        ];
        let (once, summary) = learned(&book, &games, "we");
        assert_eq!(counts(&once, ""), [("e2e4".into(), 2, 2), ("d2d4".into(), 0, 0)]);
        assert_eq!(counts(&once, "e2e4"), [("e7e5".into(), 0, 0), ("c7c5".into(), 1, 1)]);
        assert_eq!(counts(&once, "e2e4 e7e5"), [("g1f3".into(), 1, 2)]);
        assert_eq!(summary, LearnSummary { games: 5, games_from_book: 3, positions: 3, moves: 4 });
        let (both, _) = learned(&book, &games, "");
        assert_eq!(counts(&both, ""), [("e2e4".into(), 3, 3), ("d2d4".into(), 1, 0)]);
        // A second run adds to the counts and changes nothing else.
        let (twice, _) = learned(&once, &games, "we");
        assert_eq!(counts(&twice, ""), [("e2e4".into(), 4, 4), ("d2d4".into(), 0, 0)]);
        let bare = |book: &Book| {
            let strip = |entry: Entry| Entry { learned: Learned::default(), ..entry };
            book.entries_from(0).map(strip).collect::<Vec<_>>()
        };
        assert_eq!(bare(&twice), bare(&book));
    }

    #[test]
    fn move_repeated_in_a_game_counts_once() {
        let book = lines(&[("g1f3", 5)]);
        let shuffle = game(["we", "they"], "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6", 2);
        let (book, summary) = learned(&book, &[shuffle], "we");
        assert_eq!(counts(&book, ""), [("g1f3".into(), 1, 2)]);
        assert_eq!(summary, LearnSummary { games: 1, games_from_book: 1, positions: 1, moves: 1 });
    }

    #[test]
    fn all_entries_of_a_move_learn_its_results() {
        let line = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5";
        let castling = played(line);
        let entry =
            |mv: u16| Entry { key: BookKey::of(&castling), mv: BookMove(mv), weight: 1, ..Entry::default() };
        // e1h1 twice, e1g1 and e1e2.
        let book = Book::from_entries([7, 7, 6, 12].map(|to| entry(4 << 6 | to)).to_vec()).unwrap();
        let game = game(["we", "they"], &format!("{line} e1g1 g8f6"), 2);
        let (found, summary) = learned(&book, &[game], "we");
        let results: Vec<_> =
            counts(&found, line).into_iter().map(|(_, games, points)| (games, points)).collect();
        assert_eq!(results, [(1, 2), (1, 2), (1, 2), (0, 0)]);
        assert_eq!((summary.positions, summary.moves), (1, 1), "one move was made");
    }

    #[test]
    fn overflowing_counts_of_a_position_are_halved_together() {
        let book = lines(&[("e2e4", 1), ("d2d4", 1)]);
        let mut entries: Vec<Entry> = book.entries_from(0).collect();
        entries[0].learned = Learned { games: 65_535, half_points: 65_535 };
        entries[1].learned = Learned { games: 10, half_points: 5 };
        let mv = entries[0].mv.to_string();
        let lesson = game(["we", "they"], &mv, 2);
        let mut results = LearnedResults::default();
        results.add(&book, &lesson, |_| true);
        assert!(results.apply(&mut entries));
        assert_eq!(entries[0].learned, Learned { games: 32_768, half_points: 32_769 });
        assert_eq!(entries[1].learned, Learned { games: 5, half_points: 3 });
    }
}
