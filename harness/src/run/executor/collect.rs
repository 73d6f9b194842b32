//! The collector: saves, counts and shows the records that the workers send.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::ledger::Ledger;
use super::outbox::{Evidence, Message};
use super::play::{Notice, PayloadOf, Play, Progress, RecordOf, StateOf, View};
use super::study::Study;
use super::work::{MessageOf, Shared};
use crate::run::console::Screen;
use crate::run::live::LiveStatus;
use crate::run::{Entry, RunFolder, RunState};

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
type Arrived<P> = (Box<RecordOf<P>>, PayloadOf<P>, Option<Evidence>);

/// A function that sees each record of this session.
pub(super) type Watch<'a, P> = &'a mut dyn FnMut(&RecordOf<P>);

/// The open files of a kind of run.
pub(super) type LedgerOf<P> = Ledger<<P as Play>::Study, <P as Play>::Files>;

/// Saves, counts and shows.
pub(super) struct Collector<'a, P: View> {
    shared: &'a Shared<'a, P>,
    ledger: &'a mut LedgerOf<P>,
    screen: &'a mut Screen,
    watch: Watch<'a, P>,
    /// Records that arrived before their turn.
    early: BTreeMap<u64, Arrived<P>>,
    /// Units done by earlier sessions.
    units_before: u64,
    /// Whether the records decide, so that no task is begun any more.
    is_closed: bool,
}

impl<'a, P: View> Collector<'a, P> {
    pub(super) fn new(
        shared: &'a Shared<'a, P>,
        ledger: &'a mut LedgerOf<P>,
        screen: &'a mut Screen,
        watch: Watch<'a, P>,
        is_closed: bool,
    ) -> Self {
        let units_before = shared.play.units(&ledger.state);
        let early = BTreeMap::new();
        Self { shared, ledger, screen, watch, early, units_before, is_closed }
    }

    /// Handles messages until every worker is gone.
    pub(super) fn collect(&mut self, messages: &Receiver<MessageOf<P>>) -> anyhow::Result<()> {
        let (start, play) = (self.shared.context.begun, self.shared.play);
        let (mut last_sync, mut last_summary, mut last_news, mut last_live) = (start, start, start, start);
        let mut is_stop_shown = false;
        loop {
            if !is_stop_shown && play.cancel().is_cancelled() {
                is_stop_shown = true;
                self.screen.notice(P::STOPPING);
            }
            let is_unit = match messages.recv_timeout(TICK) {
                Ok(message) => self.handle(message)?,
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            self.show_progress(is_unit);
            if P::LIVE_SUMMARY && last_live.elapsed() >= LIVE_INTERVAL {
                last_live = Instant::now();
                self.write_live();
            }
            if is_unit
                && last_news.elapsed() >= NEWS_INTERVAL
                && let Some(news) = play.news()
            {
                last_news = Instant::now();
                self.screen.notice(&news);
            }
            if last_sync.elapsed() >= SYNC_INTERVAL {
                last_sync = Instant::now();
                self.ledger.sync()?;
            }
            if P::LIVE_SUMMARY && last_summary.elapsed() >= SUMMARY_INTERVAL {
                last_summary = Instant::now();
                let summary = play.study().summarize(&self.ledger.state, RunState::Running);
                self.shared.context.folder.write_summary(&summary)?;
            }
        }
    }

    /// Handles one message; returns whether it completed a unit.
    fn handle(&mut self, message: MessageOf<P>) -> anyhow::Result<bool> {
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
                let written = self.shared.context.folder.write_failed_start(&format!("{text}\n\n{dialogue}"));
                let place = written.map(|file| format!("see {}", file.display()));
                // Without the file, for want of space or descriptors, the engine and the cause are all that is known.
                self.screen.notice(&format!("{text} ({})", place.unwrap_or_else(|error| error.to_string())));
                Ok(false)
            }
            Message::Fatal(error) => Err(error),
        }
    }

    /// Saves a record, or where the order matters, all records whose turn has come.
    fn arrive(&mut self, arrived: Arrived<P>) -> anyhow::Result<bool> {
        if !P::IN_ORDER {
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
    fn save(&mut self, (mut record, payload, evidence): Arrived<P>) -> anyhow::Result<bool> {
        let play = self.shared.play;
        let is_unit = self.ledger.append(play.study(), &mut record, &payload)?;
        play.follow(&self.ledger.state, &record);
        let fault = evidence
            .map(|evidence| write_evidence(self.shared.context.folder, &record.fault_name(), &evidence));
        play.show_record(self.screen, &record, fault.transpose()?.as_deref());
        (self.watch)(&record);
        if !self.close_if_enough() {
            for Notice { text, event } in play.inspect(&self.ledger.state, &record) {
                if let Some((name, body)) = event {
                    self.screen.event(name, body);
                }
                self.screen.notice(&text);
            }
            if let Some(error) = play.failure(&self.ledger.state, &record) {
                self.show_progress(is_unit);
                return Err(error);
            }
        }
        Ok(is_unit)
    }

    /// Closes the tasks once the records decide; returns whether they do.
    fn close_if_enough(&mut self) -> bool {
        if !self.is_closed && self.shared.play.study().is_enough(&self.ledger.state) {
            self.is_closed = true;
            self.shared.tasks.lock().unwrap_or_else(PoisonError::into_inner).close();
        }
        self.is_closed
    }

    fn progress(&self) -> Progress<'_, StateOf<P>> {
        let state = &self.ledger.state;
        let done = self.shared.play.units(state);
        Progress {
            state,
            done,
            session: done - self.units_before,
            elapsed: self.shared.context.begun.elapsed(),
        }
    }

    /// Replaces `live.json`, which `watch` reads, by the present progress.
    fn write_live(&self) {
        let (play, progress) = (self.shared.play, self.progress());
        let eta = play.eta(&progress).map(|eta| eta.as_secs());
        let (text, games) = (play.live(&progress), play.games_under_way());
        let status = LiveStatus::new(progress.elapsed.as_secs(), eta, text, games);
        status.write(self.shared.context.folder.path());
    }

    fn show_progress(&mut self, is_unit: bool) {
        let play = self.shared.play;
        let is_due = self.screen.is_due(play.units(&self.ledger.state));
        let progress = self.progress();
        if is_unit {
            play.show_unit(self.screen, &progress);
        }
        if is_due {
            self.screen.show(|| play.live(&progress), || play.line(&progress));
        }
    }
}

/// Writes the evidence of a fault; returns the file to read.
fn write_evidence(folder: &RunFolder, name: &str, evidence: &Evidence) -> anyhow::Result<PathBuf> {
    if let Some(replay) = &evidence.replay {
        folder.write_fault(&format!("{name}.replay.yaml"), replay)?;
    }
    folder.write_fault(&format!("{name}.txt"), &evidence.text)
}
