//! What a run shall do: YAML files read into raw structs, checked, and turned into structs nothing downstream doubts.
//!
//! Every error names file, line, column and the path of the field. Files are found relative to the configuration.
//! Knows nothing of processes or games; callers are the command line and, for resuming, the store's manifest.

mod ablate;
mod adjudication;
mod bench;
mod command;
mod datagen;
mod engine;
mod equivalence;
mod fastchess;
mod limits;
mod locate;
mod matches;
mod opening_set;
mod pairings;
mod screen;
mod searches;
mod seconds;
mod shard;
mod smp;
mod source;
mod sprt;
mod start;
mod suite;
mod train;
mod tune;
mod tune_eval;
mod watchdog;

pub use ablate::{AblateConfig, AblateGames, Played};
pub use adjudication::{Adjudication, DrawRule, TableResults, TablesConfig, WinRule};
pub use bench::{BenchConfig, BenchMeasure, BenchTarget};
pub use datagen::{DataAdjudication, DataEvaluation, DatagenConfig, RandomOpenings};
pub use engine::{EngineConfig, EngineOption, NODESTIME};
pub use equivalence::{EquivalenceCell, EquivalenceConfig};
pub use fastchess::{ImportError, Imported, import_command_line, import_saved, split_words};
pub use limits::{Limits, Stage, TimeControl, TimeControlError};
pub use locate::FieldPath;
pub use matches::{Affinity, MatchConfig, PgnField, RunKind, Variant};
pub use opening_set::OpeningSetConfig;
pub use pairings::{Pairing, Pairings};
pub use screen::{ScreenConfig, ScreenValue};
pub use searches::SearchesConfig;
pub use shard::{Shard, ShardError};
pub use smp::SmpConfig;
pub use source::{ConfigError, Problem, Source};
pub use sprt::SprtConfig;
pub use start::OpeningsConfig;
pub use suite::{SuiteConfig, SuiteRequest};
pub use train::{NetworkTraining, TrainConfig};
pub use tune::{TuneConfig, TuneParameter};
pub use tune_eval::{Selection, Training, TuneEvalConfig};
pub use watchdog::Watchdog;
