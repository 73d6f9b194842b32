//! Reading and writing of standard FEN, X-FEN and Shredder-FEN.
//!
//! The parser defines which positions are valid. It rejects bad syntax, missing or extra kings,
//! pawns on a back rank, the side not to move in check, and more than sixteen pieces or eight pawns
//! per side. It drops castling rights without king or rook in place, a second right on one wing and
//! en passant squares without a legal capture, and clamps the counters. Fields after the second may
//! be missing and then have their usual values.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use thiserror::Error;

use super::{Position, Wing};
use crate::types::{Bitboard, Color, File, Piece, PieceType, Rank, Square, by_side};

/// The notation of castling rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenDialect {
    /// `KQkq`; as in X-FEN, a file letter for a rook that is not the outermost.
    Standard,
    /// The files of the rooks: `HAha`.
    Shredder,
}

/// Reason why a text is not the FEN of a valid position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum FenError {
    #[error("FEN is empty: expected at least placement and side to move")]
    Empty,
    #[error("the FEN ends after {found:?}: expected `w` or `b`")]
    NoSide { found: String },
    #[error("the FEN continues with {found:?}: expected at most six fields")]
    TooManyFields { found: String },
    #[error("placement {found:?}: expected 8 ranks, found {ranks}")]
    RankCount { found: String, ranks: usize },
    #[error("rank {found:?} has {squares} squares: expected 8")]
    RankLength { found: String, squares: usize },
    #[error("rank {found:?} contains {letter:?}: expected one of PNBRQKpnbrqk or a digit 1 to 8")]
    PieceLetter { found: String, letter: char },
    #[error("rank {found:?} has two digits in a row: expected their sum")]
    TwoDigits { found: String },
    #[error("side to move is {found:?}: expected `w` or `b`")]
    Side { found: String },
    #[error("castling field is {found:?}: expected `-` or letters of KQkq or A to H, a to h")]
    Castling { found: String },
    #[error("en passant field is {found:?}: expected `-` or a square")]
    EnPassant { found: String },
    #[error("{counter} is {found:?}: expected a number")]
    Counter { counter: &'static str, found: String },
    #[error("{color:?} has {found} kings: expected one")]
    Kings { color: Color, found: u32 },
    #[error("a pawn stands on {square}: expected none on the first and last rank")]
    BackRankPawn { square: Square },
    #[error("{color:?} has {found} pieces: expected at most 16")]
    TooManyPieces { color: Color, found: u32 },
    #[error("{color:?} has {found} pawns: expected at most 8")]
    TooManyPawns { color: Color, found: u32 },
    #[error("{color:?} is in check from {checker}, but it is not {color:?}'s move")]
    OpponentInCheck { color: Color, checker: Square },
}

/// Longest part of the input that an error message repeats. Units: characters.
const MAX_QUOTE_LENGTH: usize = 80;

fn quote(text: &str) -> String {
    text.chars().take(MAX_QUOTE_LENGTH).collect()
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ParsedFen {
    pub(crate) position: Position,
    /// The square a pawn has just passed, even if no capture there is legal.
    pub(crate) ep_target: Option<Square>,
    /// The castling letters without effect.
    dropped_castling: DroppedCastling,
    /// Whether no pawn can have passed the en passant square.
    dropped_en_passant: bool,
    /// Whether a counter was out of range.
    clamped_counter: bool,
}

impl ParsedFen {
    /// Returns a note for each part that was dropped or changed.
    pub(crate) fn notes(&self) -> impl Iterator<Item = &'static str> {
        let DroppedCastling { lacks_piece, is_second_on_wing } = self.dropped_castling;
        let notes = [
            (lacks_piece, "dropped castling rights without king and rook in place"),
            (is_second_on_wing, "dropped the second of two castling rights on one wing"),
            (self.dropped_en_passant, "dropped an en passant square that no pawn has just passed"),
            (self.clamped_counter, "a counter is out of range (0 to 65535) and was brought into it"),
        ];
        notes.into_iter().filter_map(|(holds, note)| holds.then_some(note))
    }
}

/// Reasons why letters of the castling field give no right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DroppedCastling {
    /// Whether king or rook of a letter are not in place.
    pub(crate) lacks_piece: bool,
    /// Whether a letter gives a second right on one wing.
    pub(crate) is_second_on_wing: bool,
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        Self::from_fen(text)
    }
}

impl Position {
    /// Parses a FEN of any dialect with two to six fields.
    ///
    /// Errors: [`FenError`], with the offending field and the expected form.
    ///
    /// ```
    /// use stretto::position::{FenDialect, Position};
    ///
    /// let position = Position::from_fen("8/8/8/8/8/4k3/4p3/4K3 w - - 0 60")?;
    /// assert!(!position.has_legal_move() && !position.is_check(), "stalemate");
    /// assert_eq!(position.to_fen(FenDialect::Standard), "8/8/8/8/8/4k3/4p3/4K3 w - - 0 60");
    ///
    /// let error = Position::from_fen("8/8/8/8/8/8/4p3/4K3 w - - 0 60").unwrap_err();
    /// assert_eq!(error.to_string(), "Black has 0 kings: expected one");
    /// # Ok::<(), stretto::position::FenError>(())
    /// ```
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        Self::parse_fen(text).map(|parsed| parsed.position)
    }

    /// Parses a FEN like [`Position::from_fen`]. Also returns the parts that a position does not store.
    pub(crate) fn parse_fen(text: &str) -> Result<ParsedFen, FenError> {
        // Some published files end the position with a semicolon.
        let text = text.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
        let mut fields = text.split_whitespace();
        let placement = fields.next().ok_or(FenError::Empty)?;
        let side = fields.next().ok_or_else(|| FenError::NoSide { found: quote(placement) })?;
        let castling = fields.next().unwrap_or("-");
        let (en_passant, joined_clock) = split_joined_clock(fields.next().unwrap_or("-"));
        let halfmove = joined_clock.or_else(|| fields.next()).unwrap_or("0");
        let fullmove = fields.next().unwrap_or("1");
        if let Some(found) = fields.next() {
            return Err(FenError::TooManyFields { found: quote(found) });
        }

        let mut position = Self::empty_board(read_side(side)?);
        position.read_placement(placement)?;
        position.check_material()?;
        let dropped_castling = position.read_castling(castling)?;
        let ep_target = read_en_passant(en_passant)?;
        let halfmove = read_counter("half-move clock", halfmove)?;
        let fullmove = read_counter("move number", fullmove)?;
        position.halfmove_clock = halfmove.unwrap_or_else(|limit| limit);
        position.reversible_plies = position.halfmove_clock.min(u8::MAX.into()) as u8;
        position.fullmove_number = fullmove.unwrap_or_else(|limit| limit).max(1);
        if let Some(checker) = position.attackers_of_opponent_king().first() {
            return Err(FenError::OpponentInCheck { color: !position.side, checker });
        }
        position.compute_checks_and_pins();
        let given = ep_target;
        let ep_target = ep_target.filter(|&target| position.is_plausible_ep_target(target));
        if let Some(target) = ep_target {
            by_side!(position.side, S => position.set_en_passant::<S>(target));
        }
        let dropped_en_passant = given != ep_target;
        let clamped_counter = halfmove.is_err() || fullmove.is_err();
        Ok(ParsedFen { position, ep_target, dropped_castling, dropped_en_passant, clamped_counter })
    }

    fn read_placement(&mut self, text: &str) -> Result<(), FenError> {
        let ranks = text.split('/').count();
        if ranks != 8 {
            return Err(FenError::RankCount { found: quote(text), ranks });
        }
        for (line, rank) in text.split('/').zip((0..8).rev().map(Rank::from_index)) {
            self.read_rank(line, rank)?;
        }
        Ok(())
    }

    fn read_rank(&mut self, line: &str, rank: Rank) -> Result<(), FenError> {
        let mut squares = 0;
        let mut after_digit = false;
        for letter in line.chars() {
            match letter.to_digit(10) {
                Some(_) if after_digit => return Err(FenError::TwoDigits { found: quote(line) }),
                Some(empty @ 1..=8) => squares += empty as usize,
                _ => {
                    let piece = Piece::from_char(letter)
                        .ok_or_else(|| FenError::PieceLetter { found: quote(line), letter })?;
                    if squares < 8 {
                        let square = Square::new(File::from_index(squares), rank);
                        self.board.put(piece.color, piece.kind, square);
                    }
                    squares += 1;
                }
            }
            after_digit = letter.is_ascii_digit();
        }
        if squares == 8 { Ok(()) } else { Err(FenError::RankLength { found: quote(line), squares }) }
    }

    /// Checks that each side has one king and a legal number of pieces and pawns, as
    /// [`super::MAX_MOVES`] requires.
    fn check_material(&self) -> Result<(), FenError> {
        for color in Color::ALL {
            let kings = self.pieces_of(color, PieceType::King).count();
            if kings != 1 {
                return Err(FenError::Kings { color, found: kings });
            }
        }
        let back_ranks = Self::back_rank(Color::White) | Self::back_rank(Color::Black);
        if let Some(square) = (self.pieces(PieceType::Pawn) & back_ranks).first() {
            return Err(FenError::BackRankPawn { square });
        }
        for color in Color::ALL {
            let pieces = self.side(color).count();
            if pieces > 16 {
                return Err(FenError::TooManyPieces { color, found: pieces });
            }
            let pawns = self.pieces_of(color, PieceType::Pawn).count();
            if pawns > 8 {
                return Err(FenError::TooManyPawns { color, found: pawns });
            }
        }
        Ok(())
    }

    /// Parses the castling field and returns why letters were dropped.
    fn read_castling(&mut self, text: &str) -> Result<DroppedCastling, FenError> {
        let mut dropped = DroppedCastling::default();
        if text == "-" {
            return Ok(dropped);
        }
        for letter in text.chars() {
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let lower = letter.to_ascii_lowercase();
            // An unknown letter is an error even without the king in place.
            if !matches!(lower, 'k' | 'q' | 'a'..='h') {
                return Err(FenError::Castling { found: quote(text) });
            }
            match self.rook_of_castling_letter(color, lower) {
                None => dropped.lacks_piece = true,
                Some(rook) => dropped.is_second_on_wing |= !self.add_castling_right(color, rook),
            }
        }
        Ok(dropped)
    }

    /// Returns the rook that a lower-case letter of the castling field denotes; `None` if king or
    /// rook are not in place.
    fn rook_of_castling_letter(&self, color: Color, lower: char) -> Option<Square> {
        let (king, home) = (self.king(color), Self::back_rank(color));
        if !home.has(king) {
            return None;
        }
        let rooks = self.pieces_of(color, PieceType::Rook) & home;
        match lower {
            'k' => rooks.last().filter(|&rook| Wing::of(king, rook) == Wing::King),
            'q' => rooks.first().filter(|&rook| Wing::of(king, rook) == Wing::Queen),
            file => (rooks & Bitboard::file(File::from_char(file)?)).first(),
        }
    }

    /// Adds a castling right and returns whether the position has it: of two rooks given for one
    /// wing, the first counts.
    fn add_castling_right(&mut self, color: Color, rook: Square) -> bool {
        let wing = Wing::of(self.king(color), rook);
        let has_other = self.castling_rook(color, wing).is_some_and(|other| other != rook);
        if !has_other && !self.castling.has(rook) {
            self.toggle_castling(rook.into());
        }
        !has_other
    }

    /// Whether the opponent's last move can have been a double step over `target`.
    fn is_plausible_ep_target(&self, target: Square) -> bool {
        let them = !self.side;
        let origin = target.forward(self.side);
        let landed = target.forward(them);
        target.rank() == them.relative_rank(Rank::THIRD)
            && self.pieces_of(them, PieceType::Pawn).has(landed)
            && !self.occupied().has(target)
            && !self.occupied().has(origin)
    }

    /// Writes the position as a FEN with six fields.
    pub fn to_fen(&self, dialect: FenDialect) -> String {
        let mut text = String::with_capacity(90);
        for rank in (0..8).rev().map(Rank::from_index) {
            self.write_rank(&mut text, rank);
            if rank != Rank::FIRST {
                text.push('/');
            }
        }
        text.push(' ');
        text.push(self.side.to_char());
        text.push(' ');
        self.write_castling(&mut text, dialect);
        let ep_target = self.ep_square().map_or_else(|| "-".to_owned(), |square| square.to_string());
        // Writing to a string cannot fail.
        let _ = write!(text, " {ep_target} {} {}", self.halfmove_clock, self.fullmove_number);
        text
    }

    fn write_rank(&self, text: &mut String, rank: Rank) {
        let mut empty = 0;
        for file in (0..8).map(File::from_index) {
            match self.piece_on(Square::new(file, rank)) {
                None => empty += 1,
                Some(piece) => {
                    push_gap(text, &mut empty);
                    text.push(piece.to_char());
                }
            }
        }
        push_gap(text, &mut empty);
    }

    fn write_castling(&self, text: &mut String, dialect: FenDialect) {
        if self.castling.is_empty() {
            text.push('-');
        }
        for color in Color::ALL {
            for wing in [Wing::King, Wing::Queen] {
                if let Some(rook) = self.castling_rook(color, wing) {
                    let letter = match dialect {
                        FenDialect::Standard if self.is_outermost(color, wing, rook) => match wing {
                            Wing::King => 'k',
                            Wing::Queen => 'q',
                        },
                        _ => rook.file().to_char(),
                    };
                    text.push(match color {
                        Color::White => letter.to_ascii_uppercase(),
                        Color::Black => letter,
                    });
                }
            }
        }
    }

    /// Whether X-FEN denotes this rook by `K` or `Q`.
    fn is_outermost(&self, color: Color, wing: Wing, rook: Square) -> bool {
        let rooks = self.pieces_of(color, PieceType::Rook) & Self::back_rank(color);
        match wing {
            Wing::King => rooks.last() == Some(rook),
            Wing::Queen => rooks.first() == Some(rook),
        }
    }
}

/// Writes a pending run of empty squares, if any, and resets it.
fn push_gap(text: &mut String, empty: &mut u32) {
    if let Some(digit) = char::from_digit(*empty, 10).filter(|_| *empty > 0) {
        text.push(digit);
    }
    *empty = 0;
}

fn read_side(text: &str) -> Result<Color, FenError> {
    match text {
        "w" | "W" => Ok(Color::White),
        "b" | "B" => Ok(Color::Black),
        _ => Err(FenError::Side { found: quote(text) }),
    }
}

/// Splits `-0`, which published collections contain for `- 0`, into the field and the joined clock.
fn split_joined_clock(text: &str) -> (&str, Option<&str>) {
    match text.strip_prefix('-') {
        Some(clock) if clock.starts_with(|c: char| c.is_ascii_digit()) => ("-", Some(clock)),
        _ => (text, None),
    }
}

fn read_en_passant(text: &str) -> Result<Option<Square>, FenError> {
    if text == "-" {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|()| FenError::EnPassant { found: quote(text) })
}

/// Parses a whole number. Returns the nearer limit inside for a number out of range.
fn read_counter(counter: &'static str, text: &str) -> Result<Result<u16, u16>, FenError> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(FenError::Counter { counter, found: quote(text) });
    }
    // The digits are valid, so only overflow can fail here.
    let number = digits.parse::<u16>().map_err(|_| u16::MAX);
    Ok(if negative && number != Ok(0) { Err(0) } else { number })
}

impl fmt::Display for Position {
    /// Writes the position as a FEN in the standard dialect.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_fen(FenDialect::Standard))
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} key {}", self.to_fen(FenDialect::Shredder), self.key())
    }
}
