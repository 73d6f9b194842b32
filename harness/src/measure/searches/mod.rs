//! Searches of fixed positions by engines, as a run of the executor.
//!
//! Every engine searches every position, at every number of threads and in every repetition, each
//! time after `ucinewgame`. Searches that are compared with each other follow each other in time, in
//! an order that rotates ([`order`]), so that other load on the machine affects them equally. [`SearchPlay`] does
//! the searches and [`SearchStudy`] reports on them; `smp`, `bench` and `ablate` evaluate them, each as a [`Measurement`].

pub(crate) mod command;
pub(crate) mod config;
pub(crate) mod counted;
mod disturbance;
mod measurement;
mod notices;
mod order;
mod placement;
mod play;
pub(crate) mod record;
mod study;
mod worker;

use std::path::Path;

use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;
use thiserror::Error;

pub(crate) use config::SearchesConfig;
use counted::{CountError, Counter};
pub(crate) use measurement::{Job, Measurement, SearchSummary, stored_positions};
pub(crate) use order::SearchOrder;
pub(crate) use placement::Load;
pub(crate) use play::SearchPlay;
pub(crate) use record::SearchRecord;
pub(crate) use study::{SearchStudy, is_cpu_time_incomplete};

use crate::base::cancel::Cancel;
use crate::base::epd;
use crate::base::system::control_group::memory_limit;
use crate::base::wording::counted;
use crate::config::{EngineConfig, FieldPath, Problem, Variant};
use crate::pool::{EngineError, PreflightError, Setup, try_engine};
use crate::uci::{Launcher, OptionCheck, OptionDecl, OptionKind, check_option};

/// An error that ends a measurement. All finished searches are in the journal.
#[derive(Debug, Error)]
pub(crate) enum SearchesError {
    /// The engine could not be started.
    #[error(transparent)]
    Start(#[from] EngineError),
    /// The instructions of a search could not be counted.
    #[error(transparent)]
    Count(#[from] CountError),
    /// An engine failed during a search; a measurement must be complete.
    #[error("{name}{load} failed on position {position}: {how} (see {file})")]
    Engine {
        /// Name of the engine.
        name: String,
        /// Its number of threads or processes.
        load: Load,
        /// Number of the position, from 1.
        position: usize,
        /// Description of the failure.
        how: String,
        /// The file with the dialogue.
        file: String,
    },
}

/// A file of positions that cannot be used.
#[derive(Debug, Error)]
#[error("{file}: {what}")]
pub(crate) struct PositionsError {
    file: String,
    what: String,
}

/// Reads positions as FEN, at most the first `count`. Errors: an unreadable file or line, a Chess960
/// position, or fewer than `count` positions.
pub(crate) fn load_positions(path: &Path, count: Option<usize>) -> Result<Vec<String>, PositionsError> {
    let fail = |what: String| PositionsError { file: path.display().to_string(), what };
    let bytes = std::fs::read(path).map_err(|error| fail(format!("cannot read it: {error}")))?;
    let mut fens = Vec::new();
    for (index, line) in epd::lines(&bytes).enumerate() {
        let Some(read) = epd::parse(line) else { continue };
        let read = read.map_err(|error| fail(format!("line {}: {error}", index + 1)))?;
        if !read.castling.is_standard() {
            return Err(fail(format!(
                "line {}: expected standard chess, found castling of Chess960",
                index + 1
            )));
        }
        fens.push(Fen::from_position(&read.position, EnPassantMode::Legal).to_string());
    }
    if fens.is_empty() {
        return Err(fail("expected at least one position".to_owned()));
    }
    let asked = count.unwrap_or(fens.len());
    if fens.len() < asked {
        return Err(fail(format!("expected {asked} positions, found {}", fens.len())));
    }
    fens.truncate(asked);
    Ok(fens)
}

/// One search of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Search {
    pub(crate) engine: usize,
    /// Index into the loads.
    pub(crate) load: usize,
    pub(crate) position: usize,
    pub(crate) repetition: u32,
}

/// The searches of a measurement, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// Number of engines measured.
    pub engines: usize,
    /// Loads measured with each engine. Shape: at least one.
    pub loads: Vec<Load>,
    /// Number of positions searched.
    pub positions: usize,
    /// Searches of each position by each engine with each load.
    pub repetitions: u32,
}

impl Grid {
    /// Returns the number of searches.
    pub(crate) fn searches(&self) -> usize {
        self.repetitions as usize * self.pass()
    }

    /// Returns the number of searches of one position in one repetition.
    fn round(&self) -> usize {
        self.engines * self.loads.len()
    }

    /// Returns the number of searches of all positions in one repetition.
    pub(crate) fn pass(&self) -> usize {
        self.positions * self.round()
    }

    /// Returns the search with this number. All searches of a position in a repetition follow each
    /// other.
    pub(crate) fn search(&self, index: usize) -> Search {
        let (round, place) = (index / self.round(), index % self.round());
        let (repetition, position) = (round / self.positions, round % self.positions);
        let member = order::member(place, self.round(), position + repetition);
        Search {
            engine: member % self.engines,
            load: member / self.engines,
            position,
            repetition: repetition as u32,
        }
    }

    /// Returns the load of a search.
    pub(crate) fn load_of(&self, search: Search) -> Load {
        self.loads[search.load]
    }
}

/// The searches of a measurement with everything needed to run them.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The engines to measure.
    pub engines: Vec<EngineConfig>,
    /// Loads measured with each engine, as in [`Grid::loads`].
    pub loads: Vec<Load>,
    /// Positions in FEN notation.
    pub positions: Vec<String>,
    /// Limits, repetitions and timeouts.
    pub config: SearchesConfig,
    /// Counts the instructions of each search, if that is asked for.
    pub counter: Option<Counter>,
    /// Starts the engine processes.
    pub launcher: Launcher,
    /// Cancels the run when raised.
    pub cancel: Cancel,
    /// Number of logical CPUs that the run may use.
    pub processors: usize,
}

impl Plan {
    fn setup(&self) -> Setup {
        let SearchesConfig { watchdog, times, .. } = self.config;
        // Without times, a suspended harness does not affect the result.
        Setup::new(self.launcher.clone(), watchdog, Variant::Standard, times, self.cancel.clone())
    }

    /// Starts the first engine and returns the options that it declares.
    pub(crate) fn declared(&self) -> Result<Vec<OptionDecl>, PreflightError> {
        let path = FieldPath::root().key("engine");
        let first =
            self.engines.first().map(|engine| try_engine(engine, &path, &self.setup())).transpose()?;
        Ok(first.map(|trial| trial.options).unwrap_or_default())
    }

    /// Starts and ends every engine once and checks its options, before the run folder is created.
    ///
    /// Returns the `id name`s, and warnings for the user.
    pub(crate) fn trial(&self) -> Result<(Vec<String>, Vec<String>), PreflightError> {
        let setup = self.setup();
        let (mut id_names, mut warnings, mut hashes) = (Vec::new(), Vec::new(), Vec::new());
        for (index, engine) in self.engines.iter().enumerate() {
            let path = FieldPath::root().key("engines").index(index);
            let trial = try_engine(engine, &path, &setup)?;
            let most = self.loads.iter().filter_map(|load| load.threads_of_each()).max();
            if let Some(refusal) = most.and_then(|most| refuse_threads(&trial.options, most)) {
                return Err(PreflightError::Option(Problem::new(path, refusal)));
            }
            hashes.push(hash_size(engine, &trial.options));
            id_names.push(trial.id_name);
            warnings.extend(trial.warnings);
        }
        let limit = memory_limit();
        if let Some(refusal) = limit.and_then(|limit| self.refuse_hash(&hashes, limit)) {
            return Err(PreflightError::Option(refusal));
        }
        warnings.extend(limit.and_then(|limit| self.memory_notice(&hashes, limit)));
        Ok((id_names, warnings))
    }

    /// Returns an error message if the hash tables of all processes exceed the memory. `hashes` are
    /// the sizes for each engine. Units: mebibytes.
    fn refuse_hash(&self, hashes: &[u64], memory: u64) -> Option<Problem> {
        // Processes are kept from search to search, of every engine.
        let processes = self.loads.iter().map(|load| load.processes()).max().unwrap_or(1);
        let processes = processes.saturating_mul(self.config.concurrency) as u64;
        let all = hashes.iter().fold(0_u64, |sum, hash| sum.saturating_add(hash.saturating_mul(processes)));
        let (index, hash) = hashes.iter().enumerate().max_by_key(|(_, hash)| **hash)?;
        (all > memory).then(|| {
            let path = FieldPath::root().key("engines").index(index).key("options").key(HASH);
            let count = counted((processes as usize).saturating_mul(hashes.len()), "process");
            let message = format!(
                "{hash}: the hash tables of {count} need {all} MiB, and this machine or control group has {memory} MiB"
            );
            Problem::new(path, message)
        })
    }
}

impl Plan {
    /// Returns a notice if hash tables and threads of all processes exceed the memory. Unlike the size of a table, that of a
    /// thread is an estimate, so nothing is refused. `hashes` are the sizes for each engine. Units: mebibytes.
    fn memory_notice(&self, hashes: &[u64], memory: u64) -> Option<String> {
        let need = |(engine, &hash): (&EngineConfig, &u64)| {
            let of_load = |load: &Load| {
                let threads =
                    load.threads_of_each().map_or_else(|| engine.threads(), |threads| threads as usize);
                EngineConfig::memory(hash, threads as u64).saturating_mul(load.processes() as u64)
            };
            self.loads.iter().map(of_load).max().unwrap_or(0)
        };
        let of_engines = self.engines.iter().zip(hashes).map(need).fold(0, u64::saturating_add);
        let all = of_engines.saturating_mul(self.config.concurrency as u64);
        (all > memory).then(|| {
            format!(
                "hash tables and threads of all engines need about {all} MiB, and this machine or control group has {memory} MiB: \
                 engines may be killed; a smaller Hash, fewer threads or fewer searches at once need less"
            )
        })
    }
}

/// The UCI option of the size of the hash table.
const HASH: &str = "Hash";

/// Returns the size of an engine's hash table, as configured or declared; 0 if unknown. Units:
/// mebibytes.
fn hash_size(engine: &EngineConfig, declared: &[OptionDecl]) -> u64 {
    let default = || {
        let known = declared.iter().find(|option| option.name.eq_ignore_ascii_case(HASH))?;
        match known.kind {
            OptionKind::Spin { default, .. } => u64::try_from(default?).ok(),
            _ => None,
        }
    };
    engine.hash().or_else(default).unwrap_or(0)
}

/// Returns an error message if an engine with these options cannot use `most` threads.
pub(crate) fn refuse_threads(options: &[OptionDecl], most: u32) -> Option<String> {
    match check_option(options, &placement::threads_option(most)) {
        OptionCheck::Fits => None,
        OptionCheck::Unknown if most == 1 => None,
        OptionCheck::Unknown => Some("the engine declares no option Threads".to_owned()),
        OptionCheck::Refused(expected) => {
            Some(format!("its option Threads does not accept {most}: expected {expected}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_search_has_one_number() {
        let loads = vec![Load::AsConfigured, Load::Threads(std::num::NonZeroU32::MIN)];
        let grid = Grid { engines: 2, loads, positions: 4, repetitions: 2 };
        let of = |index| {
            let Search { engine, load, position, repetition } = grid.search(index);
            (engine, load, position, repetition)
        };
        let found: std::collections::BTreeSet<_> = (0..grid.searches()).map(of).collect();
        assert_eq!(found.len(), grid.searches());
    }
}
