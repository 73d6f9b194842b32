//! Moves in standard algebraic notation (SAN).
//!
//! Writing is strict, reading is tolerant: published files omit `x` and `=`, write castling with
//! zeros, add hyphens, annotations and `e.p.`, and disambiguate more than necessary. A text is
//! accepted if it fits exactly one legal move.

use super::text::{MoveTextError, quote};
use super::{Position, Wing};
use crate::types::{File, Move, MoveKind, PieceType, Rank, Square};

const SAN_FORM: &str = "a move in algebraic notation, such as Nf3, exd5, e8=Q or O-O";

/// The parts of a move given by a text; omitted parts are `None`.
struct Pattern {
    /// The piece of the letter; a pawn without one, unless both squares are given.
    letter: Option<PieceType>,
    from_file: Option<File>,
    from_rank: Option<Rank>,
    to: Square,
    promotion: Option<PieceType>,
}

impl Pattern {
    fn fits(&self, position: &Position, mv: Move) -> bool {
        !mv.is_castling()
            && position.moved(mv) == self.letter.unwrap_or(PieceType::Pawn)
            && mv.to() == self.to
            && mv.promotion() == self.promotion
            && self.from_file.is_none_or(|file| file == mv.from().file())
            && self.from_rank.is_none_or(|rank| rank == mv.from().rank())
    }

    /// Returns the legal move of any piece between two given squares without a letter: the notation of UCI, in which
    /// some programs write their games.
    fn without_letter(&self, position: &Position) -> Option<Move> {
        let (None, Some(file), Some(rank)) = (self.letter, self.from_file, self.from_rank) else {
            return None;
        };
        let from = Square::new(file, rank);
        if from == self.to { None } else { position.find_move(from, self.to, self.promotion) }
    }
}

impl Position {
    /// Parses a legal move in algebraic notation.
    ///
    /// Errors: [`MoveTextError`], with the text and the reason.
    ///
    /// ```
    /// use stretto::position::Position;
    ///
    /// let position = Position::from_fen("4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1")?;
    /// assert!(position.parse_san("0-0-0")?.is_castling());
    /// assert_eq!(position.parse_san("a8Q")?, position.parse_uci("a7a8q")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveTextError> {
        let core = strip_decoration(text);
        let illegal = |reason| MoveTextError::Illegal { text: quote(text), reason };
        if let Some(wing) = castling_wing(core) {
            return self
                .castling_move(wing)
                .ok_or_else(|| illegal("castling on this side is not possible here"));
        }
        let pattern = read_pattern(core)
            .ok_or_else(|| MoveTextError::Syntax { text: quote(text), expected: SAN_FORM })?;
        if let Some(mv) = pattern.without_letter(self) {
            return Ok(mv);
        }
        let moves = self.legal_moves();
        let mut fitting = moves.iter().copied().filter(|&mv| pattern.fits(self, mv));
        let first = fitting.next().ok_or_else(|| illegal("no piece can make this move"))?;
        match fitting.next() {
            None => Ok(first),
            Some(second) => {
                let mut candidates = format!("{first}, {second}");
                for other in fitting {
                    candidates.push_str(", ");
                    candidates.push_str(&other.to_string());
                }
                Err(MoveTextError::Ambiguous { text: quote(text), candidates })
            }
        }
    }

    fn castling_move(&self, wing: Wing) -> Option<Move> {
        let rook = self.castling_rook(self.side, wing)?;
        let mv = Move::new(self.king(self.side), rook, MoveKind::Castling);
        self.is_legal(mv).then_some(mv)
    }

    /// Writes a legal move in algebraic notation, with `+` or `#` and the shortest sufficient
    /// disambiguation.
    ///
    /// ```
    /// use stretto::position::Position;
    ///
    /// let position = Position::from_fen("6k1/5ppp/8/8/8/8/8/R2RK3 w - - 0 1")?;
    /// assert_eq!(position.san(position.parse_uci("a1b1")?), "Rab1");
    /// assert_eq!(position.san(position.parse_uci("d1d8")?), "Rd8#");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn san(&self, mv: Move) -> String {
        let mut text = self.san_without_check(mv);
        let next = self.after(mv);
        if next.is_check() {
            text.push(if next.has_legal_move() { '+' } else { '#' });
        }
        text
    }

    fn san_without_check(&self, mv: Move) -> String {
        if mv.is_castling() {
            return match Wing::of(mv.from(), mv.to()) {
                Wing::King => "O-O".to_owned(),
                Wing::Queen => "O-O-O".to_owned(),
            };
        }
        let kind = self.moved(mv);
        let mut text = String::with_capacity(8);
        if kind == PieceType::Pawn {
            if self.is_capture(mv) {
                text.push(mv.from().file().to_char());
            }
        } else {
            text.push(kind.to_char().to_ascii_uppercase());
            self.push_origin(&mut text, kind, mv);
        }
        if self.is_capture(mv) {
            text.push('x');
        }
        text.push_str(&mv.to().to_string());
        if let Some(promotion) = mv.promotion() {
            text.push('=');
            text.push(promotion.to_char().to_ascii_uppercase());
        }
        text
    }

    /// Appends the file, else the rank, else both, if another piece of the type can move to the
    /// same square.
    fn push_origin(&self, text: &mut String, kind: PieceType, mv: Move) {
        let from = mv.from();
        let moves = self.legal_moves();
        let rivals = moves.iter().filter(|&&other| {
            other.to() == mv.to() && other.from() != from && !other.is_castling() && self.moved(other) == kind
        });
        let (mut any, mut on_file, mut on_rank) = (false, false, false);
        for rival in rivals {
            any = true;
            on_file |= rival.from().file() == from.file();
            on_rank |= rival.from().rank() == from.rank();
        }
        if any && (!on_file || on_rank) {
            text.push(from.file().to_char());
        }
        if on_file {
            text.push(from.rank().to_char());
        }
    }
}

/// Strips white space, check marks, annotations and a final `e.p.` from the text.
fn strip_decoration(text: &str) -> &str {
    let mut core = text.trim();
    loop {
        let before = core;
        core = core.trim_end_matches(['+', '#', '!', '?', '=', ' ']);
        for suffix in ["e.p.", "e.p", "ep", "++", "mate", "ch"] {
            core = core.strip_suffix(suffix).unwrap_or(core);
        }
        if core == before {
            return core;
        }
    }
}

fn castling_wing(core: &str) -> Option<Wing> {
    let is = |pattern: &str| {
        core.len() == pattern.len()
            && core.bytes().zip(pattern.bytes()).all(|(have, want)| match want {
                b'O' => matches!(have, b'O' | b'o' | b'0'),
                _ => have == want,
            })
    };
    if is("O-O") {
        Some(Wing::King)
    } else if is("O-O-O") {
        Some(Wing::Queen)
    } else {
        None
    }
}

/// Splits a text into its parts, from both ends towards the target square.
fn read_pattern(core: &str) -> Option<Pattern> {
    let mut chars: Vec<char> =
        core.chars().filter(|c| !matches!(c, 'x' | 'X' | ':' | '-' | '=' | '(' | ')' | '/')).collect();
    if !core.is_ascii() || chars.len() < 2 || chars.len() > 7 {
        return None;
    }
    let promotion = match chars.last()? {
        '1'..='8' => None,
        &letter => {
            let kind = PieceType::from_char(letter).filter(|kind| PieceType::PROMOTIONS.contains(kind))?;
            chars.pop();
            Some(kind)
        }
    };
    let rank = Rank::from_char(chars.pop()?)?;
    let file = File::from_char(chars.pop()?)?;
    let mut rest = chars.into_iter().peekable();
    // A capital letter is a piece; a small `b` is a file.
    let letter = match rest.next_if(char::is_ascii_uppercase) {
        Some(letter) => Some(PieceType::from_char(letter)?),
        None => None,
    };
    let from_file = rest.next_if(|&c| File::from_char(c).is_some()).and_then(File::from_char);
    let from_rank = rest.next_if(|&c| Rank::from_char(c).is_some()).and_then(Rank::from_char);
    rest.next().is_none().then_some(Pattern {
        letter,
        from_file,
        from_rank,
        to: Square::new(file, rank),
        promotion,
    })
}
