//! The expected answer of an EPD line, parsed from its operations.
//!
//! `bm` and `am` list moves to find and to avoid. `c7` with `c8` (or `c0` as `f5=10, Be5+=2`) assigns
//! points to moves, as in the Strategic Test Suite. `dm` (or `bm #5`) is the number of moves to mate, negative if
//! the side to move is mated. Invalid operations are reported and ignored. `load` is the caller.

use shakmaty::san::San;
use shakmaty::{CastlingMode, Chess, Move};

use crate::base::epd::{Line, Operation, read_move};

/// A move in both notations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedMove {
    /// UCI notation, with castling as in the variant of the run.
    pub uci: String,
    /// Standard algebraic notation (SAN).
    pub san: String,
}

impl NamedMove {
    /// Builds both notations of a legal move of `position`.
    pub fn of(position: &Chess, legal: Move, mode: CastlingMode) -> Self {
        Self { uci: legal.to_uci(mode).to_string(), san: San::from_move(position, legal).to_string() }
    }
}

/// The expected answer to a position, with points if moves have any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectation {
    /// Moves that solve the position; if empty, any move not in `avoid`.
    pub best: Vec<NamedMove>,
    /// Moves that do not solve the position.
    pub avoid: Vec<NamedMove>,
    /// Moves with their points.
    pub points: Vec<(NamedMove, u32)>,
    /// Known number of moves to mate.
    pub mate: Option<i32>,
}

impl Expectation {
    /// Parses the operations of a line. Also returns descriptions of invalid operations.
    pub fn read(line: &Line, mode: CastlingMode) -> (Self, Vec<String>) {
        let mut reader = Reader { line, mode, warnings: Vec::new() };
        let (best, mut avoid) = (reader.moves("bm"), reader.moves("am"));
        if let Some(both) = avoid.iter().find(|named| best.contains(named)) {
            reader.warnings.push(format!("am: `{}`: this is a move of bm too", both.san));
            avoid.retain(|named| !best.contains(named));
        }
        let is_repeated = |opcode: &&str| line.count(opcode) > 1;
        let repeated = ["dm", "c0", "c7", "c8"].into_iter().filter(is_repeated);
        reader.warnings.extend(repeated.map(|opcode| format!("{opcode}: given twice, the last one counts")));
        let expectation = Self { best, avoid, points: reader.points(), mate: reader.mate() };
        (expectation, reader.warnings)
    }

    /// Whether the line has no operation to score.
    pub fn is_empty(&self) -> bool {
        self.best.is_empty() && self.avoid.is_empty() && self.points.is_empty() && self.mate.is_none()
    }

    /// Whether the solution is a move, not only the claim of a mate.
    pub fn asks_for_move(&self) -> bool {
        !self.best.is_empty() || !self.avoid.is_empty() || !self.points.is_empty()
    }

    /// Whether this move solves the position. If only points are given, the moves with the most
    /// points solve it.
    pub fn is_solved_by(&self, uci: &str) -> bool {
        let has = |moves: &[NamedMove]| moves.iter().any(|known| known.uci == uci);
        if has(&self.avoid) {
            return false;
        }
        if self.best.is_empty() && self.avoid.is_empty() {
            return self.max_points().is_some_and(|max| self.points_of(uci) == Some(max));
        }
        self.best.is_empty() || has(&self.best)
    }

    /// Returns the points of a move, 0 if it is not listed; `None` if the line has no points.
    pub fn points_of(&self, uci: &str) -> Option<u32> {
        let listed = self.points.iter().find(|(known, _)| known.uci == uci);
        (!self.points.is_empty()).then(|| listed.map_or(0, |&(_, points)| points))
    }

    /// Returns the maximum number of points.
    pub fn max_points(&self) -> Option<u32> {
        self.points.iter().map(|&(_, points)| points).max()
    }

    /// Formats `bm Qg6`, `am Rb5` or `dm 4`; points as `f5=10 Be5=2`.
    pub fn text(&self) -> String {
        let names = |opcode: &str, moves: &[NamedMove]| {
            let names: Vec<&str> = moves.iter().map(|named| named.san.as_str()).collect();
            (!moves.is_empty()).then(|| format!("{opcode} {}", names.join(" ")))
        };
        let points: Vec<String> =
            self.points.iter().map(|(named, points)| format!("{}={points}", named.san)).collect();
        let parts = [
            names("bm", &self.best),
            names("am", &self.avoid),
            (!points.is_empty()).then(|| points.join(" ")),
            self.mate.map(|moves| format!("dm {moves}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

struct Reader<'a> {
    line: &'a Line,
    mode: CastlingMode,
    warnings: Vec<String>,
}

impl Reader<'_> {
    /// Returns the moves of every operation `opcode`. Isolated marks such as `+` and `?` are skipped.
    fn moves(&mut self, opcode: &str) -> Vec<NamedMove> {
        let line = self.line;
        let mut found: Vec<NamedMove> = Vec::new();
        for operation in line.operations.iter().filter(|operation| operation.opcode == opcode) {
            let text = operation.text();
            let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| is_name(word));
            for word in words {
                let named = self.named(opcode, word);
                found.extend(named.filter(|named| !found.contains(named)));
            }
        }
        found
    }

    fn named(&mut self, opcode: &str, word: &str) -> Option<NamedMove> {
        match read_move(&self.line.position, word) {
            Ok(legal) => Some(NamedMove::of(&self.line.position, legal, self.mode)),
            Err(error) => {
                self.warnings.push(format!("{opcode}: {error}"));
                None
            }
        }
    }

    /// Points from `c7` and `c8`, else from `c0` if every part of it is a move with a number.
    fn points(&mut self) -> Vec<(NamedMove, u32)> {
        let texts = ["c7", "c8", "c0"].map(|opcode| self.line.operation(opcode).map(Operation::text));
        let [Some(moves), Some(points), _] = &texts else {
            return texts[2].as_deref().map_or_else(Vec::new, |text| self.points_in_comment(text));
        };
        let (moves, points): (Vec<&str>, Vec<&str>) =
            (moves.split_whitespace().collect(), points.split_whitespace().collect());
        if moves.len() != points.len() {
            self.warnings.push(format!("c8: {} numbers for the {} moves of c7", points.len(), moves.len()));
            return Vec::new();
        }
        let mut list = Vec::new();
        for (word, points) in moves.into_iter().zip(points) {
            let Ok(points) = points.parse::<u32>() else {
                self.warnings.push(format!("c8: `{points}`: expected a number"));
                continue;
            };
            list.extend(self.named("c7", word).map(|named| (named, points)));
        }
        list
    }

    fn points_in_comment(&mut self, text: &str) -> Vec<(NamedMove, u32)> {
        let parts: Option<Vec<(&str, u32)>> = text
            .split(',')
            .map(|part| part.trim().rsplit_once('=').and_then(|(word, n)| Some((word, n.parse().ok()?))))
            .collect();
        // Other comments have no points.
        let parts = parts.unwrap_or_default();
        parts.into_iter().filter_map(|(word, n)| self.named("c0", word).map(|named| (named, n))).collect()
    }

    fn mate(&mut self) -> Option<i32> {
        // The suites of matetrack write `bm #5`.
        let of_bm = || self.line.operation("bm").filter(|operation| operation.operand.starts_with('#'));
        let Operation { opcode, operand } = self.line.operation("dm").or_else(of_bm)?;
        // Some files write `#5` or `M5`.
        let digits = operand.trim_matches('"').trim_start_matches(['#', '+', 'M']);
        let moves = digits.parse::<i32>().ok().filter(|&moves| moves != 0 && moves.unsigned_abs() < 10_000);
        if moves.is_none() {
            self.warnings.push(format!("{opcode}: `{operand}`: expected a number of moves"));
        }
        moves
    }
}

/// Whether this word may be a move: it contains a letter or digit, and is no mate in `#N`.
fn is_name(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric) && !word.starts_with("e.p") && !word.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::epd::parse;

    fn read(text: &str) -> (Expectation, Vec<String>) {
        let line = parse(text.as_bytes()).unwrap().unwrap();
        Expectation::read(&line, line.castling)
    }

    const KNIGHTS: &str = "4k3/8/8/8/8/5N2/4P3/1N2K3 w - -";

    #[test]
    fn moves_are_found_and_avoided() {
        let (task, warnings) = read(&format!("{KNIGHTS} bm Nc3, e4!? +; bm Nc3 Ne5; am e3 ?;"));
        assert_eq!(warnings, [""; 0]);
        assert_eq!(task.text(), "bm Nc3 e4 Ne5; am e3");
        let verdicts = ["b1c3", "e2e4", "f3e5", "e2e3", "b1a3"].map(|uci| task.is_solved_by(uci));
        assert_eq!(verdicts, [true, true, true, false, false]);
        assert_eq!(task.points_of("b1c3"), None);
        let (avoid, _) = read(&format!("{KNIGHTS} am e3"));
        assert!(avoid.is_solved_by("e2e4") && !avoid.is_solved_by("e2e3"));
    }

    #[test]
    fn points_are_read_in_either_form() {
        let c0 = r#"c0 "Nc3=10, e4=4, Ne5=3""#;
        for text in [c0.to_owned(), format!(r#"{c0}; c7 "Nc3 e4 Ne5"; c8 "10 4 3"; c9 "b1c3 e2e4 f3e5";"#)] {
            let (task, warnings) = read(&format!("{KNIGHTS} {text}"));
            assert_eq!(warnings, [""; 0]);
            let points = ["b1c3", "e2e4", "f3e5", "b1a3"].map(|uci| task.points_of(uci));
            assert_eq!(points, [Some(10), Some(4), Some(3), Some(0)], "{text}");
            assert_eq!(task.max_points(), Some(10));
            assert!(task.is_solved_by("b1c3") && !task.is_solved_by("e2e4"));
        }
        let promotion = read("7k/P7/8/8/8/8/8/K7 w - - c0 \"a8=Q=10, a8=R+=2\"").0;
        assert_eq!([promotion.points_of("a7a8q"), promotion.points_of("a7a8r")], [Some(10), Some(2)]);
        for comment in ["ERET.095; Queen sacrifice", "a=b", "", "x=1, y"] {
            let (task, warnings) = read(&format!("{KNIGHTS} c0 \"{comment}\""));
            assert!(task.is_empty() && warnings.is_empty(), "{comment}");
        }
    }

    #[test]
    fn mates_have_either_sign() {
        for (text, moves) in [
            ("dm 5", 5),
            ("dm -8;", -8),
            ("dm \"3\"", 3),
            ("dm #4", 4),
            ("bm #1; ep; 00:00;", 1),
            ("bm #-5;", -5),
        ] {
            assert_eq!(read(&format!("{KNIGHTS} {text}")).0.mate, Some(moves), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for (text, warning) in [
            ("bm Bcx3 +", "bm: `Bcx3`: expected a legal move"),
            ("bm Nc3; am hello", "am: `hello`: expected a move"),
            ("bm Nc3 e4; am Nc3", "am: `Nc3`: this is a move of bm too"),
            ("dm 1; dm 5", "dm: given twice, the last one counts"),
            ("c0 \"Nc3=1\"; c0 \"Nc3=2\"", "c0: given twice, the last one counts"),
            ("dm soon", "dm: `soon`: expected a number of moves"),
            ("dm 0", "dm: `0`: expected a number of moves"),
            ("c7 \"Nc3 e4\"; c8 \"10\"", "c8: 1 numbers for the 2 moves of c7"),
            ("c7 \"Nc3\"; c8 \"ten\"", "c8: `ten`: expected a number"),
        ] {
            assert_eq!(read(&format!("{KNIGHTS} {text}")).1, [warning], "{text}");
        }
    }
}
