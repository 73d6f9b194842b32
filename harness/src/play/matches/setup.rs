//! Preparation of a match: openings, endgame tables, processors, and warnings about its
//! configuration.

use std::sync::Arc;

use super::config::{Affinity, Execution, MatchConfig, RunKind};
use crate::base::cpus::{CAN_PIN, CpuSet, Topology, overload_notice, surplus_notice, undisturbed_threads};
use crate::base::system::files::file_limit;
use crate::base::wording::counted;
use crate::config::{ConfigError, EngineConfig, FieldPath, Problem, Source, Variant};
use crate::play::openings::{Opening, OpeningBook, OpeningsConfig};
use crate::play::referee::Tables;
use stretto::machine::control_group::memory_limit;

/// Maximum number of running engines per worker. Each occupies memory for its hash table; with
/// fewer, small tournaments would restart engines often.
pub(super) const MAX_RUNNING: usize = 6;
/// Open files of the harness besides those of the games: its own, and those that it inherits.
const OTHER_FILES: usize = 32;

/// Returns a notice if one engine's clock counts nodes and another's counts time.
pub(crate) fn clock_notice(config: &MatchConfig) -> Option<String> {
    let nodes = config.engines.iter().find(|engine| engine.node_clock().is_some())?;
    let time = config.engines.iter().find(|engine| engine.is_timed())?;
    Some(format!(
        "the clock of {} counts nodes, that of {} real time: the two cannot be compared, and the result depends on the machine",
        nodes.name, time.name
    ))
}

/// Checks that this process may have as many files open as the games at once need: the pipes of the engines that each place
/// keeps running and of one that starts, and their logs.
///
/// Errors: it may not. Engines could not be started in the middle of the run.
pub(crate) fn check_open_files(
    config: &MatchConfig,
    execution: &Execution,
    source: &Source,
) -> Result<(), ConfigError> {
    let running = config.engines.len().min(MAX_RUNNING);
    let each = 3 * (running + 1) + if execution.logs { running } else { 0 };
    let pairs = config.max_pairs().and_then(|pairs| usize::try_from(pairs).ok());
    let games = execution.concurrency.min(pairs.unwrap_or(usize::MAX));
    let need = games * each + OTHER_FILES;
    let Some(limit) = file_limit().filter(|&limit| limit < need as u64) else { return Ok(()) };
    let possible = (limit as usize).saturating_sub(OTHER_FILES) / each;
    let fewer = if possible > 0 { format!(", or set `-j {possible}`") } else { String::new() };
    let games = counted(games, "game");
    let message = format!(
        "{games} at once need {need} open files, and the limit is {limit}: raise it with `ulimit -n {need}`{fewer}"
    );
    Err(source.complain(Problem::new(FieldPath::root().key("concurrency"), message)))
}

/// Returns the notices on a match for which this machine has too little memory or too few processors. `games` are played at once.
pub(crate) fn machine_notices(config: &MatchConfig, games: usize) -> Vec<String> {
    let available = num_cpus::get();
    let load = if config.is_timed() {
        overload_notice(games, "game", config.threads(), (undisturbed_threads(), "core"))
    } else {
        surplus_notice(games, "game", available)
    };
    let memory = memory_notice(&config.engines, MAX_RUNNING, games, memory_limit().map(|limit| limit.0));
    memory.into_iter().chain(load).collect()
}

/// Returns a notice if the engines that run at once need more than `memory` for their hash tables and threads. Each of
/// `concurrency` workers keeps at most `running` engines. An engine counts without a hash table if none is configured. Units:
/// mebibytes.
pub(crate) fn memory_notice<'a>(
    engines: impl IntoIterator<Item = &'a EngineConfig>,
    running: usize,
    concurrency: usize,
    memory: Option<u64>,
) -> Option<String> {
    let memory = memory?;
    let size =
        |engine: &EngineConfig| EngineConfig::memory(engine.hash().unwrap_or(0), engine.threads() as u64);
    let mut sizes: Vec<u64> = engines.into_iter().map(size).collect();
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    sizes.truncate(running);
    let of_worker = sizes.iter().fold(0_u64, |sum, &size| sum.saturating_add(size));
    let all = of_worker.saturating_mul(concurrency as u64);
    (all > memory).then(|| {
        format!(
            "hash tables and threads of {} need about {all} MiB, and this machine or control group has {memory} MiB: engines \
             may be killed; a smaller Hash, fewer Threads or a lower concurrency need less",
            counted(sizes.len().saturating_mul(concurrency), "engine")
        )
    })
}

/// Returns notices on openings that are played more than once or skipped in vain.
pub(crate) fn book_notices(config: &MatchConfig, book: &OpeningBook) -> Vec<String> {
    let (file, len, start) = (config.openings.file.display(), book.len() as u64, config.openings.start);
    let openings = counted(book.len(), "opening");
    let mut notices = Vec::new();
    if start >= len {
        notices.push(format!(
            "openings.start: {start}: {file} has {openings}; the book starts again, and {} are skipped",
            start % len
        ));
    }
    if config.max_openings().is_none_or(|most| most > len) {
        let consequence = match (config.kind, config.is_timed()) {
            // Settings differ from pair to pair.
            (_, true) | (RunKind::Tune | RunKind::Screen, _) => "further pairs repeat them",
            (RunKind::Sprt, false) => {
                "the test ends undecided when pairs with the same opening repeat their games; more openings (`--openings`) or a clock prevent that"
            }
            (_, false) => "further pairs repeat them, and without a clock perhaps their games",
        };
        notices.push(format!("{file} has {openings}; {consequence}"));
    }
    notices
}

/// Finds the endgame tables that adjudicate games, if any are configured.
pub(crate) fn endgame_tables(
    config: &MatchConfig,
    source: &Source,
) -> Result<Option<Arc<Tables>>, ConfigError> {
    let Some(tables) = &config.tablebases else { return Ok(None) };
    let opened = Tables::open(tables).map_err(|error| {
        source.complain(Problem::new(FieldPath::root().key("tablebases").key("syzygy"), error.to_string()))
    })?;
    Ok(Some(Arc::new(opened)))
}

/// Returns the processors of each concurrent game; empty if games are not pinned.
pub(crate) fn cpu_sets(
    config: &MatchConfig,
    execution: &Execution,
    source: &Source,
) -> Result<Vec<CpuSet>, ConfigError> {
    if execution.affinity == Affinity::Off {
        return Ok(Vec::new());
    }
    let complain =
        |message: String| source.complain(Problem::new(FieldPath::root().key("affinity"), message));
    if !CAN_PIN {
        return Err(complain("engines are pinned to processors on Linux only: expected off".to_owned()));
    }
    let sets = Topology::of_this_machine().sets(execution.concurrency, config.threads());
    sets.map_err(complain)
}

/// Loads the openings of the run, which are configured in a field of `parent`.
///
/// Errors: the book is invalid or does not fit the variant.
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
            .map_err(|error| complain(format!("{error:#}")))?;
    if let Some(first) = book.first_chess960().filter(|_| variant == Variant::Standard) {
        let Opening { line, fen, .. } = first;
        return Err(complain(format!(
            "line or game {line}, `{fen}`: castling as in Chess960: set `variant: chess960`, or correct its rights"
        )));
    }
    Ok(book)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Limits;

    #[test]
    fn hash_tables_and_threads_beyond_the_memory_have_a_notice() {
        let engine = |hash: u64, threads: u64| {
            let options = [("Hash", hash), ("Threads", threads)]
                .map(|(name, value)| (name.to_owned(), Some(value.to_string())));
            EngineConfig::of_words("sh", None, &[], &options, Limits::default()).unwrap()
        };
        let engines = |sizes: &[u64]| sizes.iter().map(|&hash| engine(hash, 1)).collect::<Vec<_>>();
        let notice = memory_notice(&engines(&[512, 1024]), MAX_RUNNING, 16, Some(16_384)).unwrap();
        assert!(
            notice
                .starts_with("hash tables and threads of 32 engines need about 24672 MiB, and this machine"),
            "{notice}"
        );
        assert_eq!(memory_notice(&engines(&[512, 512]), MAX_RUNNING, 16, Some(16_480)), None);
        assert_eq!(
            memory_notice(&engines(&[512, 1024]), MAX_RUNNING, 16, None),
            None,
            "the memory is unknown"
        );
        // Each of 32 engines has 256 threads of 3 MiB.
        let many = [engine(64, 256), engine(64, 256)];
        assert_eq!(memory_notice(&many, MAX_RUNNING, 16, Some(32 * (64 + 768))), None);
        assert!(memory_notice(&many, MAX_RUNNING, 16, Some(32 * (64 + 768) - 1)).is_some());
        // A worker of a tournament keeps six engines.
        assert_eq!(memory_notice(&engines(&[64; 20]), MAX_RUNNING, 1, Some(6 * 67)), None);
        assert!(memory_notice(&engines(&[u64::MAX; 2]), MAX_RUNNING, 2, Some(1)).is_some());
    }
}
