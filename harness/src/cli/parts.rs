//! Matches that are parts of a larger run, each in a folder of its own below that of the run.

use std::path::Path;
use std::sync::Arc;

use super::Failure;
use super::session::KeptRun;
use crate::cancel::Cancel;
use crate::config::MatchConfig;
use crate::cpus::CpuSet;
use crate::openings::OpeningBook;
use crate::progress::Display;
use crate::referee::Tables;
use crate::runner::{self, Dealer, Job, Observer, Progress, Records, Summary};
use crate::store::{GameRecord, RunFolder};
use crate::uci_client::Launcher;

/// What all matches of a run have in common.
pub(super) struct Parts<'a> {
    pub(super) folder: &'a RunFolder,
    pub(super) run: &'a KeptRun,
    pub(super) book: OpeningBook,
    pub(super) launcher: Launcher,
    /// Endgame tables that decide games.
    pub(super) tables: Option<Arc<Tables>>,
    /// The processors of each game at once; empty where games run anywhere.
    pub(super) cpu_sets: Vec<CpuSet>,
    pub(super) cancel: Cancel,
}

impl Parts<'_> {
    /// Plays what is missing of one match.
    pub(super) fn play(&self, name: &str, config: &MatchConfig) -> Result<Summary, Failure> {
        self.play_dealt(name, config, None, &|| None)
    }

    /// The same with engines that are told more before each pair; `news` is asked after each, and told if there is any.
    pub(super) fn play_dealt(
        &self,
        name: &str,
        config: &MatchConfig,
        dealer: Option<Arc<dyn Dealer>>,
        news: &dyn Fn() -> Option<String>,
    ) -> Result<Summary, Failure> {
        let part = self.folder.part(name).map_err(anyhow::Error::from)?;
        let path = part.path().to_path_buf();
        let job = Job {
            config: config.clone(),
            book: self.book.clone(),
            launcher: self.launcher.clone(),
            tables: self.tables.clone(),
            dealer,
            cpu_sets: self.cpu_sets.clone(),
            cancel: self.cancel.clone(),
        };
        let mut records = Records::open(part, &job.config).map_err(anyhow::Error::from)?;
        let mut display = Display::new(&job.config, self.run.is_json);
        display.start(&path, records.games.len());
        if records.torn_bytes > 0 {
            let bytes = records.torn_bytes;
            display.notice(&format!("cut {bytes} bytes of an unfinished game off the journal"));
        }
        let mut listener = Listener { display: &mut display, news };
        let summary = runner::run(&job, &mut records, &mut listener).map_err(|error| {
            display.abandon();
            self.run.stopped(error)
        })?;
        display.finish(&summary);
        super::say(summary.report().trim_end());
        Ok(summary)
    }
}

/// A display that also tells news of the run that a match is part of.
struct Listener<'a> {
    display: &'a mut Display,
    news: &'a dyn Fn() -> Option<String>,
}

impl Observer for Listener<'_> {
    fn game(&mut self, game: &GameRecord, fault: Option<&Path>) {
        self.display.game(game, fault);
    }

    fn notice(&mut self, text: &str) {
        self.display.notice(text);
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        self.display.progress(progress);
        if let Some(news) = progress.is_new_pair.then(self.news).flatten() {
            self.display.notice(&news);
        }
    }
}
