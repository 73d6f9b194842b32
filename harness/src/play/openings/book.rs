//! Loads files of openings and assigns openings to pairs of games.

use std::fmt;
use std::num::NonZeroU32;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::CastlingMode;
use thiserror::Error;

use super::line::{Opening, parse};
use super::{pgn, polyglot};
use crate::base::epd::lines;
use crate::base::random::SplitMix64;
use crate::base::wording::plural;

/// Order in which openings are played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// As in the file.
    Sequential,
    /// Shuffled once by the seed; no opening repeats before all others were played.
    #[default]
    Random,
}

/// Format of a file of openings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// One position per line, EPD or FEN.
    #[default]
    Epd,
    /// Games of a PGN file.
    Pgn {
        /// Number of plies played of each game; all if `None`.
        plies: Option<NonZeroU32>,
    },
    /// Random lines of a Polyglot book, drawn by the weights of its moves.
    Polyglot {
        /// Number of plies of each line.
        plies: NonZeroU32,
    },
}

/// An invalid line of a file of openings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {error}")]
pub struct BadLine {
    /// Line number, from 1.
    pub line: usize,
    /// The error in the line.
    pub error: String,
}

/// Refuses a file with invalid entries. They are never skipped, since this would change the book.
fn refuse<T>(file: impl fmt::Display, bad: &[impl fmt::Display], entry: &str) -> anyhow::Result<T> {
    let (count, entries) = (bad.len(), plural(bad.len(), entry));
    bail!("{file}: {count} bad {entries}\n{}", listed(bad))
}

/// Lists the first invalid entries and the number of the remaining ones.
fn listed(bad: &[impl fmt::Display]) -> String {
    const LISTED: usize = 10;
    let mut lines: Vec<String> = bad.iter().take(LISTED).map(|bad| format!("  {bad}")).collect();
    if bad.len() > LISTED {
        lines.push(format!("  and {} more", bad.len() - LISTED));
    }
    lines.join("\n")
}

/// Advice on a binary file.
const BINARY: &str = "is a binary file: expected EPD, FEN or PGN; a Polyglot book is read with `openings: { format: polyglot, plies: N }`";

/// Returns advice on a file without valid positions that seems to be of another format.
fn other_format(bytes: &[u8]) -> Option<&'static str> {
    let is_tag = |line: &[u8]| line.trim_ascii().starts_with(b"[") && line.trim_ascii().ends_with(b"\"]");
    if is_binary(bytes) {
        Some(BINARY)
    } else if lines(bytes).any(is_tag) {
        Some("has PGN games: read them with `openings: { format: pgn }`, or give the file the extension .pgn")
    } else {
        None
    }
}

/// Whether a file is not text: more than one in 20 of the first 4,096 bytes is a control character other than
/// white space.
fn is_binary(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let sample = &bytes[..bytes.len().min(4096)];
    20 * sample.iter().filter(is_control).count() > sample.len()
}

/// Returns the openings and the invalid lines of a file. Lines end with LF, CR or both.
pub fn read_lines(bytes: &[u8]) -> (Vec<Opening>, Vec<BadLine>) {
    let (mut openings, mut bad) = (Vec::new(), Vec::new());
    for (index, text) in lines(bytes).enumerate() {
        let line = index + 1;
        match parse(text, line) {
            Some(Ok(opening)) => openings.push(opening),
            Some(Err(error)) => bad.push(BadLine { line, error }),
            None => {}
        }
    }
    (openings, bad)
}

/// Openings by pair index.
///
/// Pair `i` plays entry `start + i` of the order, modulo its length.
#[derive(Clone, Debug)]
pub struct OpeningBook {
    /// In file order; never empty.
    openings: Vec<Opening>,
    /// The order of play, as indices into `openings`.
    order: Vec<u32>,
    start: u64,
}

impl OpeningBook {
    /// Reads and checks a whole file.
    ///
    /// `start` openings of the order are skipped before the first pair. The seed determines random
    /// orders and the lines drawn from a Polyglot book.
    ///
    /// Errors: the file cannot be read or has no opening; or its first invalid lines or games, with the number of all.
    pub fn load(
        path: impl AsRef<Path>,
        format: Format,
        order: Order,
        seed: u64,
        start: u64,
    ) -> anyhow::Result<OpeningBook> {
        let (path, file) = (path.as_ref(), path.as_ref().display());
        let bytes = std::fs::read(path).with_context(|| format!("cannot read the opening book {file}"))?;
        let openings = match format {
            Format::Epd => match read_lines(&bytes) {
                (openings, bad) if bad.is_empty() => openings,
                (_, bad) => match other_format(&bytes) {
                    Some(hint) => bail!("{file}: {hint}"),
                    None => return refuse(file, &bad, "line"),
                },
            },
            Format::Pgn { .. } if is_binary(&bytes) => bail!("{file}: {BINARY}"),
            Format::Pgn { plies } => {
                match pgn::read_games(&bytes, plies.map_or(usize::MAX, |plies| plies.get() as usize)) {
                    (openings, bad) if bad.is_empty() => openings,
                    (_, bad) => return refuse(file, &bad, "game"),
                }
            }
            Format::Polyglot { plies } => polyglot::draw_lines(bytes, plies.get() as usize, seed)
                .map_err(|reason| anyhow!("{file}: no Polyglot book to play from: {reason}"))?,
        };
        Self::new(openings, order, seed, start)
            .with_context(|| format!("{file}: expected at least one opening, found none"))
    }

    /// Creates a book of these openings; `None` if there are none or more than 2^32.
    pub fn new(openings: Vec<Opening>, order: Order, seed: u64, start: u64) -> Option<Self> {
        let len = u32::try_from(openings.len()).ok().filter(|&len| len > 0)?;
        let mut indices: Vec<u32> = (0..len).collect();
        if order == Order::Random {
            SplitMix64::new(seed).shuffle(&mut indices);
        }
        Some(Self { openings, order: indices, start })
    }

    /// Returns the book with `start` openings skipped before the first pair, instead of those given when it was loaded.
    #[must_use]
    pub fn starting_at(self, start: u64) -> Self {
        Self { start, ..self }
    }

    /// Returns the number of openings.
    #[expect(clippy::len_without_is_empty, reason = "a book is never empty")]
    pub fn len(&self) -> usize {
        self.openings.len()
    }

    /// Returns the opening of pair `pair`, counted from 0.
    pub fn opening(&self, pair: u64) -> &Opening {
        let len = self.order.len() as u64;
        // Both summands are reduced first, so that no start or pair can overflow.
        let entry = (self.start % len + pair % len) % len;
        &self.openings[self.order[entry as usize] as usize]
    }

    /// Returns the first opening that needs Chess960 castling. The whole match then uses Chess960 rules.
    pub fn first_chess960(&self) -> Option<&Opening> {
        self.openings.iter().find(|opening| opening.castling == CastlingMode::Chess960)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn openings(count: usize) -> Vec<Opening> {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";
        let text = start.repeat(count);
        let (openings, bad) = read_lines(text.as_bytes());
        assert_eq!(bad, []);
        openings
    }

    fn played(book: &OpeningBook, pairs: std::ops::Range<u64>) -> Vec<usize> {
        pairs.map(|pair| book.opening(pair).line).collect()
    }

    #[test]
    fn sequential_order_starts_where_told_and_wraps() {
        let book = OpeningBook::new(openings(4), Order::Sequential, 9, 2).unwrap();
        assert_eq!(played(&book, 0..7), [3, 4, 1, 2, 3, 4, 1]);
        assert_eq!(
            OpeningBook::new(openings(4), Order::Sequential, 9, u64::MAX).unwrap().opening(u64::MAX).line,
            3
        );
        assert_eq!(played(&book.starting_at(1), 0..4), [2, 3, 4, 1], "the first start does not count");
    }

    #[test]
    fn random_order_is_a_permutation_fixed_by_the_seed() {
        let book = |seed, start| OpeningBook::new(openings(100), Order::Random, seed, start).unwrap();
        let first = played(&book(7, 0), 0..100);
        assert_eq!(first.iter().collect::<HashSet<_>>().len(), 100);
        assert_ne!(first, (1..=100).collect::<Vec<_>>());
        assert_eq!(first, played(&book(7, 0), 0..100));
        assert_ne!(first, played(&book(8, 0), 0..100));
        assert_eq!(first[30..], played(&book(7, 30), 0..70), "start moves along the same order");
        assert_eq!(first, played(&book(7, 0), 100..200), "a second lap repeats the first");
    }

    #[test]
    fn the_order_of_a_seed_never_changes() {
        // A resumed match relies on it. Worked out apart, from the definitions of splitmix64 and of the shuffle.
        let book = OpeningBook::new(openings(8), Order::Random, 7, 0).unwrap();
        assert_eq!(played(&book, 0..8), [8, 5, 7, 2, 3, 6, 1, 4]);
    }

    #[test]
    fn every_kind_of_line_end_counts_once() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let text = format!("{start}\r\n\r\n{start}\n\n{start}\r{start}\0\n{start}");
        let (openings, bad) = read_lines(text.as_bytes());
        assert_eq!(openings.iter().map(|opening| opening.line).collect::<Vec<_>>(), [1, 3, 5, 6, 7]);
        assert_eq!(bad, []);
        assert_eq!(read_lines(b""), (vec![], vec![]));
    }

    #[test]
    fn games_and_polyglot_books_load_too() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let plies = NonZeroU32::new(2);
        let pgn = |text: &str| {
            OpeningBook::load(file("a.pgn", text.as_bytes()), Format::Pgn { plies }, Order::Sequential, 0, 0)
        };
        let book = pgn("1. e4 e5 2. Nf3 *\n\n1. d4 *\n").unwrap();
        assert_eq!([0, 1].map(|pair| book.opening(pair).moves.len()), [2, 1]);
        let message = pgn("1. e4 e4 *\n").unwrap_err().to_string();
        assert!(
            message.contains("1 bad game\n  game 1, line 1: ply 2: `e4`: expected a legal move in `"),
            "{message}"
        );
        assert!(pgn("").unwrap_err().to_string().ends_with("expected at least one opening, found none"));
        let format = Format::Polyglot { plies: plies.unwrap() };
        let load = |bytes: &[u8]| OpeningBook::load(file("a.bin", bytes), format, Order::Random, 0, 0);
        // The start position's key, e2e4, weight 1, learn field 0.
        let entry = 0x463B_9618_1691_FC9C_031C_0001_0000_0000_u128.to_be_bytes();
        assert_eq!(load(&entry).unwrap().opening(7).moves.len(), 1);
        assert!(load(&entry[1..]).unwrap_err().to_string().contains("a.bin: no Polyglot book to play from"));
    }

    #[test]
    fn file_of_another_format_is_named_in_one_line() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("book.txt");
        let error = |bytes: &[u8], format: Format| {
            std::fs::write(&file, bytes).unwrap();
            OpeningBook::load(&file, format, Order::Sequential, 0, 0).unwrap_err().to_string()
        };
        let games = b"[White \"x\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n";
        let text = error(games, Format::Epd);
        assert!(text.ends_with("or give the file the extension .pgn") && !text.contains('\n'), "{text}");
        let binary: Vec<u8> = (0..=255).cycle().take(5000).collect();
        for format in [Format::Epd, Format::Pgn { plies: None }] {
            let text = error(&binary, format);
            assert!(text.contains("is a binary file: expected EPD") && !text.contains('\n'), "{text}");
        }
        assert!(error(b"no position\n", Format::Epd).contains("1 bad line"));
    }

    #[test]
    fn loading_reports_all_bad_lines_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let load = |text: &str| {
            let path = folder.path().join("book.epd");
            std::fs::write(&path, text).unwrap();
            OpeningBook::load(&path, Format::Epd, Order::Sequential, 0, 0)
        };
        let good = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n";
        assert_eq!(load(good).unwrap().len(), 1);
        let message = load(&format!("{good}\nbroken\n{good}w w w w\n")).unwrap_err().to_string();
        assert!(message.contains("2 bad lines"), "{message}");
        assert!(message.contains("line 3: `broken`: expected the side to move"), "{message}");
        assert!(message.contains("line 5: `w`: expected a piece placement"), "{message}");
        let many = load(&"bad\n".repeat(25)).unwrap_err().to_string();
        assert!(many.contains("25 bad lines") && many.ends_with("and 15 more"), "{many}");
        assert!(load("\n# nothing\n").unwrap_err().to_string().ends_with("at least one opening, found none"));
        let missing = OpeningBook::load(folder.path().join("none.epd"), Format::Epd, Order::Random, 0, 0);
        assert!(missing.unwrap_err().to_string().starts_with("cannot read the opening book "));
    }
}
