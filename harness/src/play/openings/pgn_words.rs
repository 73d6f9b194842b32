//! Words of a PGN file that are no moves. The PGN parser skips them, which would shorten an opening or turn
//! any text into one.

use pgn_reader::SanPlus;

/// Words between moves that carry no move: remarks of older databases, and the null move.
const REMARKS: [&str; 8] = ["N", "D", "ep", "e.p.", "mate", "ch", "dbl", "Z0"];

/// A word outside tags, comments and variations that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnknownWord {
    /// Its line in the file, from 1.
    pub(super) line: usize,
    /// Description of the error.
    pub(super) what: String,
}

/// Returns the words of the main lines that are neither moves nor move numbers, results, annotations or remarks,
/// and the variations without an end.
pub(super) fn unknown_words(text: &[u8]) -> Vec<UnknownWord> {
    let mut unknown = Vec::new();
    let mut rest = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let (mut line, mut is_line_start) = (1, true);
    // The lines of the variations that have begun and not ended.
    let mut open: Vec<usize> = Vec::new();
    while let Some(&first) = rest.first() {
        let length = match first {
            b'{' => end_of(rest, |byte| byte == b'}') + 1,
            b'[' | b'%' if is_line_start => {
                unknown.extend(open.drain(..).take(1).map(unterminated));
                end_of(rest, |byte| byte == b'\n')
            }
            b';' => end_of(rest, |byte| byte == b'\n'),
            byte if byte.is_ascii_whitespace() || b"()".contains(&byte) => 1,
            _ => end_of(rest, |byte| byte.is_ascii_whitespace() || b"{};()".contains(&byte)).max(1),
        };
        let (word, after) = rest.split_at(length.min(rest.len()));
        match first {
            b'(' => open.push(line),
            b')' => drop(open.pop()),
            b'{' | b';' => {}
            b'[' | b'%' if is_line_start => {}
            _ if open.is_empty() && !is_known(word) => {
                let what = format!("`{}` is no move", String::from_utf8_lossy(word));
                unknown.push(UnknownWord { line, what });
            }
            _ => {}
        }
        is_line_start = first == b'\n' || is_line_start && first.is_ascii_whitespace();
        line += memchr::memchr_iter(b'\n', word).count();
        rest = after;
    }
    unknown.extend(open.drain(..).take(1).map(unterminated));
    unknown
}

fn unterminated(line: usize) -> UnknownWord {
    UnknownWord { line, what: "a variation `(` without its `)`".to_owned() }
}

/// Returns the index of the first such byte, or the length.
fn end_of(text: &[u8], is_end: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|&byte| is_end(byte)).unwrap_or(text.len())
}

/// Whether the parser reads this word, or may skip it.
fn is_known(word: &[u8]) -> bool {
    let digits = end_of(word, |byte| !byte.is_ascii_digit());
    // The move number before a move: `12.e4`, `12...e5`.
    let word = if word.get(digits) == Some(&b'.') { &word[digits..] } else { word };
    let word = word.trim_ascii_start();
    let word = &word[end_of(word, |byte| byte != b'.')..];
    let end = word.iter().rposition(|byte| !b"!?".contains(byte)).map_or(0, |last| last + 1);
    let word = &word[..end];
    // Results, castling with zeros and signs such as `+-` begin with no letter.
    let Some(first) = word.first().filter(|byte| byte.is_ascii_alphabetic()) else { return true };
    if REMARKS.iter().any(|remark| remark.as_bytes() == word) || SanPlus::from_ascii(word).is_ok() {
        return true;
    }
    // A promotion without `=`, which the reader of games completes.
    let pawn_move = word.strip_suffix(b"+").or_else(|| word.strip_suffix(b"#")).unwrap_or(word);
    let is_promotion = pawn_move.split_last().is_some_and(|(piece, squares)| {
        b"QRBNqrbn".contains(piece) && squares.last().is_some_and(|rank| b"18".contains(rank))
    });
    first.is_ascii_lowercase() && is_promotion
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(text: &str) -> Vec<(usize, String)> {
        unknown_words(text.as_bytes()).into_iter().map(|word| (word.line, word.what)).collect()
    }

    #[test]
    fn moves_and_annotations_are_known() {
        let text = "\u{feff}[Event \"xx yy\"]\n% an escape\n\n1. e4! {any text} e5?! $14 2.Nf3 (2. Xx blah (2. f4)) Nc6 ; to the end\n\
            3... 4.O-O 0-0-0 d8Q+ d7d8r exd8=Q# N -- Z0 +- = 1/2-1/2\n\n1. d4 e.p. *\n";
        assert_eq!(whats(text), []);
        assert_eq!(whats(""), []);
    }

    #[test]
    fn other_words_are_reported_with_their_line() {
        let no_move = |line, word: &str| (line, format!("`{word}` is no move"));
        assert_eq!(whats("garbage\n1. e4 Zf3 *"), [no_move(1, "garbage"), no_move(2, "Zf3")]);
        assert_eq!(whats("e2-e4 e7-e5"), [no_move(1, "e2-e4"), no_move(1, "e7-e5")]);
        let board = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        assert_eq!(whats(&format!("{board} w KQkq - 0 1"))[0], no_move(1, board));
        assert_eq!(
            whats("1. e4 (1. d4\n\n[Event \"?\"]\n1. xx *"),
            [unterminated(1), UnknownWord { line: 4, what: "`xx` is no move".to_owned() }]
                .map(|word| (word.line, word.what))
        );
        assert_eq!(whats("\n1. e4 ( e5 *").len(), 1);
    }
}
