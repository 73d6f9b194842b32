//! What decides a game before its rules do: scores, lengths and endgame tables.

use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::locate::FieldPath;
use super::source::{Problem, Source};

/// When a game is decided before the rules end it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adjudication {
    /// Lost for a side that has given up hope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub win: Option<WinRule>,
    /// Drawn when both sides see nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawRule>,
    /// Drawn after this many full moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_moves: Option<NonZeroU32>,
}

/// A side loses whose engine reports `-score` or worse in each of its last `moves` moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WinRule {
    /// Units: centipawns, above 0; a mate score counts as more than any.
    pub score: u32,
    /// Moves in a row.
    pub moves: NonZeroU32,
    /// Must the winner report `score` or more over the same moves?
    #[serde(default)]
    pub two_sided: bool,
}

/// Drawn when both engines report a score within `score` of 0 for `moves` full moves in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// Not decided before this full move of the game; openings count with the move number of their FEN.
    pub from_move: u32,
    /// Full moves in a row.
    pub moves: NonZeroU32,
    /// Units: centipawns.
    pub score: u32,
}

/// Which results endgame tables decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableResults {
    /// All.
    #[default]
    Both,
    /// Wins.
    Decisive,
    /// Draws.
    Drawn,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTables {
    #[serde(default)]
    syzygy: Vec<PathBuf>,
    own: Option<NonZeroU32>,
    pieces: Option<NonZeroU32>,
    #[serde(default)]
    ignore_fifty: bool,
    #[serde(default)]
    results: TableResults,
}

/// How many men our own tables may have: more would take long and much memory.
const OWN_MEN: std::ops::RangeInclusive<u32> = 3..=4;

/// Endgame tables that decide games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TablesConfig {
    /// Folders with Syzygy tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub syzygy: Vec<PathBuf>,
    /// Our own tables of up to so many men instead, made when the match begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<NonZeroU32>,
    /// Men on the board at most, kings included; as many as the tables have unless given.
    pub pieces: Option<NonZeroU32>,
    /// Are wins decided that the fifty-move rule would spoil?
    pub ignore_fifty: bool,
    /// What is decided.
    pub results: TableResults,
}

impl RawTables {
    pub(super) fn validate(self, source: &Source) -> Result<TablesConfig, Problem> {
        let path = FieldPath::root().key("tablebases").key("syzygy");
        match (self.own, self.syzygy.is_empty()) {
            (None, true) => return Err(Problem::new(path, "expected at least one folder, or `own` tables")),
            (Some(_), false) => return Err(Problem::new(path, "expected these or `own` tables, not both")),
            (Some(men), true) if !OWN_MEN.contains(&men.get()) => {
                let message = format!("{men}: expected {} to {}", OWN_MEN.start(), OWN_MEN.end());
                return Err(Problem::new(FieldPath::root().key("tablebases").key("own"), message));
            }
            _ => {}
        }
        let mut syzygy = Vec::with_capacity(self.syzygy.len());
        for (index, folder) in self.syzygy.iter().enumerate() {
            let full = source.dir().join(folder);
            if !full.is_dir() {
                return Err(Problem::new(
                    path.index(index),
                    format!("no such folder `{}`", folder.display()),
                ));
            }
            syzygy.push(full);
        }
        let Self { own, pieces, ignore_fifty, results, .. } = self;
        Ok(TablesConfig { syzygy, own, pieces, ignore_fifty, results })
    }
}

/// Refuses rules, in a field of `parent`, that would decide every game.
pub(super) fn validate_adjudication(parent: &FieldPath, rules: &Adjudication) -> Result<(), Problem> {
    match rules.win {
        Some(rule) if rule.score == 0 => {
            let path = parent.key("adjudication").key("win").key("score");
            Err(Problem::new(path, "0: expected centipawns above 0"))
        }
        _ => Ok(()),
    }
}
