//! Books out of games: which moves of which positions, and how much each is worth.
//!
//! A move's weight is what it brought its side, 2 a win and 1 a draw, as in the books of Polyglot; with `uniform` it is 1.
//! Where twice the points of a position's best move pass sixteen bits, all its moves shrink alike.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use stretto::book::{BookKey, BookMove, Entry};
use stretto::types::Color;

use super::BookToolError;
use super::counts::{Count, Counts};
use super::games::SourceGame;
use super::write::BookWriter;

/// Counts kept in memory, 24 bytes each: some 200 MB.
const BUFFER: usize = 8_000_000;

/// Whose moves a book has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colors {
    /// White's only.
    White,
    /// Black's only.
    Black,
    /// Both sides'.
    #[default]
    Both,
}

impl Colors {
    /// Is a side among them?
    pub fn has(self, color: Color) -> bool {
        match self {
            Self::White => color == Color::White,
            Self::Black => color == Color::Black,
            Self::Both => true,
        }
    }
}

/// Which moves become entries.
#[derive(Clone, Copy, Debug)]
pub struct MakeOptions {
    /// How much of each game is taken. Units: plies.
    pub max_ply: usize,
    /// Moves of fewer games are left out.
    pub min_games: u32,
    /// Moves that scored less for their side are left out. Units: percent.
    pub min_score: f64,
    /// Whose moves.
    pub colors: Colors,
    /// All weights are 1.
    pub uniform: bool,
}

/// What came of making a book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MakeSummary {
    /// Games taken.
    pub games: u64,
    /// Their moves, as many as were looked at.
    pub plies: u64,
    /// Different moves of different positions among them.
    pub moves: u64,
    /// Positions of the book.
    pub positions: u64,
    /// Its entries.
    pub entries: u64,
    /// Sorted files that were needed on the way.
    pub runs: usize,
}

/// A book being made.
pub struct Maker {
    options: MakeOptions,
    counts: Counts,
    summary: MakeSummary,
}

impl Maker {
    /// A maker that keeps what does not fit into memory in files without names in `folder`.
    pub fn new(options: MakeOptions, folder: &Path) -> Self {
        Self::with_buffer(options, folder, BUFFER)
    }

    fn with_buffer(options: MakeOptions, folder: &Path, buffer: usize) -> Self {
        Self { options, counts: Counts::new(buffer, folder), summary: MakeSummary::default() }
    }

    /// Games taken so far.
    pub fn games(&self) -> u64 {
        self.summary.games
    }

    /// Takes a game.
    ///
    /// Errors: the disk is full.
    pub fn add(&mut self, game: &SourceGame) -> std::io::Result<()> {
        self.summary.games += 1;
        let mut now = game.start.clone();
        for played in game.moves.iter().take(self.options.max_ply) {
            let color = now.position().side_to_move();
            if self.options.colors.has(color) {
                let half_points = u32::from(game.half_points_of(color));
                self.add_move(BookKey::of(&now), BookMove::new(played.mv), half_points)?;
            }
            now.play(played.mv);
        }
        Ok(())
    }

    /// Takes what one game says of one move.
    ///
    /// Errors: the disk is full.
    pub fn add_move(&mut self, key: BookKey, mv: BookMove, half_points: u32) -> std::io::Result<()> {
        self.summary.plies += 1;
        self.counts.add(Count { key, mv, games: 1, half_points })
    }

    /// Writes the book.
    ///
    /// Errors: the file cannot be written, or no move passes.
    pub fn finish(self, path: &Path) -> Result<MakeSummary, BookToolError> {
        let Self { options, counts, mut summary } = self;
        summary.runs = counts.runs();
        let mut writer = BookWriter::create(path)?;
        let mut merged = counts.finish().map_err(BookToolError::io("sort moves beside", path))?;
        let mut group: Vec<(Entry, u64)> = Vec::new();
        let (mut rare, mut weak) = (0, 0);
        while let Some(count) = merged.next().map_err(BookToolError::io("sort moves beside", path))? {
            summary.moves += 1;
            let weight = match weight(&count, &options) {
                Ok(weight) => weight,
                Err(LeftOut::Rare) => {
                    rare += 1;
                    continue;
                }
                Err(LeftOut::Weak) => {
                    weak += 1;
                    continue;
                }
            };
            if group.first().is_some_and(|(first, _)| first.key != count.key) {
                writer.write_weighed(std::mem::take(&mut group))?;
            }
            group.push((Entry { key: count.key, mv: count.mv, ..Entry::default() }, weight));
        }
        writer.write_weighed(group)?;
        (summary.positions, summary.entries) = (writer.positions, writer.entries);
        writer.finish(nothing_left(&options, &summary, rare, weak))?;
        Ok(summary)
    }
}

/// Why a move is left out.
enum LeftOut {
    /// Too few games have it.
    Rare,
    /// It scored too little, or never brought anything.
    Weak,
}

/// The weight of a move, or why it is left out.
fn weight(count: &Count, options: &MakeOptions) -> Result<u64, LeftOut> {
    let score = 50.0 * f64::from(count.half_points) / f64::from(count.games.max(1));
    if count.games < options.min_games {
        Err(LeftOut::Rare)
    } else if count.half_points == 0 || score < options.min_score {
        Err(LeftOut::Weak)
    } else {
        Ok(if options.uniform { 1 } else { u64::from(count.half_points) })
    }
}

/// Which limits left no move: so many were too rare, so many too weak.
fn nothing_left(options: &MakeOptions, summary: &MakeSummary, rare: u64, weak: u64) -> String {
    let MakeOptions { max_ply, min_games, min_score, .. } = options;
    let MakeSummary { games, moves, .. } = summary;
    let mut text = format!(
        "{games} games have {moves} different moves of the color asked for in their first {max_ply} plies"
    );
    if rare > 0 {
        let _ = write!(text, ", {rare} of them in fewer than {min_games} games (--min-games)");
    }
    if weak > 0 {
        let _ = write!(text, ", {weak} without a point or with less than {min_score} % (--min-score)");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{Book, ReadGame, read_pgn};

    const OPTIONS: MakeOptions =
        MakeOptions { max_ply: 20, min_games: 1, min_score: 0.0, colors: Colors::Both, uniform: false };

    const GAMES: &str = "\
1. e4 e5 2. Nf3 1-0

1. e4 c5 0-1

1. e4 e5 2. Nc3 1/2-1/2

1. d4 *

1. e4 Ke7 1-0

1. c4 {a comment (with 1. f3)} (1. f3 e5) e5 0-1
";

    fn made(options: MakeOptions, buffer: usize) -> (Vec<(String, u16)>, MakeSummary, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let (pgn, out) = (folder.path().join("games.pgn"), folder.path().join("book.bin"));
        std::fs::write(&pgn, GAMES).unwrap();
        let mut maker = Maker::with_buffer(options, folder.path(), buffer);
        let mut bad = Vec::new();
        let unfinished = read_pgn(
            &pgn,
            options.max_ply,
            |file| file,
            |game: ReadGame| {
                match game {
                    Ok(game) => maker.add(&game).unwrap(),
                    Err(error) => bad.push(error.to_string()),
                }
                Ok(())
            },
        );
        assert_eq!(unfinished.unwrap(), 1);
        let summary = maker.finish(&out).unwrap();
        let book = Book::open(&out).unwrap();
        book.check_order().unwrap();
        let entries = book.entries_from(0).map(|entry| (entry.mv.to_string(), entry.weight)).collect();
        (entries, summary, bad)
    }

    fn sorted(mut entries: Vec<(String, u16)>) -> Vec<(String, u16)> {
        entries.sort();
        entries
    }

    fn expected(entries: &[(&str, u16)]) -> Vec<(String, u16)> {
        sorted(entries.iter().map(|&(mv, weight)| (mv.to_owned(), weight)).collect())
    }

    #[test]
    fn weights_are_points_of_the_mover() {
        let (entries, summary, bad) = made(OPTIONS, 100);
        let all = [("e2e4", 3), ("e7e5", 1), ("g1f3", 2), ("c7c5", 2), ("b1c3", 1), ("e7e5", 2)];
        assert_eq!(sorted(entries.clone()), expected(&all));
        assert_eq!((summary.games, summary.entries, summary.plies), (4, 6, 10));
        assert!(bad.len() == 1 && bad[0].starts_with("game 5, line 9: ply 2: "), "{bad:?}");
        assert_eq!(made(OPTIONS, 2).0, entries, "a buffer of two gives the same book");
    }

    #[test]
    fn options_choose_moves() {
        let white = made(MakeOptions { colors: Colors::White, ..OPTIONS }, 100).0;
        assert_eq!(sorted(white), expected(&[("e2e4", 3), ("g1f3", 2), ("b1c3", 1)]));
        let black = made(MakeOptions { colors: Colors::Black, uniform: true, ..OPTIONS }, 100).0;
        assert_eq!(sorted(black), expected(&[("e7e5", 1), ("c7c5", 1), ("e7e5", 1)]));
        let often = made(MakeOptions { min_games: 2, ..OPTIONS }, 100).0;
        assert_eq!(sorted(often), expected(&[("e2e4", 3), ("e7e5", 1)]));
        let good = made(MakeOptions { min_score: 60.0, ..OPTIONS }, 100).0;
        assert_eq!(sorted(good), expected(&[("g1f3", 2), ("c7c5", 2), ("e7e5", 2)]));
        let short = made(MakeOptions { max_ply: 1, ..OPTIONS }, 100).0;
        // What comes after is not looked at, so 1...Ke7 harms nothing.
        assert_eq!(sorted(short), expected(&[("e2e4", 5)]));
    }

    #[test]
    fn a_book_of_nothing_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("book.bin");
        let message = Maker::new(OPTIONS, folder.path()).finish(&out).unwrap_err().to_string();
        assert!(message.contains("no entry is left for") && message.contains("book.bin"), "{message}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn limits_that_leave_nothing_are_told_with_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let options = MakeOptions { min_games: 3, min_score: 45.0, ..OPTIONS };
        let mut maker = Maker::new(options, folder.path());
        for (key, games) in [(1, 2), (2, 5), (3, 1)] {
            for _ in 0..games {
                maker.add_move(BookKey(key), BookMove(1), 0).unwrap();
            }
        }
        let message = maker.finish(&folder.path().join("book.bin")).unwrap_err().to_string();
        let expected = "0 games have 3 different moves of the color asked for in their first 20 plies, \
                        2 of them in fewer than 3 games (--min-games), \
                        1 without a point or with less than 45 % (--min-score); nothing was written";
        assert!(message.ends_with(expected), "{message}");
    }
}
