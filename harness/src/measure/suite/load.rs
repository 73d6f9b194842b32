//! Loads the positions of EPD files, with a list of the lines that cannot be used.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use serde::Serialize;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, EnPassantMode, Position};

use super::expect::Expectation;
use crate::base::epd::{self, Line};
use crate::config::Variant;
use crate::play::rules::castling_mode;

/// A position to solve.
#[derive(Clone, Debug)]
pub struct Task {
    /// Index of the EPD file.
    pub file: usize,
    /// Line number in the file, from 1.
    pub line: usize,
    /// The EPD's `id`, or `line N`.
    pub id: String,
    /// The position, as sent to the engine.
    pub fen: String,
    /// The answer that solves it.
    pub expectation: Expectation,
}

impl Task {
    /// Returns the theme, the common part of ids: `STS(v1.0) Undermine` of
    /// `STS(v1.0) Undermine.001`.
    pub fn theme(&self) -> Option<&str> {
        if self.id == unnamed(self.line) {
            return None;
        }
        let stem = self.id.trim_end_matches(|c: char| c.is_ascii_digit());
        let theme =
            stem.trim_end_matches(|c: char| matches!(c, '.' | '-' | '_' | '#' | ':') || c.is_whitespace());
        (stem.len() < self.id.len() && !theme.is_empty()).then_some(theme)
    }
}

/// A line that is skipped, or an operation of it that is ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Name of the EPD file.
    pub file: String,
    /// Line number in the file, from 1.
    pub line: usize,
    /// Description of the problem.
    pub message: String,
    /// Whether the whole line is skipped.
    pub is_skipped: bool,
}

/// The positions of all files of a run.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Names of the files, for reports.
    pub files: Vec<String>,
    /// Positions in the order of files and lines.
    pub tasks: Vec<Task>,
    /// Skipped lines and ignored operations.
    pub warnings: Vec<Warning>,
    /// Chess960 if any position needs its castling.
    pub variant: Variant,
}

impl Suite {
    /// Reads files, at most `limit` positions of each.
    ///
    /// Errors: a file cannot be read or has no position to solve.
    pub fn load(paths: &[PathBuf], limit: Option<usize>) -> anyhow::Result<Self> {
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            let failed = |error: io::Error| anyhow!("{}: cannot read it: {error}", path.display());
            files.push((file_name(path), fs::read(path).map_err(failed)?));
        }
        let suite = Self::read(&files, limit);
        for (index, path) in paths.iter().enumerate() {
            if suite.tasks.iter().all(|task| task.file != index) {
                let first = suite.warnings.iter().find(|warning| warning.file == files[index].0);
                let first = first.map(|warning| format!("; line {}: {}", warning.line, warning.message));
                let first = first.unwrap_or_default();
                bail!("{}: no position to solve{first}", path.display());
            }
        }
        Ok(suite)
    }

    /// Reads the contents of files by name.
    fn read(files: &[(String, Vec<u8>)], limit: Option<usize>) -> Self {
        let parsed: Vec<Vec<(usize, Result<Line, String>)>> = files
            .iter()
            .map(|(_, bytes)| {
                let lines = epd::lines(bytes).zip(1..);
                lines.filter_map(|(text, line)| epd::parse(text).map(|read| (line, read))).collect()
            })
            .collect();
        let is_960 = |(_, read): &(usize, Result<Line, String>)| {
            read.as_ref().is_ok_and(|line| line.castling == CastlingMode::Chess960)
        };
        let is_standard = |(_, read): &(usize, Result<Line, String>)| {
            let has_rights = |line: &Line| line.fields.split(' ').nth(2).is_some_and(|rights| rights != "-");
            read.as_ref().is_ok_and(|line| line.castling == CastlingMode::Standard && has_rights(line))
        };
        let of_file = |(file, lines): (usize, &Vec<(usize, _)>)| {
            Some((file, lines.iter().find(|line| is_960(line))?.0))
        };
        let first_960 = parsed.iter().enumerate().find_map(of_file);
        let variant = if first_960.is_some() { Variant::Chess960 } else { Variant::Standard };
        let mut suite = Self {
            files: files.iter().map(|(name, _)| name.clone()).collect(),
            tasks: Vec::new(),
            warnings: Vec::new(),
            variant,
        };
        if let Some((file, line)) = first_960.filter(|_| parsed.iter().flatten().any(is_standard)) {
            let message = "its castling rights are not those of standard chess, so all positions have the rules of Chess960";
            suite.warn(file, line, message.to_owned(), false);
        }
        for (file, lines) in parsed.into_iter().enumerate() {
            let before = suite.tasks.len();
            for (line, read) in lines {
                if limit.is_some_and(|limit| suite.tasks.len() - before >= limit) {
                    break;
                }
                match read {
                    Ok(read) => suite.take(file, line, &read),
                    Err(error) => suite.warn(file, line, error, true),
                }
            }
        }
        suite
    }

    fn take(&mut self, file: usize, line: usize, read: &Line) {
        let (expectation, warnings) = Expectation::read(read, castling_mode(self.variant));
        let is_over = read.position.legal_moves().is_empty();
        let is_skipped = is_over || expectation.is_empty();
        if is_over {
            self.warn(file, line, "no legal move: the game is over".to_owned(), true);
        } else if warnings.is_empty() && is_skipped {
            self.warn(file, line, "nothing to score: no bm, am, dm or points".to_owned(), true);
        }
        for message in warnings {
            self.warn(file, line, message, is_skipped);
        }
        if read.hides_operations {
            self.warn(
                file,
                line,
                "a quote `\"` is not closed: the operations after it are not read".to_owned(),
                is_skipped,
            );
        }
        if !is_skipped {
            let fen = Fen::from_position(&read.position, EnPassantMode::Legal).to_string();
            let id = read.id().unwrap_or_else(|| unnamed(line));
            self.tasks.push(Task { file, line, id, fen, expectation });
        }
    }

    fn warn(&mut self, file: usize, line: usize, message: String, is_skipped: bool) {
        self.warnings.push(Warning { file: self.files[file].clone(), line, message, is_skipped });
    }
}

/// Returns the name of a position without an id.
fn unnamed(line: usize) -> String {
    format!("line {line}")
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, limit: Option<usize>) -> Suite {
        Suite::read(&[("x.epd".to_owned(), text.as_bytes().to_vec())], limit)
    }

    const GOOD: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;";

    #[test]
    fn bad_lines_are_left_out_and_named() {
        let text = format!(
            "{GOOD} id \"T.1\";\n# comment\n\nnonsense\n{GOOD}\n\
             4k3/8/8/8/8/8/4P3/4K3 w - - bm e5 e3;\n4k3/8/8/8/8/8/4P3/4K3 w - - c0 \"x\";\n\
             7k/5Q2/6K1/8/8/8/8/8 b - - bm Kg8;\n"
        );
        let suite = read(&text, None);
        let tasks: Vec<(usize, &str)> =
            suite.tasks.iter().map(|task| (task.line, task.id.as_str())).collect();
        assert_eq!(tasks, [(1, "T.1"), (5, "line 5"), (6, "line 6")]);
        let said: Vec<(usize, bool, &str)> = suite
            .warnings
            .iter()
            .map(|warning| (warning.line, warning.is_skipped, warning.message.as_str()))
            .collect();
        assert_eq!(said[0], (4, true, "`nonsense`: expected the side to move, w or b after it"));
        assert_eq!(said[1], (6, false, "bm: `e5`: expected a legal move"));
        assert_eq!(said[2], (7, true, "nothing to score: no bm, am, dm or points"));
        assert_eq!(said[3], (8, true, "no legal move: the game is over"));
    }

    #[test]
    fn the_limit_counts_positions_of_each_file() {
        let file =
            |name: &str| (name.to_owned(), format!("bad\n{}", format!("{GOOD}\n").repeat(5)).into_bytes());
        let suite = Suite::read(&[file("a"), file("b")], Some(2));
        let places: Vec<(usize, usize)> = suite.tasks.iter().map(|task| (task.file, task.line)).collect();
        assert_eq!(places, [(0, 2), (0, 3), (1, 2), (1, 3)]);
    }

    #[test]
    fn themes_are_ids_without_their_number() {
        let theme = |id: &str| {
            let text = format!("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"{id}\";");
            read(&text, None).tasks[0].theme().map(str::to_owned)
        };
        for (id, expected) in [
            ("STS(v1.0) Undermine.001", Some("STS(v1.0) Undermine")),
            ("WAC.300", Some("WAC")),
            ("CMB-12", Some("CMB")),
            ("FRANKY-1 #9", Some("FRANKY-1")),
            ("ERET 001 - Entlastung", None),
            ("17", None),
            ("", None),
        ] {
            assert_eq!(theme(id).as_deref(), expected, "{id}");
        }
    }

    #[test]
    fn operations_behind_an_open_quote_have_a_warning() {
        let text = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"Fischer\"s line\"; am e4;\n";
        let suite = read(text, None);
        let [warning] = &suite.warnings[..] else { panic!("{:?}", suite.warnings) };
        assert!(warning.message.contains("not closed") && !warning.is_skipped && suite.tasks.len() == 1);
    }

    #[test]
    fn one_chess960_position_sets_the_rules_for_all() {
        let fischer = "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w KQkq - bm e4;\n";
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm O-O;\n";
        let suite = read(&format!("{castling}{fischer}"), None);
        assert_eq!(suite.variant, Variant::Chess960);
        let [warning] = &suite.warnings[..] else { panic!("{:?}", suite.warnings) };
        assert_eq!((warning.line, warning.is_skipped), (2, false));
        assert!(read(fischer, None).warnings.is_empty(), "no line of standard chess");
        assert_eq!(suite.tasks[0].expectation.best[0].uci, "e1h1");
        assert_eq!(read(castling, None).tasks[0].expectation.best[0].uci, "e1g1");
    }
}
