//! The harness: matches, statistics and benchmarks for any UCI engines.
//!
//! The layers, each importing only from its left: `base → stats → report → config → uci → run →
//! endgames → play → measure → tune → learn → books → claims → cli`.
//!
//! A test travels like this: `cli` parses the arguments and `play::matches` loads the
//! configuration. The executor of `run` hands out pairs of games by `play::schedule` to its
//! workers. Each worker plays them through `uci` under `play::referee`. Every finished game
//! goes to the journal, and `play::verdict` evaluates the statistics after each pair.
//!
//! The crate is an application. Its binary needs [`main`], [`LAUNCH_ARG`] and [`exec_engine`]; the
//! other public items serve the tests.

mod base;
mod books;
mod claims;
mod cli;
mod config;
mod endgames;
mod learn;
mod measure;
mod play;
mod report;
mod run;
pub mod stats;
mod tune;
mod uci;

pub use base::cancel::Cancel;
pub use base::cpus::{CpuSet, Topology};
pub use base::epd;
pub use base::random::SplitMix64;
pub use base::units::{Elo, NELO_PER_T, Share};
pub use cli::main;
pub use uci::{LAUNCH_ARG, exec_engine};

/// Configurations of the kinds of run.
pub mod configs {
    pub use crate::books::opening_set::OpeningSetConfig;
    pub use crate::config::{Source, Variant};
    pub use crate::measure::ablate::AblateConfig;
    pub use crate::measure::bench::BenchConfig;
    pub use crate::measure::equivalence::EquivalenceConfig;
    pub use crate::measure::smp::SmpConfig;
    pub use crate::measure::suite::SuiteRequest;
    pub use crate::play::matches::{ExecutionArgs, LoadedMatch, RunKind};
    pub use crate::tune::eval::TuneEvalConfig;
}

/// Import of fastchess command lines and saved matches.
pub mod fastchess {
    pub use crate::play::fastchess::{import_command_line, import_saved, split_words};
}

/// Game records and the readers of games.
pub mod games {
    pub use crate::books::read_pgn;
    pub use crate::play::pv_error::{PvError, WrongPv};
    pub use crate::play::record::{
        GameRecord, GameResult, MoveDetails, MoveRecord, RECORD_VERSION, Side, SideStats, Termination,
    };
    pub use crate::play::referee::Board;
    pub use crate::run::read_journal;
    pub use crate::tune::eval::read_games;
}

/// Start positions of games.
pub mod openings {
    pub use crate::play::openings::book::read_lines;
    pub use crate::play::openings::{BookError, Format, OpeningBook, Order};
}

/// Inspection of Polyglot books.
pub mod polyglot {
    pub use crate::books::{DumpOptions, dump, info};
}

/// Lines and dialogues of UCI engines.
pub mod protocol {
    pub use crate::uci::{OptionDecl, Replay, ReportedScore, SearchInfo, SearchReport};
}

/// Test suites of positions with expected moves or scores.
pub mod suite {
    pub use crate::measure::suite::{
        Expectation, FaultKind, PositionRecord, Relation, Suite, Verification, verify,
    };
}

/// Published endgame tables.
pub mod tables {
    pub use crate::endgames::count_illegal;
}

/// Games for training and the configurations of datagen and train.
pub mod training {
    pub use crate::learn::data::{Filter, GameReader, PlayedGame, Sample};
    pub use crate::learn::datagen::DatagenConfig;
    pub use crate::learn::train::TrainConfig;
}
