//! Generates start positions for games: random plies from a start position or from a book, kept if
//! a short search gives neither side a large advantage.
//!
//! `OpenBench` requests them for games that generate training data. The same request gives the same
//! positions.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::engine::{Configuration, Solo};
use crate::files;
use crate::position::{FenError, Game, Position};
use crate::search::limits::Limits;
use crate::tt::AllocationError;
use crate::types::{FIFTY_MOVES, Mebibytes, Nodes, Score, SplitMix64};

/// The start positions of the games, if there is no book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// The start position of standard chess.
    #[default]
    Standard,
    /// Chess960: one of 960 arrangements, the same for both sides.
    Chess960,
    /// Double Chess960: an arrangement for each side.
    Double,
}

impl Variant {
    /// All variants, standard chess first.
    pub const ALL: [Self; 3] = [Self::Standard, Self::Chess960, Self::Double];

    /// Returns the name in a request.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Chess960 => "chess960",
            Self::Double => "double",
        }
    }
}

/// A request for start positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The number of positions.
    pub count: u64,
    /// The seed of the random choices.
    pub seed: u64,
    /// A file with one position per line, from which the random plies start.
    pub book: Option<PathBuf>,
    /// The start positions without a book.
    pub variant: Variant,
    /// The number of random plies. Half of the positions get one more, so that either side is to
    /// move. The default is 8 plies from a start position and 4 from a book.
    pub plies: Option<u32>,
    /// The largest advantage of either side. Units: centipawns.
    pub limit: i32,
    /// The soft node limit of the search that scores a position.
    pub nodes: Nodes,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            count: 0,
            seed: 0,
            book: None,
            variant: Variant::Standard,
            plies: None,
            limit: 300,
            nodes: Nodes(1000),
        }
    }
}

/// Reason why positions could not be generated.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum GenfensError {
    #[error("cannot read the book {}: {error}", path.display())]
    Book { path: PathBuf, error: io::Error },
    #[error("the book {} is empty; expected one FEN per line", path.display())]
    Empty { path: PathBuf },
    #[error("the book {}, line {line}: {error}", path.display())]
    Line {
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        error: FenError,
    },
    #[error("no position within {limit} centipawns in {tries} tries; raise `limit` or lower `plies`")]
    Unbalanced {
        /// The largest advantage allowed. Units: centipawns.
        limit: i32,
        tries: u32,
    },
    #[error(transparent)]
    Table(#[from] AllocationError),
}

/// The hash table of the scoring search, which has a few thousand nodes.
const HASH: Mebibytes = Mebibytes(1);
/// The largest book. Units: bytes.
const MAX_BOOK_BYTES: u64 = 1 << 30;
/// The number of tries for one position before the request fails.
const TRIES: u32 = 2000;
/// The number of tries for a new position; after that a repeated one is accepted.
const FRESH_TRIES: u32 = 500;

/// Generates the positions and passes each to `found`.
pub fn generate(request: &Request, mut found: impl FnMut(&Position)) -> Result<(), GenfensError> {
    let book = request.book.as_deref().map(Book::read).transpose()?;
    let plies = request.plies.unwrap_or(if book.is_some() { 4 } else { 8 });
    let mut random = SplitMix64::new(request.seed);
    let mut searcher = Solo::new(HASH, Configuration { is_analysis: true, ..Configuration::default() })?;
    let mut seen = HashSet::new();
    for _ in 0..request.count {
        let mut tries = 0;
        let position = loop {
            if tries == TRIES {
                return Err(GenfensError::Unbalanced { limit: request.limit, tries });
            }
            tries += 1;
            let start = match &book {
                Some(book) => book.draw(&mut random)?,
                None => start(request.variant, &mut random),
            };
            let played = play_random(start, plies.saturating_add(random.below(2) as u32), &mut random);
            let fresh = played.filter(|position| tries > FRESH_TRIES || !seen.contains(&position.key()));
            if let Some(position) = fresh.filter(|position| is_balanced(position, request, &mut searcher)) {
                break position;
            }
        };
        seen.insert(position.key());
        found(&position);
    }
    Ok(())
}

/// Returns a start position of this variant.
fn start(variant: Variant, random: &mut SplitMix64) -> Position {
    let mut array = || random.below(960) as u16;
    let position = match variant {
        Variant::Standard => None,
        Variant::Chess960 => {
            let array = array();
            Position::chess960_start(array, array)
        }
        Variant::Double => Position::chess960_start(array(), array()),
    };
    position.unwrap_or_else(Position::startpos)
}

/// Returns the position after random legal plies; `None` if the game ends before, or the side to
/// move is in check. Repetitions are ignored.
fn play_random(mut position: Position, plies: u32, random: &mut SplitMix64) -> Option<Position> {
    for _ in 0..plies {
        if is_drawn(&position) {
            return None;
        }
        let moves = position.legal_moves();
        let mv = *moves.get(random.below(moves.len() as u64) as usize)?;
        position = position.after(mv);
    }
    let is_over = position.is_check() || is_drawn(&position) || !position.has_legal_move();
    (!is_over).then_some(position)
}

/// Whether the game ends here by the fifty-move rule or for lack of material.
fn is_drawn(position: &Position) -> bool {
    position.halfmove_clock() >= FIFTY_MOVES || position.is_dead_material()
}

fn is_balanced(position: &Position, request: &Request, searcher: &mut Solo) -> bool {
    searcher.new_game();
    let limits = Limits { soft_nodes: Some(request.nodes), ..Limits::default() };
    let Score(score) = searcher.search(&Game::new(*position), limits).score;
    score.abs() <= request.limit
}

/// A file of positions.
struct Book {
    path: PathBuf,
    text: String,
    /// Offset and number of each line that is not blank.
    lines: Vec<(usize, usize)>,
}

impl Book {
    fn read(path: &Path) -> Result<Self, GenfensError> {
        let fail = |error| GenfensError::Book { path: path.to_owned(), error };
        let bytes = files::read(path, MAX_BOOK_BYTES).map_err(fail)?;
        let text = String::from_utf8(bytes)
            .map_err(|error| fail(io::Error::new(io::ErrorKind::InvalidData, error)))?;
        let mut lines = Vec::new();
        let mut begin = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            if !line.trim().is_empty() {
                lines.push((begin, index + 1));
            }
            begin += line.len();
        }
        let book = Self { path: path.to_owned(), text, lines };
        if book.lines.is_empty() { Err(GenfensError::Empty { path: book.path }) } else { Ok(book) }
    }

    /// Returns one of the positions, chosen uniformly.
    fn draw(&self, random: &mut SplitMix64) -> Result<Position, GenfensError> {
        let (begin, line) = self.lines[random.below(self.lines.len() as u64) as usize];
        let text = self.text[begin..].lines().next().unwrap_or_default();
        Position::from_fen(&without_operations(text)).map_err(|error| GenfensError::Line {
            path: self.path.clone(),
            line,
            error,
        })
    }
}

/// Returns the FEN of an EPD line: the first four fields, and the two counters if present.
fn without_operations(line: &str) -> String {
    let is_counter = |field: &str| field.bytes().all(|byte| byte.is_ascii_digit());
    let mut fields = line.split_whitespace();
    let mut kept: Vec<&str> = fields.by_ref().take(4).collect();
    kept.extend(fields.take(2).take_while(|field| is_counter(field)));
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(request: &Request) -> Result<Vec<String>, GenfensError> {
        let mut found = Vec::new();
        generate(request, |position| found.push(position.to_string()))?;
        Ok(found)
    }

    #[test]
    fn same_request_gives_same_positions_and_another_seed_others() {
        let request = Request { count: 5, seed: 9, nodes: Nodes(100), ..Request::default() };
        let found = positions(&request).expect("positions");
        assert_eq!(found.len(), 5);
        assert_eq!(found, positions(&request).expect("positions"));
        assert_ne!(found, positions(&Request { seed: 10, ..request }).expect("positions"));
        for fen in &found {
            let position = Position::from_fen(fen).expect("a FEN");
            assert_eq!(fen.split(' ').count(), 6, "{fen}");
            assert!(position.has_legal_move() && !position.is_check(), "{fen}");
            assert_eq!(u32::from(position.fullmove_number()), 5, "{fen}");
        }
    }

    #[test]
    fn chess960_positions_start_from_other_arrangements() {
        for variant in [Variant::Chess960, Variant::Double] {
            let request =
                Request { count: 3, seed: 1, variant, plies: Some(0), limit: 2000, ..Request::default() };
            let found = positions(&request).expect("positions");
            let standard = Position::startpos().to_string();
            assert!(found.iter().any(|fen| fen[..8] != standard[..8]), "{found:?}");
        }
    }

    #[test]
    fn no_balanced_position_is_an_error() {
        let request = Request { count: 1, limit: -1, nodes: Nodes(1), plies: Some(1), ..Request::default() };
        assert!(matches!(positions(&request), Err(GenfensError::Unbalanced { limit: -1, .. })));
    }

    #[test]
    fn random_plies_stop_at_the_end_of_the_game() {
        let mut random = SplitMix64::new(3);
        let mut play = |fen: &str, plies: u32| {
            play_random(Position::from_fen(fen).expect("a position"), plies, &mut random)
        };
        for (fen, plies) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", u32::MAX),
            // The only move takes the last piece.
            ("8/8/8/8/8/8/1Q6/k2K4 b - - 0 1", u32::MAX),
            ("4k3/8/8/8/8/8/8/R3K3 w - - 100 90", 0),
            ("4k3/8/8/8/8/8/8/R3K3 w - - 100 90", 2),
        ] {
            assert_eq!(play(fen, plies), None, "{fen}");
        }
        assert!(play("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1", 2).is_some());
    }

    #[test]
    fn epd_operations_are_dropped() {
        let board = "8/2k5/8/8/8/8/5K2/8";
        for (line, fen) in [
            ("w - - bm Kf3; id \"x\";", "w - -"),
            ("w - - 3 40", "w - - 3 40"),
            ("w - - 0 1 c0 \"mated\";", "w - - 0 1"),
        ] {
            assert_eq!(without_operations(&format!("{board} {line}")), format!("{board} {fen}"));
        }
    }
}
