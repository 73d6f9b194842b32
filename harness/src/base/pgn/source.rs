//! A filter between a PGN file and the parser. It counts line ends and rewrites promotions without
//! `=` (`d8Q`, `d7d8r`), because the parser skips words that it does not know.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use memchr::{memchr, memchr_iter};

/// Bytes per read.
const CHUNK: usize = 1 << 14;
/// Length of the longest promotion without `=`: `a7xb8Q`.
const LONGEST: usize = 6;

/// The filtered source of a PGN parser.
pub(super) struct Source<R> {
    from: R,
    /// Filtered bytes; those before `next` have been consumed.
    ready: Vec<u8>,
    next: usize,
    filter: PromotionFilter,
    /// Line ends consumed so far.
    lines: Rc<Cell<usize>>,
}

impl<R: Read> Source<R> {
    /// Returns the filtered source and a counter of the line ends consumed from it.
    pub(super) fn new(from: R) -> (Self, Rc<Cell<usize>>) {
        let lines = Rc::new(Cell::new(0));
        let filter =
            PromotionFilter { place: Place::Moves, is_line_start: true, word: Vec::new(), is_long: false };
        (Self { from, ready: Vec::new(), next: 0, filter, lines: Rc::clone(&lines) }, lines)
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // A chunk may consist of one unfinished word, but returning no bytes means the end of the
        // file.
        while self.next == self.ready.len() && !buffer.is_empty() {
            let mut chunk = [0; CHUNK];
            let count = self.from.read(&mut chunk)?;
            self.ready.clear();
            self.next = 0;
            self.filter.process(&chunk[..count], &mut self.ready);
            if count == 0 {
                self.filter.end_word(&mut self.ready);
                break;
            }
        }
        let count = buffer.len().min(self.ready.len() - self.next);
        let handed = &self.ready[self.next..self.next + count];
        buffer[..count].copy_from_slice(handed);
        self.lines.set(self.lines.get() + memchr_iter(b'\n', handed).count());
        self.next += count;
        Ok(count)
    }
}

/// Lexical context of a byte in a PGN file.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Movetext, or the space between games.
    Moves,
    /// A `{}` comment.
    Comment,
    /// A tag, a `;` comment or a line escaped with `%`: up to the end of the line.
    Line,
}

struct PromotionFilter {
    place: Place,
    is_line_start: bool,
    /// The current word, as long as it may be a promotion.
    word: Vec<u8>,
    /// Whether the word is too long for a promotion and has been passed on so far.
    is_long: bool,
}

impl PromotionFilter {
    /// Filters the bytes into `out`. An unfinished word is kept for the next call.
    fn process(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        while let Some(&byte) = bytes.first() {
            let end = match self.place {
                Place::Comment => memchr(b'}', bytes),
                Place::Line => memchr(b'\n', bytes),
                Place::Moves => Some(0),
            };
            let Some(end) = end else {
                out.extend_from_slice(bytes);
                return;
            };
            if self.place != Place::Moves {
                out.extend_from_slice(&bytes[..=end]);
                self.is_line_start = self.place == Place::Line;
                self.place = Place::Moves;
            } else if byte.is_ascii_alphanumeric() {
                self.is_long |= self.word.len() == LONGEST;
                if self.is_long {
                    out.append(&mut self.word);
                    out.push(byte);
                } else {
                    self.word.push(byte);
                }
                self.is_line_start = false;
            } else {
                self.end_word(out);
                out.push(byte);
                self.place = match byte {
                    b'{' => Place::Comment,
                    b';' => Place::Line,
                    b'[' | b'%' if self.is_line_start => Place::Line,
                    _ => Place::Moves,
                };
                self.is_line_start = byte == b'\n' || self.is_line_start && byte.is_ascii_whitespace();
            }
            bytes = &bytes[end + 1..];
        }
    }

    /// Passes on the finished word, with a promotion rewritten to standard SAN.
    fn end_word(&mut self, out: &mut Vec<u8>) {
        match split_promotion(&self.word) {
            Some((pawn_move, piece)) if is_origin(&pawn_move[..pawn_move.len() - 2]) => {
                out.extend_from_slice(pawn_move);
                out.extend_from_slice(&[b'=', piece]);
            }
            _ => out.extend_from_slice(&self.word),
        }
        self.word.clear();
        self.is_long = false;
    }
}

/// Splits a promotion without `=`, such as `d8Q`, into the move and the piece in upper case. The text before the target is not
/// checked.
pub(crate) fn split_promotion(word: &[u8]) -> Option<(&[u8], u8)> {
    let (piece, pawn_move) = word.split_last()?;
    let [.., file, rank] = pawn_move else { return None };
    let is_promotion = is_file(*file) && b"18".contains(rank) && b"QRBNqrbn".contains(piece);
    is_promotion.then(|| (pawn_move, piece.to_ascii_uppercase()))
}

/// Whether the text before the target of a promotion is the origin of a pawn: nothing, its file before `x`, or its square.
fn is_origin(text: &[u8]) -> bool {
    match text {
        [] => true,
        [file, b'x'] => is_file(*file),
        [file, rank] | [file, rank, b'x'] => is_file(*file) && b"27".contains(rank),
        _ => false,
    }
}

fn is_file(byte: u8) -> bool {
    (b'a'..=b'h').contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns at most a fixed number of bytes per call.
    struct SlowReader<'a>(&'a [u8], usize);

    impl Read for SlowReader<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn filtered(text: &str) -> String {
        let all = |at_a_time| {
            let (mut source, lines) = Source::new(SlowReader(text.as_bytes(), at_a_time));
            let mut out = String::new();
            source.read_to_string(&mut out).unwrap();
            assert_eq!(lines.get(), text.matches('\n').count());
            out
        };
        let whole = all(usize::MAX);
        for at_a_time in 1..8 {
            assert_eq!(all(at_a_time), whole, "{at_a_time} bytes at a time");
        }
        whole
    }

    #[test]
    fn promotions_without_equals_sign_are_rewritten() {
        for (text, expected) in [
            ("1. d8Q+ 1-0", "1. d8=Q+ 1-0"),
            ("d7d8r", "d7d8=R"),
            ("exd8n# a7xb8B!? hxg1Q", "exd8=N# a7xb8=B!? hxg1=Q"),
            ("(1. c8Q) c8R", "(1. c8=Q) c8=R"),
        ] {
            assert_eq!(filtered(text), expected);
        }
    }

    #[test]
    fn other_text_is_unchanged() {
        for text in [
            "1. d8=Q Rb1b3 2. Nb1d2 b1b3 3. Bd8 Qd8+ d8 b8 exd8 d8=N d8(Q) e4 O-O-O 0-0 1/2-1/2 *",
            "{d8Q and} 1. e4 ; d8Q\n1... e5",
            "[Event \"d8Q\"]\n[Site \"d8R\"]\n\n%d8Q\n  [Annotator \"a8Q\"]\n1. e4",
            "d8Qd8Qd8Q ad8Q xd8Q d3d8Q i8Q d9Q d8K",
            "{a comment\n\nwithout an end d8Q",
            "",
        ] {
            assert_eq!(filtered(text), text);
        }
        assert_eq!(filtered("{}d8Q{}\n;\nd8Q"), "{}d8=Q{}\n;\nd8=Q");
    }

    #[test]
    fn long_words_are_passed_through() {
        let text = "e".repeat(3 * CHUNK) + "d8Q";
        assert_eq!(filtered(&text), text);
    }
}
