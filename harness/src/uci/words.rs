//! The words of a line, separated by any white space, as UCI has it.

use crate::config::Limits;

/// The words of a line that are not read yet.
#[derive(Debug)]
pub(super) struct Words<'a>(pub(super) &'a str);

impl<'a> Words<'a> {
    /// Returns the next word and the rest of the line behind it.
    pub(super) fn split(&self) -> Option<(&'a str, Self)> {
        // One comparison a byte: engines print many lines, and control characters are no text.
        let bytes = self.0.as_bytes();
        let start = bytes.iter().position(|&byte| byte > b' ')?;
        let mut end = start + 1;
        while bytes.get(end).is_some_and(|&byte| byte > b' ') {
            end += 1;
        }
        let (read, rest) = self.0.split_at(end);
        Some((&read[start..], Self(rest)))
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let (word, rest) = self.split()?;
        *self = rest;
        Some(word)
    }
}

/// Returns the text behind two words, such as `id name`, with which a line must begin.
pub(super) fn text_after<'a>(line: &'a str, start: [&str; 2]) -> Option<&'a str> {
    let mut words = Words(line);
    start.into_iter().all(|word| words.next() == Some(word)).then(|| words.0.trim())
}

/// Returns the limits of a search without a clock as words of `go`, each with a leading blank.
pub(crate) fn limit_words(limits: &Limits) -> String {
    let Limits { nodes, depth, movetime, .. } = limits;
    let words = [
        nodes.map(|nodes| format!(" nodes {nodes}")),
        depth.map(|depth| format!(" depth {depth}")),
        movetime.map(|time| format!(" movetime {time}")),
    ];
    words.into_iter().flatten().collect()
}

/// Returns the `go` line of a search without a clock.
pub(crate) fn go_line(limits: &Limits) -> String {
    format!("go{}", limit_words(limits))
}

/// The answer to `isready`.
pub(crate) const READY: &str = "readyok";

/// Whether a line answers `isready`.
pub(super) fn is_ready(line: &str) -> bool {
    line.split_ascii_whitespace().eq([READY])
}

/// Whether a line answers a search.
pub(crate) fn is_best_move(line: &str) -> bool {
    Words(line).next() == Some("bestmove")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_separated_by_any_white_space() {
        for line in ["id name Fake  2", "\tid  name\t Fake  2 "] {
            assert_eq!(text_after(line, ["id", "name"]), Some("Fake  2"), "{line:?}");
        }
        assert_eq!(text_after("id name", ["id", "name"]), Some(""));
        for line in ["id author Fake", "identity name Fake", "id", ""] {
            assert_eq!(text_after(line, ["id", "name"]), None, "{line:?}");
        }
    }
}
