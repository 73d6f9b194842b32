//! The collector: saves, counts and shows the records that the workers send.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::ledger::Ledger;
use super::outbox::{Evidence, Message, Shared};
use super::{CompanionFiles, ExecuteError, Experiment, Notice, Progress, View};
use crate::run::console::Screen;
use crate::run::live::LiveStatus;
use crate::run::{Entry, RunFolder, RunState, StoreError};

/// Interval of the display while no record arrives.
const TICK: Duration = Duration::from_millis(200);
/// Interval at which `live.json` is renewed.
const LIVE_INTERVAL: Duration = Duration::from_millis(500);
/// Interval of journal syncs.
const SYNC_INTERVAL: Duration = Duration::from_secs(5);
/// Interval at which `summary.json` is renewed.
const SUMMARY_INTERVAL: Duration = Duration::from_secs(10);
/// Least time between two notices on the result so far.
const NEWS_INTERVAL: Duration = Duration::from_secs(30);

/// A record that has arrived and is not saved yet.
type Arrived<E> = (
    Box<<E as Experiment>::Record>,
    <<E as Experiment>::Files as CompanionFiles<<E as Experiment>::Record>>::Payload,
    Option<Evidence>,
);

/// A function that sees each record of this session.
pub(super) type Watch<'a, E> = &'a mut dyn FnMut(&<E as Experiment>::Record);

/// Saves, counts and shows.
pub(super) struct Collector<'a, E: View> {
    shared: &'a Shared<'a, E>,
    ledger: &'a mut Ledger<E>,
    screen: &'a mut Screen,
    watch: Watch<'a, E>,
    /// Records that arrived before their turn.
    early: BTreeMap<u64, Arrived<E>>,
    /// Units done by earlier sessions.
    units_before: u64,
    failed_starts: u32,
    /// Whether the records decide, so that no task is begun any more.
    is_closed: bool,
}

impl<'a, E: View> Collector<'a, E> {
    pub(super) fn new(
        shared: &'a Shared<'a, E>,
        ledger: &'a mut Ledger<E>,
        screen: &'a mut Screen,
        watch: Watch<'a, E>,
        is_closed: bool,
    ) -> Self {
        let units_before = shared.experiment.units(&ledger.state);
        let early = BTreeMap::new();
        Self { shared, ledger, screen, watch, early, units_before, failed_starts: 0, is_closed }
    }

    /// Handles messages until every worker is gone.
    pub(super) fn collect(&mut self, messages: &Receiver<Message<E>>) -> Result<(), ExecuteError<E::Error>> {
        let (start, experiment) = (self.shared.begun, self.shared.experiment);
        let (mut last_sync, mut last_summary, mut last_news, mut last_live) = (start, start, start, start);
        let mut is_stop_shown = false;
        loop {
            if !is_stop_shown && experiment.cancel().is_cancelled() {
                is_stop_shown = true;
                self.screen.notice(E::STOPPING);
            }
            let is_unit = match messages.recv_timeout(TICK) {
                Ok(message) => self.handle(message)?,
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            self.show_progress(is_unit);
            if E::LIVE_SUMMARY && last_live.elapsed() >= LIVE_INTERVAL {
                last_live = Instant::now();
                self.write_live();
            }
            if is_unit
                && last_news.elapsed() >= NEWS_INTERVAL
                && let Some(news) = experiment.news()
            {
                last_news = Instant::now();
                self.screen.notice(&news);
            }
            if last_sync.elapsed() >= SYNC_INTERVAL {
                last_sync = Instant::now();
                self.ledger.sync()?;
            }
            if E::LIVE_SUMMARY && last_summary.elapsed() >= SUMMARY_INTERVAL {
                last_summary = Instant::now();
                let summary = experiment.summarize(&self.ledger.state, RunState::Running);
                self.shared.folder.write_summary(&summary)?;
            }
        }
    }

    /// Handles one message; returns whether it completed a unit.
    fn handle(&mut self, message: Message<E>) -> Result<bool, ExecuteError<E::Error>> {
        match message {
            Message::Record(record, payload, evidence) => self.arrive((record, payload, evidence)),
            Message::TaskDone(counted) => {
                // A worker that is gone meanwhile does not wait.
                let _ = counted.send(());
                Ok(false)
            }
            Message::Notice(text) => {
                self.screen.notice(&text);
                Ok(false)
            }
            Message::FailedStart(text, dialogue) => {
                self.failed_starts += 1;
                let name = format!("start-{}.txt", self.failed_starts);
                let file = self.shared.folder.write_fault(&name, &format!("{text}\n\n{dialogue}"))?;
                self.screen.notice(&format!("{text} (see {})", file.display()));
                Ok(false)
            }
            Message::Fatal(error) => Err(error),
        }
    }

    /// Saves a record, or where the order matters, all records whose turn has come.
    fn arrive(&mut self, arrived: Arrived<E>) -> Result<bool, ExecuteError<E::Error>> {
        if !E::IN_ORDER {
            return self.save(arrived);
        }
        self.early.insert(arrived.0.number(), arrived);
        let mut is_unit = false;
        while let Some(next) = self.early.remove(&self.ledger.records) {
            is_unit |= self.save(next)?;
        }
        Ok(is_unit)
    }

    /// Saves, counts and shows a record; returns whether it completed a unit.
    fn save(&mut self, (mut record, payload, evidence): Arrived<E>) -> Result<bool, ExecuteError<E::Error>> {
        let experiment = self.shared.experiment;
        let is_unit = self.ledger.append(experiment, &mut record, &payload)?;
        let fault =
            evidence.map(|evidence| write_evidence(self.shared.folder, &record.fault_name(), &evidence));
        experiment.show_record(self.screen, &record, fault.transpose()?.as_deref());
        (self.watch)(&record);
        if !self.close_if_enough() {
            for Notice { text, event } in experiment.inspect(&self.ledger.state, &record) {
                if let Some((name, body)) = event {
                    self.screen.event(name, body);
                }
                self.screen.notice(&text);
            }
            if let Some(error) = experiment.failure(&self.ledger.state, &record) {
                return Err(ExecuteError::Experiment(error));
            }
        }
        Ok(is_unit)
    }

    /// Closes the tasks once the records decide; returns whether they do.
    fn close_if_enough(&mut self) -> bool {
        if !self.is_closed && self.shared.experiment.is_enough(&self.ledger.state) {
            self.is_closed = true;
            self.shared.tasks.lock().unwrap_or_else(PoisonError::into_inner).close();
        }
        self.is_closed
    }

    fn progress(&self) -> Progress<'_, E> {
        let state = &self.ledger.state;
        let done = self.shared.experiment.units(state);
        Progress { state, done, session: done - self.units_before, elapsed: self.shared.begun.elapsed() }
    }

    /// Renews `live.json`.
    fn write_live(&self) {
        let (experiment, progress) = (self.shared.experiment, self.progress());
        let eta = experiment.eta(&progress).map(|eta| eta.as_secs());
        let (text, games) = (experiment.live(&progress), experiment.games_under_way());
        let status = LiveStatus::new(progress.elapsed.as_secs(), eta, text, games);
        status.write(self.shared.folder.path());
    }

    fn show_progress(&mut self, is_unit: bool) {
        let experiment = self.shared.experiment;
        let is_due = self.screen.is_due(experiment.units(&self.ledger.state));
        let progress = self.progress();
        if is_unit {
            experiment.show_unit(self.screen, &progress);
        }
        if is_due {
            self.screen.show(|| experiment.live(&progress), || experiment.line(&progress));
        }
    }
}

/// Writes the evidence of a fault; returns the file to read.
fn write_evidence(folder: &RunFolder, name: &str, evidence: &Evidence) -> Result<PathBuf, StoreError> {
    if let Some(replay) = &evidence.replay {
        folder.write_fault(&format!("{name}.replay.yaml"), replay)?;
    }
    folder.write_fault(&format!("{name}.txt"), &evidence.text)
}
