//! Matches that are parts of a larger run, each in its own subfolder.

use std::sync::Arc;

use crate::base::cancel::Cancel;
use crate::base::cpus::CpuSet;
use crate::play::matches::{Equipment, Execution, MatchConfig, MatchRun, MatchSummary, OptionSource};
use crate::play::openings::OpeningBook;
use crate::play::referee::Tables;
use crate::run::RunFolder;
use crate::run::command::{Failure, say};
use crate::run::executor::{Launch, execute};
use crate::run::session::KeptRun;
use crate::uci::Launcher;

/// Resources shared by the matches of a run.
pub(crate) struct Parts<'a> {
    pub(crate) folder: &'a RunFolder,
    pub(crate) run: &'a KeptRun,
    pub(crate) execution: Execution,
    /// The openings. Each match begins with the one that its own configuration has as `start`.
    pub(crate) book: OpeningBook,
    pub(crate) launcher: Launcher,
    /// Endgame tables that adjudicate games.
    pub(crate) tables: Option<Arc<Tables>>,
    /// The processors of each concurrent game; empty if games are not pinned.
    pub(crate) cpu_sets: Vec<CpuSet>,
    pub(crate) cancel: Cancel,
}

impl Parts<'_> {
    /// Plays the missing games of one match.
    pub(crate) fn play(&self, name: &str, config: &MatchConfig) -> Result<MatchSummary, Failure> {
        self.play_with(name, config, None)
    }

    /// Plays the missing games of one match with options that differ from pair to pair.
    pub(crate) fn play_with(
        &self,
        name: &str,
        config: &MatchConfig,
        option_source: Option<Arc<dyn OptionSource>>,
    ) -> Result<MatchSummary, Failure> {
        let part = self.folder.part(name).map_err(anyhow::Error::from)?;
        let equipment = Equipment {
            book: self.book_of(config),
            launcher: self.launcher.clone(),
            tables: self.tables.clone(),
            option_source,
            cpu_sets: self.cpu_sets.clone(),
            outputs: Arc::default(),
        };
        let experiment = MatchRun::new(config.clone(), self.execution, equipment, self.cancel.clone())
            .map_err(|error| self.run.stopped(error))?;
        // The notices of the run were shown when it began.
        let launch = Launch { run: self.run, folder: &part, notices: &[], interval: None };
        let summary = execute(&experiment, &launch)?.summary;
        say(summary.report().trim_end());
        Ok(summary)
    }

    /// Returns the openings of one match.
    fn book_of(&self, config: &MatchConfig) -> OpeningBook {
        self.book.clone().starting_at(config.openings.start)
    }
}
