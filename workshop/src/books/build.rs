//! Creation of books from games: selection and weights of moves.
//!
//! The weight of a move is the half-points it scored for its side, as in Polyglot books; with
//! `uniform` it is 1. If a weight exceeds 16 bits, all weights of the position are scaled.

use std::fmt::Write as _;
use std::path::Path;

use clap::ValueEnum;
use serde::Serialize;
use stretto::book::{BookKey, BookMove, Entry};
use stretto::types::Color;

use super::counts::{Count, Counts};
use super::games::SourceGame;
use super::write::BookWriter;
use stretto_harness::base::errors::FileResult;
use stretto_harness::base::wording::counted;

/// Number of counts kept in memory, 24 bytes each: about 200 MB.
const BUFFER: usize = 8_000_000;

/// The side whose moves a book contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colors {
    White,
    Black,
    #[default]
    Both,
}

impl Colors {
    /// Returns whether a side is included.
    pub(crate) fn has(self, color: Color) -> bool {
        match self {
            Self::White => color == Color::White,
            Self::Black => color == Color::Black,
            Self::Both => true,
        }
    }
}

/// Selection and weights of entries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MakeOptions {
    /// Number of plies read of each game.
    pub max_ply: usize,
    /// Minimum number of times that a move was played.
    pub min_games: u32,
    /// Minimum score of a move for its side. Units: percent.
    pub min_score: f64,
    /// Side whose moves are included.
    pub colors: Colors,
    /// Whether all weights are 1.
    pub uniform: bool,
}

/// The result of creating a book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct MakeSummary {
    pub games: u64,
    pub plies: u64,
    /// Distinct moves of distinct positions.
    pub moves: u64,
    /// Positions in the book.
    pub positions: u64,
    /// Entries in the book.
    pub entries: u64,
    /// Number of temporary files used.
    pub runs: usize,
}

/// A book under construction.
pub(crate) struct BookBuilder {
    options: MakeOptions,
    counts: Counts,
    summary: MakeSummary,
}

impl BookBuilder {
    /// Returns a builder that keeps excess data in unnamed temporary files in `folder`.
    pub(crate) fn new(options: MakeOptions, folder: &Path) -> Self {
        Self::with_buffer(options, folder, BUFFER)
    }

    fn with_buffer(options: MakeOptions, folder: &Path, buffer: usize) -> Self {
        Self { options, counts: Counts::new(buffer, folder), summary: MakeSummary::default() }
    }

    /// Adds a game.
    ///
    /// Errors: the disk is full.
    pub(crate) fn add(&mut self, game: &SourceGame) -> std::io::Result<()> {
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

    /// Adds one move of a game.
    ///
    /// Errors: the disk is full.
    pub(crate) fn add_move(&mut self, key: BookKey, mv: BookMove, half_points: u32) -> std::io::Result<()> {
        self.summary.plies += 1;
        self.counts.add(Count { key, mv, games: 1, half_points })
    }

    /// Writes the book.
    ///
    /// Errors: the file cannot be written, or no move satisfies the options.
    pub(crate) fn finish(self, path: &Path) -> anyhow::Result<MakeSummary> {
        let Self { options, counts, mut summary } = self;
        summary.runs = counts.runs();
        let mut writer = BookWriter::create(path)?;
        let mut merged = counts.finish().or_cannot("sort moves next to", path)?;
        let mut group: Vec<(Entry, u64)> = Vec::new();
        let (mut rare, mut weak) = (0, 0);
        while let Some(count) = merged.next().or_cannot("sort moves next to", path)? {
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
        writer.finish(&nothing_left(&options, &summary, rare, weak))?;
        Ok(summary)
    }
}

/// The reason why a move is excluded.
enum LeftOut {
    /// Played less often than the minimum.
    Rare,
    /// Score below the minimum, or zero.
    Weak,
}

/// Returns the weight of a move or the reason for its exclusion.
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

/// Describes the limits that excluded every move.
fn nothing_left(options: &MakeOptions, summary: &MakeSummary, rare: u64, weak: u64) -> String {
    let MakeOptions { max_ply, min_games, min_score, .. } = options;
    let MakeSummary { games, moves, .. } = summary;
    let (games, moves) = (counted(*games as usize, "game"), counted(*moves as usize, "distinct move"));
    let plies = counted(*max_ply, "ply");
    let mut text = format!("{games} with {moves} of the selected color in the first {plies}");
    if rare > 0 {
        let _ = write!(text, ", {rare} of them played less than {min_games} times (--min-games)");
    }
    if weak > 0 {
        let _ = write!(text, ", {weak} with zero score or below {min_score} % (--min-score)");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::{ReadGame, read_pgn};
    use stretto::book::Book;

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
        let mut builder = BookBuilder::with_buffer(options, folder.path(), buffer);
        let mut bad = Vec::new();
        let unfinished = read_pgn(
            &pgn,
            options.max_ply,
            |file| file,
            |game: ReadGame| {
                match game {
                    Ok(game) => builder.add(&game).unwrap(),
                    Err(error) => bad.push(error.to_string()),
                }
                Ok(())
            },
        );
        assert_eq!(unfinished.unwrap(), 1);
        let summary = builder.finish(&out).unwrap();
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
    fn weights_are_the_half_points_of_the_mover() {
        let (entries, summary, bad) = made(OPTIONS, 100);
        let all = [("e2e4", 3), ("e7e5", 1), ("g1f3", 2), ("c7c5", 2), ("b1c3", 1), ("e7e5", 2)];
        assert_eq!(sorted(entries.clone()), expected(&all));
        assert_eq!((summary.games, summary.entries, summary.plies), (4, 6, 10));
        assert!(bad.len() == 1 && bad[0].starts_with("game 5, line 9: ply 2: "), "{bad:?}");
        assert_eq!(made(OPTIONS, 2).0, entries, "a buffer of two gives the same book");
    }

    #[test]
    fn options_select_moves() {
        let white = made(MakeOptions { colors: Colors::White, ..OPTIONS }, 100).0;
        assert_eq!(sorted(white), expected(&[("e2e4", 3), ("g1f3", 2), ("b1c3", 1)]));
        let black = made(MakeOptions { colors: Colors::Black, uniform: true, ..OPTIONS }, 100).0;
        assert_eq!(sorted(black), expected(&[("e7e5", 1), ("c7c5", 1), ("e7e5", 1)]));
        let often = made(MakeOptions { min_games: 2, ..OPTIONS }, 100).0;
        assert_eq!(sorted(often), expected(&[("e2e4", 3), ("e7e5", 1)]));
        let good = made(MakeOptions { min_score: 60.0, ..OPTIONS }, 100).0;
        assert_eq!(sorted(good), expected(&[("g1f3", 2), ("c7c5", 2), ("e7e5", 2)]));
        let short = made(MakeOptions { max_ply: 1, ..OPTIONS }, 100).0;
        // Later moves are not read, so the illegal 1...Ke7 is not reported.
        assert_eq!(sorted(short), expected(&[("e2e4", 5)]));
    }

    #[test]
    fn empty_book_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("book.bin");
        let message = BookBuilder::new(OPTIONS, folder.path()).finish(&out).unwrap_err().to_string();
        assert!(message.contains("no entry left for") && message.contains("book.bin"), "{message}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn message_lists_the_limits_that_exclude_every_move() {
        let folder = tempfile::tempdir().unwrap();
        let options = MakeOptions { min_games: 3, min_score: 45.0, ..OPTIONS };
        let mut builder = BookBuilder::new(options, folder.path());
        for (key, games) in [(1, 2), (2, 5), (3, 1)] {
            for _ in 0..games {
                builder.add_move(BookKey(key), BookMove(1), 0).unwrap();
            }
        }
        let message = builder.finish(&folder.path().join("book.bin")).unwrap_err().to_string();
        let expected = "0 games with 3 distinct moves of the selected color in the first 20 plies, \
                        2 of them played less than 3 times (--min-games), \
                        1 with zero score or below 45 % (--min-score); nothing was written";
        assert!(message.ends_with(expected), "{message}");
    }
}
