//! What results say of a book's moves: games and half points into the `learn` field, as Polyglot keeps them.
//!
//! A move counts where a player made it in a position of the book that has it; what a match gave as an opening was chosen by
//! nobody and counts for nobody. So the counts of a position's moves sum to the games that came through it. How they bend
//! the engine's choice is told in `stretto::book`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use stretto::book::{Book, BookKey, BookMove, Entry, Learned};
use stretto::types::Color;

use super::BookToolError;
use super::games::SourceGame;
use super::write::{BookWriter, by_position};

/// What was seen of one move: games and half points.
type Seen = (u32, u32);

/// What games say of a book's moves.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    seen: BTreeMap<BookKey, BTreeMap<BookMove, Seen>>,
    /// Games looked at.
    pub games: u64,
    /// Those in which a player played from the book.
    pub from_book: u64,
}

impl Lessons {
    /// Takes from a game what it says of the moves that players for whom `learns` holds made.
    pub fn add(&mut self, book: &Book, game: &SourceGame, learns: impl Fn(&str) -> bool) {
        self.games += 1;
        let is_player = |color: Color| learns(&game.players[color.index()]);
        let is_known = Color::ALL.map(is_player);
        let (mut now, mut plays_from_book) = (game.start.clone(), false);
        for played in &game.moves {
            let color = now.position().side_to_move();
            if is_known[color.index()] && !played.is_given {
                let key = BookKey::of(&now);
                let mut entries = book.find(key).filter(|entry| entry.weight > 0);
                let known = entries.find(|entry| entry.mv.to_move(now.position()) == Some(played.mv));
                if let Some(entry) = known {
                    let seen = self.seen.entry(key).or_default().entry(entry.mv).or_default();
                    *seen = (seen.0 + 1, seen.1 + u32::from(game.half_points_of(color)));
                    plays_from_book = true;
                }
            }
            now.play(played.mv);
        }
        self.from_book += u64::from(plays_from_book);
    }

    /// The entries of a position with what was seen there. Where a count does not fit, all of the position's are halved,
    /// until it does.
    pub fn apply(&self, entries: &mut [Entry]) -> bool {
        let Some(seen) = entries.first().and_then(|entry| self.seen.get(&entry.key)) else { return false };
        let mut seen = seen.clone();
        let mut counts: Vec<Seen> = entries
            .iter()
            .map(|entry| {
                // A move that stands twice learns once.
                let (games, half_points) = seen.remove(&entry.mv).unwrap_or_default();
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

/// What a book was taught.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Taught {
    /// Games looked at.
    pub games: u64,
    /// Those in which a player played from the book.
    pub games_from_book: u64,
    /// Positions that learned something.
    pub positions: u64,
    /// What their moves learned, games summed.
    pub moves: u64,
}

/// Writes the book with what was seen added to its counts. All else stays as it is, byte for byte.
///
/// Errors: the file cannot be written.
pub fn teach(book: &Book, lessons: &Lessons, path: &Path) -> Result<Taught, BookToolError> {
    let mut writer = BookWriter::create(path)?;
    let mut taught = Taught { games: lessons.games, games_from_book: lessons.from_book, ..Taught::default() };
    let of_moves = lessons.seen.values().flat_map(BTreeMap::values);
    taught.moves = of_moves.map(|&(games, _)| u64::from(games)).sum();
    by_position(book.entries_from(0), |entries| {
        taught.positions += u64::from(lessons.apply(entries));
        writer.write(entries)
    })?;
    writer.finish("the book has none")?;
    Ok(taught)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Played;
    use crate::book::walk::tests::{lines, played};

    /// A game of these players; moves in brackets were given.
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

    /// The counts of a book's moves after `moves`, in the order of the file.
    fn counts(book: &Book, moves: &str) -> Vec<(String, u16, u16)> {
        let found = book.find(BookKey::of(&played(moves)));
        found.map(|one| (one.mv.to_string(), one.learned.games, one.learned.half_points)).collect()
    }

    fn taught(book: &Book, games: &[SourceGame], learns: &str) -> (Book, Taught) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.bin");
        let mut lessons = Lessons::default();
        for game in games {
            lessons.add(book, game, |name| learns.is_empty() || name == learns);
        }
        let taught = teach(book, &lessons, &path).unwrap();
        (Book::from_bytes(std::fs::read(&path).unwrap()).unwrap(), taught)
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
        let (learned, summary) = taught(&book, &games, "we");
        assert_eq!(counts(&learned, ""), [("e2e4".into(), 2, 2), ("d2d4".into(), 0, 0)]);
        assert_eq!(counts(&learned, "e2e4"), [("e7e5".into(), 0, 0), ("c7c5".into(), 1, 1)]);
        assert_eq!(counts(&learned, "e2e4 e7e5"), [("g1f3".into(), 1, 2)]);
        assert_eq!(summary, Taught { games: 5, games_from_book: 3, positions: 3, moves: 4 });
        let (both, _) = taught(&book, &games, "");
        assert_eq!(counts(&both, ""), [("e2e4".into(), 3, 3), ("d2d4".into(), 1, 0)]);
        // Again on top, and nothing but counts changes.
        let (twice, _) = taught(&learned, &games, "we");
        assert_eq!(counts(&twice, ""), [("e2e4".into(), 4, 4), ("d2d4".into(), 0, 0)]);
        let bare = |book: &Book| {
            let strip = |entry: Entry| Entry { learned: Learned::default(), ..entry };
            book.entries_from(0).map(strip).collect::<Vec<_>>()
        };
        assert_eq!(bare(&twice), bare(&book));
    }

    #[test]
    fn counts_that_do_not_fit_are_halved_together() {
        let book = lines(&[("e2e4", 1), ("d2d4", 1)]);
        let mut entries: Vec<Entry> = book.entries_from(0).collect();
        entries[0].learned = Learned { games: 65_535, half_points: 65_535 };
        entries[1].learned = Learned { games: 10, half_points: 5 };
        let mv = entries[0].mv.to_string();
        let lesson = game(["we", "they"], &mv, 2);
        let mut lessons = Lessons::default();
        lessons.add(&book, &lesson, |_| true);
        assert!(lessons.apply(&mut entries));
        assert_eq!(entries[0].learned, Learned { games: 32_768, half_points: 32_769 });
        assert_eq!(entries[1].learned, Learned { games: 5, half_points: 3 });
    }
}
