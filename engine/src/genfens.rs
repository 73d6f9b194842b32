//! Positions for games to start from: random plies from the start or from a line of a book, kept where a short search
//! sees neither side far ahead.
//!
//! `OpenBench` asks for them before it plays games that networks learn from. The same request gives the same positions.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::engine::{Configuration, Solo};
use crate::position::{FenError, Game, Position};
use crate::search::limits::Limits;
use crate::tt::AllocationError;
use crate::types::{Mebibytes, Nodes, Score, SplitMix64};

/// Which games the positions are for, where no book says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// Standard chess.
    #[default]
    Standard,
    /// Chess960: one of 960 arrays, the same for both sides.
    Chess960,
    /// Double Chess960: an array for each side.
    Double,
}

impl Variant {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Standard, Self::Chess960, Self::Double];

    /// How it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Chess960 => "chess960",
            Self::Double => "double",
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// How many positions.
    pub count: u64,
    /// What the random choices follow from.
    pub seed: u64,
    /// A file of positions, one a line, to start the random plies from.
    pub book: Option<PathBuf>,
    /// What to start from without a book.
    pub variant: Variant,
    /// Random plies; half of the positions get one more, so that either side is to move. Without a figure, 8 from the
    /// start and 4 from a book.
    pub plies: Option<u32>,
    /// The greatest score either side may have. Units: centipawns.
    pub limit: i32,
    /// The search that says so starts no iteration after so many nodes.
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

/// Why there are no positions, or no more.
#[derive(Debug, thiserror::Error)]
pub enum GenfensError {
    /// The book cannot be read.
    #[error("cannot read the book {}: {error}", path.display())]
    Book {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The book has no line.
    #[error("the book {} has no position", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A line of the book is not a position.
    #[error("the book {}, line {line}: {error}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong with it.
        error: FenError,
    },
    /// Nothing passes.
    #[error("no position within {limit} centipawns in {tries} tries: allow a larger score or fewer plies")]
    Unbalanced {
        /// The greatest score. Units: centipawns.
        limit: i32,
        /// How often it was tried.
        tries: u32,
    },
    /// No memory for the smallest table.
    #[error(transparent)]
    Table(#[from] AllocationError),
}

/// The table of a search of a few thousand nodes.
const HASH: Mebibytes = Mebibytes(1);
/// Tries for one position before the request is given up.
const TRIES: u32 = 2000;
/// Tries for one that has not been given yet; a repeated one is better than none.
const FRESH_TRIES: u32 = 500;

/// Hands out the positions, each as soon as it is found.
pub fn generate(request: &Request, mut found: impl FnMut(&Position)) -> Result<(), GenfensError> {
    let book = request.book.as_deref().map(Book::read).transpose()?;
    let plies = request.plies.unwrap_or(if book.is_some() { 4 } else { 8 });
    let mut random = SplitMix64::new(request.seed);
    let mut judge = Solo::new(HASH, Configuration { is_analysis: true, ..Configuration::default() })?;
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
            let walked = walk(start, plies + random.below(2) as u32, &mut random);
            let fresh = walked.filter(|position| tries > FRESH_TRIES || !seen.contains(&position.key()));
            if let Some(position) = fresh.filter(|position| is_balanced(position, request, &mut judge)) {
                break position;
            }
        };
        seen.insert(position.key());
        found(&position);
    }
    Ok(())
}

/// Where a game of this sort begins.
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

/// The position after so many random legal plies; `None` where the game is over before, or the side to move is in check.
fn walk(mut position: Position, plies: u32, random: &mut SplitMix64) -> Option<Position> {
    for _ in 0..plies {
        let moves = position.legal_moves();
        let mv = *moves.get(random.below(moves.len() as u64) as usize)?;
        position = position.after(mv);
    }
    let is_over = position.is_check() || position.is_dead_material() || !position.has_legal_move();
    (!is_over).then_some(position)
}

fn is_balanced(position: &Position, request: &Request, judge: &mut Solo) -> bool {
    judge.new_game();
    let limits = Limits { soft_nodes: Some(request.nodes), ..Limits::default() };
    let Score(score) = judge.search(&Game::new(*position), limits).score;
    score.abs() <= request.limit
}

/// The lines of a file of positions.
struct Book {
    path: PathBuf,
    text: String,
    /// Where lines with something on them begin, and their numbers.
    lines: Vec<(usize, usize)>,
}

impl Book {
    fn read(path: &Path) -> Result<Self, GenfensError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| GenfensError::Book { path: path.to_owned(), error })?;
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

    /// One of its positions, each equally likely.
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

/// The FEN of an EPD line: the first four fields, and two counters if they stand there.
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
    fn a_request_repeats_itself_and_another_seed_does_not() {
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
    fn chess960_starts_elsewhere() {
        for variant in [Variant::Chess960, Variant::Double] {
            let request =
                Request { count: 3, seed: 1, variant, plies: Some(0), limit: 2000, ..Request::default() };
            let found = positions(&request).expect("positions");
            let standard = Position::startpos().to_string();
            assert!(found.iter().any(|fen| fen[..8] != standard[..8]), "{found:?}");
        }
    }

    #[test]
    fn nothing_balanced_is_an_error() {
        let request = Request { count: 1, limit: -1, nodes: Nodes(1), plies: Some(1), ..Request::default() };
        assert!(matches!(positions(&request), Err(GenfensError::Unbalanced { limit: -1, .. })));
    }

    #[test]
    fn operations_of_an_epd_line_are_left_out() {
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
