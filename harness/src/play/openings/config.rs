//! Configuration of openings: a file of positions, games or book moves, and their order.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::command::Names;
use crate::config::{FieldPath, Problem, Source};
use crate::play::openings::{Format, Order};
use crate::run::shipped;

/// Openings from which games start.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Openings")]
pub(crate) struct RawOpenings {
    /// File of openings: EPD or FEN lines, PGN games (.pgn) or a Polyglot book (.bin). Without it, 3000
    /// balanced positions inside the program.
    file: Option<PathBuf>,
    /// Order in which the openings are played.
    #[serde(default)]
    order: Order,
    /// Seed of the order. Without it, the seed of the run.
    seed: Option<u64>,
    /// Number of openings to skip.
    #[serde(default)]
    start: u64,
    /// Format of the file, if its name does not show it.
    format: Option<RawFormat>,
    /// Plies played of each game, or drawn from a Polyglot book.
    plies: Option<NonZeroU32>,
}

/// Format of a file of openings, if its name does not show it.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Format")]
enum RawFormat {
    /// One position per line, EPD or FEN.
    Epd,
    /// PGN games, whose first moves are the opening.
    Pgn,
    /// A Polyglot book, from which random lines are drawn.
    Polyglot,
}

impl RawFormat {
    fn of(file: &Path) -> Self {
        let extension = file.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("pgn") => Self::Pgn,
            Some("bin") => Self::Polyglot,
            _ => Self::Epd,
        }
    }
}

/// Validated configuration of openings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningsConfig {
    /// Resolved path of the file.
    pub file: PathBuf,
    /// Format of the file.
    #[serde(default, skip_serializing_if = "is_epd")]
    pub format: Format,
    /// Order of the openings.
    pub order: Order,
    /// Seed of the order; by default the seed of the run.
    pub seed: u64,
    /// Number of openings skipped at the beginning of the order.
    pub start: u64,
}

/// Returns the format that manifests leave out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "signature required by serde")]
fn is_epd(format: &Format) -> bool {
    *format == Format::Epd
}

impl RawOpenings {
    /// Validates the field `openings` of `parent`.
    pub(crate) fn validate(
        self,
        parent: &FieldPath,
        source: &Source,
        seed: u64,
    ) -> Result<OpeningsConfig, Problem> {
        let path = parent.key("openings");
        let file = match &self.file {
            Some(file) => {
                shipped::resolve(file, source.names()).map_err(|text| Problem::new(path.key("file"), text))?
            }
            None => self.shipped_file(&path, source.names())?,
        };
        let format = match (self.format.unwrap_or_else(|| RawFormat::of(&file)), self.plies) {
            (RawFormat::Epd, None) => Format::Epd,
            (RawFormat::Epd, Some(_)) => {
                let message = "positions have no moves to count: for games and Polyglot books only";
                return path.key("plies").refuse(message);
            }
            (RawFormat::Pgn, plies) => Format::Pgn { plies },
            (RawFormat::Polyglot, Some(plies)) => Format::Polyglot { plies },
            (RawFormat::Polyglot, None) => {
                let message = "missing: how many plies of the book are played (--set openings.plies=8)";
                return path.key("plies").refuse(message);
            }
        };
        let seed = self.seed.unwrap_or(seed);
        Ok(OpeningsConfig { file, format, order: self.order, seed, start: self.start })
    }

    /// Returns the file of the openings that ship inside the program, which are positions.
    fn shipped_file(&self, path: &FieldPath, names: Names<'_>) -> Result<PathBuf, Problem> {
        let of_files = [("format", self.format.is_some()), ("plies", self.plies.is_some())];
        let message = "needs the field `file`: the openings that ship with the program are positions";
        for (key, is_set) in of_files {
            path.key(key).require(!is_set, message)?;
        }
        shipped::OPENINGS.resolve(names).map_err(|error| Problem::new(path.clone(), format!("{error:#}")))
    }
}
