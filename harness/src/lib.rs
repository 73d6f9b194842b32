//! The harness: matches, statistics and benchmarks for any UCI engines.
//!
//! The layers, each importing only from its left: `base → report → config → uci → run → pool → play → measure → tune → cli`. The
//! statistics are a package of their own, `stretto-stats`.
//!
//! A test travels like this: `cli` parses the arguments and `play::matches` loads the
//! configuration. The executor of `run` hands out pairs of games by `play::schedule` to its
//! workers. Each worker plays them with the engines of `pool` under `play::referee`. Every finished game
//! goes to the journal, and `play::verdict` evaluates the statistics after each pair.
//!
//! The crate is an application. Its binary needs [`start`] and [`main`]; the other public items serve the workshop and the tests.

pub mod base;
pub mod cli;
pub mod config;
mod measure;
pub mod play;
pub mod pool;
pub mod report;
pub mod run;
mod tune;
pub mod uci;

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub use base::cancel::Cancel;
pub use base::cpus::{CpuSet, Topology};
pub use base::epd;
pub use base::random::SplitMix64;
pub use cli::main;
use uci::{LAUNCH_ARG, exec_engine};

/// Runs the command line `main` with the commit of the build, `None` if it is empty; or starts an engine for another process of
/// this program, which [`LAUNCH_ARG`] asks for.
pub fn start(commit: Option<&str>, main: impl FnOnce(Option<&str>) -> ExitCode) -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    if let [_, word, parent, cpus, files, program, rest @ ..] = &args[..]
        && word == LAUNCH_ARG
    {
        let [parent, cpus, files] = [parent, cpus, files].map(|word| word.to_string_lossy());
        let error = exec_engine(&parent, &cpus, &files, Path::new(program), rest);
        let _ = writeln!(std::io::stderr().lock(), "cannot start {}: {error}", program.to_string_lossy());
        return ExitCode::from(127);
    }
    main(commit.filter(|commit| !commit.is_empty()))
}

/// Configurations of the kinds of run.
pub mod configs {
    pub use crate::config::{Source, Variant};
    pub use crate::measure::ablate::AblateConfig;
    pub use crate::measure::bench::BenchConfig;
    pub use crate::measure::equivalence::EquivalenceConfig;
    pub use crate::measure::smp::SmpConfig;
    pub use crate::measure::suite::SuiteRequest;
    pub use crate::play::matches::{ExecutionArgs, LoadedMatch, RunKind};
}

/// Import of fastchess command lines and saved matches.
pub mod fastchess {
    pub use crate::play::fastchess::{import_command_line, import_saved, split_words};
}

/// Game records and the readers of games.
pub mod games {
    pub use crate::play::record::{
        Audit, GameRecord, GameResult, MoveDetails, MoveRecord, PvError, RECORD_VERSION, Side, SideStats,
        Termination, WrongPv,
    };
    pub use crate::play::referee::Board;
    pub use crate::run::read_journal;
}

/// Start positions of games.
pub mod openings {
    pub use crate::play::openings::book::read_lines;
    pub use crate::play::openings::{Format, OpeningBook, Order, read_games};
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
