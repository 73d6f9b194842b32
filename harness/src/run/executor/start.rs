//! The executor itself: from an open folder to the end of the command.

use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::time::Duration;

use super::collect::{Collector, LedgerOf, Watch};
use super::ledger::Ledger;
use super::play::{Play, RecordOf, StateOf, SummaryOf, View};
use super::study::Study;
use super::work::{Shared, work};
use crate::base::workers;
use crate::report::Report;
use crate::run::command::Failure;
use crate::run::console::Screen;
use crate::run::live::LiveStatus;
use crate::run::session::KeptRun;
use crate::run::{RunFolder, RunState};

/// The place of a run, and how it is shown.
pub(super) struct Launch<'a> {
    /// The run as a whole.
    pub(super) run: &'a KeptRun,
    /// The folder of the run, or of this part of it.
    pub(super) folder: &'a RunFolder,
    /// Notices shown when it begins.
    pub(super) notices: &'a [String],
    /// Least time between two plain lines of progress; `None` for the usual one.
    pub(super) interval: Option<Duration>,
    /// The stage as a run of its own, which gets a report.
    pub(super) own: Option<&'a KeptRun>,
}

/// A run that has ended, by itself or on request.
pub struct Executed<P: Play> {
    /// Its end: finished, interrupted or failed.
    pub run_state: RunState,
    /// The statistics of its records.
    pub state: StateOf<P>,
    /// The content of `summary.json`.
    pub summary: SummaryOf<P>,
}

/// Opens the journal and the files of a run, and replays the records of earlier sessions.
fn open<P: Play>(play: &P, folder: &RunFolder) -> anyhow::Result<LedgerOf<P>> {
    let files = play.files(folder)?;
    let follow = |state: &StateOf<P>, record: &RecordOf<P>| play.follow(state, record);
    let mut ledger = Ledger::open(play.study(), files, folder, follow)?;
    play.begin_session(&mut ledger.state);
    Ok(ledger)
}

/// Performs the missing tasks of a run and writes `summary.json`. Everything found so far is saved,
/// also on an error. Without `has_end` the run goes on afterwards, and the caller emits `run_ended`.
///
/// An error of a task or the system gives the state `failed`. The run keeps it, and returns it at the end of the
/// command. Errors: the folder cannot be opened.
pub(super) fn execute<P: View>(play: &P, launch: &Launch<'_>, has_end: bool) -> anyhow::Result<Executed<P>> {
    let mut ledger = open(play, launch.folder)?;
    let mut screen = Screen::new(play.header(), launch.run.is_json);
    screen.interval = launch.interval.unwrap_or(screen.interval);
    let (body, before) = play.started(&ledger.state);
    screen.start(launch.folder.path(), body, before);
    for notice in launch.notices {
        screen.notice(notice);
    }
    if ledger.torn_bytes > 0 {
        let (bytes, item) = (ledger.torn_bytes, P::ITEM);
        screen.notice(&format!("cut {bytes} bytes of an unfinished {item} off the journal"));
    }
    let performed = perform_missing(play, launch.folder, &mut ledger, &mut screen, &mut |_| {});
    screen.abandon();
    let (run_state, summary, error) = match performed {
        Ok((run_state, summary)) => (run_state, summary, None),
        Err(error) => {
            let summary = play.study().summarize(&ledger.state, RunState::Failed);
            (RunState::Failed, summary, Some(error))
        }
    };
    let mut body = play.ended(&ledger.state, &summary);
    match &error {
        None => closing_notices(play, launch, &summary).iter().for_each(|notice| screen.notice(notice)),
        Some(error) => body["error"] = format!("{error:#}").into(),
    }
    if has_end {
        screen.finish(run_state, body);
    }
    if let Some(error) = error {
        launch.run.keep_failure(launch.run.stopped(error));
    }
    Ok(Executed { run_state, state: ledger.state, summary })
}

/// Returns the notices at the end of a run: steal time and load from other programs, if its results
/// depend on time.
fn closing_notices<P: View>(play: &P, launch: &Launch<'_>, summary: &SummaryOf<P>) -> Vec<String> {
    match (P::REPORTS_STEAL_TIME, play.depends_on_time()) {
        (true, _) => play.closing_notices(summary),
        (false, true) => launch.run.disturbance(),
        (false, false) => Vec::new(),
    }
}

/// Starts the workers, collects their records, and writes the summary.
fn perform_missing<P: View>(
    play: &P,
    folder: &RunFolder,
    ledger: &mut LedgerOf<P>,
    screen: &mut Screen,
    watch: Watch<'_, P>,
) -> anyhow::Result<(RunState, SummaryOf<P>)> {
    let mut tasks = play.tasks(&ledger.state);
    // A record that was under way when another one decided may be the last of the journal.
    let is_closed = play.study().is_enough(&ledger.state) || play.study().is_finished(&ledger.state);
    if is_closed {
        tasks.close();
    }
    let count = tasks.len_hint().map_or(play.workers(), |len| play.workers().min(len));
    let shared = Shared::new(play, folder, tasks);
    let result = std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        let pieces = (0..count).map(|place| {
            let (sender, shared) = (sender.clone(), &shared);
            move || work(shared, place, sender)
        });
        if let Some(shortage) = workers::start(scope, pieces)? {
            screen.notice(&shortage);
        }
        drop(sender);
        let mut collector = Collector::new(&shared, ledger, screen, watch, is_closed);
        let result = collector.collect(&receiver);
        if result.is_err() {
            // The workers must not go on for a collector that has given up.
            play.cancel().cancel();
        }
        result
    });
    LiveStatus::remove(folder.path());
    let state = match &result {
        Err(_) => RunState::Failed,
        Ok(()) if shared.is_cut.load(Ordering::Relaxed) => RunState::Interrupted,
        Ok(()) => RunState::Finished,
    };
    let summary = play.study().summarize(&ledger.state, state);
    let written = ledger.sync().and_then(|()| folder.write_summary(&summary));
    result?;
    written?;
    Ok((state, summary))
}

/// Executes a run whose folder is open, writes and shows its report, and says how it ended.
pub fn complete<P: View>(
    play: &P,
    run: &KeptRun,
    folder: &RunFolder,
    interval: Option<Duration>,
) -> Result<Executed<P>, Failure> {
    let executed = execute(play, &Launch { run, folder, notices: &run.notices, interval, own: None }, true)?;
    if executed.run_state == RunState::Failed {
        run.end(executed.run_state)?;
    }
    let report: Report = play.study().report(&executed.state, &executed.summary);
    run.show(&play.text(&executed.state, &executed.summary, &report, folder.path()));
    run.write_report(report, executed.run_state)?;
    run.end(executed.run_state)?;
    Ok(executed)
}

/// Executes a run without a command around it. `watch` sees each record of this session once it is
/// counted.
pub fn execute_watched<P: View>(
    play: &P,
    folder: &RunFolder,
    mut watch: impl FnMut(&RecordOf<P>),
) -> anyhow::Result<Executed<P>> {
    let mut ledger = open(play, folder)?;
    let mut screen = Screen::new(play.header(), false);
    let (run_state, summary) = perform_missing(play, folder, &mut ledger, &mut screen, &mut watch)?;
    screen.abandon();
    Ok(Executed { run_state, state: ledger.state, summary })
}
