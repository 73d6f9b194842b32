//! Parses the operands of `position`: a start position or FEN, and moves. `position` validates
//! them.

use super::words::{ParseError, Words, unexpected};

/// The position before the moves of a [`PositionSpec`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// The start position of chess.
    StartPos,
    /// A FEN: two to six fields with single spaces between them.
    Fen(String),
}

/// A position as sent by a GUI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionSpec {
    /// The position before the moves.
    pub base: Base,
    /// The moves played from there, as written.
    pub moves: Vec<String>,
}

/// Parses all text after the word `position`.
///
/// More than six fields are an error. They may be moves without the word `moves`; dropping them
/// would search another position than the user meant.
pub(super) fn parse(words: &mut Words<'_>) -> Result<PositionSpec, ParseError> {
    let base = match words.next() {
        Some("startpos") => Base::StartPos,
        Some("fen") => Base::Fen(fen(words)?),
        Some(token) => return Err(unexpected("position", "startpos or fen", token)),
        None => return Err(ParseError::Missing { after: "position", expected: "startpos or fen" }),
    };
    match words.next() {
        Some("moves") | None => Ok(PositionSpec { base, moves: words.map(str::to_owned).collect() }),
        Some(token) => Err(unexpected("position startpos", "moves", token)),
    }
}

/// Parses the FEN, up to the word `moves`.
fn fen(words: &mut Words<'_>) -> Result<String, ParseError> {
    let mut fields = Vec::new();
    while let Some(word) = words.peek().filter(|&word| word != "moves") {
        fields.push(word);
        words.next();
    }
    if (2..=6).contains(&fields.len()) {
        Ok(fields.join(" "))
    } else {
        Err(ParseError::FenFields { found: fields.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PositionSpec, ParseError> {
        parse(&mut Words::new(text))
    }

    fn spec(base: Base, moves: &[&str]) -> PositionSpec {
        PositionSpec { base, moves: moves.iter().map(|&mv| mv.to_owned()).collect() }
    }

    #[test]
    fn moves_may_be_empty_or_absent() {
        for text in ["startpos", "startpos moves", " startpos  moves "] {
            assert_eq!(read(text), Ok(spec(Base::StartPos, &[])), "{text}");
        }
        assert_eq!(read("startpos moves e2e4 e7e5"), Ok(spec(Base::StartPos, &["e2e4", "e7e5"])));
    }

    #[test]
    fn fen_with_other_than_two_to_six_fields_is_refused() {
        for fen in ["8/8 w", "8/8 w -", "8/8 w - -", "8/8 w - - 0", "8/8 w - - 0 1"] {
            let base = Base::Fen(fen.to_owned());
            assert_eq!(read(&format!("fen {fen}")), Ok(spec(base.clone(), &[])));
            assert_eq!(read(&format!("fen \t{fen}  moves a1a2")), Ok(spec(base, &["a1a2"])));
        }
        for (text, found) in [("fen", 0), ("fen moves e2e4", 0), ("fen a", 1), ("fen a b c d e f g", 7)] {
            assert_eq!(read(text), Err(ParseError::FenFields { found }), "{text}");
        }
    }

    #[test]
    fn unexpected_word_is_reported() {
        assert_eq!(read("startpos e2e4"), Err(unexpected("position startpos", "moves", "e2e4")));
        assert_eq!(read("start"), Err(unexpected("position", "startpos or fen", "start")));
        assert!(read("").is_err());
    }
}
