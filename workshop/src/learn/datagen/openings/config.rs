//! The schema of `openings`: one kind of random opening, or a list of sources with shares.

use std::fmt;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::ending::{EndingSource, max_score, one};
use stretto_harness::config::{FieldPath, Problem, Source};

/// More random plies than this leave little of a game.
const MAX_RANDOM_PLIES: u32 = 64;
/// The number of pieces up to which the built-in tables end a game.
const TABLE_PIECES: usize = 4;

/// The start positions of the games: random plies, or a list of sources with shares.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "DatagenOpenings")]
pub enum Openings {
    /// Random plies from the initial position.
    Random(RandomOpenings),
    /// Several sources. Each game draws its source by the shares.
    Mixed(Vec<OpeningSource>),
}

/// Random openings of the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RandomOpenings {
    /// Smallest number of random plies.
    pub min_plies: u32,
    /// Largest number of random plies.
    pub max_plies: u32,
    /// Largest score after the opening, either way, in centipawns. Other openings are replaced.
    pub max_score: u16,
}

/// A source of start positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "source", rename_all = "lowercase")]
#[schemars(transform = describe_tag)]
pub enum OpeningSource {
    /// Random plies from the initial position.
    Random(ArraySource),
    /// Random plies from one of the 960 initial positions of Chess960.
    Chess960(ArraySource),
    /// Random plies from a line of an opening file.
    File(FileSource),
    /// Pieces and pawns on random squares.
    Endings(EndingSource),
}

/// Describes the field `source` in the schema; the derived schema has only its value.
fn describe_tag(schema: &mut Schema) {
    let variants = schema.get_mut("oneOf").and_then(Value::as_array_mut);
    for variant in variants.into_iter().flatten() {
        if let Some(tag) = variant.pointer_mut("/properties/source").and_then(Value::as_object_mut) {
            tag.insert("description".to_owned(), json!("Kind of the source."));
        }
    }
}

/// Random plies from an initial position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArraySource {
    /// Weight of the source among all sources.
    #[serde(default = "one")]
    pub share: NonZeroU32,
    /// Smallest number of random plies.
    #[serde(default = "array_min_plies")]
    pub min_plies: u32,
    /// Largest number of random plies.
    #[serde(default = "array_max_plies")]
    pub max_plies: u32,
    /// Largest score of the start, either way, in centipawns. Other starts are replaced.
    #[serde(default = "max_score")]
    pub max_score: u16,
}

/// Random plies from a line of an opening file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSource {
    /// Weight of the source among all sources.
    #[serde(default = "one")]
    pub share: NonZeroU32,
    /// File of openings: EPD or FEN lines, or PGN games (.pgn).
    pub file: PathBuf,
    /// Plies played of each PGN game. Without it, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<NonZeroU32>,
    /// Smallest number of random plies.
    #[serde(default = "file_min_plies")]
    pub min_plies: u32,
    /// Largest number of random plies.
    #[serde(default = "file_max_plies")]
    pub max_plies: u32,
    /// Largest score of the start, either way, in centipawns. Other starts are replaced.
    #[serde(default = "max_score")]
    pub max_score: u16,
}

fn array_min_plies() -> u32 {
    RandomOpenings::default().min_plies
}

fn array_max_plies() -> u32 {
    RandomOpenings::default().max_plies
}

fn file_min_plies() -> u32 {
    4
}

fn file_max_plies() -> u32 {
    6
}

impl Default for RandomOpenings {
    fn default() -> Self {
        Self { min_plies: 8, max_plies: 9, max_score: max_score() }
    }
}

impl Default for Openings {
    fn default() -> Self {
        Self::Random(RandomOpenings::default())
    }
}

/// Decides by the kind of YAML node, so that errors state the field: an untagged enum would only
/// report that nothing matched.
impl<'de> Deserialize<'de> for Openings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MapOrList;

        impl<'de> Visitor<'de> for MapOrList {
            type Value = Openings;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("fields such as `max_plies: 9`, or a list of sources")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Openings, A::Error> {
                RandomOpenings::deserialize(MapAccessDeserializer::new(map)).map(Openings::Random)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Openings, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(Openings::Mixed)
            }
        }

        deserializer.deserialize_any(MapOrList)
    }
}

impl Openings {
    /// Validates the field `openings` and resolves its files. `has_tables` is whether the built-in
    /// tables end games.
    pub(in super::super) fn validate(
        self,
        path: &FieldPath,
        source: &Source,
        has_tables: bool,
    ) -> Result<Self, Problem> {
        let sources = match self {
            Self::Random(openings) => {
                check_plies(openings.min_plies, openings.max_plies, path)?;
                return Ok(Self::Random(openings));
            }
            Self::Mixed(sources) => sources,
        };
        path.require(!sources.is_empty(), "expected at least one source, found none")?;
        let checked = sources
            .into_iter()
            .enumerate()
            .map(|(index, opening)| opening.validate(&path.index(index), source, has_tables));
        Ok(Self::Mixed(checked.collect::<Result<_, _>>()?))
    }

    /// Returns the opening files.
    pub(in super::super) fn files(&self) -> impl Iterator<Item = &Path> {
        let sources = match self {
            Self::Random(_) => &[][..],
            Self::Mixed(sources) => sources,
        };
        sources.iter().filter_map(|source| match source {
            OpeningSource::File(source) => Some(source.file.as_path()),
            _ => None,
        })
    }
}

/// Writes a summary such as `endings 1, chess960 4`, the shares after the sources.
impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random(openings) => {
                write!(f, "{} to {} random plies", openings.min_plies, openings.max_plies)
            }
            Self::Mixed(sources) => {
                let names = sources.iter().map(|source| format!("{} {}", source.name(), source.share()));
                f.write_str(&names.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl OpeningSource {
    /// Returns the weight of the source.
    pub(super) fn share(&self) -> NonZeroU32 {
        match self {
            Self::Random(source) | Self::Chess960(source) => source.share,
            Self::File(source) => source.share,
            Self::Endings(source) => source.share,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Random(_) => "random",
            Self::Chess960(_) => "chess960",
            Self::File(_) => "file",
            Self::Endings(_) => "endings",
        }
    }

    fn validate(self, path: &FieldPath, source: &Source, has_tables: bool) -> Result<Self, Problem> {
        match self {
            Self::Random(ref opening) | Self::Chess960(ref opening) => {
                check_plies(opening.min_plies, opening.max_plies, path)?;
                Ok(self)
            }
            Self::File(opening) => {
                check_plies(opening.min_plies, opening.max_plies, path)?;
                let resolved = source.names().file(&opening.file);
                let file = resolved.map_err(|text| Problem::new(path.key("file"), text))?;
                path.key("plies").require(
                    opening.plies.is_none() || is_pgn(&file),
                    "only of use with a PGN file (.pgn)",
                )?;
                Ok(Self::File(FileSource { file, ..opening }))
            }
            Self::Endings(opening) => {
                opening.check(path, if has_tables { TABLE_PIECES } else { 0 })?;
                Ok(Self::Endings(opening))
            }
        }
    }
}

/// Whether an opening file has PGN games, by its name.
pub(super) fn is_pgn(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"))
}

fn check_plies(min: u32, max: u32, path: &FieldPath) -> Result<(), Problem> {
    path.key("max_plies")
        .require(max <= MAX_RANDOM_PLIES, format!("{max}: expected at most {MAX_RANDOM_PLIES}"))?;
    path.key("min_plies").require(min <= max, format!("{min}: expected at most max_plies, {max}"))?;
    Ok(())
}
