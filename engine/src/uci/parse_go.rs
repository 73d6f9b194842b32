//! Parses the operands of `go`.
//!
//! Parameters come in any order and each may be absent. An invalid one is reported and the search
//! still starts, because a GUI that sent `go` waits for a `bestmove`. `time` turns the clock into a
//! budget.

use super::words::{ParseError, Words, number, unexpected};
use crate::search::time::MAX_CLOCK;
use crate::types::{Depth, MAX_PLY, Millis, Nodes};

/// A `go` command: a search, or a perft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Go {
    /// Search within these limits.
    Search(GoLimits),
    /// Count the leaves of the move tree at this depth (`go perft N`).
    Perft(u32),
}

/// The limits of a search. An absent parameter has no effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoLimits {
    /// White's remaining time. Some match tools send negative values.
    pub wtime: Option<Millis>,
    /// Black's remaining time. Some match tools send negative values.
    pub btime: Option<Millis>,
    /// White's increment per move. Range: 0 or more.
    pub winc: Option<Millis>,
    /// Black's increment per move. Range: 0 or more.
    pub binc: Option<Millis>,
    /// Moves to the next time control; absent for sudden death. Range: 1 or more.
    pub movestogo: Option<u32>,
    /// The depth of the last iteration. Range: 1 to [`Depth::MAX`].
    pub depth: Option<Depth>,
    /// The number of nodes to search. Range: 1 or more.
    pub nodes: Option<Nodes>,
    /// The search ends when it finds a mate in this number of moves. Range: 1 or more.
    pub mate: Option<u32>,
    /// The time to search. Range: 0 or more.
    pub movetime: Option<Millis>,
    /// Whether only `stop` ends the search.
    pub infinite: bool,
    /// Whether to ponder: the move is held back until `stop` or `ponderhit`.
    pub ponder: bool,
    /// The root moves to search, as written; empty for all.
    pub searchmoves: Vec<String>,
}

impl GoLimits {
    /// Whether a limit other than `stop` ends this search.
    pub fn is_bounded(&self) -> bool {
        let clocked = self.wtime.is_some() || self.btime.is_some() || self.movetime.is_some();
        clocked || self.depth.is_some() || self.nodes.is_some() || self.mate.is_some()
    }

    /// Whether there are parameters that have an effect only beside the time of a clock.
    fn has_part_of_clock(&self) -> bool {
        self.winc.is_some() || self.binc.is_some() || self.movestogo.is_some()
    }
}

/// Parses all text after the word `go`.
pub(super) fn parse(words: &mut Words<'_>, warnings: &mut Vec<ParseError>) -> Result<Go, ParseError> {
    let before = warnings.len();
    let mut reader = Reader { words, warnings, lost_a_limit: false };
    let mut limits = GoLimits::default();
    while let Some(word) = reader.words.next() {
        if word == "perft" {
            let depth = perft_depth(reader.words.next(), reader.warnings)?;
            return Ok(Go::Perft(depth));
        }
        reader.limit(word, &mut limits);
    }
    if !limits.is_bounded() && !limits.infinite {
        if reader.lost_a_limit {
            // A search whose only limits were unreadable must still end.
            limits.depth = Some(Depth(1));
            reader.warnings.push(ParseError::UnreadableLimit);
        } else if limits.has_part_of_clock() {
            reader.warnings.push(ParseError::NoClock);
        } else if reader.warnings.len() > before {
            reader.warnings.push(ParseError::NoLimit);
        }
    }
    Ok(Go::Search(limits))
}

/// Parses the depth of a perft.
pub(super) fn perft_depth(token: Option<&str>, warnings: &mut Vec<ParseError>) -> Result<u32, ParseError> {
    let token = token.ok_or(ParseError::Missing { after: "perft", expected: "a depth" })?;
    number("perft", token, 0, MAX_PLY as i64, warnings).map(|depth| depth as u32)
}

struct Reader<'r, 'a> {
    words: &'r mut Words<'a>,
    warnings: &'r mut Vec<ParseError>,
    /// Whether a limit could not be read.
    lost_a_limit: bool,
}

impl Reader<'_, '_> {
    /// Parses the operand of one keyword into `limits`. An unreadable operand or another word leaves
    /// them unchanged.
    fn limit(&mut self, keyword: &str, limits: &mut GoLimits) {
        let plain = |value: Option<i64>, field: &mut Option<Millis>| *field = value.map(Millis).or(*field);
        match keyword {
            "wtime" => plain(self.value("wtime", -MAX_CLOCK, MAX_CLOCK), &mut limits.wtime),
            "btime" => plain(self.value("btime", -MAX_CLOCK, MAX_CLOCK), &mut limits.btime),
            "winc" => plain(self.value("winc", 0, MAX_CLOCK), &mut limits.winc),
            "binc" => plain(self.value("binc", 0, MAX_CLOCK), &mut limits.binc),
            "movetime" => plain(self.value("movetime", 0, MAX_CLOCK), &mut limits.movetime),
            "movestogo" => self.moves_to_go(limits),
            "depth" => {
                let depth = self.value("depth", 1, Depth::MAX.0 as i64).map(|plies| Depth(plies as i32));
                limits.depth = depth.or(limits.depth);
            }
            "nodes" => {
                let nodes = self.value("nodes", 1, i64::MAX).map(|count| Nodes(count as u64));
                limits.nodes = nodes.or(limits.nodes);
            }
            "mate" => {
                let mate = self.value("mate", 1, Depth::MAX.0 as i64).map(|moves| moves as u32);
                limits.mate = mate.or(limits.mate);
            }
            "infinite" => limits.infinite = true,
            "ponder" => limits.ponder = true,
            "searchmoves" => self.search_moves(limits),
            _ => {
                self.warnings.push(unexpected("go", "a search limit", keyword));
                self.lost_a_limit |=
                    keyword.contains(|letter: char| letter.is_ascii_digit()) || self.is_number_next();
            }
        }
    }

    /// Parses the number after a keyword. Without a number it adds a warning and returns `None`.
    fn value(&mut self, context: &'static str, min: i64, max: i64) -> Option<i64> {
        let result = match self.words.peek().filter(|&word| !is_keyword(word)) {
            Some(token) => {
                self.words.next();
                number(context, token, min, max, self.warnings)
            }
            None => Err(ParseError::Missing { after: context, expected: "a number" }),
        };
        result.map_err(|error| self.warnings.push(error)).inspect_err(|()| self.lost_a_limit = true).ok()
    }

    /// Parses `movestogo`. Zero or less is ignored, so that the clock counts as sudden death, the
    /// safe choice.
    fn moves_to_go(&mut self, limits: &mut GoLimits) {
        let before = self.warnings.len();
        let Some(moves) = self.value("movestogo", i64::MIN, u32::MAX as i64) else { return };
        if moves >= 1 {
            limits.movestogo = Some(moves as u32);
        } else {
            self.warnings.truncate(before);
            let (token, used) = (moves.to_string(), "ignored".to_owned());
            let (min, max) = (1, u32::MAX.into());
            self.warnings.push(ParseError::OutOfRange { context: "movestogo", token, min, max, used });
        }
    }

    /// Whether the next word is a number: the word before it is a misspelled keyword, as in `movtime 100`.
    fn is_number_next(&self) -> bool {
        self.words.peek().is_some_and(|next| next.parse::<i64>().is_ok())
    }

    /// Parses the moves up to the next keyword, which may be misspelled.
    fn search_moves(&mut self, limits: &mut GoLimits) {
        let before = limits.searchmoves.len();
        while let Some(word) = self.words.peek().filter(|&word| !is_keyword(word)) {
            let start = self.words.clone();
            self.words.next();
            let has_number = word.split_once('=').is_some_and(|(_, number)| number.parse::<i64>().is_ok());
            if has_number || self.is_number_next() {
                *self.words = start;
                break;
            }
            limits.searchmoves.push(word.to_owned());
        }
        if limits.searchmoves.len() == before {
            self.warnings.push(ParseError::Missing { after: "searchmoves", expected: "moves" });
        }
    }
}

/// Whether the word is a keyword of `go`. Keywords end a list of `searchmoves` and cannot be the value
/// of another keyword.
#[rustfmt::skip]
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "searchmoves" | "ponder" | "wtime" | "btime" | "winc" | "binc" | "movestogo" | "depth" | "nodes"
            | "mate" | "movetime" | "infinite" | "perft"
    )
}

#[cfg(test)]
mod tests;
