//! A stage of a test as written in the list `stages`: a name with values of its own, or fields.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_yaml::{Mapping, Value};
use stretto_stats::llr::Model;

use crate::base::cpus::undisturbed_threads;
use crate::config::Source;
use crate::config::limits::TimeControl;
use crate::play::openings::config::RawOpenings;

/// Bounds of a named stage, and of a test of commits, without others. Units: normalized Elo.
pub(crate) const DEFAULT_BOUNDS: [f64; 2] = [0.0, 5.0];
/// The field of the list.
pub(crate) const STAGES: &str = "stages";
/// Threads of the stage `smp` on a machine with as many processors.
const SMP_THREADS: usize = 8;

/// A stage that has a name and values of its own, those usual in OpenBench and fishtest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NamedStage {
    /// Short time control: 8+0.08, 1 thread, Hash 16.
    Stc,
    /// Long time control: 40+0.4, 1 thread, Hash 64.
    Ltc,
    /// Several threads: 5+0.05, 8 threads or all processors if there are fewer, Hash 64.
    Smp,
}

impl NamedStage {
    /// Returns the stage of this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        Self::from_str(name, false).ok()
    }

    /// Returns the name that `--stages` and `stages:` take.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Returns its fields as a configuration has them. The number of threads is that of this machine.
    pub(crate) fn fields(self) -> Mapping {
        let smp_threads = undisturbed_threads().clamp(1, SMP_THREADS);
        let (clock, threads, hash) = match self {
            Self::Stc => ("8+0.08", 1, 16),
            Self::Ltc => ("40+0.4", 1, 64),
            Self::Smp => ("5+0.05", smp_threads, 64),
        };
        let fields =
            [("time_control", clock.into()), ("threads", threads.into()), ("hash", Value::from(hash))];
        fields.into_iter().map(|(name, value)| (name.into(), value)).collect()
    }
}

/// A stage of a test. Fields that it does not have are those of the test.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Stage")]
#[expect(dead_code, reason = "checked by the parser; the values are taken from the text")]
pub(super) struct RawStage {
    /// Name of the stage, and of its folder in the folder of the run. `stc`, `ltc` and `smp` have values for time control,
    /// threads and hash, and bounds where the test has none.
    name: String,
    /// Time control of all engines.
    time_control: Option<TimeControl>,
    /// Nodes per move of all engines.
    nodes: Option<NonZeroU64>,
    /// Depth per move of all engines, in plies.
    depth: Option<NonZeroU32>,
    /// Time per move of all engines, in milliseconds.
    movetime: Option<NonZeroU64>,
    /// Threads of all engines (the option Threads).
    threads: Option<NonZeroU32>,
    /// Hash size of all engines, in MiB (the option Hash).
    hash: Option<NonZeroU32>,
    /// Fields of the test that differ.
    sprt: Option<RawStageTest>,
    /// Openings of the games, in place of those of the test.
    openings: Option<RawOpenings>,
    /// Games played at once.
    concurrency: Option<NonZeroUsize>,
}

/// Bounds and error rates of a stage that differ from those of the test.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StageSprt")]
#[expect(dead_code, reason = "checked by the parser; the values are taken from the text")]
struct RawStageTest {
    /// Elo model of the bounds.
    model: Option<Model>,
    /// H0: the first engine is this much stronger.
    elo0: Option<f64>,
    /// H1: the first engine is this much stronger.
    elo1: Option<f64>,
    /// Probability of accepting H1 although H0 holds.
    alpha: Option<f64>,
    /// Probability of accepting H0 although H1 holds.
    beta: Option<f64>,
    /// Number of games after which the stage ends without a decision. Even.
    max_games: Option<u64>,
}

/// A stage as written: its fields, or the name of one that has values of its own.
#[derive(Debug, JsonSchema)]
#[schemars(rename = "AnyStage", untagged)]
#[expect(dead_code, reason = "checked by the parser; the values are taken from the text")]
pub(super) enum StageEntry {
    /// `stc`, `ltc` or `smp`.
    Named(String),
    /// Fields of a stage.
    Fields(Box<RawStage>),
}

impl<'de> Deserialize<'de> for StageEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StageVisitor)
    }
}

struct StageVisitor;

impl<'de> Visitor<'de> for StageVisitor {
    type Value = StageEntry;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stc, ltc, smp or the fields of a stage, such as { name: long, time_control: 60+0.6 }")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<StageEntry, E> {
        match NamedStage::of(text) {
            Some(_) => Ok(StageEntry::Named(text.to_owned())),
            None => Err(E::custom(format!(
                "`{text}`: expected stc, ltc, smp or the fields of a stage, such as {{ name: {text}, time_control: 60+0.6 }}"
            ))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<StageEntry, A::Error> {
        RawStage::deserialize(MapAccessDeserializer::new(map)).map(Box::new).map(StageEntry::Fields)
    }
}

/// The list of a configuration, for its types and the fields that no stage has. Each stage is read with the rest of the file.
#[derive(Debug, Deserialize)]
pub(super) struct OnlyStages {
    #[serde(rename = "stages")]
    _stages: Option<Vec<StageEntry>>,
}

/// Whether a configuration has stages.
pub(crate) fn has_stages(source: &Source) -> bool {
    source.value().is_ok_and(|value| value.get(STAGES).is_some_and(|stages| !stages.is_null()))
}
