//! Matches that are parts of a larger run, each in its own subfolder.

use std::sync::Arc;

use crate::base::cancel::Cancel;
use crate::base::cpus::CpuSet;
use crate::config::Variant;
use crate::play::matches::{Equipment, Execution, MatchConfig, MatchPlay, MatchStudy, OptionSource, Summary};
use crate::play::openings::{Opening, OpeningBook};
use crate::play::record::GameRecord;
use crate::play::referee::{Board, Tables};
use crate::run::command::{Failure, say};
use crate::run::executor::{Launch, execute};
use crate::run::session::KeptRun;
use crate::run::{RunFolder, read_journal};
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
    pub(crate) fn play(&self, name: &str, config: &MatchConfig) -> Result<Summary, Failure> {
        self.play_with(name, config, None)
    }

    /// Plays the missing games of one match with options that differ from pair to pair.
    pub(crate) fn play_with(
        &self,
        name: &str,
        config: &MatchConfig,
        option_source: Option<Arc<dyn OptionSource>>,
    ) -> Result<Summary, Failure> {
        let part = self.folder.part(name).map_err(anyhow::Error::from)?;
        let equipment = Equipment {
            book: self.book.clone(),
            launcher: self.launcher.clone(),
            tables: self.tables.clone(),
            cpu_sets: self.cpu_sets.clone(),
            outputs: Arc::default(),
            cancel: self.cancel.clone(),
        };
        let study =
            MatchStudy::new(config.clone(), self.execution).map_err(|error| self.run.stopped(error))?;
        let study = match option_source {
            Some(source) => study.with_options(source),
            None => study,
        };
        // The notices of the run were shown when it began.
        let launch = Launch { run: self.run, folder: &part, notices: &[], interval: None };
        let summary = execute(&MatchPlay::new(study, equipment), &launch)?.summary;
        say(summary.report().trim_end());
        Ok(summary)
    }

    /// Whether the stored games of a match were played from the openings of `config`; true without games.
    pub(crate) fn has_openings_of(&self, name: &str, config: &MatchConfig) -> Result<bool, Failure> {
        let journal = self.folder.part(name).map_err(anyhow::Error::from)?.journal();
        if !journal.exists() {
            return Ok(true);
        }
        let book = self.book_of(config);
        let mut has_all = true;
        let read = read_journal(&journal, |game: GameRecord| {
            let opening = book.opening(config.opening(game.pair, game.half));
            has_all &= is_from(&game, opening, config.variant);
            Ok(())
        });
        read.map_err(anyhow::Error::from)?;
        Ok(has_all)
    }

    /// Returns the openings of one match.
    fn book_of(&self, config: &MatchConfig) -> OpeningBook {
        self.book.clone().starting_at(config.openings.start)
    }
}

/// Whether a game was played from this opening.
fn is_from(game: &GameRecord, opening: &Opening, variant: Variant) -> bool {
    Board::after(opening, variant)
        .is_ok_and(|(board, moves)| board.start_fen == game.fen && moves == game.book)
}
