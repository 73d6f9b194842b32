//! What a match needs before its first game: openings, tables, processors, and warnings about its configuration.

use std::sync::Arc;

use super::config::{Affinity, LoadedMatch, MatchConfig};
use super::player::PreflightError;
use crate::base::cancel::Cancel;
use crate::base::cpus::{CpuSet, Topology};
use crate::config::{ConfigError, EngineConfig, FieldPath, Problem, Source, Variant};
use crate::play::openings::{OpeningBook, OpeningsConfig};
use crate::play::referee::Tables;
use crate::run::command::{Failure, say};

/// Says where clocks of engines do not measure the same.
pub(crate) fn clock_notice(config: &MatchConfig) -> Option<String> {
    let counts_nodes = |engine: &&EngineConfig| engine.limits.is_timed() && engine.pace().is_some();
    let nodes = config.engines.iter().find(counts_nodes)?;
    let time = config.engines.iter().find(|engine| engine.is_timed())?;
    Some(format!(
        "the clock of {} counts nodes, that of {} real time: the two cannot be compared, and the result depends on the machine",
        nodes.name, time.name
    ))
}

/// Says where openings are played again, or where none of the book is beyond the first to play.
pub(crate) fn book_notices(config: &MatchConfig, book: &OpeningBook) -> Vec<String> {
    let (file, len, start) = (config.openings.file.display(), book.len() as u64, config.openings.start);
    let mut notices = Vec::new();
    if start >= len {
        notices.push(format!(
            "openings.start: {start}: {file} has {len} openings; it is gone through from the beginning again, and {} are skipped",
            start % len
        ));
    }
    if config.max_openings().is_none_or(|openings| openings > len) {
        notices.push(format!("{file} has {len} openings; further pairs play them again"));
    }
    notices
}

/// What a trial start that failed means for the command; an option that does not fit is a mistake in `source`.
pub(crate) fn untried(error: PreflightError, source: &Source, interrupted: &str) -> Failure {
    match error {
        PreflightError::Option(problem) => source.complain(problem).into(),
        PreflightError::Run(error) => Failure::Run(error.into()),
        PreflightError::Cancelled => {
            say(interrupted);
            Failure::Interrupted
        }
    }
}

/// The endgame tables that decide games, where the configuration wants any.
pub(crate) fn endgame_tables(
    config: &MatchConfig,
    source: &Source,
    cancel: &Cancel,
) -> Result<Option<Arc<Tables>>, ConfigError> {
    let Some(tables) = &config.tablebases else { return Ok(None) };
    if let Some(men) = tables.own {
        say(&format!("making endgame tables of up to {men} men"));
    }
    let opened = Tables::open(tables, cancel).map_err(|error| {
        let path = FieldPath::root().key("tablebases").key("syzygy");
        source.complain(Problem::new(path, error.to_string()))
    })?;
    Ok(Some(Arc::new(opened)))
}

/// The processors of each game at once, where games have their own.
pub(crate) fn cpu_sets(loaded: &LoadedMatch, source: &Source) -> Result<Vec<CpuSet>, ConfigError> {
    let LoadedMatch { config, execution, .. } = loaded;
    if execution.affinity == Affinity::Off {
        return Ok(Vec::new());
    }
    let sets = Topology::of_this_machine().sets(execution.concurrency, config.threads());
    sets.map_err(|error| source.complain(Problem::new(FieldPath::root().key("affinity"), error.to_string())))
}

/// The openings of the run, which stand in a field of `parent`; a bad book is a mistake in the configuration that names it.
pub(crate) fn load_book(
    openings: &OpeningsConfig,
    variant: Variant,
    parent: &FieldPath,
    source: &Source,
) -> Result<OpeningBook, ConfigError> {
    let complain =
        |message: String| source.complain(Problem::new(parent.key("openings").key("file"), message));
    let book =
        OpeningBook::load(&openings.file, openings.format, openings.order, openings.seed, openings.start)
            .map_err(|error| complain(format!("{:#}", anyhow::Error::from(error))))?;
    if book.is_chess960() && variant == Variant::Standard {
        return Err(complain("has Chess960 positions: set `variant: chess960`".to_owned()));
    }
    Ok(book)
}
