//! Start positions of standard chess, Chess960 and double Chess960.

use super::board::Board;
use super::{Position, Wing};
use crate::types::{Bitboard, Color, File, PieceType, Rank, Square};
use crate::zobrist;

/// Number of back-rank arrays in Chess960.
const ARRAYS: u16 = 960;
/// Number of the standard array.
const STANDARD: u16 = 518;

/// Positions of the two knights among the five squares left after bishops and queen, by number.
const KNIGHTS: [(usize, usize); 10] =
    [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];

/// Returns the back rank with this number, a-file first. Range: `number` below 960.
///
/// Source: Reinhard Scharnagl's numbering, as in the Chess960 rules.
fn back_rank(number: u16) -> [PieceType; 8] {
    let number = usize::from(number);
    let mut rank = [None; 8];
    let (rest, light) = (number / 4, number % 4);
    rank[2 * light + 1] = Some(PieceType::Bishop);
    let (rest, dark) = (rest / 4, rest % 4);
    rank[2 * dark] = Some(PieceType::Bishop);
    let (rest, queen) = (rest / 6, rest % 6);
    put_nth_free(&mut rank, queen, PieceType::Queen);
    let (first, second) = KNIGHTS[rest];
    // The second knight first: it stands further right, so the count of the first is unaffected.
    put_nth_free(&mut rank, second, PieceType::Knight);
    put_nth_free(&mut rank, first, PieceType::Knight);
    for kind in [PieceType::Rook, PieceType::King, PieceType::Rook] {
        put_nth_free(&mut rank, 0, kind);
    }
    rank.map(|kind| kind.unwrap_or(PieceType::Pawn))
}

/// Places a piece on the `nth` free square, counted from the a-file.
fn put_nth_free(rank: &mut [Option<PieceType>; 8], nth: usize, kind: PieceType) {
    if let Some(free) = rank.iter_mut().filter(|square| square.is_none()).nth(nth) {
        *free = Some(kind);
    }
}

impl Position {
    /// Returns the start position of standard chess.
    pub fn startpos() -> Self {
        Self::from_arrays(back_rank(STANDARD), back_rank(STANDARD))
    }

    /// Returns the double Chess960 start position with these arrays by Scharnagl's numbers; `None`
    /// for a number above 959. Equal numbers give Chess960, and 518 for both gives standard chess.
    pub fn chess960_start(white: u16, black: u16) -> Option<Self> {
        (white < ARRAYS && black < ARRAYS).then(|| Self::from_arrays(back_rank(white), back_rank(black)))
    }

    fn from_arrays(white: [PieceType; 8], black: [PieceType; 8]) -> Self {
        let mut position = Self::empty_board(Color::White);
        for (color, array) in [(Color::White, white), (Color::Black, black)] {
            for (index, kind) in array.into_iter().enumerate() {
                let file = File::from_index(index);
                let back = Square::new(file, color.relative_rank(Rank::FIRST));
                let front = Square::new(file, color.relative_rank(Rank::SECOND));
                position.board.put(color, kind, back);
                position.board.put(color, PieceType::Pawn, front);
                if kind == PieceType::Rook {
                    position.toggle_castling(back.into());
                }
            }
        }
        position.compute_checks_and_pins();
        position
    }

    /// Returns an empty board, to be filled before [`Position::compute_checks_and_pins`] makes it
    /// valid.
    pub(super) fn empty_board(side: Color) -> Self {
        Self {
            board: Board::EMPTY,
            castling: Bitboard::EMPTY,
            state_key: zobrist::side(side),
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            halfmove_clock: 0,
            fullmove_number: 1,
            reversible_plies: 0,
            en_passant: None,
            side,
        }
    }

    /// Returns the position without castling rights that exist only in Chess960: king off the
    /// e-file, rook off the corner.
    ///
    /// A FEN does not state the variant, so parsing keeps such rights; a caller that knows the
    /// variant removes them.
    pub fn with_standard_castling_only(&self) -> Self {
        let mut position = *self;
        for color in Color::ALL {
            let king = self.king(color);
            for rook in self.castling & Self::back_rank(color) {
                if !Self::is_standard_castling(king, rook) {
                    position.toggle_castling(rook.into());
                }
            }
        }
        position
    }

    /// Whether the castling right is possible in standard chess: king on the e-file, rook in the
    /// corner.
    pub(crate) fn is_standard_castling(king: Square, rook: Square) -> bool {
        let corner = match Wing::of(king, rook) {
            Wing::King => File::H,
            Wing::Queen => File::A,
        };
        king.file() == File::E && rook.file() == corner
    }
}
