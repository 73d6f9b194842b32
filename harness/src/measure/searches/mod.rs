//! Searches of positions by engines, planned beforehand and done side by side.
//!
//! Every position is searched by every engine, at every number of threads if there are several, as
//! often as asked, each time from a fresh `ucinewgame`. Searches that are compared with each other
//! follow each other in time, in alternating order, so that other load on the machine affects all
//! alike. [`SearchRun`] is the experiment that the executor runs; `smp`, `bench` and `ablate`
//! evaluate the searches, each as a [`Measurement`].

pub(crate) mod command;
pub(crate) mod config;
mod load;
pub(crate) mod quick_searches;
mod record;
mod run;
mod view;
mod worker;

use std::path::Path;

use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;
use thiserror::Error;

pub use config::SearchesConfig;
pub use load::Load;
pub use record::{Counters, Reached, SEARCH_VERSION, SearchRecord};
pub use run::{Measurement, SearchRun, SearchState, stored_positions};

use crate::base::cancel::Cancel;
use crate::base::epd;
use crate::config::{EngineConfig, FieldPath, Problem, Variant};
use crate::play::matches::{PreflightError, RunError, Setup, try_engine};
use crate::uci::{Launcher, OptionCheck, OptionDecl, check_option};

/// Why searches could not be brought to their end. Everything found so far is saved.
#[derive(Debug, Error)]
pub enum SearchesError {
    /// An engine, or the machine.
    #[error(transparent)]
    Run(#[from] RunError),
    /// An engine failed; a measurement with holes would be another one.
    #[error("{name}{load} failed on position {position}: {how} (see {file})")]
    Engine {
        /// Its name.
        name: String,
        /// How many threads it had.
        load: Load,
        /// Which position, from 1.
        position: usize,
        /// What it did.
        how: String,
        /// The file with the dialogue.
        file: String,
    },
}

/// Why there are no positions.
#[derive(Debug, Error)]
#[error("{file}: {what}")]
pub struct PositionsError {
    file: String,
    what: String,
}

/// Reads positions, all of standard chess, as FEN; the first `count` of them if one is named.
pub fn load_positions(path: &Path, count: Option<usize>) -> Result<Vec<String>, PositionsError> {
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
    let asked = count.unwrap_or(fens.len().max(1));
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

/// Which searches there are, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// How many engines search.
    pub engines: usize,
    /// What each searches with. Shape: at least one.
    pub loads: Vec<Load>,
    /// How many positions there are.
    pub positions: usize,
    /// Searches of each position by each engine at each number of threads.
    pub repetitions: u32,
}

impl Grid {
    /// How many searches there are.
    pub fn searches(&self) -> usize {
        self.repetitions as usize * self.pass()
    }

    /// Searches of one position in one repetition.
    fn round(&self) -> usize {
        self.engines * self.loads.len()
    }

    /// Searches of all positions in one repetition.
    pub fn pass(&self) -> usize {
        self.positions * self.round()
    }

    /// The search with this number. All searches of a position in a repetition follow each other, in every second
    /// round the other way about.
    pub(crate) fn search(&self, index: usize) -> Search {
        let (round, mut place) = (index / self.round(), index % self.round());
        if round % 2 == 1 {
            place = self.round() - 1 - place;
        }
        Search {
            engine: place % self.engines,
            load: place / self.engines,
            position: round % self.positions,
            repetition: (round / self.positions) as u32,
        }
    }

    /// What a search is done with.
    pub(crate) fn load_of(&self, search: Search) -> Load {
        self.loads[search.load]
    }
}

/// What is to be searched, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Who searches.
    pub engines: Vec<EngineConfig>,
    /// What each searches with, as in [`Grid::loads`].
    pub loads: Vec<Load>,
    /// As FEN.
    pub positions: Vec<String>,
    /// Limits, repetitions, what is waited for.
    pub config: SearchesConfig,
    /// How engines are started.
    pub launcher: Launcher,
    /// Raised to stop.
    pub cancel: Cancel,
}

impl Plan {
    /// The searches by their numbers.
    pub fn grid(&self) -> Grid {
        Grid {
            engines: self.engines.len(),
            loads: self.loads.clone(),
            positions: self.positions.len(),
            repetitions: self.config.repetitions.get(),
        }
    }

    fn setup(&self) -> Setup {
        Setup {
            launcher: self.launcher.clone(),
            watchdog: self.config.watchdog,
            variant: Variant::Standard,
            // Where times do not matter a sleep of the harness harms nothing.
            is_timed: self.config.times,
            logs: None,
            cancel: self.cancel.clone(),
        }
    }

    /// The options that the first engine declares.
    pub fn declared(&self) -> Result<Vec<OptionDecl>, PreflightError> {
        let path = FieldPath::root().key("engine");
        let first =
            self.engines.first().map(|engine| try_engine(engine, &path, &self.setup())).transpose()?;
        Ok(first.map(|trial| trial.options).unwrap_or_default())
    }

    /// Starts every engine once, checks its options, and ends it again, before anything is written.
    ///
    /// Returns what they call themselves, and warnings for the user.
    pub fn trial(&self) -> Result<(Vec<String>, Vec<String>), PreflightError> {
        let setup = self.setup();
        let (mut id_names, mut warnings) = (Vec::new(), Vec::new());
        for (index, engine) in self.engines.iter().enumerate() {
            let path = FieldPath::root().key("engines").index(index);
            let trial = try_engine(engine, &path, &setup)?;
            let most = self.loads.iter().filter_map(|load| load.threads_of_each()).max();
            if let Some(refusal) = most.and_then(|most| refuse_threads(&trial.options, most)) {
                return Err(PreflightError::Option(Problem::new(path, refusal)));
            }
            id_names.push(trial.id_name);
            warnings.extend(trial.warnings);
        }
        Ok((id_names, warnings))
    }
}

/// Why an engine that declared these options cannot have so many threads.
fn refuse_threads(options: &[OptionDecl], most: u32) -> Option<String> {
    match check_option(options, &worker::threads_option(most)) {
        OptionCheck::Fits => None,
        OptionCheck::Unknown if most == 1 => None,
        OptionCheck::Unknown => Some("it declares no option Threads".to_owned()),
        OptionCheck::Refused(expected) => {
            Some(format!("its option Threads does not take {most}: expected {expected}"))
        }
    }
}
