//! The operands of `position`.
//!
//! Decides where the FEN ends and the moves begin. Whether either means anything is for `position` to judge.

use super::parse::{ParseError, Words, unexpected};

/// Where the moves of a [`PositionSpec`] start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// The start position of chess.
    StartPos,
    /// This FEN, four to six fields with one blank between them.
    Fen(String),
}

/// A position as a GUI describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionSpec {
    /// What is set up.
    pub base: Base,
    /// What is played from there, as written.
    pub moves: Vec<String>,
}

/// Reads everything after the word `position`.
///
/// More than six fields are refused rather than cut: moves whose word `moves` was forgotten would otherwise
/// vanish, and the search would be of another position than the one meant.
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

/// The words up to `moves`.
fn fen(words: &mut Words<'_>) -> Result<String, ParseError> {
    let mut fields = Vec::new();
    while let Some(word) = words.peek().filter(|&word| word != "moves") {
        fields.push(word);
        words.next();
    }
    if (4..=6).contains(&fields.len()) {
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
    fn the_word_moves_may_stand_alone() {
        for text in ["startpos", "startpos moves", " startpos  moves "] {
            assert_eq!(read(text), Ok(spec(Base::StartPos, &[])), "{text}");
        }
        assert_eq!(read("startpos moves e2e4 e7e5"), Ok(spec(Base::StartPos, &["e2e4", "e7e5"])));
    }

    #[test]
    fn fens_have_four_to_six_fields() {
        for fen in ["8/8 w - -", "8/8 w - - 0", "8/8 w - - 0 1"] {
            let base = Base::Fen(fen.to_owned());
            assert_eq!(read(&format!("fen {fen}")), Ok(spec(base.clone(), &[])));
            assert_eq!(read(&format!("fen \t{fen}  moves a1a2")), Ok(spec(base, &["a1a2"])));
        }
        for (text, found) in [("fen", 0), ("fen moves e2e4", 0), ("fen a b c", 3), ("fen a b c d e f g", 7)] {
            assert_eq!(read(text), Err(ParseError::FenFields { found }), "{text}");
        }
    }

    #[test]
    fn anything_else_names_the_word() {
        assert_eq!(read("startpos e2e4"), Err(unexpected("position startpos", "moves", "e2e4")));
        assert_eq!(read("start"), Err(unexpected("position", "startpos or fen", "start")));
        assert!(read("").is_err());
    }
}
